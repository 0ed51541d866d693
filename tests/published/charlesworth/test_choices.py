"""Joint actions against the environment: kinds, masks, offers, and how offers are closed."""

import numpy as np
import pytest

from catan_pz import actions
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game import position
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.choices import COLUMN, NUM_SLOTS, Situations
from catan_pz.published.charlesworth.games import (
    ANYBODY,
    ActionPlan,
    PlannedGames,
    plans_of,
    single_actions,
)
from catan_pz.rules import Rules
from tests.helpers import act, hands
from tests.published.charlesworth.models import BOARD as RULES
from tests.published.charlesworth.models import UNIFORM, joint_actions


def table(hand, *others, **options):
    players = [{"settlements": [10], "roads": [7], "hand": hand}]
    players += [{"hand": hand} for hand in others]
    players += [{}] * (4 - len(players))
    return position(players, rules=RULES, turn=40, seed=1, **{"rolled": True, **options})


def listed(game):
    return joint_actions(game.observe(game.player), game.mask)


def test_masks_are_never_violated():
    """Each of 12,000 joint actions is legal to its end, and every kind occurs."""
    rng, games = np.random.default_rng(3), PlannedGames(CpuBatch(256, "charlesworth", seed=5))
    batch, kinds, decisions = games.batch, set(), 0
    while decisions < 12_000:
        asked = games.asked()
        units, masks = batch.units[asked], batch.mask[asked]
        choices = UNIFORM.decide(units, masks, rng.random((len(asked), NUM_SLOTS))).choices
        for plan, mask in zip(plans_of(choices), masks, strict=True):
            assert mask[plan.actions[0]]
        kinds |= set(choices[:, 0].tolist())
        decisions += len(asked)
        games.step(asked, choices)
        for row, plan in games._plans.items():
            assert not plan.actions or batch.mask[row, plan.actions[0]]
    assert kinds == set(range(ch.NUM_KINDS))


@pytest.mark.parametrize("steps", [0, 120, 700])
def test_joint_actions_are_the_legal_ones(steps):
    """Each legal action of the environment but offers is one joint action, or two orders of one."""
    batch = CpuBatch(24, "charlesworth", seed=steps)
    batch.play_random(steps)
    for units, mask in zip(batch.units.copy(), batch.mask, strict=True):
        if not ch.is_asked(units):
            continue
        # Without cards there is no offer, and the rest of the mask stays as it is.
        units[729:734] = 0
        rows, _ = joint_actions(units, mask)
        expected = set(np.flatnonzero(mask[: actions.OFFER]))
        expected |= {a for a in (actions.ACCEPT, actions.REJECT) if mask[a]}
        assert set(single_actions(rows)) == expected


def test_the_player_named_can_hold_what_is_asked_for():
    # All hands are known. The next player has an ore, the one across two wool, the last nothing.
    game = table({"brick": 2}, {"ore": 1}, {"wool": 2})
    rows, _ = listed(game)
    offers = rows[rows[:, 0] == ch.PROPOSE]
    found = set()
    for row in offers:
        plan = plans_of(row[None])[0]
        give = tuple(int(r) for r in row[ch.GIVE] if 0 <= r < ch.STOP)
        get = tuple(int(r) for r in row[ch.GET] if 0 <= r < ch.STOP)
        found.add((plan.partner, give, get))
    brick, ore, wool = (ch.RESOURCES.index(r) for r in (0, 4, 2))
    sides = [(brick,), (brick, brick)]
    expected = {(0, give, (ore,)) for give in sides}
    expected |= {(1, give, get) for give in sides for get in ((wool,), (wool, wool))}
    assert found == expected
    assert len(offers) == len(expected)


def test_who_holds_only_what_is_given_is_not_asked():
    rows, _ = listed(table({"brick": 1}, {"brick": 3}))
    assert not (rows[:, 0] == ch.PROPOSE).any()
    rows, _ = listed(table({"brick": 1, "ore": 1}, {"brick": 3}))
    offers = rows[rows[:, 0] == ch.PROPOSE]
    # Ore for one, two or three bricks; brick is never given for brick.
    assert len(offers) == 3
    assert (offers[:, COLUMN["give_0"]] == ch.RESOURCES.index(4)).all()


@pytest.mark.parametrize(
    ("partner", "answers", "traded"),
    [
        (1, ("accept", "accept", "reject"), 2),
        (0, ("accept", "accept", "reject"), 1),
        (0, ("reject", "accept", "reject"), None),
        (2, ("accept", "accept", "accept"), 3),
        (2, ("reject", "reject", "reject"), None),
        (ANYBODY, ("reject", "accept", "accept"), 2),
    ],
)
def test_an_offer_is_closed_with_the_player_named_alone(partner, answers, traded):
    """A brick for a wool."""
    game = table({"brick": 1}, {"wool": 1}, {"wool": 1}, {"wool": 1})
    words = [actions.COMPOSE_GIVE + 0, actions.COMPOSE_GET + 2, actions.COMPOSE_SEND]
    plan = ActionPlan(words, partner)
    while plan.actions:
        game.step(plan.next_action(game.observe(0), game.mask))
    for answer in answers:
        act(game, answer)
    if game.phase.name == "CLOSE":
        game.step(plan.next_action(game.observe(0), game.mask))
    assert game.phase.name == "MAIN"
    held = hands(game)
    assert held[0] == ({"brick": 1} if traded is None else {"wool": 1})
    for seat in (1, 2, 3):
        assert held[seat] == ({"brick": 1} if seat == traded else {"wool": 1})


@pytest.mark.parametrize("options", [{"trading": False}, {"offer_form": "templates"}])
def test_games_without_trade_and_with_templates_have_no_proposals(options):
    batch = CpuBatch(16, Rules.make("charlesworth", **options), seed=1)
    batch.play_random(200)
    asked = ch.is_asked(batch.units)
    found = Situations.of(batch.units[asked], batch.mask[asked])
    legal = ch.mask_of("kind", found, np.full((asked.sum(), NUM_SLOTS), -1, np.int8))
    assert not legal[:, ch.PROPOSE].any()
    assert legal.any(axis=1).all()
