"""The engine's bounds on hidden hands: toy games enumerated in full, and positions by hand."""

from typing import Any

import numpy as np
import pytest

from catan_pz.belief import HandsChanged, HoldingShown, bounds_of
from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.hand_events import HandEvent, MonopolyTaken, Theft
from catan_pz.engine import chance, hands
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.game.game import Game
from catan_pz.kernels.rule import entry
from catan_pz.terms import BANK_PER_RESOURCE, Resource
from tests.belief.toy import posterior, random_story
from tests.helpers import act, table

pytestmark = pytest.mark.purepython

BRICK, *_, ORE = range(5)


@entry
def change(games: States, i: int, p: int, r: int, n: int):
    hands.gain(games[i], p, r, n)


@entry
def paid(games: States, i: int, p: int):
    hands.note_payment(games[i], p)


@entry
def shown(games: States, i: int, p: int, r: int, n: int):
    hands.note_holding(games[i], p, r, n)


@entry
def steal(games: States, i: int, thief: int, victim: int, r: int):
    s = games[i]
    s.outcome = r
    stolen = chance.draw_stolen_resource(s, victim)
    hands.note_theft(s, thief, victim, stolen)
    hands.move_cards(s, victim, thief, stolen, 1)
    hands.note_payment(s, victim)


@entry
def hand_over(games: States, i: int, p: int, q: int, r: int):
    s = games[i]
    hands.move_cards(s, q, p, r, int(s.hand[q, r]))
    hands.note_count(s, q, r)


def start(told: Any) -> np.ndarray:
    """A record (1,) in which everybody knows these hands (P, R)."""
    games = np.zeros(1, STATE)
    seats, resources = np.shape(told)
    games["num_players"] = seats
    games["hand"][0, :seats, :resources] = told
    games["hand_size"][0] = games["hand"][0].sum(1)
    games["bank"][0] = BANK_PER_RESOURCE - games["hand"][0].sum(0)
    return as_games(games)


def carry_out(games: np.ndarray, event: HandEvent) -> None:
    """Do to a record what an event tells in full."""
    match event:
        case HandsChanged(changes):
            change_hands(games, changes)
        case HoldingShown(seat, bundle):
            for r, n in enumerate(bundle):
                shown(games, 0, seat, r, n)
        case Theft(thief, victim, resource):
            steal(games, 0, thief, victim, resource)
        case MonopolyTaken(seat, resource, taken):
            for q in range(len(taken)):
                if q != seat:
                    hand_over(games, 0, seat, q, resource)


def change_hands(games: np.ndarray, changes: tuple[tuple[int, ...], ...]) -> None:
    for p, row in enumerate(changes):
        for r, n in enumerate(row):
            change(games, 0, p, r, n)
    for p, row in enumerate(changes):
        if min(row) < 0:
            paid(games, 0, p)


def check_toy(seed: int, length: int) -> None:
    """Bounds contain what can be, are those of independent bookkeeping, and fit the sums."""
    story = random_story(seed, seats=3 + seed % 2, resources=2 + seed % 3, length=length)
    seats, resources = np.shape(story.hands[0])
    games = start(story.hands[0])
    bounds = [HandBounds.known(games["hand"][0, :seats]) for _ in range(seats)]
    for k, event in enumerate(story.events, start=1):
        carry_out(games, event)
        assert (games["hand"][0, :seats, :resources] == story.hands[k]).all()
        for viewer in range(seats):
            seen = story.seen_by(viewer)
            bounds[viewer].update(widened(seen[k - 1]))
            least, most = bounds_of(games[0], viewer)
            assert (least == bounds[viewer].least).all()
            assert (most == bounds[viewer].most).all()
            support = np.array(list(posterior(story.hands[0], seen[:k])))
            assert (least[:, :resources] <= support.min(0)).all()
            assert (support.max(0) <= most[:, :resources]).all()


def widened(event: HandEvent) -> HandEvent:
    """An event of a toy game told for all five resources."""

    def row(counts: tuple[int, ...]) -> tuple[int, ...]:
        return counts + (0,) * (5 - len(counts))

    if isinstance(event, HandsChanged):
        return HandsChanged(tuple(row(counts) for counts in event.changes))
    if isinstance(event, HoldingShown):
        return HoldingShown(event.seat, row(event.bundle))
    return event


@pytest.mark.parametrize("seed", [*range(100, 160), 251, 337, 347])
def test_toy_games(seed: int) -> None:
    check_toy(seed, length=8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 500))
def test_many_toy_games(seed: int) -> None:
    check_toy(seed, length=10)


def cells(game: Game, observer: int, seat: int) -> list[tuple[int, int]]:
    least, most = bounds_of(game.games[0], observer)
    return [(int(a), int(b)) for a, b in zip(least[seat], most[seat], strict=True)]


def test_a_monopoly_that_brings_nothing_tells_all() -> None:
    """Nobody hands over ore: seat 0, who stole it, has it."""
    seats = [
        {"settlements": [0], "cards": {"monopoly": 1}},
        {"settlements": [2], "hand": {"brick": 1, "ore": 1}},
        {"settlements": [9]},
    ]
    game = table(*seats, phase="move_robber")
    act(game, "move_robber", hex=0, outcome=Resource.ORE)
    act(game, "play_monopoly", resource="ore")
    assert cells(game, 2, 0)[ORE] == (1, 1)
    assert cells(game, 2, 1)[BRICK] == (1, 1)


def test_a_payment_proves_what_was_paid() -> None:
    """Seat 0, who had three ore, pays four: the card stolen was ore."""
    players = [{"hand": {"ore": 3}}, {"hand": {"brick": 1, "ore": 1}}, {}, {}]
    # A settlement each away from the coast and its harbors; the first two touch hex 8.
    for player, vertex in zip(players, (18, 20, 22, 35), strict=True):
        player["settlements"] = [vertex]
    game = table(*players, phase="move_robber")
    act(game, "move_robber", hex=8, outcome=Resource.ORE)
    assert cells(game, 3, 0)[ORE] == (3, 4)
    act(game, "maritime_trade", give="ore", get="wool")
    assert cells(game, 3, 0) == [(0, 0), (0, 0), (1, 1), (0, 0), (0, 0)]
    assert cells(game, 3, 1) == [(1, 1), (0, 0), (0, 0), (0, 0), (0, 0)]
