"""Tunes the weights of the heuristic player by evolution: CMA-ES on games won.

    pip install "catan-pz[train]"
    python examples/tune_heuristic.py --players 4 --generations 60 --out runs/tune
    python examples/tune_heuristic.py --players 2 --resume --out runs/tune-2

In each generation some sets of weights are drawn around the best mean so far (Hansen, "The CMA
Evolution Strategy: A Tutorial", 2016). Each plays the same games, one against copies of the player
whose weights were set by hand, and the mean moves towards those that won most. Every few
generations the mean itself is evaluated on other games, and written to `weights.json`; the values
of all generations are in `generations.jsonl`, from which `--resume` goes on exactly.
"""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import cma
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from catan_pz.agents.base import Agent
from catan_pz.agents.compiled import play_compiled
from catan_pz.agents.heuristic.agent import HeuristicAgent
from catan_pz.agents.heuristic.weights import Weights, evolved
from catan_pz.arena.statistics import normal_quantile, wilson
from catan_pz.checks import check_count
from catan_pz.files import write_bytes
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.options import Count, parse

console = Console()

FIXED = ("parts", "close")
"""Weights that aren't tuned."""
OF_TRADE = ("offer", "accept")
STEPS = {"held": 6, "seven": 20, "bank": 15, "claim": 100, "road": 200}
"""How far weights are changed at first; others by a quarter, or by 20."""
BINDING = ("players", "trading", "population", "games", "from_evolved", "seed")
"""Options that a resumed run must share."""
EVALUATION_SEED = 2**63
"""Games of evaluations begin here, beyond all of generations, which begin at `--seed` million."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options."""

    players: Count = 4
    """players of a game, 2 to 4"""
    trading: bool = False
    """whether players trade"""
    generations: Count = 60
    """generations in all"""
    population: Count = 14
    """sets of weights in a generation"""
    games: Count = 2000
    """games that each of them plays"""
    eval_every: Count = 5
    """generations between evaluations of the mean"""
    eval_games: Count = 10_000
    """games of an evaluation"""
    from_evolved: bool = False
    """begin with the weights of the agent evolved, not with those set by hand"""
    workers: Count = 1
    """threads"""
    seed: Count = 1
    """random seed; CMA-ES would take 0 for the time of day"""
    out: Path = Path("runs/tune")
    """output folder"""
    resume: bool = False
    """go on with the folder's generations"""


class Tuning:
    """One run.

    Args:
        args: its options.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    def __init__(self, args: Args) -> None:
        check_count("population", args.population, least=2)
        check_count("seed", args.seed, most=2**32 - 1)
        self.args = args
        left_out = FIXED if args.trading else FIXED + OF_TRADE
        self.start = evolved(args.players) if args.from_evolved else Weights()
        self.names = [one.name for one in fields(Weights) if one.name not in left_out]
        self.first = np.array([getattr(self.start, name) for name in self.names], float)
        pairs = zip(self.names, self.first, strict=True)
        self.steps = np.array([STEPS.get(name, max(20, at / 4)) for name, at in pairs])
        options = {"seed": args.seed, "popsize": args.population, "verbose": -9}
        self.strategy = cma.CMAEvolutionStrategy(np.zeros(len(self.names)), 0.5, options)
        self.done = 0

    def weights_at(self, place: NDArray[np.float64]) -> Weights:
        """The weights that a point of the search stands for."""
        numbers = {}
        for name, value in zip(self.names, self.first + place * self.steps, strict=True):
            numbers[name] = max(0, round(value))
        return replace(self.start, **numbers)

    def won(self, weights: Weights, games: int, seed: int) -> int:
        """Games won against copies of the player by hand."""
        count, trading = self.args.players, self.args.trading
        agents: list[Agent | str] = [HeuristicAgent(weights), *["heuristic"] * (count - 1)]
        played = play_compiled(agents, games, seed=seed, num_players=count, trading=trading)
        return played.won(0)

    def generation(self, values: Sequence[float] | None = None) -> list[float]:
        """Play a generation, or take in one that was played: shares of games lost."""
        places = self.strategy.ask()
        if values is None:
            seed = 1_000_000 * self.args.seed + self.done * self.args.games
            with ThreadPoolExecutor(self.args.workers) as pool:
                games = self.args.games
                wins = pool.map(lambda at: self.won(self.weights_at(at), games, seed), places)
                values = [1 - won / games for won in wins]
        self.strategy.tell(places, list(values))
        self.done += 1
        return list(values)

    @property
    def is_evaluated(self) -> bool:
        """Whether the mean of the last generation is one to evaluate."""
        return self.done % self.args.eval_every == 0 or self.done == self.args.generations

    def evaluate(self) -> str:
        """The mean's win rate in separate games, with its interval; its weights are written."""
        weights, games = self.weights_at(self.strategy.mean), self.args.eval_games
        won = self.won(weights, games, EVALUATION_SEED)
        chosen = {name: getattr(weights, name) for name in self.names}
        write_bytes(self.args.out / "weights.json", (json.dumps(chosen, indent=1) + "\n").encode())
        low, high = wilson(won, games, normal_quantile(0.95))[-2:]
        return f"{100 * won / games:.1f} % of {games:,} games ({100 * low:.1f} to {100 * high:.1f})"


def bound(args: Args) -> dict[str, Any]:
    """The options that a resumed run must share."""
    return {name: getattr(args, name) for name in BINDING}


def played_before(args: Args, log: Path) -> list[list[float]]:
    """The values of the generations that are to be resumed.

    Raises:
        ValueError: if there are none, if they were played with other options, or if there are some
            and a new run is to begin.
    """
    if not args.resume:
        if log.exists():
            raise ValueError(f"{log} has generations; go on with --resume, or name another --out")
        return []
    if not log.exists():
        raise ValueError(f"resume: {args.out} has no generations to resume from")
    first, *rest = (json.loads(line) for line in log.read_text(encoding="utf-8").splitlines())
    for name, value in bound(args).items():
        if first[name] != value:
            raise ValueError(f"{name} must be {first[name]}, as in the folder, got {value}")
    return rest


def report(tuning: Tuning) -> None:
    """Evaluate the mean, and print its win rate."""
    console.print(f"generation {tuning.done}: mean {tuning.evaluate()}", highlight=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Tune."""
    args = parse(Args, arguments, __doc__ or "")
    log = args.out / "generations.jsonl"
    tuning, played = Tuning(args), played_before(args, log)
    for values in played:
        tuning.generation(values)
    args.out.mkdir(parents=True, exist_ok=True)
    if played and tuning.is_evaluated:  # it may have been broken off
        report(tuning)
    left = range(len(played), args.generations)
    for _ in track(left, "generations", console=console, disable=not console.is_terminal):
        played.append(tuning.generation())
        lines = [bound(args), *played]
        write_bytes(log, "".join(json.dumps(line) + "\n" for line in lines).encode())
        if tuning.is_evaluated:
            report(tuning)


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
