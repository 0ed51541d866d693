"""States to begin with, ways to change them, and play that is checked after each step."""

import copy
from functools import lru_cache
from random import Random
from typing import Any, Final

import numpy as np

from catan_pz import Game, Rules
from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine.options import script_of
from catan_pz.engine.play import new_log
from catan_pz.engine.violations import Violation
from catan_pz.game import calls as game_calls
from catan_pz.game.state_json import PHASE_NAMES, state_from_dict
from tests.fuzz.odd import mutated
from tests.fuzz.oracle import Tally, require
from tests.helpers import RESOURCES, RULE_SETS

NAMES: Final = tuple(RULE_SETS)
LENGTHS: Final = (0, 1, 5, 9, 20, 60, 150, 400, 1_000, 3_000)
CARDS: Final = ("knight", "road_building", "year_of_plenty", "monopoly", "victory_point")


def drawn_game(rng: Random) -> Game:
    """A game of some rules, played at random for a while."""
    rules = RULE_SETS[rng.choice(NAMES)]
    game = Game(rules, rng.randrange(2**32))
    most = rng.randint(0, rng.choice(LENGTHS))
    game_calls.play_randomly(game.games, 0, most, script_of(rules), new_log(), game._mask)
    return game


@lru_cache(maxsize=8)
def small_batch(rules: Rules) -> CpuBatch:
    """A batch of one game, to be overwritten."""
    return CpuBatch(1, rules, seed=0, auto_reset=False)


def play_on(rng: Random, game: Game, tally: Tally, steps: int) -> None:
    """Play legal actions at random; each state must keep the rules.

    A batch plays the same and must show the same, now and then.
    """
    batch = _batch_in_step(game) if rng.random() < 0.3 else None
    require(game.validate() == Violation.NONE, f"an accepted state: {game.validate()!r}")
    tally["states"] += 1
    for _ in range(steps):
        legal = game.legal_actions()
        if not len(legal):
            require(game.is_over or game.is_truncated, "no legal action in a game that goes on")
            return
        action = int(rng.choice(legal.tolist()))
        before = game.games.tobytes()
        game.step(action)
        if batch is not None:
            batch.step(np.array([action]))
            _compare(game, batch)
        tally["steps"] += 1
        broken = game.validate()
        if broken != Violation.NONE:
            raise AssertionError(
                f"action {action} broke the state: {broken!r}, {len(before)} bytes"
            )


def _batch_in_step(game: Game) -> CpuBatch:
    batch = small_batch(game.rules)
    batch.reset(0)
    batch.games[0] = game.games[0]
    return batch


def _compare(game: Game, batch: CpuBatch) -> None:
    require(batch.games.tobytes() == game.games.tobytes(), "a batch plays another game")
    require(batch.mask[0].tobytes() == game.mask.tobytes(), "a batch has another mask")
    require(int(batch.player[0]) == game.player, "a batch has another player to move")
    require(bool(batch.done[0]) == (game.is_over or game.is_truncated), "a batch ends otherwise")
    assert batch.units is not None
    seen = game.observe(game.player)
    require(batch.units[0].tobytes() == seen.tobytes(), "a batch shows another observation")


def bent(rng: Random, state: dict[str, Any]) -> dict[str, Any]:
    """A state changed in ways that often keep it possible, its derived entries worked out."""
    state = copy.deepcopy(state)
    for _ in range(rng.randint(1, 4)):
        rng.choice(_BENDS)(rng, state)
    return repaired(state)


def repaired(state: dict[str, Any]) -> dict[str, Any]:
    """The state with the derived entries that follow, where they can be worked out."""
    try:
        games, rules = state_from_dict(state)
        known = Game.from_games(games, rules).snapshot()["players"]
    except ValueError:
        return state
    for player, right in zip(state["players"], known, strict=True):
        for name in ("road_length", "points", "visible_points"):
            player[name] = right[name]
    return state


def _seat(rng: Random, state: dict[str, Any]) -> int:
    return rng.randrange(len(state["players"]))


def _move_cards(rng: Random, state: dict[str, Any]) -> None:
    """Cards go from the bank to a hand or back, seen by all."""
    p, resource, n = _seat(rng, state), rng.choice(RESOURCES), rng.choice((1, 2, 5, 19))
    hand, bank = state["players"][p]["hand"], state["bank"]
    n = min(n, bank[resource]) if rng.random() < 0.7 else -min(n, hand[resource])
    bank[resource] -= n
    hand[resource] += n
    for row in state["knowledge"]:
        for side in ("min", "max"):
            row[p][side][resource] = max(0, row[p][side][resource] + n)


def _move_development_card(rng: Random, state: dict[str, Any]) -> None:
    player = state["players"][_seat(rng, state)]
    if state["deck"]:
        card = state["deck"].pop(rng.randrange(len(state["deck"])))
        player[rng.choice(("cards", "cards", "cards_played"))][card] += 1


def _award(rng: Random, state: dict[str, Any]) -> None:
    name = rng.choice(("longest_road_owner", "largest_army_owner"))
    state[name] = rng.choice((None, *range(len(state["players"]))))


def _build(rng: Random, state: dict[str, Any]) -> None:
    player = state["players"][_seat(rng, state)]
    kind, most = rng.choice((("roads", 72), ("settlements", 54), ("cities", 54)))
    if rng.random() < 0.4 and player[kind]:
        player[kind].pop()
    else:
        player[kind].append(rng.randrange(most))


def _widen(rng: Random, state: dict[str, Any]) -> None:
    """Somebody knows less, or more, of a hand."""
    o, p, resource = _seat(rng, state), _seat(rng, state), rng.choice(RESOURCES)
    bounds = state["knowledge"][o][p]
    bounds["min"][resource] = max(0, bounds["min"][resource] + rng.choice((-3, -1, 1)))
    bounds["max"][resource] = min(19, bounds["max"][resource] + rng.choice((-1, 1, 3)))


def _turn(rng: Random, state: dict[str, Any]) -> None:
    n = len(state["players"])
    name, values = rng.choice(
        (
            ("turn", (0, 1, 999, 1000, 2**30, 2**31 - 1)),
            ("turn_player", range(n)),
            ("player_to_move", range(n)),
            ("phase", PHASE_NAMES),
            ("rolled", (False, True)),
            ("card_played", (False, True)),
            ("free_roads", (0, 1, 2)),
            ("offers_made", (0, 1, 2, 3, 100)),
            ("winner", (None, *range(n))),
            ("robber", range(19)),
            ("dice", ([0, 0], [1, 1], [3, 4], [6, 6])),
        )
    )
    state[name] = rng.choice(values)


def _rules(rng: Random, state: dict[str, Any]) -> None:
    name, values = rng.choice(
        (
            ("trading", (False, True)),
            ("counter_offers", (False, True)),
            ("offer_form", ("templates", "composed", "both")),
            ("max_offers_per_turn", (0, 1, 3, 100)),
            ("victory_points", (3, 5, 10, 22)),
            ("discard_limit", (1, 7, 95)),
            ("friendly_robber", (False, True)),
            ("dice", ("random", "balanced", [[1, 1], [6, 6]])),
            ("skip_forced", (False, True)),
            ("max_turns", (None, 1, 100, 2**31 - 1)),
            ("num_players", (2, 3, 4)),
        )
    )
    state["rules"][name] = rng.choice(values)


def _chance(rng: Random, state: dict[str, Any]) -> None:
    rolls = [[a, b] for a in range(1, 7) for b in range(1, 7)]
    state["rng"] = {
        "state": rng.choice((0, 2**64 - 1, rng.randrange(2**64))),
        "dice_left": rng.sample(rolls, rng.choice((0, 1, 12, 13, 36))),
        "script_place": rng.choice((0, 1, 2, 100, 2**31 - 1)),
    }


def _discard(rng: Random, state: dict[str, Any]) -> None:
    state["to_discard"] = [rng.choice((0, 0, 1, 4, 50)) for _ in state["players"]]


def _answers(rng: Random, state: dict[str, Any]) -> None:
    if state["offer"] is None:
        return
    sides = {"give": {rng.choice(RESOURCES): 1}, "get": {rng.choice(RESOURCES): 1}}
    state["offer"]["answers"] = [
        copy.deepcopy(rng.choice((None, "accept", "reject", sides))) for _ in state["players"]
    ]


_BENDS: Final = (
    *(_move_cards, _move_cards, _move_development_card, _award, _build, _build, _widen, _turn),
    *(_turn, _rules, _chance, _discard, _answers),
)


def drawn_state(rng: Random) -> Any:
    """The JSON form of a state: as it was played, bent, or with odd changes."""
    state = drawn_game(rng).snapshot()
    kind = rng.random()
    if kind < 0.1:
        return state
    return bent(rng, state) if kind < 0.6 else mutated(rng, state)
