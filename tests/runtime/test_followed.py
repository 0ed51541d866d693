"""A game followed from one seat alone shows what the hosting game shows, byte for byte."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from catan_pz.engine.events import EventKind
from catan_pz.engine.options import seeded_board
from catan_pz.events import UNKNOWN, Event, Events, as_seen_by
from catan_pz.notation import action_id
from catan_pz.rules import Rules
from catan_pz.runtime.followed import ContradictionError, FollowedGame
from catan_pz.runtime.game import Game
from catan_pz.runtime.position import position
from catan_pz.runtime.view import View, view_of
from catan_pz.terms import Card, Resource
from tests.helpers import RULE_SETS

MORE_RULES = {
    "first_random": Rules(first_player="random", offer_form="both"),
    "few_points": Rules(num_players=4, victory_points=3, offer_form="both"),
    "few_cards": Rules(num_players=3, victory_points=5, discard_limit=2, trading=False),
    "few_turns": Rules(num_players=3, max_turns=9, offer_form="composed"),
    "forced_few_points": Rules(num_players=2, victory_points=4, skip_forced=True),
    "balanced": Rules(num_players=4, dice="balanced", victory_points=6),
}
ALL_RULES = RULE_SETS | MORE_RULES


def same(one: View, other: View) -> bool:
    return (
        one.observation.tobytes() == other.observation.tobytes()
        and one.mask.tobytes() == other.mask.tobytes()
    )


class Table:
    """A random game that is followed from every seat."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.game = Game(rules, seed)
        self.rng = np.random.default_rng(seed)
        snapshot = self.game.snapshot()
        seats = range(rules.num_players)
        self.followed = [FollowedGame.from_snapshot(snapshot, seat) for seat in seats]
        self.game.listeners.append(self.listen)

    def listen(self, game: Game, events: Events) -> None:
        for seat, followed in enumerate(self.followed):
            followed.follow(as_seen_by(events, seat))
            assert same(followed.view(), view_of(game, seat))

    def play(self, decisions: int, every: int = 50) -> None:
        """Play at random, comparing after each decision and drawing states after some."""
        for k in range(decisions):
            legal = self.game.legal_actions()
            if not len(legal):
                break
            self.game.step(int(self.rng.choice(legal)))
            if k % every == 0:
                self.compare_draws()
        self.compare_draws()

    def compare_draws(self) -> None:
        """States drawn look the same, and are those that the hosting game would draw."""
        for seat, followed in enumerate(self.followed):
            drawn = followed.resample(np.random.default_rng(1))
            assert not drawn.validate()
            assert same(view_of(drawn, seat), view_of(self.game, seat)) or (
                self.game.player != seat
            )
            hosted = followed.belief.resample(self.game.state, np.random.default_rng(1))
            assert drawn.games.tobytes() == hosted.tobytes()


@pytest.mark.parametrize("name", ALL_RULES)
@pytest.mark.parametrize("seed", range(2))
def test_every_seat_sees_what_the_hosting_game_shows(name: str, seed: int) -> None:
    Table(ALL_RULES[name], seed).play(250)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL_RULES)
@pytest.mark.parametrize("seeds", [range(k, k + 12) for k in range(100, 148, 12)])
def test_every_seat_of_a_thousand_games(name: str, seeds: range) -> None:
    for seed in seeds:
        Table(ALL_RULES[name], seed).play(700)


@pytest.mark.parametrize("name", ["both_forms", "skip_forced_both", "without_trade", "balanced"])
def test_what_is_hidden_in_the_start_has_no_part(name: str) -> None:
    """From mid-game on, by a true start and by one with other hidden hands and cards."""
    rules = ALL_RULES[name]
    game, rng = Game(rules, 3), np.random.default_rng(3)
    for _ in range(300):
        game.step(int(rng.choice(game.legal_actions())))
    for seat in range(rules.num_players):
        one = FollowedGame.from_snapshot(game.snapshot(), seat)
        other = FollowedGame.from_snapshot(one.resample(rng).snapshot(), seat)
        hosted = game.copy()
        hosted.listeners += [one.listen, other.listen]
        for _ in range(150):
            if not hosted.mask.any():
                break
            hosted.step(int(rng.choice(hosted.legal_actions())))
            assert same(one.view(), view_of(hosted, seat))
        assert one.sampled.games.tobytes() == other.sampled.games.tobytes()
        assert one.belief.hands.hands.tobytes() == other.belief.hands.hands.tobytes()


def test_a_start_without_a_game() -> None:
    rules = Rules(num_players=3, first_player="random")
    board = seeded_board(5)
    hosted = Game(replace(rules, board=board), 1)
    followed = FollowedGame(rules, 1, board, hosted.player)
    assert followed.rules == rules
    assert same(followed.view(), view_of(hosted, 1))
    hosted.listeners.append(followed.listen)
    rng = np.random.default_rng(1)
    for _ in range(200):
        hosted.step(int(rng.choice(hosted.legal_actions())))
    assert same(followed.view(), view_of(hosted, 1))


def test_starts_refused() -> None:
    with pytest.raises(ValueError, match="board=None"):
        FollowedGame(None, 0)
    with pytest.raises(ValueError, match="first_player=None"):
        FollowedGame(Rules(board="beginner", first_player="random"), 0)
    with pytest.raises(ValueError, match="seat=4"):
        FollowedGame(Rules(board="beginner"), 4)


def test_the_view_answers_resample() -> None:
    followed = FollowedGame(Rules(board="beginner"), 2)
    drawn = followed.view().resample(np.random.default_rng(1))
    assert same(view_of(drawn, 2), followed.view())


def content(followed: FollowedGame) -> tuple[bytes, ...]:
    """All that a refused report must leave as it was."""
    belief, sampled = followed.belief, followed.sampled
    bounds = [b"".join(array.tobytes() for array in vars(b).values()) for b in belief.shared]
    cards = repr(vars(belief.cards)).encode()
    hands = belief.hands.hands.tobytes(), belief.hands.weights.tobytes()
    return (sampled.games.tobytes(), sampled.mask.tobytes(), cards, *hands, *bounds)


def refuse(followed: FollowedGame, events: Events, why: str | None = None) -> None:
    before = content(followed)
    with pytest.raises(ContradictionError, match=why):
        followed.follow(events)
    assert content(followed) == before


@pytest.mark.parametrize("name", ["both_forms", "few_points", "few_turns", "balanced", "base"])
def test_reports_with_an_event_left_out_or_told_twice_are_refused(name: str) -> None:
    game, rng = Game(ALL_RULES[name], 2), np.random.default_rng(2)
    followed, kinds = FollowedGame.from_snapshot(game.snapshot(), 0), set()

    def listen(_game: Game, events: Events) -> None:
        seen = as_seen_by(events, 0)
        if any(event.kind not in kinds for event in seen):
            kinds.update(event.kind for event in seen)
            for k in range(1, len(seen)):
                if seen[k].kind != EventKind.OFFER_ASKS:  # one composed unseen may ask for less
                    refuse(followed, (*seen[:k], *seen[k + 1 :]))
                refuse(followed, (*seen, seen[k]))
        followed.follow(seen)

    game.listeners.append(listen)
    while len(game.legal_actions()) and game.turn < 60:
        game.step(int(rng.choice(game.legal_actions())))
    assert len(kinds) > 10


THREE = Rules(num_players=3, offer_form="both", board="beginner")
BRICK, LUMBER, WOOL, GRAIN, ORE = range(5)


def follow(players: list[dict[str, Any]], seat: int = 0, **options: Any) -> FollowedGame:
    game = position(players, rules=options.pop("rules", THREE), **options)
    return FollowedGame.from_snapshot(game.snapshot(), seat)


def report(seat: int, turn: int, action: int, *events: tuple[Any, ...]) -> Events:
    """A decision and its events: kind, seat, other, what, amount."""
    rows = [(EventKind.DECISION, seat, turn, action, 0), *events]
    return tuple(Event(*row, seen_by=15) for row in rows)


def road(seat: int, edge: int) -> Events:
    built = (EventKind.ROAD_BUILT, seat, -1, edge, 1)
    paid = [(EventKind.PAID, seat, -1, r, 1) for r in (BRICK, LUMBER)]
    return report(seat, seat, action_id("build_road", edge=edge), built, *paid)


def test_decisions_out_of_turn_are_refused() -> None:
    followed = follow([{}, {}, {}])
    refuse(followed, report(1, 0, 1), "seat 0 is to move")
    refuse(followed, report(0, 1, 1), "turn of seat 0")
    refuse(followed, (), "DECISION")
    refuse(followed, report(5, 0, 1), "no such seat")
    refuse(followed, report(0, 0, action_id("roll")), "phase 'main'")
    refuse(followed, report(0, 0, 1000), "hidden action")
    refuse(followed, report(0, 0, UNKNOWN), "hidden")


def test_payments_that_a_hand_does_not_cover_are_refused() -> None:
    players = [{}, {"settlements": [20], "roads": [26], "hand": {"brick": 1, "ore": 1}}, {}]
    followed = follow(players, turn_player=1, player_to_move=1)
    refuse(followed, road(1, 34), "no hands fit")


def test_places_that_are_not_free_are_refused() -> None:
    hand = {"brick": 1, "lumber": 1}
    followed = follow(
        [{}, {"settlements": [20], "hand": hand}, {}], turn_player=1, player_to_move=1
    )
    refuse(followed, road(1, 0), "must be empty and touch an own road")


def test_dice_that_can_not_be_are_refused() -> None:
    followed = follow([{}, {}, {}], phase="roll", rules=replace(THREE, dice="balanced"))
    roll = action_id("roll")
    refuse(followed, report(0, 0, roll, (EventKind.ROLLED, 0, -1, 7, 1)), "can't bring")
    refuse(followed, report(0, 0, roll), "ROLLED")
    followed.follow(report(0, 0, roll, (EventKind.ROLLED, 0, -1, 1, 1)))
    followed.follow(report(0, 0, action_id("end_turn")))
    refuse(followed, report(1, 1, roll, (EventKind.ROLLED, 1, -1, 1, 1)), "can't bring")


def test_production_that_the_board_does_not_bring_is_refused() -> None:
    followed = follow([{"settlements": [20]}, {}, {}], phase="roll")
    rolled = (EventKind.ROLLED, 0, -1, 5, 1)
    gained = (EventKind.GAINED, 1, -1, ORE, 1)
    refuse(followed, report(0, 0, action_id("roll"), rolled, gained), "the rules bring .*GAINED")


def test_cards_that_nobody_can_hold_are_refused() -> None:
    played = {"cards": {"knight": 1}, "cards_played": {"monopoly": 2}}
    followed = follow([{}, played, {}], turn_player=1, player_to_move=1)
    taken = (EventKind.CARD_PLAYED, 1, -1, Card.MONOPOLY, 1)
    action = action_id("play_monopoly", resource="ore")
    refuse(followed, report(1, 1, action, taken), "MONOPOLY card is accounted for")
    followed = follow([{}, {}, {}], turn_player=1, player_to_move=1)
    refuse(followed, report(1, 1, action, taken), "there is no card")


def test_a_card_that_can_be_held_is_believed() -> None:
    """Whatever card lies there in the start given."""
    knight = (EventKind.CARD_PLAYED, 1, -1, Card.KNIGHT, 1)
    for card in ("knight", "monopoly", "victory_point"):
        followed = follow([{}, {"cards": {card: 1}}, {}], turn_player=1, player_to_move=1)
        followed.follow(report(1, 1, action_id("play_knight"), knight))
        assert followed.view().segments["cards_played"][1, Card.KNIGHT] == 1


def test_wins_that_can_not_be_are_refused() -> None:
    rules = replace(THREE, victory_points=5)
    players = [{}, {"settlements": [9], "cards": {"knight": 2}}, {}]
    followed = follow(players, rules=rules)
    end, won = action_id("end_turn"), (EventKind.WON, 1, -1, -1, 1)
    refuse(followed, report(0, 0, end, won), "no victory point cards fit")
    refuse(followed, report(0, 0, end, (EventKind.WON, 0, -1, -1, 1)), "can't have won")
    players[1]["cards"]["knight"] = 4
    hidden = follow(players, rules=rules)
    hidden.follow(report(0, 0, end, won))
    assert hidden.sampled.winner == 1
    refuse(hidden, report(1, 1, end), "the game is finished")


def test_a_false_win_takes_nothing_of_the_decision_in() -> None:
    players = [{}, {"settlements": [20], "roads": [26], "hand": {"brick": 1, "lumber": 1}}, {}]
    followed = follow(players, turn_player=1, player_to_move=1)
    edge = next(e for e in range(72) if followed.sampled.mask[action_id("build_road", edge=e)])
    refuse(followed, (*road(1, edge), Event(EventKind.WON, 1, -1, -1, 1, 15)), "no victory point")
    followed.follow(road(1, edge))
    assert followed.belief.hands.most[1].sum() == 0


@pytest.mark.parametrize(("stolen", "asked"), [("brick", "ore"), ("ore", "brick")])
def test_others_ask_for_what_they_have_seen(stolen: str, asked: str) -> None:
    """The thief knows what is left to the victim, the seat that follows doesn't."""
    thief, victim = {"hand": {"wool": 1}}, {"settlements": [9], "hand": {"brick": 1, "ore": 1}}
    turn = {"turn_player": 1, "player_to_move": 1, "phase": "move_robber"}
    game = position([{}, thief, victim], rules=THREE, **turn)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0)
    game.listeners.append(followed.listen)
    game.step(action_id("move_robber", hex=4), Resource[stolen.upper()])
    game.step(action_id("offer", give={"wool": 1}, get={asked: 1}))
    assert same(followed.view(), view_of(game, 0))
    game.step(action_id("accept"))
    assert followed.belief.hands.hands.tolist() == [game.state["hand"][:3].tolist()]


def test_an_own_card_must_be_told() -> None:
    followed = follow([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}, {}])
    bought = (EventKind.CARD_BOUGHT, 0, -1, UNKNOWN, 1)
    paid = [(EventKind.PAID, 0, -1, r, 1) for r in (WOOL, GRAIN, ORE)]
    action = action_id("buy_development_card")
    refuse(followed, report(0, 0, action, bought, *paid), "CARD_BOUGHT")
    for card in Card:
        told = follow([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}, {}])
        points = [(EventKind.POINTS_CHANGED, 0, -1, -1, 1)] * (card == Card.VICTORY_POINT)
        told.follow(report(0, 0, action, (*bought[:3], card, 1), *paid, *points))
        assert told.view().segments["own_cards"][card] == 1
