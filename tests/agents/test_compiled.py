"""Compiled players: the same choices one by one and many at once, legal everywhere."""

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.agents.views import Views
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game.view import View
from tests.helpers import RULE_SETS

NAMES = ["random", "weighted", "heuristic"]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
@pytest.mark.parametrize("name", NAMES)
def test_single_and_batched_choices_are_the_same_and_legal(name, rules):
    """Over all rule sets more than 10,000 positions a player, half of its own games' kind."""
    agent = agents.load(name)
    rng, first = np.random.default_rng(5), np.zeros(32, np.int64)
    batch = CpuBatch(32, rules, seed=11)
    compared = 0
    for step in range(330):
        seen, masks = batch.observation, batch.mask
        seeds = rng.integers(2**64, size=32, dtype=np.uint64)
        chosen = agent.act_batch(Views(seen, masks, seeds, nth_numbers(seeds, first)))
        assert masks[np.arange(32), chosen].all()
        if step % 15 == 0:
            for i in range(32):
                agent.reset(0, rules, int(seeds[i]))
                assert agent.act(View(seen[i], masks[i])) == chosen[i]
                compared += 1
        own = rng.random(32) < 0.5 + 0.5 * (step % 2)
        batch.step(np.where(own, chosen, batch.sample()))
    assert compared == 704
