"""The posterior over hidden hands: each kind of event, and a toy game enumerated in full."""

from fractions import Fraction

import numpy as np
import pytest

from catan_pz.belief import HandsChanged, HoldingShown
from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.hand_events import MonopolyTaken, Theft
from catan_pz.belief.hands import HandBelief, all_hands
from tests.belief.toy import Hands, frozen, posterior, random_story

pytestmark = pytest.mark.purepython

BRICK, LUMBER, WOOL, GRAIN, ORE = range(5)
NOTHING = (0, 0, 0, 0, 0)


def odds_of(belief: HandBelief) -> dict[Hands, Fraction]:
    return {frozen(h): w for h, w in zip(belief.hands, belief.weights, strict=True)}


def after_unseen_theft() -> HandBelief:
    """Seat 1 held two brick and an ore; seat 2, with nothing, stole one of them; seat 0 looks."""
    belief = HandBelief.known(0, [NOTHING, (2, 0, 0, 0, 1), NOTHING], Fraction)
    belief.update(Theft(2, 1, None))
    return belief


TOOK_BRICK: Hands = (NOTHING, (1, 0, 0, 0, 1), (1, 0, 0, 0, 0))
TOOK_ORE: Hands = (NOTHING, (2, 0, 0, 0, 0), (0, 0, 0, 0, 1))


def test_an_unseen_theft_branches_by_the_cards_held() -> None:
    expected = {TOOK_BRICK: Fraction(2, 3), TOOK_ORE: Fraction(1, 3)}
    assert odds_of(after_unseen_theft()) == expected


def test_a_shown_holding_keeps_who_can_hold_it() -> None:
    belief = after_unseen_theft()
    belief.update(HoldingShown(1, (2, 0, 0, 0, 0)))
    assert odds_of(belief) == {TOOK_ORE: 1}
    assert belief.probability_of_holding(2, (0, 0, 0, 0, 1)) == 1
    assert belief.probability_of_holding(2, (1, 0, 0, 0, 0)) == 0
    assert belief.weight_of(TOOK_BRICK) == 0


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    belief = after_unseen_theft()
    before = odds_of(belief)
    for event in (
        HoldingShown(1, (0, 0, 1, 0, 0)),
        HandsChanged((NOTHING, (0, -1, 0, 0, 0), NOTHING)),
        MonopolyTaken(0, WOOL, (0, 1, 0)),
        Theft(0, 1, GRAIN),
    ):
        with pytest.raises(ValueError, match="no hands fit"):
            belief.update(event)
        assert odds_of(belief) == before


def test_draws_follow_the_weights() -> None:
    belief = after_unseen_theft()
    rng = np.random.default_rng(0)
    brick = sum(frozen(hands) == TOOK_BRICK for hands in belief.draw(rng, 3000))
    # Four standard deviations of 3000 draws.
    assert abs(brick - 2000) < 4 * (3000 * 2 / 9) ** 0.5


def check_toy(seed: int, number: type) -> None:
    """The support and the weights are those of the enumeration; bounds contain them."""
    story = random_story(seed, seats=3 + seed % 2, resources=2 + seed % 2, length=9)
    for viewer in range(len(story.hands[0])):
        seen = story.seen_by(viewer)
        belief = HandBelief.known(viewer, story.hands[0], number)
        bounds = HandBounds.known(story.hands[0])
        for k, event in enumerate(seen, start=1):
            belief.update(event)
            bounds.update(event)
            expected = posterior(story.hands[0], seen[:k])
            found = odds_of(belief)
            if number is Fraction:
                assert found == expected
            else:
                assert found == pytest.approx({h: float(w) for h, w in expected.items()})
            assert story.hands[k] in found
            assert (bounds.least <= belief.least).all()
            assert (belief.most <= bounds.most).all()
            assert (belief.hands[:, viewer] == belief.hands[0, viewer]).all()


@pytest.mark.parametrize("seed", range(20))
def test_toy_games_are_enumerated_exactly(seed: int) -> None:
    check_toy(seed, Fraction)


@pytest.mark.parametrize("seed", range(20, 24))
def test_toy_games_in_floating_point(seed: int) -> None:
    check_toy(seed, float)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 500))
def test_many_toy_games_are_enumerated_exactly(seed: int) -> None:
    check_toy(seed, Fraction)


def test_all_hands_within_bounds_by_brute_force() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        hands = rng.integers(0, 3, (3, 3))
        least = np.maximum(hands - rng.integers(0, 2, (3, 3)), 0)
        most = hands + rng.integers(0, 2, (3, 3))
        grids = np.indices(tuple((most - least + 1).ravel())).reshape(9, -1).T
        every = grids.reshape(-1, 3, 3) + least
        fits = (every.sum(2) == hands.sum(1)).all(1) & (every.sum(1) == hands.sum(0)).all(1)
        expected = {frozen(h) for h in every[fits]}
        bounds = HandBounds(least, most, hands.sum(1), hands.sum(0))
        found = [frozen(h) for h in all_hands(bounds)]
        assert len(found) == len(set(found))
        assert set(found) == expected


def test_too_many_hands_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 10 hands"):
        all_hands(HandBounds.of_sums([9, 9], [6, 6, 6]), limit=10)
