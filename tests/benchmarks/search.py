"""The search: how many simulations a second, and how strong it is by its budget.

`python -m tests.benchmarks search` prints two tables in Markdown. In the second one searcher
plays copies of another agent, without trade between players, every seat alike. Results
are kept game by game in files, one a budget, from which a run that was broken off goes on:

    python -m tests.benchmarks search --results results --games 200 --simulations 100 1000

`--plot curve.png` draws the second table.
"""

from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from catan_pz.agents import load
from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.search.agent import METHODS
from catan_pz.agents.search.rollout import PLAYERS
from catan_pz.arena import Result, play_match
from catan_pz.arena.results import percent, percents
from catan_pz.belief import Belief
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.rules import Rules
from tests.benchmarks.measuring import options, print_table

RULES = Rules(trading=False)
POSITIONS = 20
"""Positions in which speed is measured."""


def positions() -> list[tuple[Game, Belief]]:
    found = []
    player = load("heuristic")
    for seed in range(POSITIONS):
        game = Game(RULES, seed=seed)
        beliefs = [Belief(p, game.state) for p in range(RULES.num_players)]
        game.listeners += [belief.listen for belief in beliefs]
        player.reset(0, RULES, seed)
        while game.turn < 2 * seed or len(game.legal_actions()) < 2:
            view = view_of(game, game.player)
            game.step(player.act(view))
        found.append((game, beliefs[game.player]))
    return found


def speed(places: list[tuple[Game, Belief]], **how: Any) -> tuple[float, float]:
    """Simulations a second, and seconds of a decision, of one thread."""
    seconds, simulations = 0.0, 0
    for game, belief in places:
        agent = SearchAgent(**how)
        agent.reset(game.player, game.rules, 1)
        view = view_of(game, game.player, FromBelief(belief, game))
        start = process_time()
        agent.act(view)
        seconds += process_time() - start
        simulations += agent.last["simulations"] if agent.last else 0
    return simulations / seconds, seconds / len(places)


def speeds(simulations: int) -> Iterator[list[Any]]:
    places = positions()
    kinds: list[dict[str, Any]] = [{"method": method} for method in METHODS]
    kinds += [{"rollout": "value"}, {"turns": None}]
    for kind in kinds:
        how = {"method": "gumbel", "rollout": "heuristic", "turns": 8} | kind
        speed(places[:1], simulations=4, **how)  # compiles
        each, decision = speed(places, simulations=simulations, **how)
        turns = how["turns"] or "all"
        yield [how["method"], how["rollout"], turns, f"{each:,.0f}", f"{1000 * decision:.1f}"]


def draw(results: dict[int, Result], players: int, opponent: str) -> Figure:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    rates = np.array([result.win_rate("search") for result in results.values()])
    bounds = np.array([result.interval("search") for result in results.values()])
    errors = np.abs(bounds.T - rates)
    axes.errorbar(list(results), 100 * rates, 100 * errors, marker="o", capsize=4)
    chance = 100 / players
    axes.axhline(chance, color="gray", linestyle="--", label=f"chance level, {chance:.0f} %")
    axes.set_xscale("log", base=4)
    axes.set_xticks(list(results), [f"{simulations:,}" for simulations in results])
    axes.set(xlabel="simulations a decision", ylabel=f"games won against {opponent}, %")
    axes.grid(alpha=0.3)
    axes.legend()
    return figure


def strength(args: Any, results: dict[int, Result]) -> Iterator[list[Any]]:
    """How often one searcher wins against copies of another agent, by its budget."""
    if args.results is not None:
        args.results.mkdir(parents=True, exist_ok=True)
    for simulations in args.simulations:
        how = {"simulations": simulations, "method": args.method, "rollout": args.rollout}
        how |= {} if args.turns is None else {"turns": args.turns}
        name = "search-" + "-".join(f"{key}-{value}" for key, value in sorted(how.items()))
        name += f"-{args.players}-{args.opponent}-{args.games}-{args.seed}.jsonl"
        path = None if args.results is None else args.results / name
        agents = [("search", SearchAgent(**how)), *[args.opponent] * (args.players - 1)]
        rules = Rules(num_players=args.players, trading=False)
        result = results[simulations] = play_match(
            agents, args.games, rules, seed=args.seed, results=path, progress=False
        )
        won, interval = percent(result.win_rate("search")), percents(result.interval("search"))
        pace = f"{result.tally('search').milliseconds:.1f}"
        yield [f"{simulations:,}", len(result.games), won, interval, pace]


def main() -> None:
    args = options(
        __doc__,
        games=(200, "of each budget, at least"),
        simulations=([64, 250, 1000, 4000], "a decision"),
        method=("gumbel", f"of {METHODS}"),
        rollout=("heuristic", f"of {list(PLAYERS)}"),
        turns=(int, "of a rollout"),
        players=(4, "2 to 4"),
        opponent=("heuristic", "name of an agent"),
        seed=(1, "of boards, dice and draws"),
        plot=(Path, "a PNG of win rates by simulations"),
        results=(Path, "folder for the results of each game"),
        speed=(1000, "simulations a decision; 0: none"),
    )
    if args.speed:
        header = ("method", "rollouts", "turns", "simulations/s", "ms a decision")
        print_table(header, speeds(args.speed))
    others = f"{args.players - 1} of {args.opponent}"
    results: dict[int, Result] = {}
    header = ("simulations", "games", f"won against {others}", "95 %", "ms a decision")
    print_table(header, strength(args, results))
    if args.plot is not None:
        draw(results, args.players, args.opponent).savefig(args.plot, dpi=120)
