"""The hierarchical DQN: targets, what is remembered, learning, resuming."""

import shlex
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from catan_pz.published.rocco import choices
from catan_pz.training.checkpoints import Checkpoints

PROGRAM = "published/rocco"


def dqn(program, part="orchestrator", **options):
    return program.DQN(part, program.Args(**options), np.random.default_rng(0))


def with_biases(dqn, online, target):
    """Networks that give the same Q-values everywhere."""
    for weights, values in ((dqn.online, online), (dqn.target, target)):
        for array in weights.values():
            array.zero_()
        weights["dense_bias_2"].copy_(torch.tensor(values))
    return dqn


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # Legal: the second choice; none; all count beyond the end.
        ({}, [3 + 0.5 * 20, 3, 3]),
        ({"cut_terminal": False}, [3 + 0.5 * 20, 3, 3 + 0.5 * 100]),
        ({"mask_bootstrap": False}, [53, 53, 3]),
        ({"mask_bootstrap": False, "cut_terminal": False}, [3 + 0.5 * 100] * 3),
    ],
)
def test_targets_bootstrap_from_the_target_network(program, options, expected):
    q_values = [100.0, 20.0, *[10.0] * 8]
    learner = with_biases(dqn(program, gamma=0.5, **options), [0.0] * 10, q_values)
    legal = torch.zeros(3, 10, dtype=torch.bool)
    legal[0, 1:] = True
    batch = {
        "reward": torch.full((3,), 3.0),
        "next_state": torch.zeros(3, 675, dtype=torch.int8),
        "next_legal": legal,
        "ended": torch.tensor([False, False, True]),
    }
    assert learner.targets(batch).tolist() == pytest.approx(expected)


def test_choices_are_legal_and_greedy_where_it_does_not_explore(program):
    learner = with_biases(dqn(program, decay=0.5), [9.0, 8.0, *[0.0] * 8], [0.0] * 10)
    legal = np.array([False, True, True] + [False] * 7)
    legal, states = np.tile(legal, (400, 1)), np.zeros((400, 675), np.int8)
    episodes = np.repeat([0, 1000], 200)
    chosen = learner.choose(states, legal, episodes).tolist()
    assert set(chosen[:200]) == {1, 2}
    assert set(chosen[200:]) == {1}


@pytest.mark.parametrize(
    "network", ["ff", *(pytest.param(n, marks=pytest.mark.slow) for n in ("gcn", "rgcn"))]
)
def test_an_executor_learns_which_way_is_rewarded(program, network):
    """A problem with a known answer: the reward is 5 at road 7, else 0, and nothing follows."""
    learner = dqn(program, "road", executors=network, learning_rate=3e-3)
    rng = np.random.default_rng(1)
    state = np.zeros((1, 675), np.int8)
    for _ in range(300):
        choice = rng.integers(6, 10, 1)
        learner.add(
            state=state,
            choice=choice,
            reward=5.0 * (choice == 7),
            next_state=state,
            next_legal=np.zeros((1, 72), np.bool_),
            ended=np.zeros(1, np.bool_),
        )
    assert learner.figures()["updates"] == 300 - 63
    legal = np.zeros((1, 72), np.bool_)
    legal[:, 6:10] = True
    assert learner.choose(state, legal, np.array([10_000])) == [7]
    q_values = learner.q_values(torch.zeros(1, 675), learner.online)[0, 6:10]
    assert q_values.tolist() == pytest.approx([0, 5, 0, 0], abs=1)


def remembered(learner, part):
    memory = learner.dqns[part].memory
    return {name: array[: memory.added] for name, array in memory.arrays.items()}


def test_rewards_are_points_and_road_lengths(program):
    learner = program.Learner(program.Args(sub_goal=True, max_turns=80, memory=5000))
    learner.play(0)
    own = remembered(learner, "orchestrator")
    assert (own["reward"] >= own["state"][:, 666]).all()
    ended = own["choice"] == choices.END_TURN
    np.testing.assert_array_equal(own["reward"][ended], own["state"][ended, 666])
    # The state that follows is the one of the next decision.
    np.testing.assert_array_equal(own["next_state"][:-1], own["state"][1:])
    assert own["next_legal"][:-1].any(axis=1).all()
    roads = remembered(learner, "road")
    assert roads["reward"][:2].tolist() == [1, 1]
    placed = roads["next_state"][:, 594:666] - roads["state"][:, 594:666]
    assert (placed[np.arange(len(placed)), roads["choice"]] == 1).all()
    assert (np.abs(placed).sum(axis=1) == 1).all()
    towns = remembered(learner, "settlement")
    assert towns["reward"][:2].tolist() == [1, 2]
    assert not towns["ended"].any()


@pytest.mark.parametrize("executor_next", ["move", "orchestrator"])
def test_nothing_is_learned_of_what_would_have_followed_a_truncated_game(program, executor_next):
    learner = program.Learner(program.Args(executor_next=executor_next, max_turns=30, memory=5000))
    while not learner.games.finished:
        learner.decide()
        if learner.games.batch.done[0]:
            before = {part: dqn.memory.added for part, dqn in learner.dqns.items()}
            assert learner.games.batch.truncated[0]
            assert learner.dqns["orchestrator"].last.arrays["open"].any()
            for part in learner.dqns:
                learner.follow_after_step(part, np.array([0]), np.array([0]))
        learner.games.count()
    assert {part: dqn.memory.added for part, dqn in learner.dqns.items()} == before
    assert not any(dqn.last.arrays["open"].any() for dqn in learner.dqns.values())
    assert not any(remembered(learner, part)["ended"].any() for part in learner.dqns)


def test_both_seats_learn_in_self_play_and_each_in_turn(program):
    one = program.Learner(program.Args(max_turns=40, memory=5000))
    one.play(0)
    both = program.Learner(program.Args(max_turns=40, memory=5000, opponent="self"))
    both.play(0)
    assert both.dqns["settlement"].memory.added == 2 * one.dqns["settlement"].memory.added == 4
    second = program.Learner(program.Args(max_turns=40, memory=5000, seat="both"))
    second.play(0)
    first = second.dqns["settlement"].memory.added
    second.play(1)
    # The learner in the second seat places its first settlement after the other's.
    states = remembered(second, "settlement")["state"]
    assert [(state[:594:11] == -1).sum() for state in states[[0, first]]] == [0, 1]


def test_executors_bootstrap_from_the_orchestrator(program):
    options = {"executor_next": "orchestrator", "max_turns": 80, "memory": 5000}
    learner = program.Learner(program.Args(**options))
    learner.play(0)
    own, towns = remembered(learner, "orchestrator"), remembered(learner, "settlement")
    assert learner.dqns["settlement"].critic is learner.dqns["orchestrator"]
    assert towns["next_legal"].shape[1] == choices.NUM_KINDS
    # Both settlements of the set-up wait for the first decision of the orchestrator.
    assert [(state[:594:11] == 1).sum() for state in towns["state"][:2]] == [0, 1]
    for part in ("settlement", "road"):
        followed = remembered(learner, part)
        np.testing.assert_array_equal(followed["next_state"][:2], own["state"][[0, 0]])
    # Later ones for the decision after the one that asked for them.
    built = np.flatnonzero(own["choice"] == choices.SETTLEMENT)
    np.testing.assert_array_equal(towns["state"][2:], own["state"][built])
    np.testing.assert_array_equal(towns["next_state"][2:], own["next_state"][built])


@pytest.mark.slow
def test_a_minute_of_training_leads_above_random_play(program, tmp_path):
    """An orchestrator that has learned nothing wins no game; random play wins 44.5 % here."""
    words = "--fast --episodes=150 --eval-first --eval-every=150 --eval-games=100"
    program.main([*words.split(), f"--out={tmp_path}"])
    before, after = Checkpoints(tmp_path).load()["curve"]
    assert before["win_rate"] < 0.1
    assert after["win_rate"] > 0.5


def test_the_command_on_the_card_gives_the_options_of_the_training(program, monkeypatch):
    cards = []
    monkeypatch.setattr(program, "Run", lambda *_, card, **__: cards.append(card) or Mock())
    words = ["--fast", "--reward=points", "--memory=1000", "--eval-first"]
    program.main(words)
    _, path, *told = shlex.split(cards[0]["command"])
    assert path == "examples/published/rocco.py"
    assert program.parse_args(told) == replace(program.parse_args(words), fast=False)
