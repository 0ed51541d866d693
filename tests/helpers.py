"""Words for tests: positions, actions and their results.

The beginner board, the default of positions. Vertices lie in six rows; edges join neighbors in a
row, and the pairs joined by a bar.

       0  1  2  3  4  5  6               row 1: hexes 0 mountains 10, 1 pasture 2, 2 forest 9
       |     |     |     |
    7  8  9 10 11 12 13 14 15            row 2: 3 fields 12, 4 hills 6, 5 pasture 4, 6 hills 10
    |     |     |     |     |
16 17 18 19 20 21 22 23 24 25 26         row 3: 7 fields 9, 8 forest 11, 9 desert, 10 forest 3,
 |     |     |     |     |     |                11 mountains 8
27 28 29 30 31 32 33 34 35 36 37         row 4: 12 forest 8, 13 mountains 3, 14 fields 4,
    |     |     |     |     |                   15 pasture 5
   38 39 40 41 42 43 44 45 46            row 5: 16 hills 5, 17 fields 6, 18 pasture 11
       |     |     |     |
      47 48 49 50 51 52 53

Harbors: 3:1 at 26-37, 50-51, 47-48 and 0-1; wool 45-46, brick 28-38, lumber 7-17, grain 3-4,
ore 14-15.
"""

import importlib.util
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.actions import action_id, describe_action
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.game.position import position
from catan_pz.rules import OPTIONS, Rules


def load_file(path: Path) -> Any:
    """A fresh module of a file outside packages; dataclasses look it up by its name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


RESOURCES = ("brick", "lumber", "wool", "grain", "ore")
_EDGE_OF = {frozenset(map(int, ends)): e for e, ends in enumerate(EDGE_VERTICES)}

ROAD = {"brick": 1, "lumber": 1}
SETTLEMENT = {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}
CITY = {"grain": 2, "ore": 3}
CARD = {"wool": 1, "grain": 1, "ore": 1}


def edge(v: int, w: int) -> int:
    return _EDGE_OF[frozenset((v, w))]


def path(*vertices: int) -> list[int]:
    return [edge(v, w) for v, w in itertools.pairwise(vertices)]


def table(*seats: dict[str, Any], rules: Rules | str | None = None, **entries: Any) -> Game:
    """A position after the roll: each seat's entries (two at least), the first one in turn.

    The entries are those of `position`, with the options of the rules among them.
    """
    options = {} if rules else {"num_players": max(2, len(seats))}
    for name in entries.keys() & OPTIONS.keys() - {"board"}:
        options[name] = entries.pop(name)
    return position(seats, rules=Rules.make(rules, **options), **entries)


def before_roll(*seats: dict[str, Any], **entries: Any) -> Game:
    """A position before the roll."""
    return table(*seats, phase="roll", **entries)


def act(game: Game, kind: str, outcome: Any = None, **arguments: Any) -> Game:
    """Play an action given in words, with the `outcome` of chance if given."""
    game.step(action_id(kind, **arguments), outcome=outcome)
    return game


def play_randomly(game: Game, decisions: int, rng: int | np.random.Generator = 0) -> Game:
    """Play some decisions at random, or up to the end."""
    rng = np.random.default_rng(rng)
    while decisions and game.mask.any():
        game.step(int(rng.choice(game.legal_actions())))
        decisions -= 1
    return game


def roll(game: Game, number: int) -> Game:
    first = max(1, number - 6)
    return act(game, "roll", outcome=(first, number - first))


def next_turn(game: Game, number: int = 12) -> Game:
    """End the turn, and roll a number in the next one."""
    return roll(act(game, "end_turn"), number)


def phase(game: Game) -> str:
    return game.phase.name.lower()


def can(game: Game, kind: str, **arguments: Any) -> bool:
    """Whether an action given in words is legal."""
    return bool(game.mask[action_id(kind, **arguments)])


def legal(game: Game, kind: str) -> list[Any]:
    """The arguments of the legal actions of a kind, bare if there is only one argument."""
    found: list[Any] = []
    for a in game.legal_actions():
        description = describe_action(int(a))
        if description.pop("kind") == kind:
            values = list(description.values())
            found.append(values[0] if len(values) == 1 else description)
    return found


def kinds(game: Game) -> set[str]:
    return {describe_action(int(a))["kind"] for a in game.legal_actions()}


def refused(game: Game, kind: str, **arguments: Any) -> None:
    """Assert that an action is illegal and leaves the game unchanged."""
    before = game.games.tobytes()
    with pytest.raises(IllegalActionError):
        act(game, kind, **arguments)
    assert game.games.tobytes() == before


def player(game: Game, p: int) -> dict[str, Any]:
    return game.snapshot()["players"][p]


def _held(counts: dict[str, int]) -> dict[str, int]:
    return {name: n for name, n in counts.items() if n}


def hand(game: Game, p: int) -> dict[str, int]:
    """The resource cards of a player, without kinds at 0."""
    return _held(player(game, p)["hand"])


def hands(game: Game) -> list[dict[str, int]]:
    return [hand(game, p) for p in range(game.rules.num_players)]


def bank(game: Game) -> dict[str, int]:
    return game.snapshot()["bank"]


def plus(*bundles: dict[str, int]) -> dict[str, int]:
    """The sum of several bundles."""
    return {r: n for r in RESOURCES if (n := sum(b.get(r, 0) for b in bundles))}


RULE_SETS: dict[str, Rules] = {
    "base": Rules(),
    "three": Rules(num_players=3),
    "two": Rules(num_players=2),
    "one_v_one": Rules.preset("one_v_one"),
    "without_trade": Rules(trading=False),
    "composed": Rules(num_players=3, offer_form="composed"),
    "both_forms": Rules(num_players=4, offer_form="both", max_offers_per_turn=2, max_offer_cards=6),
    "no_counters": Rules(num_players=4, counter_offers=False),
    "skip_forced": Rules(num_players=3, skip_forced=True),
    "skip_forced_both": Rules(num_players=4, skip_forced=True, offer_form="both"),
    "friendly_spiral": Rules(
        friendly_robber=True, robber_spares_mover=True, board="spiral", trading=False
    ),
    "balanced_beginner": Rules(num_players=3, dice="balanced", dice_memory=True, board="beginner"),
    "long": Rules(num_players=3, victory_points=14, discard_limit=4, trading=False),
    "no_red": Rules(num_players=4, no_adjacent_red=True, first_player="random", trading=False),
    "seeds": Rules(num_players=2, board=(1, 2, 3), dice=((3, 4), (6, 1), (2, 2))),
}
"""Rules that together use every option and every number of players."""
