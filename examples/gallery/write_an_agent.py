"""Writing an agent: a builder in a few lines, checked, and measured against random players.

python examples/gallery/write_an_agent.py [games]
"""

import sys

import numpy as np

from catan_pz import Agent, View, action_id
from catan_pz.arena import play_match
from catan_pz.board.topology import VERTEX_HEXES
from catan_pz.terms import NUM_VERTICES
from catan_pz.testing import check_agent

FIRST_CITY = action_id("build_city", vertex=0)
FIRST_SETTLEMENT = action_id("build_settlement", vertex=0)
END_TURN = action_id("end_turn")


class Builder(Agent):
    """Builds where the dice pay most, and ends its turn only when nothing else is left."""

    name = "builder"

    def act(self, view: View) -> int:
        """A city, else a settlement, on the best vertex; else any other legal action."""
        pips = np.append(view.segments["hex_pips"], 0)  # beyond the coast, -1: none
        income = pips[VERTEX_HEXES].sum(axis=1)  # (54,) rolls, out of 36, that produce at a vertex
        for first in (FIRST_CITY, FIRST_SETTLEMENT):
            legal = view.mask[first : first + NUM_VERTICES]
            if legal.any():
                return first + int((income * legal).argmax())
        others = [int(action) for action in view.mask.nonzero()[0] if action != END_TURN]
        return others[self.random.below(len(others))] if others else END_TURN


def main(games: int = 100) -> None:
    """Check the agent, then let it play."""
    check_agent(Builder(), trading=False, games=2)
    result = play_match([Builder(), "random", "random", "random"], games=games, trading=False)
    low, high = result.interval("builder")
    rate = result.win_rate("builder")
    print(f"builder wins {rate:.0%} of {games} games ({low:.0%} to {high:.0%})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
