"""What viewers of a hosted game are shown, and what they can press."""

import json
import secrets
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.random import RandomAgent
from catan_pz.belief import Belief
from catan_pz.events import ONLOOKER
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable, write
from catan_pz.web.table import HostedGame, PressError, Seats, control_json

RULES = Rules(num_players=3, max_turns=40)


@pytest.fixture(autouse=True)
def same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same games each time; a server draws others."""
    seeds = count(1)
    monkeypatch.setattr(secrets, "randbits", lambda _bits: next(seeds))


def hosted(persons: int = 1, rules: Rules = RULES) -> HostedGame:
    players = [None] * persons + [agents.load("random")] * (rules.num_players - persons)
    names = [f"P{seat}" for seat in range(rules.num_players)]
    return HostedGame(Seats(players, names), rules=rules)


def as_sent(game: HostedGame, viewer: int) -> str:
    """All that a viewer gets, as text."""
    frame = game.frame(viewer)
    controls = [control_json(c) for c in frame.controls]
    return json.dumps([frame.layers, controls, frame.status])


def advance(game: HostedGame, rng: np.random.Generator) -> None:
    """Let whoever is to move do something."""
    if game.waits_for_person:
        seat = game.game.player
        active = [c.name for c in game.frame(seat).controls if c.is_active]
        game.press(seat, str(rng.choice(active)), game.version_of(seat))
    else:
        game.play(game.decide())


def test_what_a_seat_may_not_know_changes_nothing_that_it_is_sent() -> None:
    """Everything hidden from a seat is drawn anew by its belief, and the same is sent."""
    rng = np.random.default_rng(3)
    game = hosted(persons=3)
    beliefs = {seat: Belief(seat, game.game.state) for seat in range(3)}
    for belief in beliefs.values():
        game.game.listeners.append(belief.listen)
    compared = changed = 0
    for step in range(600):
        if game.is_finished:
            break
        advance(game, rng)
        if step % 40:
            continue
        for seat, belief in beliefs.items():
            other = hosted(persons=3)
            resampled = Game.from_games(belief.resample(game.game.state, rng), RULES)
            other.game = resampled
            other.version = game.version
            mover = game.game.player
            if mover == seat:
                other._drafts = dict(game._drafts)
            told = as_sent(game, seat)
            # What happened last is told in words, and those come of the events.
            other._logs = game._logs
            assert as_sent(other, seat) == told
            assert as_sent(other, ONLOOKER) == as_sent(game, ONLOOKER)
            changed += game.game.snapshot()["players"] != other.game.snapshot()["players"]
            compared += 1
    assert compared > 20
    assert changed > 2


def test_onlookers_see_hands_only_where_nobody_plays() -> None:
    watched = hosted(persons=0)
    for _ in range(60):
        watched.play(watched.decide())
    played = HostedGame(
        Seats([None, *[agents.load("random")] * 2], ["P0", "P1", "P2"]), record=watched.record
    )
    assert as_sent(watched, ONLOOKER) != as_sent(played, ONLOOKER)
    assert played.seats.persons == [0]
    assert not played.frame(ONLOOKER).controls


def test_only_what_is_shown_can_be_pressed() -> None:
    game = hosted(persons=2)
    assert game.waits_for_person
    seat = game.game.player
    before = game.game.snapshot()
    for viewer, name, version, reason in (
        (seat, "roll", game.version, "can't be pressed now"),
        (seat, "vertex 999", game.version, "can't be pressed now"),
        (seat, "vertex 3", game.version - 1, "has changed meanwhile"),
        (1 - seat, "vertex 3", game.version, "can't be pressed now"),
        (ONLOOKER, "vertex 3", game.version, "can't be pressed now"),
    ):
        with pytest.raises(PressError, match=reason):
            game.press(viewer, name, version)
    assert game.game.snapshot() == before
    game.press(seat, "vertex 3", game.version)
    assert game.game.snapshot() != before


def test_what_is_laid_out_changes_nothing_for_others() -> None:
    rng = np.random.default_rng(4)
    game = hosted(persons=3)
    laid_out = 0
    while laid_out < 20:
        seat = game.game.player
        others = [viewer for viewer in (0, 1, 2, ONLOOKER) if viewer != seat]
        drafts = [c for c in game.frame(seat).controls if c.draft is not None]
        if not drafts:
            advance(game, rng)
            continue
        before, own = [game.frame(viewer) for viewer in others], game.version_of(seat)
        game.press(seat, drafts[rng.integers(len(drafts))].name, own)
        laid_out += 1
        assert game.version_of(seat) > own
        assert [game.frame(viewer) for viewer in others] == before
        advance(game, rng)


def test_persons_play_a_whole_game_with_offers() -> None:
    rng = np.random.default_rng(8)
    game = hosted(persons=3, rules=replace(RULES, max_turns=60))
    while not game.is_finished:
        advance(game, rng)
    assert game.frame(0).status["over"]
    assert "in turn" in game.frame(0).status["result"]
    assert any(" offers " in line for line in game.frame(0).log)
    assert [*game.record.replay()]


def test_a_recorded_game_goes_on_where_it_was(tmp_path: Any) -> None:
    rng = np.random.default_rng(5)
    game = hosted(persons=2)
    for _ in range(120):
        advance(game, rng)
    path = tmp_path / "game.jsonl"
    game.record.save(path)
    again = HostedGame(
        Seats(game.seats.agents, game.seats.names, game.seats.links), record=GameRecord.load(path)
    )
    game._drafts.clear()
    game.version += 1
    for viewer in (0, 1, ONLOOKER):
        assert as_sent(again, viewer) == as_sent(game, viewer)
        assert again.frame(viewer).log == game.frame(viewer).log
    # What chance brings from now on can't be foretold from the record.
    assert again.game.games["rng"][0] != game.game.games["rng"][0]


def undrawn(game: HostedGame) -> list[str]:
    """The deck, the next card first."""
    deck: list[str] = game.game.snapshot()["deck"]
    return deck


def test_agents_leave_a_game_whose_record_is_wrong() -> None:
    left: list[int] = []

    class Leaving(RandomAgent):
        def close(self) -> None:
            left.append(self.seat)

    game = hosted(persons=1)
    game.press(0, game.frame(0).controls[0].name, game.version)
    game.record.decisions[0] = replace(game.record.decisions[0], player=1)
    with pytest.raises(ValueError, match="player 1 can't move"):
        HostedGame(Seats([None, Leaving(), Leaving()], list("abc")), record=game.record)
    assert left == [1, 2]


def test_the_deck_of_a_game_that_goes_on_cannot_be_foretold(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    path = tmp_path / "table-0.jsonl"
    game = hosted(persons=0, rules=replace(RULES, max_turns=200))
    for _ in range(3):  # saved, and gone on with, again and again
        bought = len(undrawn(game)) - 4
        while len(undrawn(game)) > bought:
            advance(game, rng)
        saved = SavedTable(["random"] * 3, game.seats.names, game.seats.links, game.record)
        write(path, saved.text())
        record = SavedTable.load(path).record
        assert record.start["deck"] == game.record.start["deck"]
        again = HostedGame(game.seats, record=record)
        assert sorted(undrawn(again)) == sorted(undrawn(game))
        assert undrawn(again) != undrawn(game)
        assert undrawn(again) != record.start["deck"][-len(undrawn(again)) :]
        assert not again.game.validate()
        seats = [held.game.snapshot()["players"] for held in (game, again)]
        assert seats[0] == seats[1]
        game = again
    *_, last = game.record.replay()
    assert last.snapshot()["players"] == game.game.snapshot()["players"]


def test_a_link_is_known_by_its_secret_alone() -> None:
    seats = hosted(persons=2).seats
    assert {seats.viewer_of(link) for link in seats.links.values()} == {0, 1, ONLOOKER}
    assert len(set(seats.links.values())) == 3
    assert min(map(len, seats.links.values())) >= 20
    for wrong in ("", "0", "\udc80", seats.links[0][:-1], seats.links[0] + "x"):
        assert seats.viewer_of(wrong) is None
