"""Odd inputs for public calls: each is accepted, or refused by an error that says why.

The default run tries the same few inputs each time. `make fuzz` draws new ones, for long.
"""

import contextlib
import copy
import io
import math
import os
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

import catan_pz
from catan_pz import Game, Rules, SelfPlayEnv, SingleSeatEnv, catan_v0, make_batch
from catan_pz.cli.app import run
from catan_pz.engine.ranges import OF_RULES
from catan_pz.engine.violations import Violation
from catan_pz.game import GameRecord, state_from_dict
from catan_pz.rules import OPTIONS, PRESETS
from catan_pz.terms import Card, Resource
from tests.helpers import RULE_SETS

PACKAGE = str(Path(catan_pz.__file__).parent)
REFUSALS = (ValueError, TypeError, IndexError, RuntimeError)

EXAMPLES = os.environ.get("FUZZ_EXAMPLES")
TRIES = settings(
    derandomize=EXAMPLES is None,
    deadline=None,
    database=None,
    max_examples=int(EXAMPLES or 15),
    suppress_health_check=list(HealthCheck),
)

# fmt: off
INTEGERS = st.sampled_from([
    *(0, 1, 2, 3, 4, 7, 19, 53, 54, 71, 72, 100, 127, 128, 251, 252, 388, 389, 1000, -1, -128),
    *(2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, -(2**63)),
])
WORDS = st.sampled_from([
    *("", " ", "0", "1", "-1", "1e9", "nan", "random", "ore", "ORE", "wheat", "knight", "base"),
    *("flat", "x", "\0", "\n", "\x1b[31m", "\ud800", "é", "../..", "a" * 5_000, "%s", "[1, 2]"),
])
# fmt: on
NUMBERS = INTEGERS | st.sampled_from([0.0, -0.0, 1.5, 1e308, math.inf, math.nan])
JSON = st.recursive(
    NUMBERS | WORDS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
ARRAYS = st.builds(
    np.zeros,
    st.sampled_from([(), (0,), (1,), (3,), (1, 1), (2, 3), (1_000,)]),
    st.sampled_from(["i1", "i8", "u8", "f4", "?", "O", "U3", ">i8", "c8"]),
)
ODD = (
    JSON
    | ARRAYS
    | st.sampled_from([Resource.ORE, Card.KNIGHT, b"bytes", {1, 2}, range(3), object(), int, print])
)
USUAL_OPTIONS: dict[str, list[Any]] = {
    "num_players": [2, 3, 4],
    "offer_form": ["templates", "composed", "both"],
    "max_offers_per_turn": [0, 1, 3],
    "victory_points": [3, 10],
    "discard_limit": [1, 7],
    "dice": ["random", "balanced", [[1, 2], [6, 6]]],
    "board": ["random", "spiral", "beginner", [1, 2]],
    "first_player": [0, "random"],
    "max_turns": [1, 50, None],
}
RULE_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from(USUAL_OPTIONS.get(name, [True, False])) | ODD for name in OPTIONS
    },
)


def attempt(call: Any, *arguments: Any, **options: Any) -> tuple[bool, Any]:
    """Whether a call accepts its arguments, and what it returns.

    Fails unless a refusal is an error of the package's own with a message.
    """
    try:
        return True, call(*arguments, **options)
    except REFUSALS as error:
        note(f"{type(error).__name__}: {error!s:.300}")
        last = traceback.extract_tb(error.__traceback__)[-1]
        own = last.filename.startswith(PACKAGE) and (last.line or "").startswith("raise")
        if not 0 < len(str(error).strip()) <= 4_000:
            pytest.fail(f"a message of {len(str(error))} characters")
        if not own and "argument" not in str(error):
            pytest.fail(f"from inside: {last.filename}:{last.lineno}: {error!r:.300}")
        return False, None


def play_on(data: st.DataObject, game: Game, steps: int) -> None:
    """Play legal actions; each state must keep the rules."""
    assert game.validate() == Violation.NONE
    for _ in range(steps):
        legal = game.legal_actions()
        if not len(legal):
            assert game.is_over or game.is_truncated
            return
        game.step(int(data.draw(st.sampled_from(legal.tolist()))))
        assert game.validate() == Violation.NONE


@TRIES
@given(st.data(), RULE_OPTIONS)
def test_options_are_taken_or_named(data: st.DataObject, options: dict[str, Any]) -> None:
    accepted, rules = attempt(Rules, **options)
    if accepted:
        assert Rules.from_dict(rules.to_dict()) == rules
        play_on(data, Game(rules, seed=1), 10)


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values of a nested JSON value lie."""
    if not isinstance(value, dict | list):
        return [place]
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = [place] if place else []
    return found + [p for key, part in inner for p in places(part, (*place, key))]


@st.composite
def changed(draw: st.DrawFn, data: Any) -> Any:
    """A JSON value with one or two places changed, taken away or doubled."""
    data = copy.deepcopy(data)
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from(places(data)))
        owner = data
        for key in way:
            owner = owner[key]
        kind = draw(st.sampled_from(["odd", "off by one", "gone", "doubled"]))
        if kind == "off by one" and type(owner[last]) is int:
            owner[last] += draw(st.sampled_from([-1, 1, 2]))
        elif kind == "gone":
            del owner[last]
        elif kind == "doubled" and isinstance(owner, list):
            owner.append(owner[last])
        else:
            owner[last] = draw(JSON)
    return data


@TRIES
@given(st.data(), st.sampled_from(list(RULE_SETS)), st.integers(0, 300))
def test_states_are_taken_or_named(data: st.DataObject, rules: str, steps: int) -> None:
    batch = make_batch(1, RULE_SETS[rules], seed=steps, auto_reset=False)
    batch.play_random(steps)
    state = data.draw(changed(batch.game(0).snapshot()))
    accepted, _ = attempt(state_from_dict, state)
    taken, game = attempt(Game.from_snapshot, state)
    assert accepted or not taken
    if taken:
        play_on(data, game, 15)


@TRIES
@given(st.data(), st.sampled_from(list(RULE_SETS)))
def test_recorded_games_are_taken_or_named(data: st.DataObject, rules: str) -> None:
    game = Game(RULE_SETS[rules], seed=4)
    record = GameRecord.of(game)
    for _ in range(20):
        if game.mask.any():
            game.step(int(game.legal_actions()[0]))
    lines = list(record.lines())
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at : at + 1] = data.draw(
        st.sampled_from([[], ["{}"], ["["], [lines[at]] * 2, [lines[at][:-5]], ["null"]])
    )
    accepted, read = attempt(GameRecord.from_lines, lines)
    if accepted:
        attempt(read.replay)


@TRIES
@given(st.data(), RULE_OPTIONS, st.sampled_from([catan_v0.raw_env, SingleSeatEnv, SelfPlayEnv]))
def test_environments_take_or_name_what_they_are_given(
    data: st.DataObject, options: dict[str, Any], make: Any
) -> None:
    if data.draw(st.booleans()):
        options = {"observation": data.draw(st.sampled_from(["flat", "dict", "units"]) | ODD)}
    accepted, env = attempt(make, **options)
    if not accepted:
        return
    attempt(env.step, data.draw(INTEGERS))
    env.reset(seed=5)
    for _ in range(4):
        before = env.game.games.tobytes()
        legal = env.game.legal_actions().tolist()
        if not legal or (make is not SingleSeatEnv and not env.game.mask.any()):
            return
        action = data.draw(st.sampled_from(legal) | (ODD if make is catan_v0.raw_env else NUMBERS))
        assume(make is catan_v0.raw_env or action in legal)
        accepted, _ = attempt(env.step, action)
        assert accepted or env.game.games.tobytes() == before, "a refused call changed the game"
    assert env.game.validate() == Violation.NONE


@TRIES
@given(st.data(), st.sampled_from(list(RULE_SETS)))
def test_batches_take_or_name_what_they_are_given(data: st.DataObject, rules: str) -> None:
    accepted, batch = attempt(
        make_batch,
        data.draw(st.sampled_from([1, 3]) | ODD.filter(lambda n: type(n) is not int or n < 100)),
        RULE_SETS[rules],
        seed=data.draw(st.sampled_from([0, 7]) | ODD),
        observation=data.draw(st.sampled_from([True, "flat", "dict"]) | ODD),
    )
    if not accepted:
        return
    for _ in range(4):
        before = batch.games.tobytes()
        actions = batch.sample().copy()
        accepted, _ = attempt(batch.step, data.draw(st.just(actions) | st.just(actions + 1) | ODD))
        assert accepted or batch.games.tobytes() == before, "refused actions changed a game"
        attempt(batch.game, data.draw(st.just(0) | ODD))
    assert batch.game(0).validate() == Violation.NONE


COMMANDS = [["perft", "1"], ["info"], ["nonsense"], [], ["watch", "file.jsonl"], ["play", "--help"]]
COMMANDS += [["watch", "--export", "out.svg", "file.jsonl"], ["tournament", "random,weighted"]]
FLAGS = ["--players", "--points", "--board", "--offers", "--set", "--rules", "--seed", "--json"]
FLAGS += ["--position", "--names", "--viewer", "--width", "--at", "--help", "--nonsense", "3"]
FLAGS += ["nan", "dice=balanced", "dice=3", "board=[1]", "file.json", *PRESETS, "search:x=1", ":"]


@TRIES
@given(
    st.sampled_from(COMMANDS),
    st.lists(st.sampled_from(FLAGS) | WORDS, max_size=3),
    st.sampled_from([b"", b"{}", b"[" * 10_000, b"\xff\xfe", b"null", b"\xef\xbb\xbf{}\r\n"]),
)
def test_command_lines_end_with_a_status_and_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, begun: list[str], more: list[str], content: bytes
) -> None:
    words = [*begun, *(["--games", "2"] if begun[:1] == ["tournament"] else ()), *more]
    assume(begun[:1] != ["perft"] or not any(word.isdigit() for word in more))
    folder = tmp_path_factory.mktemp("commands")
    for name in ("file.json", "file.jsonl"):
        (folder / name).write_bytes(content)
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = run([word.replace("\0", "") for word in words])
    assert status in (0, 1, 2)
    assert "Traceback" not in out.getvalue()
    assert out.getvalue().strip()


@pytest.mark.parametrize("name", OF_RULES)
def test_a_record_of_other_rules_is_no_game_of_these(name: str) -> None:
    games = Game(seed=1).games.copy()
    games[name] += 1
    with pytest.raises(ValueError, match=rf"games\[0\]: {name}.* must be .*by the rules"):
        Game.from_games(games, Rules())
