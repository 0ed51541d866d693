"""What another table hides, and allows, that a game of this package doesn't."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class TableCustoms:
    """How a table differs from a game of this package.

    Attributes:
        hides_discards: which cards a 7 costs is seen by their owner alone.
        unlimited_bank: the bank never runs out. Of its cards a view then shows as many as
            would be left of 19 by the belief's mean, from 0 to 19.
        tells_in_part: reports may leave out what the rules bring by themselves; what they
            do say must agree with the rules.
        robber_before_win: who wins by a knight moves the robber first.
    """

    hides_discards: bool = False
    unlimited_bank: bool = False
    tells_in_part: bool = False
    robber_before_win: bool = False

    @property
    def loose_sums(self) -> bool:
        """Whether what all hands hold of a resource may be unknown, or more than 19."""
        return self.hides_discards or self.unlimited_bank


OWN_CUSTOMS: Final = TableCustoms()
"""A game of this package."""
