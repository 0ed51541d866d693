"""Factored views of the action table: round trips, and masks that agree with the flat one."""

import numpy as np
import pytest

from catan_pz.actions import ACTION_KINDS, action_id, describe_action
from catan_pz.batch.make import make_batch
from catan_pz.published.factored import UNUSED, factored

VIEWS = {
    "plain": factored(),
    "split": factored(split_pairs=True),
    "without_trade": factored(trading=False),
}
views = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)


@pytest.fixture(scope="module")
def masks():
    """(K, 389) masks of all phases."""
    batch = make_batch(64, offer_form="both", seed=2, discard_limit=3, observation=False)
    parts = []
    for _ in range(12):
        parts.append(batch.mask.copy())
        batch.play_random(17)
    return np.concatenate(parts)


def as_torch(array):
    torch = pytest.importorskip("torch")
    return torch.from_numpy(array)


@views
def test_every_action_survives_the_round_trip(view):
    actions = np.arange(view.num_actions)
    choices = view.split(actions)
    assert choices.shape == (view.num_actions, len(view.heads))
    assert (view.join(choices) == actions).all()
    assert (view.join(choices.reshape(-1, 1, len(view.heads)))[:, 0] == actions).all()
    assert int(view.join(view.split(np.array(7)))) == 7


@views
def test_unneeded_choices_do_not_matter_and_missing_actions_are_told(view):
    actions = np.arange(view.num_actions)
    choices = view.split(actions)
    noise = np.random.default_rng(0).integers(0, 3, choices.shape)
    assert (view.join(np.where(choices == UNUSED, noise, choices)) == actions).all()
    edge = [head.name for head in view.heads].index("edge")
    wrong = view.split(np.array(action_id("build_road", edge=3)))
    wrong[edge] = UNUSED
    assert view.join(wrong) == -1


def test_heads_are_the_things_that_arguments_number():
    sizes = {head.name: head.size for head in VIEWS["plain"].heads}
    assert sizes == {
        "kind": 22,
        "edge": 72,
        "vertex": 54,
        "pair": 15,
        "resource": 5,
        "hex": 19,
        "seat": 3,
        "swap": 20,
        "bundles": 120,
    }
    split = {head.name: head.size for head in VIEWS["split"].heads}
    assert split["second_resource"] == 5
    assert "pair" not in split
    assert "swap" not in split
    assert {head.name: head.size for head in VIEWS["without_trade"].heads}["kind"] == 14


def test_choices_say_what_the_action_does():
    view = VIEWS["split"]
    names = [head.name for head in view.heads]
    resources = ("brick", "lumber", "wool", "grain", "ore")
    for action in range(view.num_actions):
        choices = dict(zip(names, view.split(np.array(action)).tolist(), strict=True))
        described = describe_action(action)
        assert ACTION_KINDS[choices["kind"]].name == described["kind"]
        for name in ("edge", "vertex", "hex"):
            assert choices[name] == described.get(name, UNUSED)
        assert choices["seat"] == described.get("seat", 0) - 1
        if described["kind"] == "maritime_trade":
            pair = [described["give"], described["get"]]
        elif described["kind"] == "play_year_of_plenty":
            pair = described["pair"]
        else:
            pair = [described[name] for name in ("resource",) if name in described]
        found = [choices[n] for n in ("resource", "second_resource") if choices[n] != UNUSED]
        assert [resources[r] for r in found] == pair


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
    for row, choices in ways:
        action = int(view.join(np.array(choices)))
        assert legal[row, action]
        assert not reached[row, action]
        reached[row, action] = 1
    assert (reached == legal).all()


@views
def test_torch_gives_the_same(view, masks):
    legal = np.ascontiguousarray(masks[:, : view.num_actions])
    actions = np.array([int(np.flatnonzero(row)[-1]) for row in legal if row.any()])
    choices = view.split(actions)
    legal = legal[legal.any(axis=1)]
    there = view.split(as_torch(actions))
    assert (there.numpy() == choices).all()
    assert (view.join(there).numpy() == actions).all()
    for head in range(len(view.heads)):
        expected = view.mask(head, legal, choices[:, :head])
        assert (view.mask(head, as_torch(legal), there[:, :head]).numpy() == expected).all()
        if head:
            found = view.needed(head, there).numpy()
            assert (found == view.needed(head, choices)).all()
        used = choices[:, head] != UNUSED
        assert expected[used, choices[used, head]].all()
