"""A viewer's belief along a game, and the states drawn from it: positions by hand."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from catan_pz.belief import Belief, HandsChanged, HoldingShown, TableCustoms, bounds_of
from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.hands import HandBelief
from catan_pz.engine.state import STATE
from catan_pz.game.game import Game
from catan_pz.terms import Phase, Resource
from tests.helpers import act, before_roll, next_turn, table

pytestmark = pytest.mark.purepython

CORNERS = (0, 2, 9)
"""Three vertices of hex 0."""


def three(*hands: dict[str, int], **entries: Any) -> Game:
    """Three players with a settlement each at hex 0; seat 0 is in turn."""
    seats = [{"hand": h, "settlements": [v]} for h, v in zip(hands, CORNERS, strict=True)]
    return table(*seats, offer_form="both", **entries)


def drawn(game: Game, belief: Belief, seed: int = 0) -> Game:
    """A resampled game, checked to be sound and to look the same to the viewer."""
    viewer = belief.viewer
    games = belief.resample(game.games[0], np.random.default_rng(seed))
    other = Game.from_games(games.copy(), game.rules)
    assert all((other.games[name] == games[name]).all() for name in STATE.names)
    assert not other.validate()
    assert (other.observe(viewer) == game.observe(viewer)).all()
    if game.player == viewer:
        assert (other.mask == game.mask).all()
    return other


IN_TURN = {"turn_player": 1, "player_to_move": 1}


def stolen_unseen() -> tuple[Game, Belief]:
    """Seat 1 steals one of seat 2's cards, a wool and two ore, out of the sight of seat 0."""
    game = three({}, {}, {"wool": 1, "ore": 2}, phase="move_robber", **IN_TURN)
    belief = Belief(0, game.games[0], Fraction)
    game.listeners.append(belief.listen)
    return act(game, "move_robber", hex=0, outcome=Resource.WOOL), belief


def test_both_possible_hands_are_drawn() -> None:
    """With chance that starts afresh."""
    game, belief = stolen_unseen()
    assert sorted(belief.hands.weights) == [Fraction(1, 3), Fraction(2, 3)]
    assert belief.hands.probability_of_holding(1, (0, 0, 1, 0, 0)) == Fraction(1, 3)
    games = [drawn(game, belief, seed).games[0] for seed in range(20)]
    assert {tuple(s["hand"][1]) for s in games} == {(0, 0, 1, 0, 0), (0, 0, 0, 0, 1)}
    assert len({int(s["rng"]) for s in games} | {int(game.games[0]["rng"])}) == 21
    for s in games:
        for old, new in zip(bounds_of(game.games[0], 0), bounds_of(s, 0), strict=True):
            assert (old == new).all()
        # Thief and victim know all: with three players the sums tell them the rest.
        assert not s["below"][1:].any()
        assert not s["above"][1:].any()


def test_what_was_offered_or_accepted_stays_backed() -> None:
    """Seat 1, which may hold the wool, offers it or agrees to give it: then it must."""
    for offers in (True, False):
        game, belief = stolen_unseen()
        if offers:
            act(game, "offer", give={"wool": 1}, get={"ore": 1})
        else:
            act(next_turn(game, 11), "offer", give={"ore": 1}, get={"wool": 1})
            act(act(game, "reject"), "accept")
        assert len(belief.hands) == 1
        assert drawn(game, belief).games[0]["hand"][1].tolist() == [0, 0, 1, 0, 0]


def test_what_an_opponent_composes_is_drawn_anew() -> None:
    """Whatever seat 1 has composed so far, seat 0 sees but that it composes."""
    game, belief = stolen_unseen()
    act(game, "compose_give", resource="wool")
    seen = set()
    for seed in range(30):
        s = drawn(game, belief, seed).games[0]
        assert s["phase"] == Phase.COMPOSE
        assert (s["offer_give"][1] <= s["hand"][1]).all()
        assert s["offer_give"][1].sum() + s["offer_get"][1].sum() == 1
        seen.add((tuple(s["offer_give"][1]), tuple(s["offer_get"][1])))
    assert len(seen) > 2


def test_a_composer_with_empty_hands_asks_for_a_card() -> None:
    game = three({}, {}, {"ore": 1}, **IN_TURN)
    act(game, "compose_get", resource="ore")
    s = drawn(game, Belief(0, game.games[0])).games[0]
    assert s["offer_get"][1].tolist() == [0, 0, 0, 0, 1]


def test_what_the_viewer_composes_stays() -> None:
    game = three({"brick": 2}, {"ore": 1}, {"ore": 1})
    belief = Belief(0, game.games[0])
    game.listeners.append(belief.listen)
    act(game, "compose_give", resource="brick")
    assert drawn(game, belief).games[0]["offer_give"][0].tolist() == [1, 0, 0, 0, 0]


def unsure_table(own: dict[str, int] | None = None, **entries: Any) -> Game:
    """Seats 1 and 2 hold a wool and an ore, and seat 0 doesn't know who holds which."""
    hands = [own or {}, {"wool": 1}, {"ore": 1}]
    sure = [{"min": hand, "max": hand} for hand in hands]
    either = {"min": {}, "max": {"wool": 1, "ore": 1}}
    return three(*hands, knowledge=[[sure[0], either, either], sure, sure], **entries)


def test_a_start_in_mid_game_takes_all_hands_within_the_bounds_as_equally_likely() -> None:
    game = unsure_table()
    belief = Belief(0, game.games[0], Fraction)
    assert belief.hands.weights.tolist() == [Fraction(1, 2), Fraction(1, 2)]
    hands = {tuple(drawn(game, belief, seed).games[0]["hand"][1]) for seed in range(20)}
    assert hands == {(0, 0, 1, 0, 0), (0, 0, 0, 0, 1)}


@pytest.mark.parametrize(("phase", "to_move", "hands"), [("answer", 2, 1), ("compose", 1, 2)])
def test_a_start_in_mid_game_heeds_the_offers_that_are_out_but_not_those_being_composed(
    phase: str, to_move: int, hands: int
) -> None:
    get = {"ore": 1} if phase == "answer" else {}
    offer = {"from": 1, "give": {"wool": 1}, "get": get, "answers": [None, None, None]}
    seats = {"turn_player": 1, "player_to_move": to_move}
    game = unsure_table(phase=phase, offer=offer, offers_made=1, **seats)
    belief = Belief(0, game.games[0])
    assert len(belief.hands) == hands
    drawn(game, belief)


@pytest.mark.parametrize(
    "answers",
    [["accept", "reject"], ["reject", {"give": {"ore": 1}, "get": {"brick": 1}}]],
)
def test_a_start_in_mid_game_heeds_acceptances_and_counter_offers(answers: list[Any]) -> None:
    offer = {"from": 0, "give": {"brick": 1}, "get": {"wool": 1}, "answers": [None, *answers]}
    game = unsure_table({"brick": 1}, phase="close", offers_made=1, offer=offer)
    belief = Belief(0, game.games[0])
    assert len(belief.hands) == 1
    drawn(game, belief)


def test_a_start_in_mid_game_with_too_many_hands_takes_some_of_them() -> None:
    hand = dict.fromkeys(("brick", "lumber", "wool", "grain", "ore"), 4)
    game = before_roll(*[{"hand": hand}] * 4, trading=False)
    record = game.games[0]
    record["below"], record["above"] = 4, 8
    for observer in range(4):
        record["below"][observer, [observer, 0]] = record["above"][observer, [observer, 0]] = 0
    belief = Belief(0, record)
    assert belief.hands.is_cut
    assert len(belief.hands) > 1000
    assert np.abs(belief.hands.mean - 4).max() < 0.2
    drawn(game, belief)
    belief.update(HoldingShown(1, (0, 12, 0, 0, 0)))
    hands = belief.hands.hands
    assert (hands[:, 1, Resource.LUMBER] == 12).all()
    assert (hands.sum(1) == 16).all()
    assert (hands.sum(2) == 20).all()
    drawn(game, belief)
    with pytest.raises(ValueError, match="no hands fit"):
        belief.update(HoldingShown(2, (0, 1, 0, 0, 0)))


def test_hands_drawn_regardless_of_sums_leave_what_others_know_possible() -> None:
    game = three({}, {"wool": 1, "ore": 1}, {"wool": 1, "grain": 1})
    belief = Belief(0, game.games[0], customs=TableCustoms(hides_discards=True))
    truth = game.games[0]["hand"][:3]
    beyond = np.zeros_like(truth)
    beyond[1, Resource.ORE] = beyond[2, Resource.WOOL] = 2

    def cut(*hands: np.ndarray) -> None:
        belief.hands = HandBelief.uniform(0, np.array(hands))
        belief.hands.is_cut = True
        belief.shared = HandBounds.together([HandBounds.known(truth)] * 3)

    cut(beyond)
    games = game.games.copy()
    games["hand"][:, :3] = beyond
    belief.write_knowledge(games, game.games[0])
    assert (games["below"] >= 0).all()
    assert (games["above"] >= 0).all()
    assert (belief.resample(game.games[0], np.random.default_rng(0))["hand"][0, :3] == beyond).all()
    nothing = HandsChanged(((0,) * 5,) * 3)
    for hands in ((truth, beyond), (beyond,)):
        cut(*hands)
        belief.update(nothing)
        assert (belief.hands.hands == truth).all()


def test_hands_drawn_anew_have_the_sums_that_are_known() -> None:
    game = three({}, {"wool": 1, "ore": 1}, {"wool": 1, "grain": 1})
    belief = Belief(0, game.games[0], customs=TableCustoms(hides_discards=True))
    belief.hands = HandBelief.uniform(0, game.games[0]["hand"][None, :3] * 0)
    belief.hands.is_cut = True
    belief.shared = HandBounds.together([HandBounds.of_sums((0, 2, 2), (0, 0, 2, 1, 1))] * 3)
    belief.update(HoldingShown(1, (0, 0, 1, 0, 0)))
    assert len(belief.hands) > 1
    assert (belief.hands.hands.sum(1) == (0, 0, 2, 1, 1)).all()


def test_a_belief_about_another_state_is_refused() -> None:
    game, belief = stolen_unseen()
    before = game.copy()
    act(game, "end_turn")
    drawn(before, belief)
    other = three({"brick": 1}, {}, {"wool": 1, "ore": 2})
    with pytest.raises(ValueError, match="not about this state"):
        belief.resample(other.games[0], np.random.default_rng(0))


def test_cards_bought_this_turn_stay_new() -> None:
    buyer = {"hand": {"wool": 2, "grain": 2, "ore": 2}, "cards": {"knight": 2}}
    game = table({}, buyer, {}, **IN_TURN)
    belief = Belief(0, game.games[0])
    game.listeners.append(belief.listen)
    act(act(game, "buy_development_card"), "buy_development_card")
    kinds = set()
    for seed in range(20):
        s = drawn(game, belief, seed).games[0]
        assert s["new_cards"].sum() == 2
        assert s["cards"][1].sum() == 4
        kinds.add(tuple(s["new_cards"]))
    assert len(kinds) > 2
