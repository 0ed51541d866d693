"""Strength and speed of the compiled players: `python -m tests.benchmarks agents`.

Prints Markdown tables: wins of each player against the others, what each part of the heuristic
player is worth (switched off in one seat, against full ones and against random ones), and
decisions a second. Players change seats from game to game; intervals are Wilson's, 95 %.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from catan_pz.agents.compiled import play_compiled
from catan_pz.agents.heuristic.agent import HeuristicAgent, choose_heuristic
from catan_pz.agents.heuristic.weights import PARTS, Weights
from catan_pz.agents.random import choose_random, choose_weighted
from catan_pz.agents.registry import load
from catan_pz.arena.statistics import normal_quantile, wilson
from catan_pz.batch.cpu import CpuBatch
from catan_pz.rules import Rules
from tests.benchmarks.measuring import options, print_table, rates
from tests.views import views_of

RULE_SETS: dict[str, dict[str, Any]] = {
    "4 players, no trade between players": {"trading": False},
    "4 players, trade": {},
    "4 players, trade in both forms": {"offer_form": "both"},
    "2 players, no trade between players": {"num_players": 2, "trading": False},
    "one_v_one": {"rules": "one_v_one"},
}
FAST = ("4 players, no trade between players", "4 players, trade", "one_v_one")
PAIRS = (
    ("weighted", "random"),
    ("heuristic", "random"),
    ("heuristic", "weighted"),
    ("evolved", "heuristic"),
)


def share(won: int, games: int) -> str:
    low, high = (100 * bound for bound in wilson(won, games, normal_quantile(0.95))[-2:])
    return f"{100 * won / games:.1f} ({low:.1f} to {high:.1f})"


def against(one: Any, others: Any, games: int, options: dict[str, Any]) -> str:
    rivals = [others] * (Rules.make(**options).num_players - 1)
    played = play_compiled([one, *rivals], games, seed=1, **options)
    return share(played.won(0), games)


def strength(games: int) -> Iterator[list[str]]:
    for name, rules in RULE_SETS.items():
        for one, others in PAIRS:
            yield [name, one, others, against(one, others, games, rules)]


def ablation(games: int, parts: Sequence[str]) -> Iterator[list[str]]:
    full = HeuristicAgent()
    for part in ["nothing", *parts]:
        weights = Weights() if part == "nothing" else Weights().without(part)
        player = HeuristicAgent(weights)
        cells = [against(player, full, games, RULE_SETS[name]) for name in FAST]
        cells.append(against(player, "random", games // 2, RULE_SETS["4 players, trade"]))
        yield [part, PARTS.get(part, ""), *cells]


def positions(options: dict[str, Any], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks met in games in which one agent plays all seats."""
    agent, batch = load(name), CpuBatch(256, seed=1, **options)
    rng = np.random.default_rng(1)
    seen, masks = [], []
    for step in range(400):
        draws = rng.integers(2**64, size=256, dtype=np.uint64)
        batch.step(agent.act_batch(views_of(batch.observation, batch.mask, draws)))
        if step % 10 == 9:
            seen.append(batch.observation.copy())
            masks.append(batch.mask.copy())
    return np.concatenate(seen), np.concatenate(masks)


def decide(choose: Any, *given: Any) -> int:
    """Write a decision for each position into the last argument; return how many."""
    choose(*given)
    return len(given[-1])


def speed(repetitions: int) -> Iterator[list[str]]:
    """Decisions a second in batches, on one core, in positions of the agent's own games."""
    players: dict[str, tuple[Any, ...]] = {
        "random": (choose_random,),
        "weighted": (choose_weighted,),
        "heuristic": (choose_heuristic, HeuristicAgent().rows),
    }
    for name, (choose, *weights) in players.items():
        for rules in FAST:
            seen, masks = positions(RULE_SETS[rules], name)
            draws = np.arange(len(seen), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            chosen = np.empty(len(seen), np.int64)
            work = partial(decide, choose, seen, masks, draws, *weights, chosen)
            rate = rates({name: work}, 0, repetitions, process_time)[name]
            yield [name, rules, f"{rate:,.0f}"]


def main() -> None:
    given = options(
        __doc__,
        games=(2000, "games of each row"),
        repetitions=(7, "measures of speed"),
        parts=(list(PARTS), "parts to switch off"),
        only=(["strength", "ablation", "speed"], "tables"),
    )
    if "strength" in given.only:
        header = ("rules", "player", "against", f"wins, % of {given.games:,}")
        print_table(header, strength(given.games))
    if "ablation" in given.only:
        print(f"One player without a part against full ones, wins in % of {given.games:,} games.\n")
        header = ("part off", "instead", *FAST, "random ones")
        print_table(header, ablation(given.games, given.parts))
    if "speed" in given.only:
        print_table(("agent", "rules", "decisions/s a core"), speed(given.repetitions))
