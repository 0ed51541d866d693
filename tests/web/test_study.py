"""A study: errors beside the position, play by agents, undoing, opening and saving."""

import json
from typing import Any

import pytest

from catan_pz.engine.violations import Violation
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web import study as study_module
from catan_pz.web.study import FORMAT, Study, StudyError


@pytest.fixture
def study() -> Study:
    seats: list[dict[str, Any]] = [{"settlements": [10]}, {"settlements": [30]}]
    return Study(position(seats, rules="one_v_one", dice=[1, 2], seed=4))


def lines(study: Study) -> list[str]:
    """What was played up to the position."""
    return [node.line for node in study._path()]


def test_an_empty_board_is_set_up_and_played_on(study: Study) -> None:
    study.new({"num_players": 2, "board": "beginner"}, seed=3)
    assert study.errors == []
    study.edit({"put": "settlement", "at": "vertex 10", "seat": 0})
    study.edit({"put": "settlement", "at": "vertex 11", "seat": 1})
    assert study.errors == ["Two buildings stand on adjacent vertices."]
    with pytest.raises(StudyError, match="breaks the rules"):
        study.step()
    study.undo()
    for _ in range(8):
        study.step()
    assert len(lines(study)) == len(study.record.decisions) == 8
    assert study.status()["is_playable"]


def test_what_is_saved_can_be_opened(study: Study) -> None:
    for _ in range(10):
        study.step()
    position_text, record_text, log = study.position_text(), study.record.text(), lines(study)
    assert Game.from_snapshot(json.loads(position_text)).validate() == Violation.NONE
    assert len([*GameRecord.from_lines(record_text).replay()]) == 11
    other = Study()
    other.open(position_text)
    assert other.game.snapshot() == study.game.snapshot()
    assert lines(other) == []
    other.open(record_text)
    assert lines(other) == log
    other.step()
    assert len(other.record.decisions) == 11
    assert [*other.record.replay()]


def test_a_tree_is_opened_with_its_variations(study: Study) -> None:
    study.new({"num_players": 2}, 1, "setup_settlement")
    for _ in range(3):
        study.step()
    study.go(1)
    played = study.tree.nodes[2].decision.action
    legal = [action for action, _ in study.status()["legal"]]
    study.play(next(action for action in legal if action != played))
    with pytest.raises(StudyError):
        study.play(played)
    nodes = [(n.parent, n.decision, n.line) for n in study.tree.nodes]
    rows = [[n.parent, n.decision.action, None] for n in study.tree.nodes if n.decision]
    text = json.dumps({"format": FORMAT, "start": study.tree.start, "tree": rows, "at": 2})
    other = Study()
    other.open(text)
    assert [(n.parent, n.decision, n.line) for n in other.tree.nodes] == nodes
    assert other.at == 2
    with pytest.raises(StudyError, match="positions are numbered 0 to 4"):
        other.open(text.replace('"at": 2', '"at": 9'))


def test_the_same_position_is_played_on_in_the_same_way(study: Study) -> None:
    text = study.position_text()
    logs = []
    for _ in range(2):
        study.open(text)
        for _ in range(12):
            study.step()
        logs.append(lines(study))
    assert logs[0] == logs[1]


def test_chance_goes_on_in_an_opened_record_as_in_the_game(study: Study) -> None:
    study.new({"num_players": 2}, 1, "setup_settlement")
    while not any("buys" in line for line in lines(study)):
        study.step()
    other = Study()
    other.open(study.record.text())
    assert other.game.snapshot() == study.game.snapshot()


def test_undoing_comes_back_to_what_was(study: Study) -> None:
    seen = [study.game.snapshot()]
    for change in ("city", "settlement"):
        study.edit({"put": change, "at": "vertex 45", "seat": 0})
        seen.append(study.game.snapshot())
    for _ in range(5):
        study.step()
        seen.append(study.game.snapshot())
    study.undo()
    assert len(study.record.decisions) == len(lines(study)) == 4
    assert [*study.record.replay()]
    seen.pop()
    while study.status()["can_undo"]:
        assert study.game.snapshot() == seen.pop()
        study.undo()
    assert study.game.snapshot() == seen.pop()
    assert not seen
    with pytest.raises(StudyError, match="nothing to undo"):
        study.undo()


def test_long_positions_are_undone_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "MOST_UNDONE", 20)
    monkeypatch.setattr(study_module, "MOST_KEPT", 2**18)
    long = Study(position([{}, {}], rules=Rules(num_players=2, board=range(2**63, 2**63 + 1000))))
    for study, least, most in ((Study(), 20, 20), (long, 8, 14)):
        for seed in range(25):
            study.edit({"set": "seed", "to": seed})
        undone = 0
        while study.status()["can_undo"]:
            study.undo()
            undone += 1
        assert least <= undone <= most
        assert study.game.snapshot()["rng"]["state"] == 24 - undone


def test_positions_that_break_the_rules_are_opened_with_what_is_wrong(study: Study) -> None:
    state = study.game.snapshot()
    state["bank"]["ore"] -= 1
    state["players"][0]["points"] = 5
    study.open(json.dumps(state))
    assert study.errors == [
        "state.players[0].points=5 should be 1",
        "Hands and bank don't add up to 19 cards of each resource.",
    ]
    assert study.status()["legal"] == []
    assert not study.is_playable


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "neither a position nor a recorded game"),
        ('{\n"robber": 1,\n"robber": 2}', "the entry 'robber' occurs twice"),
        ("[" * 100_000, "neither a position nor a recorded game"),
        ('{"format": "catan-pz-state/1"}', "state.rules is missing"),
    ],
)
def test_what_is_no_position_is_refused(study: Study, text: str, reason: str) -> None:
    before = study.game.snapshot()
    with pytest.raises(StudyError, match=reason):
        study.open(text)
    assert study.game.snapshot() == before


def test_agents_are_chosen_by_their_names_alone(study: Study) -> None:
    study.seat_agents(["random", "weighted"])
    study.step()
    for wrong in (["exec:rm x", "random"], ["model.npz", "random"], ["random"], ["random"] * 3):
        with pytest.raises(StudyError, match=r"no agent|agents must be one a seat"):
            study.seat_agents(wrong)
    assert study.agents == ["random", "weighted"]
    study.seat_agents(["ppo-4p-notrade", "random"])
    with pytest.raises(StudyError, match="ValueError"):
        study.step()
