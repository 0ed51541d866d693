"""What a budget of time buys Charlesworth's forward search: `python -m tests.benchmarks forward`.

One searcher plays three copies of the shipped model that don't search, one game after the other.
Prints a table in Markdown over its first decisions that had more than one candidate: how many
candidates, runs and CPU-seconds each took. Its clock counts, so that the machine should be quiet.
"""

from itertools import count
from time import process_time

import numpy as np

from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.published.charlesworth.agent import CharlesworthAgent
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS
from tests.benchmarks.measuring import options, print_table


class Measured(CharlesworthAgent):
    """Plays unchanged, and keeps the cost of each search."""

    def __init__(self, seconds: float, wave: int) -> None:
        super().__init__(seconds=seconds, wave=wave)
        self.taken: list[tuple[int, int, float]] = []

    def act(self, view: View) -> int:
        """The next action; keeps the cost of its search, if there was one."""
        search = self.search
        assert search is not None
        search.last = None
        start = process_time()
        action = super().act(view)
        if search.last is not None:
            runs = int(search.last.finished.sum())
            self.taken.append((len(search.last.rows), runs, process_time() - start))
        return action


def play(searcher: Measured, decisions: int, seed: int) -> None:
    rules = Rules.make("charlesworth")
    for number in count(seed):
        game, seats = Game(rules, number), [searcher, *["charlesworth"] * (MAX_PLAYERS - 1)]
        with Table(game, seats, seat_seeds(number, MAX_PLAYERS)) as table:
            while not (game.is_over or game.is_truncated):
                game.step(table.decide())
                if len(searcher.taken) >= decisions:
                    return


def main() -> None:
    given = options(
        __doc__,
        seconds=(1.0, "for ten candidates"),
        wave=(16, "runs at a time"),
        decisions=(200, "that are searched"),
        seed=(99, "of the first game"),
    )
    play(Measured(given.seconds, given.wave), 1, given.seed)  # compiles
    searcher = Measured(given.seconds, given.wave)
    play(searcher, given.decisions, given.seed)
    candidates, runs, seconds = np.array(searcher.taken).T
    for_ten = 10 * runs / candidates
    measured = {
        "candidates": candidates,
        "runs": runs,
        "runs for ten candidates": for_ten,
        "CPU-seconds": seconds,
        "runs a CPU-second": runs / seconds,
    }
    rows = ((name, f"{x.mean():.1f}", f"{np.median(x):.1f}") for name, x in measured.items())
    print_table(("of a decision", "mean", "median"), rows)
