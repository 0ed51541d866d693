"""The search: how many simulations a second, and how strong it is by its budget.

`python -m tests.benchmarks search` prints two tables in Markdown. In the second one searcher
plays copies of another agent, without trade between players, every seat alike. Results
are kept game by game in files, one a budget, from which a run that was broken off goes on:

    python -m tests.benchmarks search --results results --games 200 --simulations 100 1000

`--plot curve.png` draws the second table.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.search import SearchAgent
from catan_pz.agents.search.options import METHODS
from catan_pz.agents.search.rollout import PLAYERS
from catan_pz.arena import Result, play_match
from catan_pz.belief import Belief
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.rules import Rules

RULES = Rules(trading=False)
POSITIONS = 20
"""Positions in which speed is measured."""


def positions() -> list[tuple[Game, Belief]]:
    """Decisions with a choice, all through some games of heuristic players."""
    from catan_pz.agents import load

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


def speed(places: list[tuple[Game, Belief]], **options: Any) -> tuple[float, float]:
    """Simulations a second, and seconds of a decision, of one thread."""
    seconds, simulations = 0.0, 0
    for game, belief in places:
        agent = SearchAgent(**options)
        agent.reset(game.player, game.rules, 1)
        view = view_of(game, game.player, FromBelief(belief, game))
        start = process_time()
        agent.act(view)
        seconds += process_time() - start
        simulations += agent.last["simulations"] if agent.last else 0
    return simulations / seconds, seconds / len(places)


def report_speed(simulations: int) -> None:
    """Print what methods and rollouts cost."""
    places = positions()
    print("| method | rollouts | turns | simulations/s | ms a decision |")
    print("|---|---|---|---|---|")
    kinds: list[dict[str, Any]] = [{"method": method} for method in METHODS]
    kinds += [{"rollout": "value"}, {"turns": None}]
    kinds += [{"rollout": "greedy"}, {"rollout": "greedy", "turns": None}]
    for kind in kinds:
        options = {"method": "halving", "rollout": "heuristic", "turns": 8} | kind
        assert options["rollout"] in PLAYERS
        speed(places[:1], simulations=4, **options)  # compiles
        each, decision = speed(places, simulations=simulations, **options)
        turns = options["turns"] or "all"
        print(
            f"| {options['method']} | {options['rollout']} | {turns} | {each:,.0f} | "
            f"{1000 * decision:.1f} |",
            flush=True,
        )


def match(args: argparse.Namespace, folder: Path, **options: Any) -> Result:
    """One searcher against copies of another agent."""
    name = "search-" + "-".join(f"{key}-{value}" for key, value in sorted(options.items()))
    path = folder / f"{name}-{args.players}-{args.opponent}-{args.games}-{args.seed}.jsonl"
    agents = [("search", SearchAgent(**options)), *[args.opponent] * (args.players - 1)]
    rules = Rules(num_players=args.players, trading=False)
    return play_match(agents, args.games, rules, seed=args.seed, results=path, progress=False)


def draw(results: dict[int, Result], players: int, opponent: str) -> Figure:
    """Win rates with their intervals, by simulations."""
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


def report_strength(args: argparse.Namespace, folder: Path) -> None:
    """Print how often the searcher wins, by its budget."""
    others = f"{args.players - 1} of {args.opponent}"
    results: dict[int, Result] = {}
    print(f"| simulations | games | won against {others} | 95 % | ms a decision |")
    print("|---|---|---|---|---|")
    for simulations in args.simulations:
        options = {"simulations": simulations, "method": args.method, "rollout": args.rollout}
        for name in ("turns", "setup_turns"):
            if getattr(args, name) is not None:
                options[name] = getattr(args, name)
        if args.prior != "auto":
            options["prior"] = None if args.prior == "none" else args.prior
        result = results[simulations] = match(args, folder, **options)
        low, high = result.interval("search")
        seconds = [g.seconds[g.seats.index("search")] for g in result.games]
        asked = [g.decisions[g.seats.index("search")] for g in result.games]
        won, pace = 100 * result.win_rate("search"), 1000 * np.sum(seconds) / np.sum(asked)
        print(
            f"| {simulations:,} | {len(result.games)} | {won:.1f} % | "
            f"{100 * low:.1f} to {100 * high:.1f} % | {pace:.1f} |",
            flush=True,
        )
    if args.plot is not None:
        draw(results, args.players, args.opponent).savefig(args.plot, dpi=120)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=200, help="of each budget, at least")
    parser.add_argument("--simulations", type=int, nargs="*", default=[64, 250, 1000, 4000])
    parser.add_argument("--method", default="gumbel", choices=METHODS)
    parser.add_argument("--rollout", default="heuristic", choices=list(PLAYERS))
    parser.add_argument("--turns", type=int, help="of a rollout")
    parser.add_argument("--setup-turns", type=int, help="of a rollout that begins in the set-up")
    parser.add_argument("--players", type=int, default=4, choices=[2, 3, 4])
    parser.add_argument("--prior", default="auto", help="auto, none, or for gumbel a model")
    parser.add_argument("--opponent", default="heuristic", help="name of an agent")
    parser.add_argument("--seed", type=int, default=1, help="of boards, dice and draws")
    parser.add_argument("--plot", type=Path, help="a PNG of win rates by simulations")
    parser.add_argument("--results", type=Path, help="folder for the results of each game")
    parser.add_argument("--speed", type=int, default=1000, help="simulations a decision; 0: none")
    args = parser.parse_args()
    if args.speed:
        report_speed(args.speed)
        print()
    if args.results is not None:
        args.results.mkdir(parents=True, exist_ok=True)
        report_strength(args, args.results)
    else:
        with TemporaryDirectory() as folder:
            report_strength(args, Path(folder))


if __name__ == "__main__":
    main()
