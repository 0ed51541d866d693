"""The player at a table: legal, blind, asked when it should be, and only about trade."""

import numpy as np
import pytest

from catan_pz import Game, agents, describe_action
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game.view import View
from catan_pz.published.xenou import XenouAgent
from catan_pz.published.xenou.agent import KEPT, XenouModel
from catan_pz.published.xenou.networks import XenouOptions, fresh_weights
from catan_pz.rules import Rules
from catan_pz.testing import check_agent

SMALL = {"network": "lstm", "hidden": 3}


def played(agent, seed=1, seat=0, **options):
    """The player's copy after a game against the heuristic player, and the decisions in it."""
    game = Game(seed=seed, **options)
    decisions = []
    game.listeners.append(lambda _, events: decisions.append(events[0]))
    players = [agents.load("heuristic")] * 4
    players[seat] = agent
    table = Table(game, players, seat_seeds(seed, 4))
    table.play()
    return table.agents[seat], decisions


@pytest.mark.parametrize(
    "agent",
    [
        XenouAgent(),
        XenouAgent(**SMALL, layers=2, update="chosen"),
        XenouAgent(base="weighted", mask=False),
    ],
)
def test_it_passes_the_check(agent):
    check_agent(agent, games=1, max_turns=12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "skip_forced": True},
        {"num_players": 3, "offer_form": "composed"},
        {"trading": False},
        {"counter_offers": False},
    ],
)
def test_it_plays_by_other_rules(options):
    check_agent(XenouAgent(), games=1, max_turns=16, **options)


def test_without_trade_it_is_the_base_player():
    base, plays = played("heuristic", trading=False)
    own, same = played(XenouAgent(), trading=False)
    assert [one.what for one in plays] == [one.what for one in same]
    assert not own.learner.history.actions
    assert base.name == "heuristic"


def own_kinds(decisions, seat=0):
    """Kinds of the player's own decisions, turn by turn of its own, and of its answers."""
    turns, answers = [[]], []
    for one in decisions:
        kind = describe_action(one.what)["kind"]
        if one.seat == seat and one.other == seat:
            turns[-1].append(kind)
            if kind == "end_turn":
                turns.append([])
        elif one.seat == seat and kind in ("accept", "reject", "offer"):
            answers.append(kind)
    return turns, answers


def test_it_offers_once_in_a_turn_after_it_has_built():
    builds = {"build_road", "build_settlement", "build_city", "buy_development_card"}
    built, made, answers = 0, [], []
    for seed in range(2):
        turns, given = own_kinds(played(XenouAgent(), seed)[1])
        made += [turn.count("offer") for turn in turns]
        answers += given
        for turn in turns:
            if "offer" in turn:
                built += len(builds & set(turn[turn.index("roll") : turn.index("offer")]))
    assert max(made) == 1
    assert built > 3
    assert {"reject", "offer"} & set(answers)


def test_every_choice_is_learned_from_and_each_game_begins_anew():
    agent = XenouAgent()
    one, again, other = (played(agent, seed)[0].learner for seed in (1, 1, 2))
    history = one.history
    assert len(history.actions) == len(history.errors) == len(history.rewards) > 20
    assert max(history.rewards) > 0 > min(history.rewards)
    assert (one.weights["theta"] == again.weights["theta"]).all()
    assert (one.weights["theta"] != other.weights["theta"]).any()


def test_a_model_gives_the_first_weights_and_the_options(tmp_path):
    options = XenouOptions(**SMALL, gamma=0.5)
    given = XenouModel(options, fresh_weights(options, np.random.default_rng(7)))
    given.save(tmp_path / "some.npz", "float32")
    agent = agents.load("xenou", model=str(tmp_path / "some.npz"), update="chosen")
    assert agent.options == XenouOptions(**SMALL, gamma=0.5, update="chosen")
    own, _ = played(agent)
    assert (own.learner.weights["output"] != given.weights["output"]).any()
    assert (agent.weights["output"] == given.weights["output"]).all()


def test_the_shipped_model_is_small_and_has_its_card():
    assert KEPT.stat().st_size < 1 << 20
    text = KEPT.with_suffix(".md").read_text(encoding="utf-8")
    assert text == XenouModel.read(KEPT).card_text("xenou_kept")


@pytest.mark.parametrize("options", [{"mask": False}, SMALL])
def test_the_mask_is_never_violated(options):
    """In positions of random games."""
    rules = Rules(offer_form="both")
    agent, batch = XenouAgent(**options), CpuBatch(64, rules, seed=9)
    agent.reset(0, rules, 1)
    for _ in range(8):
        batch.play_random(11)
        for observation, mask in zip(batch.observation.copy(), batch.mask.copy(), strict=True):
            assert mask[agent.act(View(observation, mask))]
