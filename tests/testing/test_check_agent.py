"""The checks pass the shipped agents, and find planted faults."""

import gc
import random
from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Agent, Game
from catan_pz.agents.base import BatchAgent
from catan_pz.terms import Phase
from catan_pz.testing import AgentError, check_agent, check_batch_agent

QUICK = {"max_turns": 16}


@pytest.mark.parametrize(
    ("name", "options"),
    [("random", {}), ("weighted", {"rules": "one_v_one"}), ("heuristic", {"offer_form": "both"})],
)
def test_the_shipped_agents_pass(name, options):
    check_agent(name, games=2, **options | QUICK)


class First(Agent):
    """Plays the legal action of the lowest id: one that passes, to plant faults in."""

    def act(self, view):
        return int(view.mask.argmax())


class Believer(First):
    """Looks at games drawn from its belief, as it may."""

    needs_belief = True

    def act(self, view):
        rng = np.random.default_rng(self.random.next())
        hidden = view.resample(rng).state["deck"].sum()
        legal = view.mask.nonzero()[0]
        return int(legal[int(hidden) % len(legal)])


class Counter(First):
    """Keeps count of its decisions, as it may."""

    def reset(self, seat, rules, seed):
        super().reset(seat, rules, seed)
        self.count = [0]

    def act(self, view):
        self.count[0] += 1
        legal = view.mask.nonzero()[0]
        return int(legal[self.count[0] % len(legal)])


@pytest.mark.parametrize("agent", [First(), Believer(), Counter()], ids=lambda a: a.name)
def test_honest_agents_pass(agent):
    check_agent(agent, games=2, num_players=3, **QUICK)


class Peeker(First):
    """Finds the game in memory and looks at the cards of the others."""

    def act(self, view):
        mine = [
            game
            for game in gc.get_objects()
            if type(game) is Game
            and game.player == self.seat
            and game.observe(self.seat).tobytes() == view.observation.tobytes()
            and game.listeners
        ]
        legal = view.mask.nonzero()[0]
        seen = sum(int(game.state["deck"][-8:] @ np.arange(1, 9)) for game in mine[:1])
        return int(legal[seen % len(legal)])


class Hoarder(Counter):
    def __init__(self):
        self.count = [0]

    def reset(self, seat, rules, seed):
        Agent.reset(self, seat, rules, seed)


class Doing(First):
    def __init__(self, act):
        self.act = act


def rob_where_it_may_not(view):
    if view.segments["phase"][Phase.MOVE_ROBBER]:
        return 205 + int(view.segments["hex_robber"].argmax())
    return int(view.mask.argmax())


def scribble(view):
    view.observation[3] += 1
    return int(view.mask.argmax())


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Peeker(), "'Peeker', game of seed 0, seat 0, decision .* with other cards hidden"),
        (
            Doing(lambda view: int(random.choice(view.mask.nonzero()[0]))),
            r"when asked again\. All randomness must come from `Agent.random`",
        ),
        (Hoarder(), r"when the same game is played again\..*`reset` must create anew"),
        (
            Doing(rob_where_it_may_not),
            r"\(move_robber\): 2\d\d \(move_robber hex=.* is not legal",
        ),
        (Doing(scribble), "it changed its view"),
        (Doing(lambda _: "roll"), "action must be an integer, got 'roll' of type str"),
    ],
)
def test_planted_faults_are_found(agent, message):
    with pytest.raises(AgentError, match=message):
        check_agent(agent, num_players=3, trading=False, max_turns=60)


class Batched(BatchAgent):
    """Plays a legal action by its draw: one that passes, to plant faults in."""

    def act_batch(self, views):
        legal = views.masks.sum(axis=1).astype(np.uint64)
        wanted = (views.random_bits % legal).astype(np.int64) + 1
        return (views.masks.cumsum(axis=1) == wanted[:, None]).argmax(axis=1)


class Shifted(Batched):
    def __init__(self, numbers):
        self.numbers = numbers

    def act_batch(self, views):
        bits = views.random_bits + np.asarray(self.numbers(views), np.uint64)
        return super().act_batch(replace(views, random_bits=bits))


RNG = np.random.default_rng(1)


class Loner(Batched):
    def act(self, view):
        return int(view.mask.argmax())


class Changed(Batched):
    def __init__(self, change):
        self.change = change

    def act_batch(self, views):
        return self.change(super().act_batch(views))


class Writer(Batched):
    def act_batch(self, views):
        chosen = super().act_batch(views)
        views.masks[:] = 0
        return chosen


def test_an_honest_batch_agent_passes():
    check_agent(Batched(), games=1, **QUICK)
    check_batch_agent(Batched(), "one_v_one", decisions=50)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Shifted(len), "in a part of the games"),
        (Shifted(lambda views: np.arange(len(views))), "in another order"),
        (Shifted(lambda _: RNG.integers(10**6)), "when asked again"),
        (Loner(), "by `act`"),
        (Changed(lambda chosen: 0 * chosen), r"row 0: 0 \(roll\) is not legal"),
        (Changed(lambda chosen: chosen * 1.0), r"gave float64 \(24,\), must give integers \(24,\)"),
        (Changed(lambda chosen: [chosen.tolist(), []]), "must give an array: .*inhomogeneous"),
        (Writer(), "it changed what it was given"),
    ],
)
def test_planted_faults_of_batches_are_found(agent, message):
    with pytest.raises(AgentError, match=message):
        check_batch_agent(agent, trading=False)
