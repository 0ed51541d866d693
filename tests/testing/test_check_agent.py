"""The checks pass the shipped agents, and find planted faults."""

import gc
import random
import sys
from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Agent, Game, agents
from catan_pz.agents.base import BatchAgent
from catan_pz.terms import Phase
from catan_pz.testing import AgentError, check_agent, check_batch_agent

QUICK = {"max_turns": 16}
COMPILED = ["random", "weighted", "heuristic"]


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize(
    "options",
    [{"max_turns": 40}, {"rules": "one_v_one", "max_turns": 40}, {"offer_form": "both"} | QUICK],
    ids=str,
)
def test_the_shipped_agents_pass(name, options):
    check_agent(name, games=2, **options)


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
    check_agent(agent, num_players=3, **QUICK)


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


class Insider(Believer):
    """Looks at the variables of its host."""

    def act(self, view):
        frame = sys._getframe()
        while not isinstance(game := frame.f_locals.get("game"), Game):
            frame = frame.f_back
        legal = view.mask.nonzero()[0]
        return int(legal[int(game.state["deck"] @ np.arange(25)) % len(legal)])


class Gambler(First):
    """Draws from a generator that all the world shares."""

    def act(self, view):
        return int(random.choice(view.mask.nonzero()[0]))


class Hoarder(Counter):
    """Begins to count once and for all."""

    def __init__(self):
        self.count = [0]

    def reset(self, seat, rules, seed):
        Agent.reset(self, seat, rules, seed)


class Robber(First):
    """Moves the robber where it may not, and all else as it should."""

    def act(self, view):
        if view.segments["phase"][Phase.MOVE_ROBBER]:
            return 205 + int(view.segments["hex_robber"].argmax())
        return int(view.mask.argmax())


class Scribbler(First):
    """Writes into its view."""

    def act(self, view):
        view.observation[3] += 1
        return int(view.mask.argmax())


class Talker(First):
    """Answers in words."""

    def act(self, view):
        return "roll"


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Peeker(), "'Peeker', game of seed 0, seat 0, decision .* when cards that its seat can't"),
        (Insider(), "when cards that its seat can't see are others"),
        (Gambler(), r"'Gambler'.* when asked again\. All randomness must come from `Agent.random`"),
        (Hoarder(), r"when the same game is played again\..*`reset` must create anew"),
        (Robber(), r"decision \d+ \(move_robber\): 2\d\d \(move_robber hex=\d+\) is not legal"),
        (Scribbler(), "it changed its view"),
        (Talker(), "action 'roll' is of type str; actions are integers"),
    ],
    ids=lambda given: getattr(given, "name", ""),
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


def shifted(views, numbers):
    return replace(views, random_bits=views.random_bits + numbers)


class Company(Batched):
    """Lets the other games have a say."""

    def act_batch(self, views):
        return super().act_batch(
            replace(views, random_bits=views.random_bits + np.uint64(len(views)))
        )


class Place(Batched):
    """Lets the number of the row have a say."""

    def act_batch(self, views):
        return super().act_batch(
            replace(views, random_bits=views.random_bits + np.arange(len(views)).astype("u8"))
        )


class Restless(Batched):
    """Draws where it shouldn't."""

    def __init__(self):
        self.rng = np.random.default_rng(1)

    def act_batch(self, views):
        return super().act_batch(
            replace(views, random_bits=views.random_bits + self.rng.integers(10**6, dtype="u8"))
        )


class Loner(Batched):
    """Plays otherwise in a single game."""

    def act(self, view):
        return int(view.mask.argmax())


class Illegal(Batched):
    def act_batch(self, views):
        return 0 * super().act_batch(views)


class Floating(Batched):
    def act_batch(self, views):
        return super().act_batch(views) * 1.0


class Ragged(Batched):
    def act_batch(self, views):
        return [super().act_batch(views).tolist(), []]


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
        (Company(), "in a part of the games"),
        (Place(), "in another order"),
        (Restless(), "when asked again"),
        (Loner(), "by `act`"),
        (Illegal(), r"row 0: 0 \(roll\) is not legal"),
        (Floating(), r"act_batch gave float64 \(24,\), must give integers \(24,\)"),
        (Ragged(), "act_batch gave what is no array: .*inhomogeneous"),
        (Writer(), "it changed what it was given"),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_planted_faults_of_batches_are_found(agent, message):
    with pytest.raises(AgentError, match=message):
        check_batch_agent(agent, trading=False)


def test_only_agents_can_be_checked():
    with pytest.raises(ValueError, match="allowed: an Agent"):
        check_agent(3)
    with pytest.raises(ValueError, match="allowed: a BatchAgent"):
        check_batch_agent(First())
    with pytest.raises(ValueError, match="num_players"):
        check_agent("random", num_players=9)


def test_every_agent_of_the_list_is_checked_here_or_elsewhere():
    assert set(COMPILED) <= set(agents.names())
