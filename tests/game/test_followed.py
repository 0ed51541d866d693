"""A game followed from one seat alone shows what the hosting game shows, byte for byte."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from catan_pz.actions import ROLL
from catan_pz.belief import OWN_CUSTOMS, TableCustoms
from catan_pz.engine.deal import seeded_board
from catan_pz.events import Event, EventKind, Events, as_seen_by
from catan_pz.game.followed import FollowedGame
from catan_pz.game.game import Game
from catan_pz.game.state_json import board_of
from catan_pz.game.view import View, view_of
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.game.test_reports import refuse
from tests.game.test_table_customs import CUSTOMS
from tests.helpers import RULE_SETS, play_randomly

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
        for k in range(decisions):
            play_randomly(self.game, 1, self.rng)
            if k % every == 0:
                self.compare_draws()
        self.compare_draws()

    def compare_draws(self) -> None:
        """States drawn look the same, and are those that the hosting game would draw."""
        for seat, followed in enumerate(self.followed):
            drawn = followed.resample(np.random.default_rng(1))
            assert not drawn.validate()
            assert same(view_of(drawn, seat), view_of(self.game, seat))
            hosted = followed.belief.resample(self.game.state, np.random.default_rng(1))
            assert drawn.games.tobytes() == hosted.tobytes()


@pytest.mark.parametrize("customs", [OWN_CUSTOMS, CUSTOMS])
def test_a_view_is_resampled_as_it_was_when_the_game_has_gone_on(customs: TableCustoms) -> None:
    game, rng = Game(num_players=3, trading=False, max_turns=None, seed=5), np.random.default_rng(5)
    followed = FollowedGame.from_snapshot(game.snapshot(), 1, customs)

    def go_on() -> None:
        for _ in range(150):
            followed.follow(as_seen_by(game.step_once(int(rng.choice(game.legal_actions()))), 1))

    def drawn(source: Any) -> bytes:
        return bytes(source.resample_many(np.random.default_rng(1), 2).tobytes())

    go_on()
    view, expected = followed.view(), drawn(followed)
    assert drawn(view) == expected
    go_on()
    followed.amend(followed.sampled.games.copy())
    assert drawn(view) == expected
    assert view.resample(rng).turn < game.turn


@pytest.mark.parametrize("name", ALL_RULES)
def test_every_seat_sees_what_the_hosting_game_shows(name: str) -> None:
    Table(ALL_RULES[name], 1).play(130)


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
    play_randomly(game, 300, rng)
    for seat in range(rules.num_players):
        one = FollowedGame.from_snapshot(game.snapshot(), seat)
        other = FollowedGame.from_snapshot(one.resample(rng).snapshot(), seat)
        hosted = game.copy()
        hosted.listeners += [one.listen, other.listen]
        for _ in range(150):
            play_randomly(hosted, 1, rng)
            assert same(one.view(), view_of(hosted, seat))
        assert one.sampled.games.tobytes() == other.sampled.games.tobytes()
        assert one.belief.hands.hands.tobytes() == other.belief.hands.hands.tobytes()


def test_a_start_without_a_game() -> None:
    rules = Rules(num_players=3, first_player="random")
    board = seeded_board(5)
    hosted = Game(replace(rules, board=board), 1)
    followed = FollowedGame(rules, 1, board.to_dict(), hosted.player)
    assert followed.rules == rules
    assert same(followed.view(), view_of(hosted, 1))
    hosted.listeners.append(followed.listen)
    play_randomly(hosted, 200)
    assert same(followed.view(), view_of(hosted, 1))


def test_a_board_may_be_drawn_without_adjacent_red() -> None:
    rules = Rules.preset("charlesworth")
    board = seeded_board(5, no_adjacent_red=True)
    followed = FollowedGame(rules, 1, board, 2)
    assert followed.rules == rules
    assert board_of(followed.sampled.state) == board
    again = FollowedGame.from_snapshot(followed.sampled.snapshot(), 1)
    assert same(again.view(), followed.view())


@pytest.mark.parametrize(
    ("rules", "seat", "board", "said"),
    [
        (Rules(), 0, None, "board must be given"),
        (Rules(board="beginner", first_player="random"), 0, None, "first_player must be given"),
        (Rules(board="beginner"), 4, None, "seat must be an int from 0 to 3, got 4"),
        (Rules(board=seeded_board(1)), 0, seeded_board(2), "board must be the one in the rules"),
    ],
)
def test_starts_refused(rules: Rules, seat: int, board: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FollowedGame(rules, seat, board)


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
    while game.mask.any() and game.turn < 60:
        play_randomly(game, 1, rng)
    assert len(kinds) > 10


def event_of(kind: EventKind, seat: Any, what: Any, amount: Any = 1, other: Any = -1) -> Event:
    return Event(kind, seat, other, what, amount, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        [event_of(EventKind.GAINED, 0, 0, 19)] * 8,  # more cards than a byte counts
        [event_of(EventKind.GAINED, 0, None)],
        [event_of(EventKind.GAINED, 0, 0, 1.5)],
        [event_of(EventKind.ROLLED, 0, 10**30, 3)],
        [event_of("gained", 0, 0)],  # type: ignore[arg-type]
        [(1, 2, 3)],
    ],
)
def test_events_of_a_wrong_form_are_refused(wrong: list[Any]) -> None:
    rules = Rules(num_players=2, trading=False, board="beginner")
    game, rng = Game(rules, 1), np.random.default_rng(1)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0)
    game.listeners.append(followed.listen)
    while game.phase != Phase.ROLL:
        play_randomly(game, 1, rng)
    player = int(game.player)
    decision = event_of(EventKind.DECISION, player, ROLL, 0, player)
    rolled = event_of(EventKind.ROLLED, player, 3, 3)
    for events in ([decision, rolled, *wrong], [decision._replace(what=None)], wrong):
        refuse(followed, tuple(events))


def test_players_who_do_not_trade_make_no_offers() -> None:
    """The mask of their game has no room for the answers."""
    followed = FollowedGame(Rules(num_players=2, trading=False), 0, seeded_board(1))
    cards = [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]
    for call in (
        lambda: followed.with_offers({1: cards}),
        lambda: followed.follow_trade(0, 1, cards),
    ):
        with pytest.raises(ValueError, match="players don't trade"):
            call()
