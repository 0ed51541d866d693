"""`Game`: states, actions, outcomes, records, what seats see."""

import copy
import pickle
from random import Random
from typing import Any

import numpy as np

from catan_pz import Game, describe_action
from catan_pz.actions import RESOURCE_NAMES, action_id
from catan_pz.checks import quoted
from catan_pz.engine.state import STATE
from catan_pz.engine.violations import Violation
from catan_pz.game import GameRecord, state_from_dict, state_to_dict
from catan_pz.game.perft import divide, perft
from catan_pz.game.view import view_of
from catan_pz.terms import Card, Resource
from tests.fuzz.odd import mutated, odd, odd_json, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.states import drawn_game, drawn_state, play_on
from tests.helpers import RULE_SETS

OUTCOMES = (
    *((1, 1), [3, 4], (6, 6), (0, 7), (True, True), (1.0, 2.0), (1, 2, 3), "ore", "ORE", "knight"),
    *(Resource.WOOL, Card.VICTORY_POINT, 0, 3, 35, 36, np.array([3, 4]), np.int8(3), b"ore"),
)


def states(rng: Random, tally: Tally) -> None:
    """`Game.from_snapshot` of changed states, and play on from what is accepted."""
    state = drawn_state(rng)
    accepted, game = tally.attempt(Game.from_snapshot, state)
    if not accepted:
        return
    again = game.snapshot()
    require(Game.from_snapshot(again).snapshot() == again, "a snapshot isn't read as written")
    for seat in range(game.rules.num_players):
        scaled = game.observe_scaled(seat)
        require(bool(((scaled >= 0) & (scaled <= 1)).all()), "a scaled observation out of [0, 1]")
    play_on(rng, game, tally, rng.choice((0, 1, 5, 20, 60, 200)))


def restored(rng: Random, tally: Tally) -> None:
    """`restore`: refused, the game stays as it is."""
    game = drawn_game(rng)
    before = game.snapshot()
    heard: list[Any] = []
    game.listeners.append(lambda _game, events: heard.append(events))
    accepted, _ = tally.attempt(game.restore, drawn_state(rng))
    if not accepted:
        require(game.snapshot() == before, "a refused state changed the game")
    play_on(rng, game, tally, 5)


def actions(rng: Random, tally: Tally) -> None:
    """`step`, `step_once`, `outcomes`, `check` with odd actions and outcomes."""
    game = drawn_game(rng)
    for _ in range(10):
        before = game.games.tobytes()
        legal = game.legal_actions().tolist() or [0]
        action = odd_or(rng, *legal, *range(0, 389, 40), share=0.2)
        outcome = None if rng.random() < 0.3 else odd_or(rng, *OUTCOMES, share=0.2)
        call = rng.choice((game.step, game.step_once))
        if rng.random() < 0.1:
            tally.attempt(rng.choice((game.outcomes, game.check)), action)
            continue
        accepted, _ = tally.attempt(call, action, outcome)
        require(accepted or game.games.tobytes() == before, "a refused action changed the game")
        broken = game.validate()
        require(broken == Violation.NONE, f"{quoted(action)} with {quoted(outcome)}: {broken!r}")
    play_on(rng, game, tally, 5)


def told(rng: Random, tally: Tally) -> None:
    """`action_id` and `describe_action` with odd arguments."""
    tally.attempt(describe_action, odd_or(rng, *range(0, 389, 30)))
    described = mutated(rng, describe_action(rng.randrange(389)), rng.choice((0, 1, 2)))
    if not isinstance(described, dict) or not all(isinstance(key, str) for key in described):
        return
    if rng.random() < 0.3:
        described = {
            name: Resource[value.upper()] if value in RESOURCE_NAMES else value
            for name, value in described.items()
            if isinstance(value, str | int | bool)
        }
    accepted, action = tally.attempt(action_id, **described)
    if accepted:
        require(0 <= action < 389, f"action {action}")


def seen(rng: Random, tally: Tally) -> None:
    """`observe`, `observe_scaled`, `view_of` of odd seats; `reset` of odd seeds."""
    game = drawn_game(rng)
    tally.attempt(game.observe, odd_or(rng, 0, 1, 3, 4))
    tally.attempt(game.observe_scaled, odd_or(rng, 0, 1, 3, 4))
    tally.attempt(view_of, game, odd_or(rng, 0, 1, 3, 4))
    tally.attempt(game.reset, odd_or(rng, 0, 2**64 - 1))
    tally.attempt(Game, odd_or(rng, None, "base", share=0.3), odd_or(rng, None, 7, share=0.3))


def spoilt(rng: Random, games: np.ndarray) -> np.ndarray:
    """A copy of records with some of their bytes or fields changed."""
    games = games.copy()
    if rng.random() < 0.5:
        data = games.view(np.uint8)
        for _ in range(rng.choice((1, 1, 3, 30))):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return games
    name = rng.choice(STATE.names or ())
    values = games[name].reshape(-1)
    info = np.iinfo(values.dtype)
    near = [int(values[0]) + 1, int(values[0]) - 1, 127, -1, -128, info.max, info.min]
    values[rng.randrange(len(values))] = max(info.min, min(info.max, rng.choice(near)))
    return games


def records(rng: Random, tally: Tally) -> None:
    """`Game.from_games` of changed records, and of records of other rules; copies, pickles."""
    game = drawn_game(rng)
    games = spoilt(rng, np.asarray(game.games)) if rng.random() < 0.7 else game.games.copy()
    rules = game.rules if rng.random() < 0.6 else RULE_SETS[rng.choice(list(RULE_SETS))]
    given = odd(rng) if rng.random() < 0.05 else games
    accepted, other = tally.attempt(Game.from_games, given, rules)
    if accepted and other.validate() == Violation.NONE:
        play_on(rng, other, tally, rng.choice((0, 5, 50)))
    for twin in (game.copy(), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        require(twin.games.tobytes() == game.games.tobytes(), "a copy differs from its game")


def recorded(rng: Random, tally: Tally) -> None:
    """`GameRecord` of changed lines, replayed as far as it goes."""
    game = drawn_game(rng)
    record = GameRecord.of(game, rng.choice((None, ["x"] * game.rules.num_players)))
    for _ in range(rng.randrange(12)):
        if len(legal := game.legal_actions().tolist()):
            game.step(rng.choice(legal))
    text = _changed_lines(rng, list(record.lines()))
    accepted, read = tally.attempt(GameRecord.from_lines, text)
    if accepted:
        replayed, _ = tally.attempt(lambda: [None for _ in read.replay()])
        tally.attempt(lambda: list(read.lines()))
        if replayed:
            play_on(rng, list(read.replay())[-1], tally, 5)
    tally.attempt(GameRecord.of, game, odd_or(rng, ["a", "b", "c"]))


def _changed_lines(rng: Random, lines: list[str]) -> str:
    import json

    k = rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        lines[k] = lines[k][: rng.randrange(len(lines[k]) + 1)]
    elif kind == 1:
        lines[k] = "[" * rng.choice((10, 100_000))
    elif kind == 2:
        lines[k] = json.dumps(_serialisable(odd_json(rng)))
    elif kind == 3:
        del lines[k]
    else:
        lines[k] = json.dumps(_serialisable(mutated(rng, json.loads(lines[k]))))
    return "\n".join(lines)


def _serialisable(value: Any) -> Any:
    """The value, or a plain one where JSON can't hold it."""
    import json

    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return {"a": [1]}
    return value


def counted(rng: Random, tally: Tally) -> None:
    """`perft` and `divide` of odd depths."""
    game = drawn_game(rng)
    depth = odd_or(rng, 0, 1, share=0.9)
    if not (isinstance(depth, int | np.integer) and 1 < depth <= 1000):  # it would take for ever
        tally.attempt(perft, game, depth)
        tally.attempt(lambda: next(divide(game, depth), None))
    tally.attempt(state_from_dict, odd(rng))
    require(state_to_dict(game.games[0], game.rules) == game.snapshot(), "two snapshots differ")


TARGETS = {
    "states": states,
    "restored": restored,
    "actions": actions,
    "action_names": told,
    "seen": seen,
    "records": records,
    "recorded_games": recorded,
    "perft": counted,
}
