"""Hidden development cards: dealt at random, but to nobody who would have won with them."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from catan_pz.belief.cards import CardBelief, CardGroups
from catan_pz.game.game import Game
from catan_pz.terms import DECK_COUNTS, DECK_SIZE, Card
from tests.helpers import ROAD, act, next_turn, table

pytestmark = pytest.mark.purepython

VERTICES = ((0, 2), (9, 4), (6, 53))
"""Two vertices for each of three seats; all keep the distance rule."""


RICH = {"wool": 2, "grain": 2, "ore": 2}
IN_TURN = {"turn_player": 1, "player_to_move": 1}


def three(cards: list[dict[str, int]], victory_points: int = 10, **entries: Any) -> Game:
    """Three players with two settlements and some development cards each."""
    seats = [
        {"cards": held, "settlements": list(v), "hand": RICH}
        for held, v in zip(cards, VERTICES, strict=True)
    ]
    return table(*seats, victory_points=victory_points, **entries)


def followed(game: Game) -> CardBelief:
    belief = CardBelief(0, game.games[0])
    game.listeners.append(lambda game, events: belief.update(events, game.state))
    return belief


def odds_by_counting(game: Game, viewer: int, most: dict[int, int]) -> np.ndarray:
    """(P, 6) odds of victory point cards, from every way to lay them into single slots."""
    s = game.games[0]
    owners = [p for p in range(3) if p != viewer for _ in range(int(s["cards"][p].sum()))]
    owners += [-1] * int(s["deck_left"])
    unknown = DECK_COUNTS[4] - int(s["cards"][viewer, 4])
    held = [[chosen.count(p) for p in range(3)] for chosen in combinations(owners, unknown)]
    held = [counts for counts in held if all(counts[p] <= n for p, n in most.items())]
    odds = np.zeros((3, 6))
    odds[viewer, s["cards"][viewer, 4]] = 1
    for counts in held:
        for p in {0, 1, 2} - {viewer}:
            odds[p, counts[p]] += 1 / len(held)
    return odds


HELD: dict[str, tuple[list[dict[str, int]], int, dict[str, int], dict[int, int]]] = {
    "nothing to learn": ([{"victory_point": 1}, {"knight": 2}, {"monopoly": 1}], 10, {}, {}),
    "1 in turn with 2 of 4 points": (
        [{}, {"knight": 2, "monopoly": 1}, {"knight": 3}],
        4,
        IN_TURN,
        {1: 1},
    ),
}


@pytest.mark.parametrize("case", HELD)
def test_every_place_is_alike_but_who_has_not_won_in_turn_holds_too_few_points(case: str) -> None:
    cards, points, entries, most = HELD[case]
    game = three(cards, points, **entries)
    odds = CardBelief(0, game.games[0]).victory_point_probabilities(game.games[0])
    assert odds == pytest.approx(odds_by_counting(game, 0, most))


def test_it_is_remembered_after_the_turn() -> None:
    game = three([{}, {"knight": 2}, {"knight": 3}], 3, **IN_TURN)
    belief = followed(game)
    act(game, "end_turn")
    odds = belief.victory_point_probabilities(game.games[0])
    assert odds == pytest.approx(odds_by_counting(game, 0, {1: 0, 2: 0}))
    assert odds[1].tolist() == [1, 0, 0, 0, 0, 0]


def test_a_card_bought_after_that_may_be_a_victory_point() -> None:
    """Seat 1 reaches no win with its old cards; what it buys can be anything but a win."""
    game = three([{}, {"knight": 2}, {}], 4, **IN_TURN)
    belief = followed(game)
    belief.groups[1].limit(0)
    act(game, "buy_development_card", outcome=Card.KNIGHT)
    odds = belief.victory_point_probabilities(game.games[0])
    # Of 23 cards unknown apart from the two old ones, 5 are victory points.
    assert odds[1] == pytest.approx([18 / 23, 5 / 23, 0, 0, 0, 0])
    rng = np.random.default_rng(1)
    for _ in range(50):
        games = game.games.copy()
        belief.deal(games, rng)
        record = games[0]
        assert record["cards"][1, 4] == record["new_cards"][4] <= 1
        assert record["new_cards"].sum() == 1
        assert (record["new_cards"] <= record["cards"][1]).all()


def test_the_winner_holds_what_it_took() -> None:
    """Seat 1 buys the card that wins."""
    game = three([{}, {"knight": 1}, {}], 3, **IN_TURN)
    belief = followed(game)
    act(game, "buy_development_card", outcome=Card.VICTORY_POINT)
    assert game.winner == 1
    odds = belief.victory_point_probabilities(game.games[0])
    assert odds[1].tolist() == [0, 1, 0, 0, 0, 0]
    games = game.games.copy()
    belief.deal(games, np.random.default_rng(0))
    record = games[0]
    assert record["new_cards"].tolist() == [0, 0, 0, 0, 1]


def test_dealt_cards_follow_the_odds_and_are_complete() -> None:
    game = three([{"knight": 1}, {"knight": 2}, {"monopoly": 1}], 4)
    belief = CardBelief(0, game.games[0])
    odds = belief.victory_point_probabilities(game.games[0])
    draws = 2000
    games = np.repeat(game.games, draws)
    belief.deal(games, np.random.default_rng(5))
    left = int(games["deck_left"][0])
    decks = games["deck"][:, DECK_SIZE - left :]
    kinds = (decks[:, :, None] == np.arange(5)).sum(1)
    assert (kinds + games["cards"].sum(1) + games["played"].sum(1) == DECK_COUNTS).all()
    assert (games["cards"][:, 0] == [1, 0, 0, 0, 0]).all()
    for p in range(3):
        found = np.bincount(games["cards"][:, p, Card.VICTORY_POINT], minlength=6)
        assert found / draws == pytest.approx(odds[p], abs=0.05)
    top = np.bincount(decks[:, 0], minlength=5)
    assert top / draws == pytest.approx(belief.unknown(game.games[0]) / 24, abs=0.05)


def test_a_record_that_was_not_followed_is_refused() -> None:
    game = three([{}, {"knight": 2}, {}], deck=["knight"])
    belief = CardBelief(0, game.games[0])
    for seat in (1, 2):
        belief.groups[seat].limit(0)
    record = game.games.copy()[0]
    record["deck_left"] = 2
    with pytest.raises(ValueError, match="no victory point cards fit"):
        belief.splits(record)
    record["cards"][1, Card.KNIGHT] = 1
    with pytest.raises(ValueError, match="differ from those followed"):
        belief.splits(record)


def test_what_an_old_limit_was_about_is_remembered() -> None:
    """Seat 1 had no win with a card and the longest road, lost that, and bought two more."""
    one = {"cards": {"knight": 1}, "roads": [0, 1, 2, 3, 4], "settlements": [0, 18, 20]}
    two = {"roads": [67, 68, 69, 70, 71], "settlements": [53], "hand": ROAD}
    options = {"trading": False, "victory_points": 6, "longest_road_owner": 1}
    seats = [{}, one | {"hand": RICH}, two]
    game = table(*seats, deck=["knight", "knight"], **options, **IN_TURN)
    belief = followed(game)
    act(next_turn(game, 2), "build_road", edge=66)
    assert game.state["longest_road_owner"] == 2
    next_turn(next_turn(game, 2), 2)
    act(act(game, "buy_development_card"), "buy_development_card")
    # The old card is none; of the 24 others two lie here, and three would win.
    exact = [comb(2, k) * comb(22, 5 - k) / comb(24, 5) for k in range(3)]
    in_turn = belief.victory_point_probabilities(game.games[0])
    act(game, "end_turn")
    after = belief.victory_point_probabilities(game.games[0])
    assert in_turn[1] == pytest.approx([*exact, 0, 0, 0])
    assert after[1] == pytest.approx([*exact, 0, 0, 0])


def test_from_which_cards_one_was_played_is_not_known() -> None:
    """Old and newer cards, one of them a knight that is played: every way to draw them counts."""
    kinds = [card for card, count in enumerate(DECK_COUNTS) for _ in range(count)]
    rng = np.random.default_rng(3)
    held = rng.permuted(np.tile(kinds, (60_000, 1)), axis=1)[:, :5]
    points = held == Card.VICTORY_POINT
    # Two cards with one victory point at most, then three more; each knight may be the one.
    fitting = points[:, :2].sum(1) <= 1
    knights = (held == Card.KNIGHT).sum(1) * fitting
    exact = [(knights * (points.sum(1) == k)).sum() / knights.sum() for k in range(6)]

    groups = CardGroups(2, 0)
    groups.limit(1)
    for _ in range(3):
        groups.buy()
    groups.end_turn()
    groups.play()
    assert groups.sizes == {(1, 3, 0): 2, (2, 2, 0): 3}
    one = {"cards": {"knight": 4}, "cards_played": {"knight": 1}}
    game = table({}, one, {})
    belief = CardBelief(0, game.games[0])
    belief.groups[1] = groups
    odds = belief.victory_point_probabilities(game.games[0])[1]
    assert odds == pytest.approx(exact, abs=0.01)
    games = np.repeat(game.games, 8_000)
    belief.deal(games, rng)
    dealt = np.bincount(games["cards"][:, 1, Card.VICTORY_POINT], minlength=6) / len(games)
    assert dealt == pytest.approx(odds, abs=0.02)
    assert (games["cards"][:, 1].sum(1) == 4).all()


def test_groups_that_a_later_limit_covers_are_one() -> None:
    groups = CardGroups(3, 1)
    groups.limit(2)
    groups.end_turn()
    assert (groups.sizes, groups.most, groups.num_old) == ({(3, 0): 1}, [2, 2], 1)
    groups.buy()
    assert (groups.sizes, groups.most) == ({(3, 0, 1): 1}, [2, 2, 5])
    groups.limit(3)
    assert (groups.sizes, groups.most) == ({(3, 0, 1): 1}, [2, 2, 3])
    groups.limit(1)
    assert (groups.sizes, groups.most, groups.num_old) == ({(3, 1): 1}, [2, 1], 1)
    other = groups.copy()
    other.play()
    assert (groups.sizes, other.sizes) == ({(3, 1): 1}, {(2, 1): 3})


def test_a_card_that_comes_back_is_any_of_the_old_ones() -> None:
    groups = CardGroups(2, 1)
    groups.limit(0)
    groups.play()
    assert groups.sizes == {(0, 1): 1}
    groups.take_back()
    assert (groups.sizes, groups.count) == ({(1, 1): 1}, 2)
    assert groups.most == [5, 0]
