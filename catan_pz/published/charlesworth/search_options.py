"""Options of the forward search."""

from dataclasses import dataclass
from typing import Final

from catan_pz.checks import check_choice, check_count, check_flag, check_number
from catan_pz.rewards import WinAndSharedTerms, WinAndTerms

UNCERTAINTIES: Final = ("belief", "shuffled")
REWARDS: Final = {"mover": WinAndTerms, "all": WinAndSharedTerms}
"""Rewards in a run, by the option `bonuses`."""

BASE_CANDIDATES: Final = 10
"""Candidates for which a budget is meant; it grows and shrinks with their number."""


@dataclass(frozen=True, kw_only=True)
class ForwardOptions:
    """How to search.

    Attributes:
        simulations: runs for ten candidates, None for any number.
        seconds: time for ten candidates, None for any time; runs that have begun then are played to
            their end.
        depth: own decisions in a run; those with a single legal action don't count.
        candidates: joint actions that are tried, at least one of each legal kind.
        exploration: weight of what was little tried.
        wave: runs at a time; where one ends, the next begins.
        uncertainty: "belief" draws hidden cards from the exact belief, "shuffled" in the source's
            way.
        tree: own decisions below the root that are chosen by bounds too, where they are met again;
            0 as in the source.
        bonuses: who gets the reward for cards played, robber, discards and cities in a run, the
            "mover", or "all" players as in the source's code.
        paired: whether the first runs of all candidates are played in the same game, with the same
            random numbers, and so are their second ones, and so on, so that less of what they
            differ by is chance; in the source each run has a game of its own.
        margin: standard errors by which the mean of a candidate must exceed that of the policy's
            own choice to be played in its place; None plays the best mean, as the source does.
        gamma: discount from a decision of the searcher to its next.
        gae_lambda: weight of later estimates.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    simulations: int | None = None
    seconds: float | None = None
    depth: int = 15
    candidates: int = BASE_CANDIDATES
    exploration: float = 2.0
    wave: int = 16
    uncertainty: str = "belief"
    tree: int = 0
    bonuses: str = "mover"
    paired: bool = False
    margin: float | None = None
    gamma: float = 0.999
    gae_lambda: float = 0.95

    def __post_init__(self) -> None:
        for name in ("depth", "candidates", "wave"):
            check_count(name, getattr(self, name))
        check_count("tree", self.tree, least=0)
        check_flag("paired", self.paired)
        check_choice("uncertainty", self.uncertainty, UNCERTAINTIES)
        check_choice("bonuses", self.bonuses, tuple(REWARDS))
        if self.simulations is not None:
            check_count("simulations", self.simulations)
        if self.seconds is not None:
            check_number("option seconds", self.seconds, above=0)
        if self.margin is not None:
            check_number("option margin", self.margin, least=0)
        for name in ("exploration", "gamma", "gae_lambda"):
            check_number(f"option {name}", getattr(self, name), least=0)

    @property
    def is_on(self) -> bool:
        """Whether there is a budget to search with."""
        return self.simulations is not None or self.seconds is not None
