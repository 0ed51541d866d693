"""How much is known of hidden hands: python -m tests.benchmarks knowledge

The engine's bounds against the exact belief, in random games, without trade between players where
`--trading` isn't given; after each decision each seat's knowledge of the opponents' hands is looked
at. A cell is one opponent's count of one resource.
"""

from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from catan_pz.belief import Belief, bounds_of
from catan_pz.events import Events
from catan_pz.game.game import Game
from tests.benchmarks.measuring import options, print_table


@dataclass
class Measured:
    """All that is measured over the games.

    Attributes:
        widths: how many counts each cell may have had, less one, by who tells: arrays.
        hypotheses: of the beliefs, after each decision.
        lost: beliefs that the truth was no part of.
        following: seconds, and those of `resampling`, which happened `resampled` times.
    """

    widths: dict[str, list[np.ndarray]] = field(
        default_factory=lambda: {"engine": [], "belief": []}
    )
    hypotheses: list[int] = field(default_factory=list)
    lost: int = 0
    decisions: int = 0
    following: float = 0.0
    resampling: float = 0.0
    resampled: int = 0


def look(game: Game, beliefs: list[Belief], measured: Measured) -> None:
    """Compare what each seat knows with what there is."""
    record = game.games[0]
    for viewer, belief in enumerate(beliefs):
        others = np.arange(len(beliefs)) != viewer
        hands = belief.hands
        told = {"engine": bounds_of(record, viewer), "belief": (hands.least, hands.most)}
        for name, (least, most) in told.items():
            measured.widths[name].append(most[others].astype(int) - least[others])
        measured.hypotheses.append(len(hands))
        measured.lost += int(hands.weight_of(record["hand"][: len(beliefs)]) == 0)


def play_game(seed: int, decisions: int, measured: Measured, trading: bool) -> None:
    """Play a random game to its end or to a number of decisions."""
    game = Game(seed=seed, num_players=4, trading=trading, offer_form="both")
    beliefs = [Belief(viewer, game.games[0]) for viewer in range(4)]

    def follow(game: Game, events: Events) -> None:
        started = perf_counter()
        for belief in beliefs:
            belief.listen(game, events)
        measured.following += perf_counter() - started

    game.listeners.append(follow)
    rng = np.random.default_rng(seed)
    for k in range(decisions):
        legal = game.legal_actions()
        if len(legal) == 0:
            return
        game.step(int(rng.choice(legal)))
        look(game, beliefs, measured)
        measured.decisions += 1
        if k % 50 == 0:
            started = perf_counter()
            beliefs[k // 50 % 4].resample(game.games[0], rng)
            measured.resampling += perf_counter() - started
            measured.resampled += 1


def report(games: int, decisions: int, trading: bool) -> None:
    """Print the tables of some games."""
    measured = Measured()
    # Compile before the clock runs.
    play_game(2**31, 60, Measured(), trading)
    for seed in range(games):
        play_game(seed, decisions, measured, trading)
    counts = np.array(measured.hypotheses)
    followed = measured.following * 1e6 / (4 * measured.decisions)
    drawn = measured.resampling * 1e6 / measured.resampled
    trade = "with" if trading else "without"
    print(f"{games} random games of four {trade} player trade, {measured.decisions} decisions.\n")
    rows = []
    for name, told in measured.widths.items():
        widths = np.concatenate(told)
        title = {"engine": "engine's bounds (row and column sums)", "belief": "exact belief"}[name]
        rows.append([title, f"{100 * (widths == 0).mean():.1f} %", f"{widths.mean():.3f}"])
    print_table(("knowledge of opponents' hands", "exact cells", "mean width"), rows)
    row = [f"{counts.mean():.2f}", f"{np.percentile(counts, 99):.0f}", counts.max(), measured.lost]
    print_table(("hypotheses: mean", "99th percentile", "most", "truth lost"), [row])
    header = ("following a decision, each viewer", "drawing a state")
    print_table(header, [[f"{followed:.0f} us", f"{drawn:.0f} us"]])


def main() -> None:
    given = options(
        __doc__,
        games=(52, "random games"),
        decisions=(5000, "at most, a game"),
        trading=(False, "with trade between players"),
    )
    report(given.games, given.decisions, given.trading)
