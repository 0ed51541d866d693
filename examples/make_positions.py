"""Makes the set of positions that `catan-pz positions` asks agents about.

    python examples/make_positions.py catan_pz/arena/positions.npz

Games between a `value` and three `evolved` players are stopped at a decision of a given phase.
From there every legal action is played on in games drawn from what the seat may know, with
the same cards and dice for all actions: for some turns by `evolved` players, then `value` judges.
Actions that lag behind the best one by several standard errors are simulated no further.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz import Game, Rules
from catan_pz.actions import ACCEPT, is_offering
from catan_pz.agents import load
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.search.rollout import PLAYERS, Rollout
from catan_pz.agents.search.simulator import Simulator
from catan_pz.agents.table import Table
from catan_pz.arena import positions
from catan_pz.files import whole_file
from catan_pz.progress import progress_bar
from catan_pz.terms import Phase
from catan_pz.training.console import run_program

PHASES = {
    Phase.SETUP_SETTLEMENT: 25,
    Phase.MAIN: 90,
    Phase.ANSWER: 40,
    Phase.CLOSE: 10,
    Phase.MOVE_ROBBER: 15,
    Phase.DISCARD: 10,
    Phase.ROLL: 10,
}
"""Positions of each phase, 200 in total."""
LAST_SETTLEMENT, LATEST = 14, 500
"""Decisions before the last settlement of the set-up, and before positions of other phases."""
FEWEST = {Phase.ROLL: 2, Phase.CLOSE: 2}
"""Legal actions of a position, 3 in other phases."""
TURNS, SETUP_TURNS = 8, 32
"""For which `evolved` plays on."""
DRAWN = 64
"""Games sampled from the seat's information."""
CHUNK, HOPELESS = 64, 4.0
"""Simulations of an action between checks of standard errors, and the errors it may trail by."""


class Position(NamedTuple):
    """A position of the set."""

    seed: int
    played: list[int]
    actions: NDArray[np.int64]  # (K,) that are legal
    values: NDArray[np.float64]  # (K,)
    errors: NDArray[np.float64]  # (K,) standard errors of the distances to the best one


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--simulations", type=int, default=5_000, help="of a position")
    parser.add_argument("--share", type=float, default=1.0, help="of the 200 positions")
    return parser.parse_args(arguments)


def stop(rules: Rules, seed: int, phase: Phase, earliest: int) -> list[int] | None:
    """The actions up to a decision of a phase, `earliest` or more of them; None without one."""
    game, played = Game(rules, seed), list[int]()
    players = ["value" if seat == seed % 4 else "evolved" for seat in range(4)]
    with Table(game, players, seat_seeds(seed, 4)) as table:
        while not game.is_over and not game.is_truncated:
            if len(played) >= earliest and game.phase == phase:
                legal = game.legal_actions()
                answers = phase != Phase.ANSWER or ACCEPT in legal
                if answers and len(legal) >= FEWEST.get(phase, 3):
                    return played
            played.append(table.step())
    return None


def simulate(rules: Rules, seed: int, played: list[int], simulations: int) -> Position:
    """A position with the values of its actions."""
    asked = positions.Position(rules, seed, np.array(played), {})
    game = asked.game
    in_setup = game.phase == Phase.SETUP_SETTLEMENT
    with asked.table(load("value")) as table:  # whose views follow what the seat may know
        drawn = table.view(game.player).resample_many(np.random.default_rng(seed), DRAWN)
    rollout = Rollout(PLAYERS["evolved"], SETUP_TURNS if in_setup else TURNS)
    simulator = Simulator(drawn, seed, rollout, 1)
    actions = game.legal_actions()
    racing, results = np.arange(len(actions)), np.zeros((len(actions), 0))
    means, errors = np.zeros(len(actions)), np.zeros(len(actions))
    played_on = np.zeros(len(actions), np.int64)
    while simulations > 0:
        first = results.shape[1]
        new = simulator.run(actions[racing], first, first + CHUNK)
        simulations, results = simulations - new.size, np.concatenate([results, new], axis=1)
        means[racing], played_on[racing] = results.mean(1), results.shape[1]
        k = int(results.mean(1).argmax())
        best, lags = results[k], (results[k] - results).mean(1)
        errors[racing] = (best - results).std(1) / np.sqrt(results.shape[1])
        # What equals the best one in all simulations needs no more of them.
        is_open = (errors[racing] > 0) & (lags <= HOPELESS * errors[racing])
        is_open[k] = True
        if is_open.sum() == 1:
            break
        racing, results = racing[is_open], results[is_open]
    # What left the race early is compared by the simulations that it shared with the best one.
    so_far = best.cumsum() / np.arange(1, len(best) + 1)
    values = np.clip(best.mean() + means - so_far[played_on - 1], 0, 1)
    return Position(seed, played, actions, values.round(5), errors)


def main() -> None:
    """Make the set."""
    options = parse_options()
    rules = Rules()
    phases = [phase for phase, n in PHASES.items() for _ in range(round(options.share * n))]
    rng, made, seed = np.random.default_rng(1), list[Position](), 0
    with progress_bar() as bar:
        task = bar.add_task("positions", total=len(phases), note="")
        while len(made) < len(phases):
            seed += 1
            phase = phases[len(made)]
            in_setup = phase == Phase.SETUP_SETTLEMENT
            earliest = int(rng.integers(LAST_SETTLEMENT if in_setup else LATEST))
            played = stop(rules, seed, phase, earliest)
            if played is not None:
                made.append(simulate(rules, seed, played, options.simulations))
                bar.update(task, advance=1)
    with whole_file(options.file) as draft, draft.open("wb") as file:
        np.savez_compressed(
            file,
            seeds=np.array([one.seed for one in made], np.int64),
            num_played=np.array([len(one.played) for one in made], np.int64),
            played=np.concatenate([one.played for one in made]).astype(np.int16),
            num_legal=np.array([len(one.actions) for one in made], np.int64),
            actions=np.concatenate([one.actions for one in made]).astype(np.int16),
            values=np.concatenate([one.values for one in made]).astype(np.float32),
        )
    print(tell(made))


def tell(made: Sequence[Position]) -> str:
    """The content of the set, and the accuracy of its values, in points of win probability."""
    best = np.array([one.actions[one.values.argmax()] for one in made])
    errors = 100 * np.concatenate([one.errors for one in made])
    lags = 100 * np.concatenate([one.values.max() - one.values for one in made])
    rivals = (errors > 0) & (lags < 2)
    return (
        f"{len(errors):,} actions; the best is an offer in "
        f"{is_offering(best).sum()} of {len(made)} positions. Standard error of what an action "
        f"loses, in points of win probability: median {np.median(errors):.2f}; of "
        f"actions that lose less than 2, {np.median(errors[rivals]):.2f}, a tenth of them over "
        f"{np.quantile(errors[rivals], 0.9):.2f}"
    )


if __name__ == "__main__":
    run_program(main)
