"""Recorded games are replayed without the random generator."""

import json
import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from catan_pz import Game
from catan_pz.game import GameRecord
from tests.helpers import play_randomly

RULE_SETS = (
    {"trading": False, "skip_forced": True},
    {"offer_form": "both", "num_players": 3},
    {"rules": "one_v_one"},
    {"dice": ((1, 2), (3, 3)), "trading": False, "max_turns": 40},
)


def recorded_game(seed: int, decisions: int, **options: object) -> tuple[Game, GameRecord]:
    game = Game(seed=seed, **options)
    record = GameRecord.of(game)
    return play_randomly(game, decisions, seed), record


def without_rng(game: Game) -> dict[str, object]:
    state = game.snapshot()
    del state["rng"], state["rules"]
    return state


@pytest.mark.parametrize("options", RULE_SETS)
def test_a_saved_game_replays_to_the_same_state(options: dict, tmp_path: Path) -> None:
    game, record = recorded_game(3, 20_000, **options)
    record.save(tmp_path / "game.jsonl")
    loaded = GameRecord.load(tmp_path / "game.jsonl")
    assert loaded == record == GameRecord.from_lines(record.lines())
    *_, last = loaded.replay()
    assert without_rng(last) == without_rng(game)
    assert record.result["end"] in ("won", "truncated")


@pytest.mark.purepython
def test_a_game_can_be_recorded_from_its_middle(tmp_path: Path) -> None:
    game, _ = recorded_game(4, 200, trading=False)
    record = GameRecord.of(game)
    game.step(int(game.legal_actions()[0]))
    *_, last = record.replay()
    assert without_rng(last) == without_rng(game)
    assert record.result["end"] == "unfinished"
    record.result |= {"winner": 2, "end": "resigned"}
    *_, last = GameRecord.from_lines(record.lines()).replay()
    assert last.winner is None
    record.result["winner"] = 4
    with pytest.raises(ValueError, match="recorded as"):
        list(record.replay())


@pytest.mark.purepython
@pytest.mark.parametrize("how", ["reset", "restore"])
def test_a_record_ends_where_another_game_begins(how: str) -> None:
    game, record = recorded_game(4, 12, trading=False)
    count = len(record.decisions)
    before = game.snapshot()

    def begin_anew() -> None:
        game.reset(5) if how == "reset" else game.restore(before)

    begin_anew()
    last = GameRecord.of(game)
    game.step(int(game.legal_actions()[0]))
    assert (len(record.decisions), len(last.decisions)) == (count, 1)
    for one in (record, last):
        list(one.replay())


@pytest.mark.purepython
@pytest.mark.parametrize("copied", [deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_a_copied_game_has_a_record_of_its_own(copied: Callable[[Any], Any]) -> None:
    game, record = recorded_game(4, 12, trading=False)
    other, its = copied((game, record))
    other.step(int(other.legal_actions()[0]))
    assert len(its.decisions) == len(record.decisions) + 1
    *_, last = its.replay()
    assert without_rng(last) == without_rng(other)


@pytest.mark.purepython
def test_names_and_agents_with_their_options_are_kept(tmp_path: Path) -> None:
    game = Game(seed=4, num_players=2)
    record = GameRecord.of(game, ["Ann", "search"], [None, "search:simulations=3"])
    game.step(int(game.legal_actions()[0]))
    record.save(tmp_path / "game.jsonl")
    assert GameRecord.load(tmp_path / "game.jsonl") == record
    header = json.loads(next(record.lines()))
    assert header["names"] == record.names == ["Ann", "search"]
    assert header["agents"] == record.agents == [None, "search:simulations=3"]
    assert "names" not in json.loads(next(GameRecord.of(game).lines()))
    with pytest.raises(ValueError, match=r"agents must be 2 names, one a seat, got"):
        GameRecord.of(game, agents=["random"])


@pytest.mark.purepython
def test_a_game_is_replayed_before_those_who_listen() -> None:
    _, record = recorded_game(4, 60)
    game = Game.from_snapshot(record.start)
    again = GameRecord.of(game)
    *_, last = record.replay(game)
    assert last is game
    assert again.decisions == record.decisions


@pytest.mark.purepython
def test_a_name_may_hold_any_letter(tmp_path: Path) -> None:
    game = Game(seed=4, num_players=2)
    record = GameRecord.of(game, ["A\u2028n\x85n", "B"])
    game.step(int(game.legal_actions()[0]))
    plain = [json.dumps(json.loads(line), ensure_ascii=False) for line in record.lines()]
    for end in ("\n", "\r\n"):
        assert GameRecord.from_lines("".join(f"{line}{end}" for line in plain)) == record


def broken(lines: list[str], number: int, **changes: object) -> str:
    lines = list(lines)
    lines[number] = json.dumps(json.loads(lines[number]) | changes)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return list(recorded_game(5, 60, trading=False)[1].lines())


@pytest.mark.parametrize(
    ("number", "changes", "said"),
    [
        (0, {"state": 3}, "line 1.state: expected object, got int"),
        (0, {"state": {"players": []}}, "line 1.state.rules is missing"),
        (2, {"action": {"kind": "fly"}}, "line 3 is not a decision"),
        (2, {"player": "0"}, "line 3 is not a decision: decision.player"),
        (2, {"outcome": "gold"}, "line 3 is not a decision: outcome"),
        (2, {"action": {"kind": "roll"}}, r"line 3: phase .* is illegal"),
        (-1, {"result": 3}, ": 3 is no result"),
        (-1, {"result": {"turns": 99}}, "the result is"),
    ],
)
def test_broken_records_are_refused_with_the_line(lines, number, changes, said) -> None:
    with pytest.raises(ValueError, match=said):
        list(GameRecord.from_lines(broken(lines, number, **changes)).replay())


def test_lines_that_are_no_record_are_refused(lines: list[str]) -> None:
    twice = lines[2].replace('"player":', '"player": 0, "player":')
    deep = "[" * 10**5 + "]" * 10**5
    for text, said in (
        (lines[:-1], "cut short"),
        ([lines[0], "{", *lines[2:]], "line 2 is not JSON"),
        ([lines[0], deep, *lines[2:]], "line 2 is not JSON"),
        ([*lines[:2], twice, *lines[3:]], "line 3 is not JSON: the entry 'player' occurs twice"),
    ):
        with pytest.raises(ValueError, match=said):
            GameRecord.from_lines("\n".join(text))


@pytest.mark.purepython
@pytest.mark.parametrize("kind", ["roll", "buy_development_card", "steal"])
def test_a_decision_without_the_outcome_that_it_had_is_refused(kind: str) -> None:
    """It would be drawn anew."""
    lines = list(recorded_game(3, 2_000, trading=False)[1].lines())
    number = next(n for n, line in enumerate(lines) if f'"kind": "{kind}"' in line)
    record = GameRecord.from_lines(broken(lines, number, outcome=None))
    with pytest.raises(ValueError, match=rf"line {number + 1}: the chance outcome is missing"):
        list(record.replay())
