"""Fits the models with which the agent `value` predicts who accepts its offers.

    python examples/fit_acceptance.py --games 100 --out runs/acceptance
    python examples/fit_acceptance.py --games 40 --jsettlers --out runs/acceptance

The agent plays against three players of each type, with some of its offers taken at random, and
notes each answer. A logistic regression is fitted to those of each type, with every fifth game held
out, of which calibration and log loss are printed. `--jsettlers` adds robots of a JSettlers server,
whose classes CATAN_PZ_JSETTLERS names. `answers.npz` keeps what was heard, so that a type is played
once only; `acceptance.npz` gets the models.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from catan_pz import Rules
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.agents.value.exchanges import NUM_TERMS
from catan_pz.agents.value.network import ValueNet
from catan_pz.agents.value.trader import Ask, Offered, Trader
from catan_pz.arena import play_match
from catan_pz.files import read_arrays, whole_file
from catan_pz.tables.jsettlers.match import play_match as play_jsettlers
from catan_pz.training.console import run_program

TYPES = ("heuristic", "evolved", "value")
EXPLORED = 0.3
"""Share of offers that are taken at random."""


class Answers:
    """The data of a collector from all its games; its copies share it."""

    def __init__(self) -> None:
        self.game, self.rng = 0, np.random.default_rng(1)
        self.rows: list[list[float]] = []


class ExploringTrader(Trader):
    """Notes the answers to its offers, some of which it draws."""

    def __init__(self, seat: int, rules: Rules, net: ValueNet, answers: Answers) -> None:
        super().__init__(seat, rules, net)
        self.answers = answers

    def chosen(self, offered: Offered, base: float, tries: int) -> Ask | None:
        """The offer to make first, or any."""
        best = super().chosen(offered, base, tries)
        rng = self.answers.rng
        if best is None or rng.random() >= EXPLORED:
            return best
        k = int(rng.integers(len(offered.values)))
        return Ask(offered.swaps[k], int(offered.templates[k]))

    def heard(self, terms: NDArray[np.float64], agreed: bool) -> None:
        """Keep an answer with its game."""
        self.answers.rows.append([self.answers.game, agreed, *terms])


class Collector(ValueAgent):
    """The agent whose trader explores."""

    name = "collector"

    def __init__(self) -> None:
        super().__init__()
        self.answers = Answers()

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """A game begins."""
        super().reset(seat, rules, seed)
        self.answers.game += 1
        self._trader = ExploringTrader(seat, rules, self._net_for(rules), self.answers)


def answers_of(opponent: str, games: int) -> NDArray[np.float64]:
    """(N, 2 + X) game, whether it agreed, and the terms of each answer."""
    collector = Collector()
    if opponent == "jsettlers":
        play_jsettlers(collector, "mixed", 4, True, games)
    else:
        rules = Rules(offer_form="both", max_offers_per_turn=8)
        play_match([collector, *[opponent] * 3], rules=rules, games=games, seed=7)
    return np.array(collector.answers.rows)


def fitted(terms: NDArray[np.float64], agreed: NDArray[np.float64]) -> NDArray[np.float64]:
    """(X,) weights of a logistic regression by Newton's method, with a slight pull to zero."""
    weights, pull = np.zeros(NUM_TERMS), 1.0
    for _ in range(30):
        chances = 1 / (1 + np.exp(-terms @ weights))
        slope = terms.T @ (agreed - chances) - pull * weights
        curvature = (terms * (chances * (1 - chances))[:, None]).T @ terms
        weights += np.linalg.solve(curvature + pull * np.eye(NUM_TERMS), slope)
    return weights


def report(name: str, weights: NDArray[np.float64], held: NDArray[np.float64]) -> None:
    """Print the model's predictions for held-out answers, and the actual answers."""
    agreed, chances = held[:, 1], 1 / (1 + np.exp(-held[:, 2:] @ weights))
    losses = []
    for foreseen in (chances, np.full(len(held), agreed.mean())):
        p = np.clip(foreseen, 1e-6, 1 - 1e-6)
        losses.append(-np.mean(agreed * np.log(p) + (1 - agreed) * np.log(1 - p)))
    print(
        f"{name}: {len(held)} answers held out, loss {losses[0]:.3f}, of the mean {losses[1]:.3f}"
    )
    for low in np.arange(0, 1, 0.2):
        among = (chances >= low) & (chances < low + 0.2)
        if among.any():
            said, came = chances[among].mean(), agreed[among].mean()
            print(f"  {among.sum():6d} answers: foreseen {said:.2f}, came {came:.2f}")


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100, help="against each type")
    parser.add_argument("--jsettlers", action="store_true", help="also against its robots")
    parser.add_argument("--out", type=Path, default=Path("runs/acceptance"))
    return parser.parse_args(arguments)


def main() -> None:
    """Play, fit, report."""
    args = parse_options()
    args.out.mkdir(parents=True, exist_ok=True)
    kept = args.out / "answers.npz"
    answers = read_arrays(kept.read_bytes()) if kept.exists() else {}
    for name in (*TYPES, *["jsettlers"] * args.jsettlers):
        if name not in answers:
            answers[name] = answers_of(name, args.games)
            with whole_file(kept) as draft:
                np.savez_compressed(draft, **answers)
    types = []
    for name, rows in answers.items():
        is_held = rows[:, 0] % 5 == 0
        report(name, fitted(rows[~is_held, 2:], rows[~is_held, 1]), rows[is_held])
        types.append(fitted(rows[:, 2:], rows[:, 1]))
    with whole_file(args.out / "acceptance.npz") as draft:
        np.savez_compressed(draft, types=np.array(types), names=np.array(list(answers)))


if __name__ == "__main__":
    run_program(main)
