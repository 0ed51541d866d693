"""Measures how often the win probabilities of reviews come true, in ten bins.

    python examples/calibrate_review.py games --plot calibration.svg

As each turn of the recorded games begins, the win probabilities of all seats are noted as a review
has them: as the player in turn knows the game. A temperature is fitted in every other game and
judged in the rest, by the mean logarithm of the winner's probability.

The chance that somebody agrees to an offer is compared with the answers that came. With --positions
the best offers by a review's prices are compared with the simulated values of `arena.positions`.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mode

import numpy as np
from numpy.typing import NDArray

from catan_pz import Game
from catan_pz.actions import ACCEPT, NO_ACTION, is_offering
from catan_pz.agents import load
from catan_pz.agents.base import Agent
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
from catan_pz.arena.positions import Position, positions
from catan_pz.arena.report import save_plot
from catan_pz.files import files_in
from catan_pz.game.record import GameRecord
from catan_pz.game.view import View
from catan_pz.progress import progress_bar
from catan_pz.review.offers import MOST_OFFERS, Offers
from catan_pz.review.review import DRAWN
from catan_pz.terms import Phase
from catan_pz.training.console import run_program

LOOKS = 12
"""Prices of an offer, as in a review."""

TEMPERATURES = np.linspace(0.7, 1.6, 91)


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("games", nargs="+", type=Path, help="records, or folders of them")
    parser.add_argument("--plot", type=Path, help="draw the bins here: .svg or .png")
    parser.add_argument("--positions", action="store_true", help="compare prices of offers")
    return parser.parse_args(arguments)


def seated_at(game: Game) -> list[SeatedAgent]:
    """An agent in each seat, whose view follows what the seat may know."""
    seats = range(game.rules.num_players)
    return [SeatedAgent(game, seat, "value", 0, lambda _events: None) for seat in seats]


def at_turns(record: GameRecord) -> Iterator[NDArray[np.float64]]:
    """(P,) win probabilities as each turn begins."""
    game, turn = Game.from_snapshot(record.start), -1
    seated = seated_at(game)
    judge = Judge(game.rules, shipped(len(seated)))
    for _ in record.replay(game):
        if game.phase == Phase.ROLL and game.turn > turn:
            turn = game.turn
            games = seated[game.player].view.resample_many(np.random.default_rng(turn), DRAWN)
            yield judge.outcomes(games, NO_ACTION, game.player).values[0]


def answered(record: GameRecord, number: int) -> Iterator[Estimate]:
    """The probability in a review that somebody agrees to each offer, and whether one did."""
    game, decisions = Game.from_snapshot(record.start), record.decisions
    seated = seated_at(game)
    net = shipped(len(seated))
    offers = [Offers(seat, game.rules, net) for seat in range(len(seated))]
    for k, _ in zip(range(len(decisions)), record.replay(game), strict=False):
        seat, action, view = game.player, decisions[k].action, seated[game.player].view
        offers[seat].learn(view)
        if game.phase == Phase.MAIN and is_offering(action):
            games = view.resample_many(np.random.default_rng(k), DRAWN)
            made, after = offers[seat].offer(view, games, action), k + 1
            while decisions[after].player != seat and decisions[after].action != ACCEPT:
                after += 1
            if made is not None:
                yield Estimate(number, made.chance, decisions[after].player != seat)
            offers[seat].remember(view, games, action)


def priced(position: Position, agent: Agent) -> tuple[float, float] | None:
    """The gain of the best offer by a review's prices and by simulation; None without a gain.

    In simulations it gains on those that nobody takes, most of which have one value.
    """
    offered = [worth for action, worth in position.values.items() if is_offering(action)]
    with position.table(agent) as table:
        view, seat = table.view(table.game.player), table.game.player
        games = view.resample_many(np.random.default_rng(position.seed), DRAWN)
        offers = Offers(seat, table.game.rules, shipped(4))
        found = [offers.offer(view, games, a) for a in offers.best(view, games)[1][:MOST_OFFERS]]

        def price(view: View, _: np.ndarray, actions: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.asarray(table.agents[seat].win_probabilities_after(view, actions))

        gains = {one.gain(price): one for one in found if one is not None}
        if not gains:
            return None
        best = gains[max(gains)]
        gain = float(np.mean([best.gain(price) for _ in range(LOOKS)]))
    return gain, position.values[best.action] - mode(offered)


def compare_positions() -> None:
    """Print the gains of the best offers by prices and by simulation."""
    asked = [one for one in positions() if one.game.phase == Phase.MAIN]
    pairs = (priced(one, load("search", preset="fast")) for one in asked)
    gains = 100 * np.array([pair for pair in pairs if pair is not None])
    for least in (0.0, 0.25, 0.5, 1.0):
        some = gains[gains[:, 0] > least]
        print(
            f"{len(some)} offers priced over {least}: mean price {some[:, 0].mean():.2f}, by "
            f"simulation {some[:, 1].mean():.2f}, which is above 0 for {(some[:, 1] > 0).sum()}"
        )


def log_score(found: list[NDArray[np.float64]], won: NDArray[np.int64], heat: float) -> float:
    """The mean logarithm of the winner's probability at a temperature."""
    logits = np.log(np.array(found)) / heat
    return float(np.mean(logits[np.arange(len(won)), won] - np.log(np.exp(logits).sum(1))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the games, and print the bins."""
    options = parse_options(arguments)
    # Win probabilities, and who won, of every other game and of the rest.
    found: list[list[NDArray[np.float64]]] = [[], []]
    won: list[list[int]] = [[], []]
    estimates, answers = [], []
    paths = files_in(options.games)
    with progress_bar() as bar:
        task = bar.add_task("games", total=len(paths), note="")
        for number, path in enumerate(paths):
            record = GameRecord.load(path)
            winner = record.result["winner"]
            answers += answered(record, number)
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
    print(calibration_table(calibration(answers)))
    if options.positions:
        compare_positions()
    if options.plot is not None:
        save_plot(
            options.plot, 4.8, 4.8, lambda f: draw_calibration(f.subplots(), bins, "the review")
        )


if __name__ == "__main__":
    run_program(main)
