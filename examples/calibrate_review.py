"""Measures how often the win probabilities of reviews come true, in ten bins.

    python examples/calibrate_review.py games --plot calibration.svg

As each turn of the recorded games begins, the win probabilities of all seats are noted as a review
has them: as the player in turn knows the game. A temperature is fitted in every other game and
judged in the rest, by the mean logarithm of the winner's probability.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catan_pz import Game
from catan_pz.actions import NO_ACTION
from catan_pz.agents.hosting import SeatedAgent
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.network import shipped
from catan_pz.arena.agreement import (
    Estimate,
    brier_score,
    calibration,
    calibration_table,
    draw_calibration,
)
from catan_pz.arena.report import save_plot
from catan_pz.files import files_in
from catan_pz.game.record import GameRecord
from catan_pz.progress import progress_bar
from catan_pz.review.review import DRAWN
from catan_pz.terms import Phase

TEMPERATURES = np.linspace(0.7, 1.6, 91)


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("games", nargs="+", type=Path, help="records, or folders of them")
    parser.add_argument("--plot", type=Path, help="draw the bins here: .svg or .png")
    return parser.parse_args(arguments)


def at_turns(record: GameRecord) -> Iterator[NDArray[np.float64]]:
    """(P,) win probabilities as each turn begins."""
    game, turn = Game.from_snapshot(record.start), -1
    seats = range(game.rules.num_players)
    judge = Judge(game.rules, shipped(len(seats)))
    seated = [SeatedAgent(game, seat, "value", 0, lambda _events: None) for seat in seats]
    for _ in record.replay(game):
        if game.phase == Phase.ROLL and game.turn > turn:
            turn = game.turn
            games = seated[game.player].view.resample_many(np.random.default_rng(turn), DRAWN)
            yield judge.outcomes(games, NO_ACTION, game.player).values[0]


def log_score(found: list[NDArray[np.float64]], won: NDArray[np.int64], heat: float) -> float:
    """The mean logarithm of the winner's probability at a temperature."""
    logits = np.log(np.array(found)) / heat
    return float(np.mean(logits[np.arange(len(won)), won] - np.log(np.exp(logits).sum(1))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the games, and print the bins."""
    options = parse_options(arguments)
    found: list[list[NDArray[np.float64]]] = [[], []]
    won: list[list[int]] = [[], []]
    estimates = []
    paths = files_in(options.games)
    with progress_bar() as bar:
        task = bar.add_task("games", total=len(paths), note="")
        for number, path in enumerate(paths):
            record = GameRecord.load(path)
            winner = record.result["winner"]
            for shares in at_turns(record) if winner is not None else ():
                found[number % 2].append(shares)
                won[number % 2].append(winner)
                estimates += [
                    Estimate(number, float(share), seat == winner)
                    for seat, share in enumerate(shares)
                ]
            bar.advance(task)
    scores = [log_score(found[0], np.array(won[0]), heat) for heat in TEMPERATURES]
    heat = float(TEMPERATURES[np.argmax(scores)])
    judged = [log_score(found[1], np.array(won[1]), h) for h in (1.0, heat)]
    bins = calibration(estimates)
    print(calibration_table(bins))
    print(f"{len(paths):,} games; Brier score {brier_score(estimates):.4f}")
    print(
        f"temperature {heat:.2f}; log score in other games {judged[0]:.4f}, with it {judged[1]:.4f}"
    )
    if options.plot is not None:
        save_plot(
            options.plot, 4.8, 4.8, lambda f: draw_calibration(f.subplots(), bins, "the review")
        )


if __name__ == "__main__":
    main()
