import json
from dataclasses import replace
from typing import Any

import pytest

from catan_pz.actions import BUY_DEVELOPMENT_CARD
from catan_pz.game import GameRecord, position
from catan_pz.rules import Rules
from catan_pz.tables.records.colonist import told_game
from catan_pz.tables.records.moves import (
    AMBIGUOUS,
    BOT,
    INFERRED,
    INVENTED,
    TIMEOUT,
    BankTrade,
    Fault,
    Over,
    PlayedTable,
)
from catan_pz.tables.records.playing import ReadGame, played
from catan_pz.terms import Resource
from tests.tables.records.colonist_files import Replay


def rules(seed: int) -> Rules:
    """Some options of each kind, 2 to 4 players in turn."""
    return Rules(
        num_players=2 + seed % 3,
        victory_points=4 + seed % 4,
        friendly_robber=seed % 2 == 1,
        robber_spares_mover=True,
        dice=("random", "balanced")[seed // 2 % 2],
        dice_memory=seed // 2 % 2 == 1,
        max_offer_cards=4 + seed % 5,
        discard_limit=(4, 7, 9)[seed // 4 % 3],
        offer_form=("templates", "composed", "both")[seed // 3 % 3],
        counter_offers=seed % 5 != 0,
        trading=seed % 7 != 0,
        max_turns=None,
    )


def taken(decisions: Any) -> list[tuple[Any, ...]]:
    return [(one.player, one.action, one.outcome) for one in decisions]


def read_back(replay: Replay) -> ReadGame:
    game = played(told_game(json.loads(json.dumps(replay.data()))))
    assert game.report.disagreement is None
    assert game.report.compared > 100 * len(replay.events)
    for _ in game.record.replay():
        pass
    assert GameRecord.from_lines(game.record.lines()) == game.record
    return game


def check(seed: int) -> None:
    replay = Replay(rules(seed), seed).play()
    game = read_back(replay)
    assert taken(game.record.decisions) == taken(replay.decisions)
    assert game.record.result == GameRecord.of(replay.game).result


@pytest.mark.parametrize("seed", [34, 35, 36, 37])
def test_games_come_back_equal(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_games_come_back_equal(seed: int) -> None:
    check(seed)


def test_a_game_that_is_given_up_has_a_winner() -> None:
    told = told_game(json.loads(json.dumps(Replay(rules(36), 36).play().data())))
    told.moves = [*told.moves[:50], Over("the end", 1)]
    record = played(told).record
    assert (record.result["winner"], record.result["end"]) == (1, "resigned")
    assert next(iter(GameRecord.from_lines(record.lines()).replay())).winner is None


def test_captured_games() -> None:
    replay = Replay(replace(rules(10), trading=False), 10, sparse=True).play()
    game = read_back(replay)
    assert taken(game.record.decisions) == taken(replay.decisions)


def test_cards_of_others_are_those_that_they_play() -> None:
    replay = Replay(rules(14), 14, perspective=0, sparse=True).play()
    game = read_back(replay)
    bought = [
        (one, told.outcome)
        for one, told in zip(game.record.decisions, replay.decisions, strict=True)
        if one.action == BUY_DEVELOPMENT_CARD
    ]
    assert all(one.outcome == card for one, card in bought if AMBIGUOUS not in one.marks)
    assert {(), (INFERRED,), (AMBIGUOUS,)} == {one.marks for one, _ in bought}


def test_hidden_cards_of_two_are_known() -> None:
    replay = Replay(rules(36), 36, perspective=1).play()
    game = read_back(replay)
    assert game.report.seats == [1]
    assert taken(game.record.decisions) == taken(replay.decisions)
    assert not game.report.hidden_thefts


@pytest.mark.parametrize("seed", [10, 38])
def test_hidden_thefts_are_inferred_or_ambiguous(seed: int) -> None:
    replay = Replay(rules(seed), seed, perspective=0).play()
    game = read_back(replay)
    assert game.report.hidden_thefts
    for ours, told in zip(game.record.decisions, replay.decisions, strict=True):
        assert (ours.player, ours.action) == (told.player, told.action)
        if AMBIGUOUS not in ours.marks:
            assert ours.outcome == told.outcome
        else:
            assert isinstance(ours.outcome, Resource)
    marked = [mark for one in game.record.decisions for mark in one.marks]
    assert INFERRED in marked


def test_marks_and_unknown_kinds() -> None:
    data = Replay(rules(4), 4).play().data()
    color = data["playOrder"][1]
    for number, kind in ((14, 24), (30, 58), (40, 0), (41, 999)):
        entries = data["eventHistory"]["events"][number]["stateChange"].setdefault(
            "gameLogState", {}
        )
        entries["-1"] = {"text": {"type": kind, "playerColor": color}}
    game = played(told_game(data))
    assert game.report.disagreement is None
    assert game.report.unknown == {"999": 1}
    marked = [one.marks for one in game.record.decisions if one.player == 1]
    assert {(), (BOT,)} <= {*marked} <= {(), (BOT,), (BOT, TIMEOUT), (INVENTED,)}
    gone = [BOT in marks for marks in marked]
    assert sorted(gone[gone.index(True) :], reverse=True) == gone[gone.index(True) :]


def test_lots_traded_with_the_bank_at_once() -> None:
    table = PlayedTable(position([{"hand": {"brick": 4, "ore": 8}}], rules=Rules(num_players=2)))
    BankTrade("here", 0, (4, 0, 0, 0, 8), (0, 1, 2, 0, 0)).play(table)
    assert table.game.state["hand"][0].tolist() == [0, 1, 2, 0, 0]
    with pytest.raises(Fault, match="rates"):
        BankTrade("here", 0, (0, 1, 0, 0, 0), (1, 0, 0, 0, 0)).play(table)
