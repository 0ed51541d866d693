"""The player at a table: legal, blind, asked when it should be, and only about trade."""

import numpy as np

from catan_pz import Game, agents, describe_action
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.published.xenou import XenouAgent
from catan_pz.published.xenou.agent import XenouModel
from catan_pz.published.xenou.networks import XenouOptions, fresh_weights


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
    small = {"network": "lstm", "hidden": 3, "gamma": 0.5}
    options = XenouOptions(**small)
    given = XenouModel(options, fresh_weights(options, np.random.default_rng(7)))
    given.save(tmp_path / "some.npz", "float32")
    agent = agents.load("xenou", model=str(tmp_path / "some.npz"), update="chosen")
    assert agent.options == XenouOptions(**small, update="chosen")
    own, _ = played(agent)
    assert (own.learner.weights["output"] != given.weights["output"]).any()
    assert (agent.weights["output"] == given.weights["output"]).all()
