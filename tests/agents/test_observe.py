"""What agents hear by `observe` is all that their seats may know of a game."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from catan_pz import FollowedGame, Game, SingleSeatEnv
from catan_pz.agents.base import Agent
from catan_pz.agents.table import Table
from catan_pz.events import Events
from catan_pz.game.view import View
from catan_pz.rules import Rules
from tests.helpers import RULE_SETS


class Follower(Agent):
    """Plays at random, and compares each view with the one that it gets from events alone."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.start = start
        self.compared: list[int] = []

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.followed = FollowedGame.from_snapshot(self.start, seat)

    def observe(self, events: Events) -> None:
        self.followed.follow(events)

    def act(self, view: View) -> int:
        own = self.followed.view()
        assert own.observation.tobytes() == view.observation.tobytes()
        assert own.mask.tobytes() == view.mask.tobytes()
        self.compared.append(self.seat)
        return int(np.random.default_rng(len(self.compared)).choice(np.flatnonzero(view.mask)))


@pytest.mark.parametrize("name", ["skip_forced_both", "composed"])
def test_agents_at_a_table_can_follow_the_game(name: str) -> None:
    game = Game(RULE_SETS[name], seed=4)
    agent = Follower(game.snapshot())
    seats = range(game.rules.num_players)
    table = Table(game, [agent for _ in seats], list(seats))
    for _ in range(120):
        table.step()
    assert set(agent.compared) == set(seats)


class Counter(Agent):
    """Hears decisions, and plays its first legal action."""

    heard: tuple[int, ...] = ()

    def observe(self, events: Events) -> None:
        Counter.heard += (events[0].seat,)

    def act(self, view: View) -> int:
        return int(view.mask.argmax())


def test_opponents_in_an_environment_of_one_seat_hear_every_decision() -> None:
    env = SingleSeatEnv(num_players=2, opponents=Counter(), skip_forced=True, trading=False)
    env.reset(seed=1)
    played: list[int] = list(Counter.heard)
    env.game.listeners.append(lambda _game, events: played.append(events[0].seat))
    for _ in range(30):
        env.step(int(env.action_masks().argmax()))
    assert list(Counter.heard) == played
    assert {0, 1} <= set(played)
