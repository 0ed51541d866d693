"""How well a model plays: games against any line-up, each board in every seat.

    python examples/evaluate.py runs/maskable_ppo/model.npz
    python examples/evaluate.py heuristic --against random --against weighted,heuristic,random
    python examples/evaluate.py runs/ppo/model.npz --games 5000 --ship ppo-4p-notrade

The first word is a model file or a name that `catan_pz.agents.load` knows. `--against` names
the others at the table, one for all of them or one each, and can be given several times.
`--ship` puts the model with these results on its card among those of the package, where
`catan_pz.agents.load("ppo-4p-notrade")` finds it.
"""

import argparse
import os
import re
from collections.abc import Sequence
from typing import Any

# Models are small: several threads get into each other's way on their products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from catan_pz import agents
from catan_pz.agents.network import SHIPPED, Model, NetworkAgent
from catan_pz.agents.registry import specs_by_seat
from catan_pz.arena import play_match
from catan_pz.files import write_bytes
from catan_pz.rules import PRESETS, Rules
from catan_pz.training.console import run_program


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("agent", help="a model file (.npz), or the name of an agent")
    add("--against", action="append", help="the others; several times: several matches")
    add("--games", type=int, default=1000, help="games of each match at least")
    add("--seed", type=int, default=0, help="of boards, dice and draws")
    add("--workers", type=int, default=1, help="processes that play")
    add("--choice", choices=["sample", "best"], help="of a model; its own where not given")
    add("--rules", choices=sorted(PRESETS), help="a preset; those of the model where not given")
    add("--players", type=int, help="players; those of the rules where not given")
    add("--trading", action=argparse.BooleanOptionalAction, help="trade between players")
    add("--results", help="file of results, which a match broken off goes on from")
    add("--ship", metavar="NAME", help="put the model and its card among those of the package")
    options = parser.parse_args(arguments)
    options.against = options.against or ["random", "heuristic"]
    return options


def rules_of(options: argparse.Namespace, agent: Any) -> Rules:
    """The rules of the games: the model's own, changed by the options."""
    rules: Rules | str | None = options.rules
    if rules is None and isinstance(agent, NetworkAgent):
        rules = Rules.from_dict(agent.model.rules)
    changes = {"num_players": options.players, "trading": options.trading}
    return Rules.make(rules, **{k: v for k, v in changes.items() if v is not None})


def play(agent: Any, against: str, rules: Rules, options: argparse.Namespace) -> dict[str, Any]:
    """One match, in figures."""
    seats, plain = rules.num_players - 1, re.sub(r"[^\w.=,-]", "-", against)
    lineup = [("evaluated", agent), *specs_by_seat("against", against, seats)]
    result = play_match(
        lineup,
        options.games,
        rules,
        options.seed,
        workers=options.workers,
        results=options.results and f"{options.results}-{plain}",
    )
    tally = result.tally("evaluated")
    return {
        "against": against,
        "games": tally.seats,
        "won": tally.won,
        "win_rate": result.win_rate("evaluated"),
        "interval": list(result.interval("evaluated")),
        "by_seat": result.win_rates_by_seat("evaluated"),
        "points": tally.points,
        "seed": options.seed,
    }


def show(result: dict[str, Any]) -> str:
    """The figures in a line."""
    low, high = result["interval"]
    seats = ", ".join("-" if rate is None else f"{100 * rate:.0f}" for rate in result["by_seat"])
    return (
        f"against {result['against']}: won {result['won']:,} of {result['games']:,} games = "
        f"{100 * result['win_rate']:.1f} % (95 % interval {100 * low:.1f} to {100 * high:.1f} %; "
        f"by seat {seats} %), {result['points']:.1f} points on average"
    )


def ship(name: str, model: Model, results: list[dict[str, Any]]) -> None:
    """Add a model and its card to the package.

    Raises:
        ValueError: for a name that can't be a file's, or that another agent has.
    """
    known = set(agents.names()) - {path.stem for path in SHIPPED.glob("*.npz")}
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name) or name in known:
        raise ValueError(f"ship must be a free name, like ppo-4p, got {name!r}")
    plain = [{k: v for k, v in result.items() if k != "by_seat"} for result in results]
    carded = model.with_results(plain)
    carded.save(SHIPPED / f"{name}.npz")
    write_bytes(SHIPPED / f"{name}.md", carded.card_text(name).encode())


def main(arguments: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Play the matches; their figures are returned and printed."""
    options = parse_options(arguments)
    chosen = {"choice": options.choice} if options.choice else {}
    agent = agents.load(options.agent, **chosen)
    if options.ship and not isinstance(agent, NetworkAgent):
        raise ValueError("ship: only a model can be shipped")
    rules = rules_of(options, agent)
    results = []
    for against in options.against:
        results.append(play(agent, against, rules, options))
        print(show(results[-1]), flush=True)
    if options.ship:
        ship(options.ship, agent.model, results)
        print(f"shipped as {options.ship!r}")
    return results


if __name__ == "__main__":
    run_program(main)
