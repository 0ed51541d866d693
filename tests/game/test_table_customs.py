"""Games at tables that hide and allow more than this package's, followed from each seat."""

import pickle
from typing import Any

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.actions import DISCARD, MARITIME_TRADE, action_id
from catan_pz.belief import TableCustoms
from catan_pz.engine.violations import Violation
from catan_pz.events import UNKNOWN, Event, EventKind, Events, as_seen_by
from catan_pz.game.followed import ContradictionError, FollowedGame
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from catan_pz.rules import Rules
from catan_pz.terms import BANK_PER_RESOURCE, NUM_RESOURCES, Phase

CUSTOMS = TableCustoms(
    hides_discards=True, unlimited_bank=True, tells_in_part=True, robber_before_win=True
)
THREE = Rules(num_players=3, board="beginner", max_turns=None)
BRICK, LUMBER, WOOL, GRAIN, ORE = range(NUM_RESOURCES)
TOLD = (EventKind.DECISION, EventKind.ROLLED, EventKind.STOLEN, EventKind.CARD_BOUGHT)


def told(events: Events, seat: int) -> Events:
    """The decision and what chance brought, discards face down, and nothing else but a win."""
    hidden = events[0].seat != seat and DISCARD <= events[0].what < MARITIME_TRADE
    kept = (*TOLD, EventKind.WON, EventKind.CARD_PLAYED, EventKind.GIVEN, EventKind.PAID)
    seen = [event for event in as_seen_by(events, seat) if event.kind in kept]
    return tuple(event._replace(what=UNKNOWN) if hidden else event for event in seen)


@pytest.mark.parametrize(("players", "seed"), [(2, 0), (3, 4), (4, 1)])
def test_bounds_and_own_cards_are_right_in_every_seat(players: int, seed: int) -> None:
    rules = Rules(num_players=players, trading=False, discard_limit=4, max_turns=None)
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    seats = range(players)
    followed = [FollowedGame.from_snapshot(game.snapshot(), p, CUSTOMS) for p in seats]
    hidden = 0
    for _ in range(200):
        events = game.step_once(int(rng.choice(game.legal_actions())))
        hidden += DISCARD <= events[0].what < MARITIME_TRADE
        hands = game.state["hand"][:players]
        for seat in seats:
            one = followed[seat]
            one.follow(told(events, seat))
            bounds = one.belief.shared[seat]
            assert (bounds.least <= hands).all()
            assert (hands <= bounds.most).all()
            assert (one.sampled.state["hand"][seat] == hands[seat]).all()
            assert (one.view().mask == view_of(game, seat).mask).all()
    assert hidden > 5


def test_without_discards_the_view_is_that_of_the_hosting_game() -> None:
    rules = Rules(num_players=3, trading=False, discard_limit=95, max_turns=None)
    game, rng = Game(rules, 3), np.random.default_rng(3)
    followed = FollowedGame.from_snapshot(game.snapshot(), 1, CUSTOMS)
    for _ in range(200):
        followed.follow(told(game.step_once(int(rng.choice(game.legal_actions()))), 1))
        assert (followed.view().observation == view_of(game, 1).observation).all()


def test_resampled_games_look_the_same_and_keep_the_bounds() -> None:
    rules = Rules(num_players=3, trading=False, discard_limit=4, max_turns=None)
    game, rng = Game(rules, 8), np.random.default_rng(8)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0, CUSTOMS)
    for _ in range(250):
        followed.follow(told(game.step_once(int(rng.choice(game.legal_actions()))), 0))
    drawn = [followed.resample(rng).games, *np.split(followed.view().resample_many(rng, 3), 3)]
    for games in drawn:
        one = Game.from_games(games.copy(), rules)
        for name in ("hand", "below", "above", "legal"):  # a game narrows no bounds of a table's
            one.games[name] = games[name]
        assert (view_of(one, 0).observation == followed.view().observation).all()


def test_a_bank_never_runs_out() -> None:
    players = [{"hand": {"ore": 19}}, {"settlements": [0]}, {}]
    game = position(players, rules=THREE, phase="roll", robber=18)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0, CUSTOMS)
    seen = followed.follow(rolled(0, 4, 6))
    assert any(event.kind == EventKind.GAINED and event.seat == 1 for event in seen)
    assert followed.view().segments["bank"].min() >= 0


def rolled(seat: int, *dice: int) -> list[Event]:
    rows = [(EventKind.DECISION, seat, seat, action_id("roll"), 0)]
    rows.append((EventKind.ROLLED, seat, -1, *dice))
    return [Event(*row, 0) for row in rows]


@pytest.mark.parametrize("seat", [0, 1])
def test_hands_hold_more_than_a_bank_has(seat: int) -> None:
    """Three cities on the ore hex with the 10; seat 1 takes for possible what it didn't see."""
    players = [{"hand": {"ore": 19}, "cities": [0, 2, 9]}, {"hand": {"wool": 2}}, {}]
    game = position(players, rules=THREE, phase="roll", robber=18)
    followed = FollowedGame.from_snapshot(game.snapshot(), seat, CUSTOMS)
    ends = [Event(EventKind.DECISION, p, p, action_id("end_turn"), 0, 0) for p in range(3)]
    for p in (0, 1, 2):
        followed.follow(rolled(p, 4, 6))
        followed.follow([ends[p]])
    hand = followed.sampled.state["hand"][0]
    assert hand[ORE] == 19 + 3 * 6
    assert followed.view().segments["hand_size"].max() == 37
    drawn = followed.resample(np.random.default_rng(0))
    assert drawn.state["hand"][0, ORE] == 37
    drawn = pickle.loads(pickle.dumps(drawn)).copy()
    assert (view_of(drawn, seat).observation == followed.view().observation).all()
    while followed.sampled.player != seat:
        followed.follow(rolled(0, 1, 1))
        followed.follow([ends[0]])
    for name, options in (("heuristic", {}), ("search", {"simulations": 8})):
        view = followed.view()
        agent = agents.load(name, **options)
        agent.reset(seat, THREE, 1)
        assert view.mask[agent.act(view)]


@pytest.mark.parametrize("uncertainty", ["belief", "shuffled"])
def test_a_forward_search_takes_hands_and_banks_that_do_not_add_up(uncertainty: str) -> None:
    rules = Rules.make("charlesworth", trading=False, discard_limit=4, max_turns=None)
    game, rng = Game(rules, 8), np.random.default_rng(8)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0, CUSTOMS)
    options = {"simulations": 4, "depth": 1, "wave": 4, "candidates": 3}
    agent = agents.load("charlesworth", uncertainty=uncertainty, **options)
    agent.reset(0, rules, 1)
    searched = 0
    while searched < 4:
        followed.follow(told(game.step_once(int(rng.choice(game.legal_actions()))), 0))
        if game.player == 0 and len(game.legal_actions()) > 1 and followed.sampled.player == 0:
            games = followed.view().resample_many(rng, 8)
            if (games["bank"] + games["hand"].sum(1) != BANK_PER_RESOURCE).any():
                assert game.mask[agent.act(followed.view())]
                searched += 1


def test_a_monopoly_takes_more_than_a_bank_has() -> None:
    card = {"cards": {"monopoly": 1}, "settlements": [27]}
    players = [card, {"hand": {"ore": 19}, "cities": [0, 2, 9]}, {}]
    game = position(players, rules=THREE, phase="roll", robber=18)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0, CUSTOMS)
    followed.follow(rolled(0, 4, 6))
    taken = [(EventKind.DECISION, 0, 0, action_id("play_monopoly", resource="ore"), 0)]
    taken.append((EventKind.GIVEN, 1, 0, ORE, 25))
    followed.follow(Event(*row, 0) for row in taken)
    assert followed.view().segments["own_hand"].tolist() == [0, 0, 0, 0, 25]


def test_who_wins_by_a_knight_moves_the_robber_first() -> None:
    rules = Rules(num_players=3, board="beginner", max_turns=None, victory_points=3)
    cards = {"cards": {"knight": 1}, "cards_played": {"knight": 2}, "settlements": [0]}
    game = position([cards, {}, {}], rules=rules)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0, CUSTOMS)
    knight = [(EventKind.DECISION, 0, 0, action_id("play_knight"), 0)]
    knight.append((EventKind.CARD_PLAYED, 0, -1, 0, 1))
    followed.follow(Event(*row, 0) for row in knight)
    assert followed.sampled.phase == Phase.MOVE_ROBBER
    move = action_id("move_robber", hex=3)
    with pytest.raises(ContradictionError, match="seat 0 has 3 points"):
        followed.follow([Event(EventKind.DECISION, 0, 0, move, 0, 0)])
    won = Event(EventKind.WON, 0, -1, -1, 1, 0)
    followed.follow([Event(EventKind.DECISION, 0, 0, move, 0, 0), won])
    assert followed.sampled.winner == 0


@pytest.fixture
def followed() -> FollowedGame:
    """A game in which players hold cards to trade."""
    players = [{"hand": {"brick": 2}}, {"hand": {"ore": 1}}, {"hand": {"wool": 3}}]
    game = position(players, rules=THREE, phase="main", turn_player=1, player_to_move=1)
    return FollowedGame.from_snapshot(game.snapshot(), 0, CUSTOMS)


def test_a_trade_that_came_about_otherwise(followed: FollowedGame) -> None:
    followed.follow_trade(1, 0, ([0, 0, 0, 0, 1], [2, 0, 0, 0, 0]))
    assert followed.sampled.state["hand"][:2].tolist() == [[0, 0, 0, 0, 1], [2, 0, 0, 0, 0]]
    with pytest.raises(ContradictionError, match="trade"):
        followed.follow_trade(1, 0, ([0, 0, 0, 0, 1], [1, 0, 0, 0, 0]))
    assert followed.sampled.state["hand"][1].tolist() == [2, 0, 0, 0, 0]


WRONG_CARDS = (([-1, 0, 0, 0, 0], [0] * 5), ([0, 0, 0, 0, 300], [0] * 5))


def test_trades_that_cannot_be_change_nothing(
    followed: FollowedGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    belief, state = followed.belief, followed.sampled.games.copy()
    mask, cards = followed.sampled.mask.copy(), ([0, 0, 0, 0, 1], [0, 0, 0, 0, 0])

    def refuse(*_: Any, **__: Any) -> None:
        raise ValueError("no hands fit")

    for seat, other in ((1, 1), (-1, 0), (1, 3)):
        with pytest.raises(ContradictionError, match="can't trade"):
            followed.follow_trade(seat, other, cards)
    for wrong in WRONG_CARDS:
        with pytest.raises(ContradictionError, match="cards must be"):
            followed.follow_trade(1, 0, wrong)
    monkeypatch.setattr(type(belief), "resample", refuse)
    with pytest.raises(ContradictionError, match="no hands fit"):
        followed.follow_trade(1, 0, cards)
    assert followed.belief is belief
    assert (followed.sampled.games == state).all()
    assert (followed.sampled.mask == mask).all()


def test_offers_beyond_those_of_the_rules_are_not_counted(followed: FollowedGame) -> None:
    for _ in range(200):
        followed.note_offer()
    assert followed.sampled.state["offers_made"] == THREE.max_offers_per_turn
    assert followed.sampled.validate() == Violation.NONE


def test_an_offer_is_answered_on_a_copy(followed: FollowedGame) -> None:
    asked = followed.with_offers({1: ([0, 0, 0, 0, 1], [1, 0, 0, 0, 0])})
    legal = {int(a) for a in np.flatnonzero(asked.view().mask)}
    assert {action_id("accept"), action_id("reject")} <= legal
    assert followed.sampled.phase == Phase.MAIN
    one_brick = [1, 0, 0, 0, 0]
    wrong = [
        ({1: ([0, 0, 0, 0, 2], one_brick)}, "offers"),
        ({3: ([0] * 5, one_brick)}, "can't make"),
    ]
    for offers, said in [*wrong, *(({1: cards}, "cards must be") for cards in WRONG_CARDS)]:
        with pytest.raises(ContradictionError, match=said):
            followed.with_offers(offers)
