"""Where a host submits the decisions of many games, which copies of an agent make together."""

from typing import Any, Protocol

from catan_pz.game.view import View


class Batcher(Protocol):
    """Takes decisions in and gives them back when they are made, each in its own time.

    What a copy chooses is what its `act` would have chosen.
    """

    def submit(self, key: int, own: Any, view: View) -> None:
        """Take in a decision.

        Args:
            key: by which it is given back.
            own: the copy of the agent that is to decide.
            view: what it may know.
        """
        ...

    def collect(self) -> list[tuple[int, int]]:
        """Work for a while on what was submitted: keys and actions of what is decided, if any."""
        ...
