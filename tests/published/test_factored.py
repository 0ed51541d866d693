"""Factored views of the action table: round trips, and masks that agree with the flat one."""

import numpy as np
import pytest

from catan_pz.batch.make import make_batch
from catan_pz.published.factored import UNUSED, factored

VIEWS = {"with_trade": factored(), "without_trade": factored(trading=False)}
views = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)


@pytest.fixture(scope="module")
def masks():
    """(K, 389) masks of all phases."""
    batch = make_batch(32, offer_form="both", seed=2, discard_limit=3, observation=False)
    parts = []
    for _ in range(12):
        parts.append(batch.mask.copy())
        batch.play_random(17)
    return np.concatenate(parts)


@views
def test_every_action_survives_the_round_trip(view):
    actions = np.arange(view.num_actions)
    choices = view.split(actions)
    assert (view.join(choices) == actions).all()
    # What stands for heads that aren't needed doesn't matter.
    noise = np.random.default_rng(0).integers(0, 3, choices.shape)
    assert (view.join(np.where(choices == UNUSED, noise, choices)) == actions).all()


@views
def test_masks_lead_to_legal_actions_alone_and_to_all_of_them(view, masks):
    """Following every way through the heads gives just the legal actions, for each mask."""
    legal = masks[:, : view.num_actions]
    ways = [(row, ()) for row in range(len(legal))]
    for head in range(len(view.heads)):
        rows = np.array([row for row, _ in ways])
        chosen = np.array([choices for _, choices in ways]).reshape(len(ways), head)
        allowed = view.mask(head, legal[rows], chosen if head else None)
        needed = view.needed(head, chosen) if head else legal.any(axis=1)
        assert (allowed.any(axis=1) == needed).all()
        longer = []
        for (row, choices), options, is_needed in zip(ways, allowed, needed, strict=True):
            found = np.flatnonzero(options) if is_needed or head == 0 else [UNUSED]
            longer += [(row, (*choices, int(choice))) for choice in found]
        ways = longer
    reached = np.zeros_like(legal)
    rows = [row for row, _ in ways]
    np.add.at(reached, (rows, view.join(np.array([choices for _, choices in ways]))), 1)
    assert (reached == legal).all()


@views
def test_torch_gives_the_same(view, masks):
    torch = pytest.importorskip("torch", reason="takes the extra `train`")
    legal = np.ascontiguousarray(masks[:, : view.num_actions])
    legal = legal[legal.any(axis=1)][::8]
    actions = legal.argmax(axis=1)
    choices = view.split(actions)
    there = view.split(torch.from_numpy(actions))
    assert (view.join(there).numpy() == actions).all()
    for head in range(len(view.heads)):
        expected = view.mask(head, legal, choices[:, :head])
        assert (view.mask(head, torch.from_numpy(legal), there[:, :head]).numpy() == expected).all()
        if head:
            assert (view.needed(head, there).numpy() == view.needed(head, choices)).all()
