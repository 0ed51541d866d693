"""Matches and tournaments between agents, with confidence intervals, ratings and reports."""

from catan_pz.arena.comparison import Comparison, compare
from catan_pz.arena.executors import (
    Executor,
    InlineExecutor,
    ProcessExecutor,
    RayExecutor,
    Task,
    play_task,
)
from catan_pz.arena.forfeits import ForfeitWarning
from catan_pz.arena.match import Interrupted, MatchOptions, play_match, play_tournament
from catan_pz.arena.ratings import Rating, rate
from catan_pz.arena.report import save_report, to_csv, to_markdown
from catan_pz.arena.results import GameResult, Result, Tally
from catan_pz.arena.results_file import load_results

__all__ = [
    "Comparison",
    "Executor",
    "ForfeitWarning",
    "GameResult",
    "InlineExecutor",
    "Interrupted",
    "MatchOptions",
    "ProcessExecutor",
    "Rating",
    "RayExecutor",
    "Result",
    "Tally",
    "Task",
    "compare",
    "load_results",
    "play_match",
    "play_task",
    "play_tournament",
    "rate",
    "save_report",
    "to_csv",
    "to_markdown",
]
