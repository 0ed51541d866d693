import numpy as np
import pytest

from catan_pz import catan_v0
from catan_pz.actions import BUILD_CITY, BUILD_ROAD, action_id
from catan_pz.batch.cpu import CpuBatch
from catan_pz.board.topology import HEX_EDGES, HEX_VERTICES
from catan_pz.engine.play import OVER
from catan_pz.engine.tally import add_term
from catan_pz.env.match import Match
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.position import position
from catan_pz.rewards import (
    NUM_TERMS,
    REWARDS,
    GainOrPenalty,
    LinearReward,
    PointsGained,
    PointsHeld,
    RewardTerm,
    RoadHeld,
    WinAndLead,
    WinAndSharedTerms,
    WinAndTerms,
    WinLoss,
    dependencies,
    make_reward,
)
from catan_pz.rules import Rules
from tests.helpers import CARD, CITY

pytestmark = pytest.mark.purepython

CORNERS = [int(v) for v in HEX_VERTICES[0]]
FAR_CORNERS = [int(v) for v in HEX_VERTICES[18]]
TWO = Rules(num_players=2, trading=False)


def after(game, *actions, reward=None):
    """The rewards of the last of some actions, by seat."""
    match = Match(game.rules, reward)
    match.replace(game)
    for action in actions:
        code = match.play(action)
    return match.rewards(code) or [0.0] * 4


def terms_of(game, action):
    match = Match(game.rules, WinAndTerms())
    match.replace(game)
    match.play(action)
    return {
        (seat, kind): int(match.game.terms[seat, kind])
        for seat in range(4)
        for kind in RewardTerm
        if match.game.terms[seat, kind]
    }


def city_position(points_to_win=10):
    """Seat 0, with a settlement, a city and five roads, may build another city: 3 points now."""
    rules = Rules(num_players=2, trading=False, victory_points=points_to_win)
    mine = {"settlements": [CORNERS[0]], "cities": [CORNERS[2]], "hand": CITY}
    return position([mine, {"settlements": [FAR_CORNERS[0]]}], rules=rules)


def test_a_city_is_a_point_gained_and_a_city_built():
    assert terms_of(city_position(), BUILD_CITY + CORNERS[0]) == {
        (0, RewardTerm.POINTS_GAINED): 1,
        (0, RewardTerm.POINTS_WON): 1,
        (0, RewardTerm.CITY_BUILT): 1,
        (0, RewardTerm.POINTS_HELD): 4,
    }


@pytest.mark.parametrize(
    ("reward", "pays"),
    [
        (WinLoss(), 0.0),
        (PointsGained(), 1.0),
        (PointsHeld(), 4.0),
        (RoadHeld(), 0.0),
        (GainOrPenalty(), 0.01),
        (WinAndLead(), 0.0),
        (WinAndTerms(), 7.5),
    ],
    ids=repr,
)
def test_what_a_city_pays(reward, pays):
    assert after(city_position(), BUILD_CITY + CORNERS[0], reward=reward) == [pays, 0, 0, 0]


def test_shared_terms_go_to_all_seats():
    """The point is the builder's own, the 2.5 for the city everybody's."""
    found = after(city_position(), BUILD_CITY + CORNERS[0], reward=WinAndSharedTerms())
    assert found == [7.5, 2.5, 2.5, 2.5]
    terms = np.zeros((1, 4, NUM_TERMS), np.int8)
    terms[0, 1, [RewardTerm.WON, RewardTerm.CARD_PLAYED, RewardTerm.ROBBER_MOVED]] = 1
    terms[0, 2, [RewardTerm.POINTS_GAINED, RewardTerm.CARDS_DISCARDED]] = -1, 2
    paid = WinAndSharedTerms()(terms, None)[0]
    np.testing.assert_allclose(paid, np.array([0, 500, -5, 0]) + 5 + 1 - 2 * 0.3)


@pytest.mark.parametrize(
    ("reward", "winner", "loser"),
    [
        (WinLoss(), 1.0, -1.0),
        (PointsGained(win=2.0), 3.0, -2.0),
        (PointsHeld(), 4.0, 0.0),
        (WinAndLead(), 0.75 + 3 * 0.02, -0.75 - 3 * 0.02),
        (WinAndTerms(), 507.5, 0.0),
    ],
    ids=repr,
)
def test_what_a_win_pays(reward, winner, loser):
    paid = after(city_position(points_to_win=4), BUILD_CITY + CORNERS[0], reward=reward)
    assert paid == pytest.approx([winner, loser, 0, 0])


def test_with_more_players_the_lead_is_over_the_best_other_seat():
    rules = Rules(num_players=3, trading=False, victory_points=4)
    mine = {"settlements": [CORNERS[0]], "cities": [CORNERS[2]], "hand": CITY}
    second = {"cities": [FAR_CORNERS[0]]}
    game = position([mine, second, {"settlements": [FAR_CORNERS[2]]}], rules=rules)
    assert after(game, BUILD_CITY + CORNERS[0], reward=WinAndLead()) == pytest.approx(
        [0.75 + 2 * 0.02, -0.75 - 2 * 0.02, -0.75 - 3 * 0.02, 0]
    )


def test_a_decision_that_gains_nothing_costs_k_for_each_point_held():
    game = city_position()
    assert after(game, action_id("end_turn"), reward=GainOrPenalty(k=0.5)) == [-1.5, 0, 0, 0]


def test_the_longest_road_that_is_lost_costs_its_owner_two_points():
    mine = {"roads": [int(e) for e in HEX_EDGES[0][:5]], "hand": {"brick": 1, "lumber": 1}}
    theirs = {"roads": [int(e) for e in HEX_EDGES[18][:5]]}
    game = position([mine, theirs], rules=TWO, longest_road_owner=1)
    road = BUILD_ROAD + int(HEX_EDGES[0][5])
    assert after(game.copy(), road, reward=PointsGained()) == [2, -2, 0, 0]
    assert after(game.copy(), road, reward=RoadHeld()) == [6, 0, 0, 0]
    assert after(game.copy(), road, reward=GainOrPenalty()) == [0.02, 0, 0, 0]
    assert after(game.copy(), road, reward=WinAndTerms()) == [10, -10, 0, 0]


def test_a_knight_is_a_card_played_and_then_the_robber_moved():
    game = position([{"cards": {"knight": 1}}, {}], rules=TWO)
    assert after(game.copy(), action_id("play_knight"), reward=WinAndTerms()) == [5, 0, 0, 0]
    knight_and_robber = [action_id("play_knight"), action_id("move_robber", hex=3)]
    assert after(game, *knight_and_robber, reward=WinAndTerms()) == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("card", "action"),
    [
        ("road_building", action_id("play_road_building")),
        ("year_of_plenty", action_id("play_year_of_plenty", pair=["brick", "ore"])),
        ("monopoly", action_id("play_monopoly", resource="ore")),
    ],
)
def test_each_development_card_counts_as_played(card, action):
    game = position([{"cards": {card: 1}, "settlements": [CORNERS[0]]}, {}], rules=TWO)
    assert terms_of(game, action)[0, RewardTerm.CARD_PLAYED] == 1


@pytest.mark.parametrize(("card", "gained"), [("knight", 0), ("victory_point", 1)])
def test_buying_a_card_is_not_playing_it_but_may_gain_a_hidden_point(card, gained):
    game = position([{"hand": CARD}, {}], rules=TWO, deck=[card])
    buy = action_id("buy_development_card")
    assert after(game.copy(), buy, reward=LinearReward(card_played=1)) == [0, 0, 0, 0]
    assert after(game, buy, reward=PointsGained()) == [gained, 0, 0, 0]


def discarding(rules, hand):
    """Seat 1 has to discard four cards."""
    seats = [{"settlements": [FAR_CORNERS[0]]}, {"hand": hand}]
    seven = {"player_to_move": 1, "to_discard": [0, 4], "rolled": True, "dice": [3, 4]}
    return position(seats, rules=rules, phase="discard", **seven)


def test_each_discarded_card_counts():
    game = discarding(TWO, {"ore": 4, "wool": 4})
    discard = action_id("discard", resource="ore")
    assert after(game, discard, reward=WinAndTerms()) == pytest.approx([0, -0.3, 0, 0])


def test_forced_decisions_add_their_events_to_the_step_but_hold_nothing():
    rules = Rules(num_players=2, trading=False, skip_forced=True)
    # Three more of one kind: after the first choice nothing is left to choose.
    game = discarding(rules, {"ore": 8, "wool": 1})
    noted = terms_of(game, action_id("discard", resource="wool"))
    assert noted == {(1, RewardTerm.CARDS_DISCARDED): 4}


@pytest.mark.parametrize("seed", range(3))
def test_skipping_forced_decisions_changes_no_sum_of_events(seed):
    kinds = [kind for kind in RewardTerm if "HELD" not in kind.name]
    played = []
    rng = np.random.default_rng(seed)
    skipping = Match(Rules(num_players=3, skip_forced=True, victory_points=5), WinAndTerms())
    skipping.reset(seed)
    skipping.game.listeners.append(lambda _game, events: played.append(events[0].what))
    skipped, code = np.zeros((4, len(kinds)), np.int64), 0
    while not code & OVER:
        code = skipping.play(int(rng.choice(skipping.game.legal_actions())))
        skipped += skipping.game.terms[:, kinds]
    plain = Match(Rules(num_players=3, victory_points=5), WinAndTerms())
    plain.reset(seed)
    total = np.zeros((4, len(kinds)), np.int64)
    for action in played:
        plain.play(action)
        total += plain.game.terms[:, kinds]
    assert plain.game.is_over
    np.testing.assert_array_equal(skipped, total)
    points = total[:3, kinds.index(RewardTerm.POINTS_GAINED)]
    np.testing.assert_array_equal(points, plain.game.points)


def test_sums_stop_at_the_ends_of_a_byte():
    add, terms = getattr(add_term, "py_func", add_term), np.full((4, NUM_TERMS), 120, np.int8)
    for more, total in ((100, 127), (-1000, -128)):
        add(terms, 1, 2, more)
        assert terms[1, 2] == total


def test_weights_by_name():
    reward = LinearReward(won=2.0, cards_discarded=-0.5)
    assert reward.depends_on == {RewardTerm.WON, RewardTerm.CARDS_DISCARDED}
    assert repr(reward) == "LinearReward(won=2, cards_discarded=-0.5)"
    with pytest.raises(ValueError, match="wins"):
        LinearReward(wins=1.0)
    with pytest.raises(ValueError, match=r"^won"):
        LinearReward(won=float("nan"))
    with pytest.raises(ValueError, match=r"^k"):
        GainOrPenalty(k=1e300)


def test_the_drrl_reward_between_two_decisions_of_a_learner():
    pays = [GainOrPenalty(k=0.1).between(*points) for points in ((3, 5), (5, 5), (5, 3))]
    assert pays == pytest.approx([0.2, -0.5, -0.3])


def test_rewards_have_names():
    for name, kind in REWARDS.items():
        assert type(make_reward(name)) is kind
    for wrong in ("winloss", WinLoss):
        with pytest.raises(ValueError, match=r"^reward"):
            make_reward(wrong)


def test_a_reward_of_ones_own_is_called_in_every_step():
    def pay_hands(terms, games):
        return games["hand_size"].astype(np.float64)

    assert dependencies(pay_hands) == -1
    assert after(city_position(), action_id("end_turn"), reward=pay_hands) == [5, 0, 0, 0]
    with pytest.raises(ValueError, match="shape"):
        after(city_position(), action_id("end_turn"), reward=lambda terms, games: np.zeros(4))


class Clipped(PointsGained):
    """No more than a quarter for a step."""

    def __call__(self, terms, games):
        return np.minimum(super().__call__(terms, games), 0.25)


class Paid(LinearReward):
    """Depends on more than its weights."""

    def __call__(self, terms, games):
        return np.ones((len(games), 4))


def test_a_subclass_with_a_call_of_its_own_is_called_everywhere():
    options = {"num_players": 2, "trading": False, "seed": 1}
    batch = CpuBatch(1, reward=Clipped(), **options)
    learner = SingleLearnerBatch(1, reward=Clipped(), seat=0, **options)
    game = catan_v0.raw_env(num_players=2, trading=False, reward=Clipped())
    game.reset(seed=1)
    action = int(batch.sample()[0])
    batch.step([action])
    learner.step([action])
    game.step(action)
    assert batch.reward[0].tolist() == list(game.rewards.values()) == [0.25, 0]
    assert learner.reward[0] == 0.25
    assert dependencies(Paid()) == -1 < dependencies(PointsGained())
    with pytest.raises(ValueError, match="LinearReward"):
        batch.set_reward(PointsGained())


class EndLessCost:
    """Win and loss, less a hundredth, at the end alone; counts its calls."""

    depends_on = (RewardTerm.WON, RewardTerm.LOST)

    def __init__(self):
        self.calls = 0

    def __call__(self, terms, games):
        self.calls += 1
        assert terms[:, :, list(self.depends_on)].any(axis=(1, 2)).all()
        return terms[:, :, RewardTerm.WON] - terms[:, :, RewardTerm.LOST] - 0.01


class OnlyAtTheEnd(PointsGained):
    """Points of the step that wins."""

    depends_on = frozenset({RewardTerm.WON})


@pytest.mark.parametrize("kind", [EndLessCost, OnlyAtTheEnd])
def test_steps_without_the_terms_that_a_reward_depends_on_pay_nothing_anywhere(kind):
    options = {"num_players": 2, "trading": False, "victory_points": 3, "seed": 1}
    batch = CpuBatch(5, reward=kind(), **options)
    ended = 0
    while ended < 3:
        calls = getattr(batch._reward, "calls", 0)
        batch.step(batch.sample())
        assert not batch.reward[~batch.done].any()
        assert batch.reward[batch.done].any(axis=1).all()
        if not batch.done.any():
            assert getattr(batch._reward, "calls", 0) == calls
        ended += int(batch.done.sum())


def test_a_reward_depends_on_terms_alone():
    reward = EndLessCost()
    for reward.depends_on in ({99}, {"won"}, 5):
        with pytest.raises(ValueError, match=r"EndLessCost.*: depends_on.*RewardTerm"):
            CpuBatch(2, reward=reward)
