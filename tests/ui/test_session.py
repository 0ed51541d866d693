from typing import Any

import numpy as np

from catan_pz.agents.random import RandomAgent
from catan_pz.rules import Rules
from catan_pz.ui.session import get_ready
from tests.ui.sessions import choice, session


def test_a_story_tells_a_seat_only_what_it_may_know() -> None:
    match = session(Rules(num_players=2, max_turns=60), seed=3)
    rng = np.random.default_rng(3)
    while not match.is_finished:
        if match.waits_for_person:
            match.game.step(choice(match.game, rng))
        else:
            match.table.step()
    bought = [line for line in match.story if line.startswith("RandomAgent buys a dev")]
    assert not any(":" in line for line in bought)


def test_agents_are_made_ready_in_a_game_of_their_own() -> None:
    asked = []

    class Noted(RandomAgent):
        def act(self, view: Any, mask: Any) -> int:
            asked.append((self.name, self.seat))
            return super().act(view, mask)

    first, other = Noted(), Noted()
    other.name = "other"
    get_ready(Rules(num_players=4, trading=False), [None, first, first, other])
    assert asked == [("Noted", 0), ("other", 0)]
    assert not hasattr(first, "seat")
