"""Matches and tournaments between agents, and figures that can be trusted."""

from catan_pz.arena.match import Interrupted, play_match, play_tournament
from catan_pz.arena.ratings import Rating
from catan_pz.arena.results import GameResult, Result, Tally, compare
from catan_pz.arena.statistics import Comparison

__all__ = [
    "Comparison",
    "GameResult",
    "Interrupted",
    "Rating",
    "Result",
    "Tally",
    "compare",
    "play_match",
    "play_tournament",
]
