"""What viewers of a hosted game are shown, and what they can press."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from catan_pz.actions import COMPOSE_SEND, OFFER, action_id
from catan_pz.belief import Belief
from catan_pz.events import ONLOOKER
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from catan_pz.web.drawn import control_json
from catan_pz.web.saved import SavedTable, table_text, write
from catan_pz.web.table import HostedGame, PressError
from tests.web import tables

RULES = Rules(num_players=3, max_turns=40)


def hosted(persons: int = 1, rules: Rules = RULES) -> HostedGame:
    players = [None] * persons + ["random"] * (rules.num_players - persons)
    return tables.hosted(players, rules)


def as_sent(game: HostedGame, viewer: int) -> str:
    """All that a viewer gets, as text."""
    frame = game.picture(viewer)
    controls = [control_json(c) for c in frame.controls]
    return json.dumps([frame.layers, controls, frame.log, frame.view, frame.status])


def advance(game: HostedGame, rng: np.random.Generator) -> None:
    """Let whoever is to move do something."""
    session = game.session
    if session.waits_for_person:
        seat = session.game.player
        names = [c.name for c in tables.active(game, seat)]
        game.press(seat, str(rng.choice(names)), game.version_of(seat))
    else:
        session.play(session.table.decide())


def test_what_a_seat_may_not_know_changes_nothing_that_it_is_sent() -> None:
    """Everything hidden from a seat is drawn anew by its belief, and the same is sent."""
    rng = np.random.default_rng(3)
    game = hosted(persons=3)
    session = game.session
    beliefs = {seat: Belief(seat, session.game.state) for seat in range(3)}
    for belief in beliefs.values():
        session.game.listeners.append(belief.listen)
    compared = changed = 0
    for step in range(240):
        if session.is_finished:
            break
        advance(game, rng)
        if step % 30:
            continue
        for seat, belief in beliefs.items():
            other = hosted(persons=3)
            other.session.game = Game.from_games(belief.resample(session.game.state, rng), RULES)
            other.session.record = session.record
            if session.game.player == seat:
                other._drafts, other._changes = dict(game._drafts), game._changes
            # What happened last is told in words, and those come of the events.
            other.session.heard = session.heard
            other._refusing, other._early = game._refusing, game._early
            assert as_sent(other, seat) == as_sent(game, seat)
            assert as_sent(other, ONLOOKER) == as_sent(game, ONLOOKER)
            changed += session.snapshot()["players"] != other.session.snapshot()["players"]
            compared += 1
    assert compared > 20
    assert changed > 2


def test_onlookers_see_hands_only_where_nobody_plays() -> None:
    watched = hosted(persons=0)
    for _ in range(60):
        advance(watched, np.random.default_rng(1))
    played = tables.hosted([None, "random", "random"], record=watched.session.record)
    assert as_sent(watched, ONLOOKER) != as_sent(played, ONLOOKER)
    assert played.session.persons == [0]
    assert not played.picture(ONLOOKER).controls


def test_only_what_is_shown_can_be_pressed() -> None:
    game = hosted(persons=2)
    assert game.session.waits_for_person
    seat = game.session.game.player
    before = game.session.game.snapshot()
    for viewer, name, version, reason in (
        (seat, "roll", game.version_of(seat), "can't be pressed now"),
        (seat, "vertex 999", game.version_of(seat), "can't be pressed now"),
        (seat, "vertex 3", game.version_of(seat) - 1, "has changed meanwhile"),
        (1 - seat, "vertex 3", game.version_of(seat), "can't be pressed now"),
        (ONLOOKER, "vertex 3", game.version_of(seat), "can't be pressed now"),
    ):
        with pytest.raises(PressError, match=reason):
            game.press(viewer, name, version)
    assert game.session.game.snapshot() == before
    game.press(seat, "vertex 3", game.version_of(seat))
    assert game.session.game.snapshot() != before


def test_a_move_is_taken_back_until_somebody_else_has_moved() -> None:
    game = tables.hosted((None, None))
    before = game.session.snapshot()["players"]

    def press(seat: int, name: str) -> None:
        version = game.version_of(seat)
        game.press(seat, name, version)
        assert game.version_of(seat) > version

    press(0, "vertex 3")
    press(0, "undo")
    assert game.session.snapshot()["players"] == before
    assert not game.picture(1).log
    press(0, "vertex 3")
    press(0, tables.active(game, 0)[0].name)
    names = [[c.name for c in game.picture(seat).controls] for seat in (0, 1)]
    assert "undo" in names[0]
    assert "undo" not in names[1]
    press(1, "vertex 30")
    assert "undo" not in [c.name for c in game.picture(0).controls]


def test_who_comes_back_after_the_end_plays_the_next_game() -> None:
    game = tables.hosted((None, None))
    for seat in (0, 1):
        game.arrive(seat)
    game.leave(1)
    game.press(0, "agent 1", game.version_of(0))
    rng = np.random.default_rng(3)
    while not game.session.is_finished:
        advance(game, rng)
    assert game.again().session.agents[1] is not None
    game.arrive(1)
    assert game.again().session.agents == [None, None]


def test_what_an_agent_offers_and_nobody_can_pay_asks_nobody() -> None:
    seats = [{"hand": {"ore": 2}}, {"hand": {"wool": 1}}, {"hand": {"brick": 1}}]
    start = GameRecord.of(position(seats, rules=Rules(num_players=3), dice=[1, 2]))
    game = tables.hosted(("heuristic", None, None), record=start)
    game.play(action_id("offer", give={"ore": 1}, get={"brick": 1}))
    assert game.session.game.player == 2
    game.press(2, "reject all", game.version_of(2))
    assert game.session.game.phase == Phase.MAIN
    assert [line["words"] for line in game.picture(1).log] == [
        "Ann offers 1 ore for 1 brick: Bob rejects; Cyd rejects"
    ]
    # Among persons an agent makes one offer a turn.
    assert not OFFER <= game.session.decide() <= COMPOSE_SEND


def test_what_is_laid_out_changes_nothing_for_others() -> None:
    rng = np.random.default_rng(4)
    game = hosted(persons=3)
    laid_out = 0
    while laid_out < 20:
        seat = game.session.game.player
        others = [viewer for viewer in (0, 1, 2, ONLOOKER) if viewer != seat]
        drafts = [c for c in tables.active(game, seat) if c.draft is not None]
        if not drafts:
            advance(game, rng)
            continue
        before, own = [game.picture(viewer) for viewer in others], game.version_of(seat)
        game.press(seat, drafts[rng.integers(len(drafts))].name, own)
        laid_out += 1
        assert game.version_of(seat) > own
        assert [game.picture(viewer) for viewer in others] == before
        advance(game, rng)


def undrawn(game: HostedGame) -> list[str]:
    """The deck, the next card first."""
    deck: list[str] = game.session.snapshot()["deck"]
    return deck


def test_nobody_foretells_chance_from_the_file_of_a_table(tmp_path: Path) -> None:
    """New games, and those that go on again and again, draw from a state that isn't written."""
    rng, path = np.random.default_rng(6), tmp_path / "table-0.jsonl"
    rules = replace(RULES, max_turns=900, victory_points=20)
    game = hosted(persons=0, rules=rules).again()
    for seed in range(3):
        record = game.session.record
        drawn = len(undrawn(game))
        assert undrawn(game) != record.start["deck"][-drawn:]
        if not record.decisions:
            state = game.session.snapshot()["rng"]["state"]
            assert state != record.start["rng"]["state"]
        while len(undrawn(game)) > drawn - 2:
            advance(game, rng)
        write(path, table_text(record, game.links))
        record = SavedTable.load(path).record
        again = tables.hosted(["random"] * 3, seed=seed, record=record)
        assert sorted(undrawn(again)) == sorted(undrawn(game))
        assert undrawn(again) != undrawn(game)
        assert not again.session.game.validate()
        assert again.session.snapshot()["players"] == game.session.snapshot()["players"]
        game = again
    *_, last = game.session.record.replay()
    assert last.snapshot()["players"] == game.session.snapshot()["players"]


def test_a_link_is_known_by_its_secret_alone() -> None:
    game = hosted(persons=2)
    assert {game.viewer_of(link) for link in game.links.values()} == {0, 1, ONLOOKER}
    assert len(set(game.links.values())) == 3
    assert min(map(len, game.links.values())) >= 20
    for wrong in ("", "0", "\udc80", game.links[0][:-1], game.links[0] + "x"):
        assert game.viewer_of(wrong) is None
