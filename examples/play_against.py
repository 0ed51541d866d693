"""Play against a model, or any agent, in the terminal.

    python examples/play_against.py runs/maskable_ppo/model.npz
    python examples/play_against.py heuristic --players 3 --seat 1 --seed 7

Only what your seat may know is shown. Type the number of an action, or q to give up.
`catan-pz play` does the same with more comfort; this file shows how little it takes.
"""

import argparse
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from catan_pz import Game, Rules, agents
from catan_pz.agents.network import NetworkAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.checks import check_count
from catan_pz.render import board_text, log_line
from catan_pz.render.log import action_words
from catan_pz.rules import PRESETS
from catan_pz.training.console import run_program


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("agent", help="a model file (.npz), or the name of an agent, for all other seats")
    add("--seat", type=int, default=0, help="your seat")
    add("--seed", type=int, help="of board, dice and the agents' draws; drawn where not given")
    add("--rules", choices=sorted(PRESETS), help="a preset; those of the model where not given")
    add("--players", type=int, help="players; those of the rules where not given")
    add("--trading", action=argparse.BooleanOptionalAction, help="trade between players")
    add("--color", action=argparse.BooleanOptionalAction, default=True, help="terminal colours")
    return parser.parse_args(arguments)


def make_game(options: argparse.Namespace, agent: Any, seed: int) -> Game:
    """The game: by the model's own rules, changed by the options."""
    rules: Rules | str | None = options.rules
    if rules is None and isinstance(agent, NetworkAgent):
        rules = Rules.from_dict(agent.model.rules)
    changes = {"num_players": options.players, "trading": options.trading}
    rules = Rules.make(rules, **{k: v for k, v in changes.items() if v is not None})
    check_count("seat", options.seat, least=0, most=rules.num_players - 1)
    return Game(rules, seed=seed)


def ask(game: Game, options: argparse.Namespace, read: Callable[[str], str]) -> int | None:
    """The person's choice, or None to give up."""
    print(board_text(game.snapshot(), viewer=options.seat, color=options.color))
    legal = {str(number): int(action) for number, action in enumerate(game.legal_actions())}
    for number, action in legal.items():
        print(f"{number:>4} {action_words(action)}")
    while True:
        typed = read("> ").strip()
        if typed == "q":
            return None
        if typed in legal:
            return legal[typed]
        print(f"a number from 0 to {len(legal) - 1}, or q")


def main(arguments: Sequence[str] | None = None, read: Callable[[str], str] = input) -> int | None:
    """Play a game; the winner's seat, or None if there is none."""
    options = parse_options(arguments)
    agent = agents.load(options.agent)
    seed = secrets.randbits(63) if options.seed is None else options.seed
    game = make_game(options, agent, seed)
    others = [None if p == options.seat else agent for p in range(game.rules.num_players)]
    table = Table(game, others, seat_seeds(seed, game.rules.num_players))
    game.listeners.append(lambda _game, events: print(log_line(events, viewer=options.seat)))
    while not (game.is_over or game.is_truncated):
        if game.player == options.seat:
            action = ask(game, options, read)
            if action is None:
                return None
        else:
            action = table.decide()
        game.step(action)
    print(board_text(game.snapshot(), color=options.color))
    print("nobody has won" if game.winner is None else f"player {game.winner} has won")
    return game.winner


if __name__ == "__main__":
    run_program(main, stopped="given up")
