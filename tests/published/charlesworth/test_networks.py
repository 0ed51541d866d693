"""The network: its size, parts written out, NumPy against torch."""

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game import position
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.games import Policy
from catan_pz.published.charlesworth.networks import (
    CharlesworthNetwork,
    _cards,
    _tiles,
    condition_of,
)
from tests.helpers import act
from tests.published.charlesworth.models import BOARD as RULES
from tests.published.charlesworth.models import joint_actions

SMALL = CharlesworthNetwork("small")


def test_the_network_has_the_size_of_the_source():
    # What the published program counts, without the two numbers of its normaliser.
    assert CharlesworthNetwork("full", additions=False).parameters == 1_928_993
    # Roads, harbors, phase, and the hand for what an offer gives, widen three layers.
    wider = (24 + 36) * 64 + 16 * 256 + 6 * 128
    assert CharlesworthNetwork("full").parameters == 1_928_993 + wider == 1_937_697
    weights = SMALL.initial(np.random.default_rng(0))
    assert sum(array.size for array in weights.values()) == SMALL.parameters == 392_586
    logits = weights["kind_logits.weight"] / 0.01
    np.testing.assert_allclose(logits.T @ logits, np.eye(13), atol=1e-5)


@pytest.fixture(scope="module")
def batch():
    batch = CpuBatch(16, "charlesworth", seed=2)
    batch.play_random(400)
    return batch


@pytest.fixture(scope="module")
def seen(batch):
    return encoders.load("charlesworth").encode(batch.units)


def varied(architecture, seed=1):
    rng = np.random.default_rng(seed)
    weights = architecture.initial(rng)
    for name in weights:
        if weights[name].ndim == 1:
            weights[name] += rng.normal(size=weights[name].shape).astype(np.float32) * 0.1
        if name.endswith("_logits.weight"):
            weights[name] *= 20
    return weights


def normalised(x, weights, name):
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return x * weights[f"{name}.scale"] + weights[f"{name}.offset"]


@pytest.mark.parametrize("cards", [[0, 0, 0, 3, 3, 4], [0], [0, 0], []])
def test_equal_cards_are_looked_at_as_a_list_would_be(cards):
    """Written out card by card; an empty list is a card of a sixth kind."""
    weights = {name: array.astype(float) for name, array in varied(SMALL).items()}
    counts = np.bincount(np.array(cards, int), minlength=5).astype(float)
    tokens = weights["cards"][cards or [5]]
    projected = tokens @ weights["held_in.weight"] + weights["held_in.bias"]
    queries, keys, values = np.split(projected, 3, axis=1)
    together = np.zeros_like(tokens)
    for h in range(4):
        part = slice(4 * h, 4 * h + 4)
        scores = np.exp(queries[:, part] @ keys[:, part].T / 2)
        together[:, part] = scores / scores.sum(1, keepdims=True) @ values[:, part]
    out = together @ weights["held_out_heads.weight"] + weights["held_out_heads.bias"]
    summed = normalised(out, weights, "player_cards_norm").sum(0)
    projected = summed @ weights["player_held.weight"] + weights["player_held.bias"]
    expected = np.maximum(normalised(projected, weights, "player_held_norm"), 0)
    found = _cards("player", "held", weights, np.stack([np.ones(5), counts]))
    np.testing.assert_allclose(found[1], expected, rtol=1e-5, atol=1e-6)


def test_tiles_attend_to_each_other(seen):
    """Another token on a tile moves what the other tiles give, through attention alone."""
    weights = varied(SMALL)
    parts = [seen[name][:1] for name in ("tiles", "roads", "harbors")]
    tiles = np.concatenate(parts, axis=-1)
    changed = tiles.copy()
    changed[0, 3, 1:12] = np.roll(changed[0, 3, 1:12], 1)
    moved = np.abs(_tiles(weights, changed) - _tiles(weights, tiles))[0].max(-1)
    assert (moved > 1e-6).all()
    for k in range(2):
        weights[f"attend_{k}_out_heads.weight"][:] = 0
    moved = np.abs(_tiles(weights, changed) - _tiles(weights, tiles))[0].max(-1)
    assert np.flatnonzero(moved).tolist() == [3]


@pytest.mark.parametrize("additions", [True, False])
def test_numpy_and_torch_agree(additions, batch):
    torch = pytest.importorskip("torch", reason="takes the extra `train`")
    architecture = CharlesworthNetwork("small", additions)
    weights = varied(architecture)
    tensors = {name: torch.tensor(array) for name, array in weights.items()}
    uniforms = np.random.default_rng(0).random((16, ch.NUM_SLOTS))
    asked = ch.is_asked(batch.units)
    units, masks = batch.units[asked], batch.mask[asked]
    encoder = encoders.load("charlesworth" if additions else "charlesworth_2022")
    one, other = (
        Policy(architecture, which, encoder).decide(units, masks, uniforms[asked])
        for which in (weights, tensors)
    )
    np.testing.assert_array_equal(one.choices, other.choices)
    np.testing.assert_allclose(one.value, other.value, atol=1e-3)
    np.testing.assert_allclose(one.log_probability, other.log_probability, atol=1e-3)


def test_heads_are_conditioned_on_the_choices_before(seen):
    rows = np.full((2, ch.NUM_SLOTS), -1, np.int8)
    column = ch.COLUMN
    rows[0, [column["kind"], column["player"]]] = ch.PROPOSE, 1
    rows[0, [column["give_0"], column["give_1"], column["give_2"]]] = 3, 3, ch.STOP
    rows[0, column["get_0"]] = 0
    rows[1, [column["kind"], column["card"], column["first"]]] = ch.PLAY, 2, 4
    here = {"hand": np.array([[5, 0, 1, 2, 0, 0]] * 2), "offer": np.arange(24).reshape(2, 12)}
    assert condition_of("kind", rows, here) is None
    assert condition_of("player", rows, here)[0].tolist() == [1, 0]
    assert condition_of("give_1", rows, here)[0].tolist() == [5, 0, 1, 2, 0, 0, 0, 0, 0, 1, 0, 0]
    assert condition_of("get_1", rows, here)[0].tolist() == [0, 0, 0, 2, 0, 1, 1, 0, 0, 0, 0, 0]
    # A card, not an exchange; a year of plenty; the first resource.
    assert condition_of("second", rows, here)[1].tolist() == [1, 0, 1, 0, 0, 0, 0, 0, 1]
    assert condition_of("accept", rows, here)[1].tolist() == list(range(12, 24))


def positions():
    """Decisions of many kinds with few joint actions: offers, cards, exchanges, an answer."""
    hand = {"brick": 2, "ore": 1, "lumber": 4}
    owner = {"settlements": [10], "roads": [7], "hand": hand}
    owner |= {"cards": {"year_of_plenty": 1, "monopoly": 1, "knight": 1}}
    others = [{"hand": {"wool": 2, "brick": 1}}, {"hand": {"ore": 2}}, {}]
    game = position([owner, *others], rules=RULES, turn=40, seed=1, rolled=True)
    yield game.observe(0), game.mask
    for word, resource in (("compose_give", "brick"), ("compose_get", "wool")):
        act(game, word, resource=resource)
    act(game, "compose_send")
    yield game.observe(1), game.mask


def entropy_of(row, masks, tensors, seen):
    """The sum of the entropies of the slots that one joint action needs, written out."""
    trunk, total = SMALL.trunk(tensors, seen), 0.0
    for k in np.flatnonzero(row != -1):
        slot = ch.SLOTS[k]
        given = condition_of(slot.name, trunk.new_tensor(row[None]), seen)
        logits = SMALL.logits(tensors, slot.head, trunk, given)[0].double()
        odds = logits[masks[ch.MASK_PLACES[slot.name]]].softmax(0)
        total -= float((odds * odds.log()).sum())
    return total


@pytest.mark.parametrize("number", [0, 1])
def test_log_probabilities_are_those_of_an_enumeration(number):
    """Joint probabilities add up to 1, and are the same by sampling and by training."""
    torch = pytest.importorskip("torch", reason="takes the extra `train`")
    from charlesworth_learning import evaluate

    units, mask = list(positions())[number]
    rows, masks = joint_actions(units, mask)
    assert len(rows) == len(np.unique(rows, axis=0))
    weights, encoder = varied(SMALL), encoders.load("charlesworth")
    tensors = {name: torch.tensor(array) for name, array in weights.items()}
    seen = {
        name: torch.tensor(array).expand(len(rows), *array.shape)
        for name, array in encoder.encode(units).items()
    }
    with torch.no_grad():
        logs, values, entropy = evaluate(
            SMALL, tensors, seen, torch.tensor(rows).long(), torch.tensor(masks)
        )
        one = {name: array[:1] for name, array in seen.items()}
        sums = [entropy_of(*pair, tensors, one) for pair in zip(rows, masks, strict=True)]
    probabilities = logs.double().exp().numpy()
    assert probabilities.sum() == pytest.approx(1, abs=1e-4)
    assert entropy.item() == pytest.approx(np.mean(sums), rel=1e-4)
    many = 4000
    drawn = Policy(SMALL, weights, encoder).decide(
        np.repeat(units[None], many, 0),
        np.repeat(mask[None], many, 0),
        np.random.default_rng(5).random((many, ch.NUM_SLOTS)),
    )
    place = {row.tobytes(): k for k, row in enumerate(rows)}
    drawn_places = np.array([place[row.tobytes()] for row in drawn.choices])
    np.testing.assert_allclose(drawn.log_probability, logs.numpy()[drawn_places], atol=1e-3)
    np.testing.assert_array_equal(drawn.masks, masks[drawn_places])
    np.testing.assert_allclose(np.log(drawn.certainty).sum(1), drawn.log_probability)
    assert (drawn.certainty[drawn.choices == -1] == 1).all()
    np.testing.assert_allclose(drawn.value, values[0].item(), atol=1e-3)
    frequency = np.bincount(drawn_places, minlength=len(rows)) / many
    error = np.sqrt(probabilities * (1 - probabilities) / many)
    assert (np.abs(frequency - probabilities) <= 5 * error + 2 / many).all()
