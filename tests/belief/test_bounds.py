"""Bounds on hidden hands, event by event, and cards discarded face down."""

import numpy as np
import pytest

from catan_pz.belief import hands as hands_module
from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.hand_events import Discarded, Theft, unseen_by
from catan_pz.belief.hands import HandBelief, dealt_hands, drawn_hands

pytestmark = pytest.mark.purepython

NOTHING = (0, 0, 0, 0, 0)
HANDS = [[1, 0, 0, 0, 0], [2, 1, 0, 0, 0]]


def test_only_the_owner_sees_which_card_it_is() -> None:
    seen = Discarded(1, 0)
    assert unseen_by(seen, 1) == seen
    assert unseen_by(seen, 0) == Discarded(1, None)


def test_each_card_of_the_hand_is_equally_likely() -> None:
    belief = HandBelief.known(0, HANDS)
    belief.update(Discarded(1, None))
    assert len(belief) == 2
    assert belief.weight_of([HANDS[0], [1, 1, 0, 0, 0]]) == pytest.approx(2 / 3)
    belief.update(Discarded(1, 1))
    assert belief.hands.tolist() == [[HANDS[0], [1, 0, 0, 0, 0]]]


def test_bounds_widen_and_sums_of_resources_are_no_longer_known() -> None:
    bounds = HandBounds.known(HANDS)
    bounds.update(Discarded(1, None))
    assert bounds.least.tolist() == [HANDS[0], [1, 0, 0, 0, 0]]
    assert bounds.most.tolist() == [HANDS[0], [2, 1, 0, 0, 0]]
    bounds.update(Discarded(1, None))
    assert bounds.least[1].tolist() == [0, 0, 0, 0, 0]
    assert bounds.most[1].tolist() == [1, 1, 0, 0, 0]


def test_a_card_that_can_only_be_one_is_known() -> None:
    bounds = HandBounds.known([[1, 0], [3, 0]])
    bounds.update(Discarded(1, None))
    assert bounds.least.tolist() == bounds.most.tolist() == [[1, 0], [2, 0]]


@pytest.mark.parametrize("seed", range(20))
def test_bounds_never_exclude_the_truth_nor_the_belief(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, (3, 5))
    belief, bounds = HandBelief.known(0, truth), HandBounds.known(truth)
    for _ in range(4):
        victim = int(rng.integers(1, 3))
        held = np.repeat(np.arange(5), truth[victim])
        if not len(held):
            continue
        card, thief = int(rng.choice(held)), 3 - victim
        stolen = rng.random() < 0.5
        truth[victim, card] -= 1
        truth[thief, card] += stolen
        event = Theft(thief, victim, None) if stolen else Discarded(victim, None)
        belief.update(event)
        bounds.update(event)
        assert belief.weight_of(truth) > 0
        assert (bounds.least <= belief.least).all()
        assert (belief.most <= bounds.most).all()


def test_the_likeliest_hands_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands_module, "MOST_KEPT", 2)
    belief = HandBelief.known(0, [[0, 0, 0], [3, 2, 1]])
    belief.update(Discarded(1, None))
    assert belief.is_cut
    assert belief.hands[:, 1].tolist() == [[2, 2, 1], [3, 1, 1]]


def test_hands_drawn_lie_within_bounds() -> None:
    bounds = HandBounds([[0, 1], [0, 0]], [[3, 3], [2, 2]], [3, 1], [2, 2])
    drawn = drawn_hands(bounds, 50, np.random.default_rng(1))
    assert {tuple(hand) for hand in drawn[:, 0].tolist()} == {(1, 2), (2, 1)}


def test_hands_dealt_have_the_sums_and_the_odds_of_a_deal() -> None:
    """Of two wool and an ore one card each to the first hand: twice as often wool."""
    rng = np.random.default_rng(1)
    bounds = HandBounds.of_sums([1, 2], [2, 1])
    bounds.least[:] = 0
    hands, counts = dealt_hands(bounds, 9000, rng)
    assert hands.tolist() == [[[0, 1], [2, 0]], [[1, 0], [1, 1]]]
    assert abs(counts[1] / 9000 - 2 / 3) < 0.02
    bounds.most[0, 1] = 0
    assert dealt_hands(bounds, 900, rng)[0].tolist() == [[[1, 0], [1, 1]]]
    bounds.most[0, 0] = 0
    with pytest.raises(ValueError, match="no hands fit"):
        dealt_hands(bounds, 900, rng)
