"""Models of an earlier layout of observations play as they did."""

import json
from pathlib import Path

import numpy as np
import pytest

from catan_pz.agents.board_network import ELSEWHERE, BoardNetwork
from catan_pz.agents.dense_network import DenseNetwork
from catan_pz.agents.migration import EARLIER
from catan_pz.agents.model_files import checksum
from catan_pz.agents.network import SHIPPED, Model
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules

STORED = Path(__file__).parent / "logits_of_shipped_models.npz"
"""Observations of the first layout, masks, and what the shipped models gave for them then."""

((FIRST, FIRST_SIZE),) = EARLIER.items()


def widened(units, seed=0):
    """Observations of the first layout with any numbers for what has been added."""
    rng = np.random.default_rng(seed)
    added = rng.integers(0, 128, (len(units), SIZE - FIRST_SIZE)).astype(np.int8)
    return np.concatenate([units, added], axis=1)


def written(path, layout, network, arrays, rules, **changes):
    """A model file with a header of the first format."""
    header = {
        "format": "catan-pz-model/1",
        "layout": layout,
        "network": network,
        "outputs": "logits",
        "choice": "best",
        "rules": rules.to_dict(),
        "card": {},
        "checksum": checksum(arrays),
        **changes,
    }
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, header=text, **arrays)
    return path


with np.load(STORED) as _stored:
    NAMES = sorted({key.partition("/")[0] for key in _stored})


@pytest.mark.parametrize("name", NAMES)
def test_shipped_models_choose_as_before(name):
    with np.load(STORED) as stored:
        units, masks, logits = (stored[f"{name}/{key}"] for key in ("units", "masks", "logits"))
    model = Model.read(SHIPPED / f"{name}.npz")
    found = model.logits(widened(units))
    np.testing.assert_allclose(found, logits, rtol=1e-4, atol=1e-4)
    before, now = (np.where(masks, given, -np.inf).argmax(axis=1) for given in (logits, found))
    assert (before == now).all()


def test_a_board_network_of_the_first_layout_is_read(tmp_path):
    name = "ppo-2p"
    model = Model.read(SHIPPED / f"{name}.npz")
    added = slice(FIRST_SIZE - ELSEWHERE, SIZE - ELSEWHERE)
    arrays = dict(model.network.arrays)
    for layer in ("context", "dense_1"):
        assert not arrays[layer][added].any()
        arrays[layer] = np.delete(arrays[layer], added, axis=0)
    path = written(
        tmp_path / "old.npz", FIRST, {"kind": "board"}, arrays, Rules.from_dict(model.rules)
    )
    old = Model.read(path)
    assert isinstance(old.network, BoardNetwork)
    for layer, array in model.network.arrays.items():
        assert (old.network.arrays[layer] == array).all()


def test_a_dense_network_of_the_first_layout_is_read(tmp_path):
    rules = Rules(num_players=2, trading=False)
    rng = np.random.default_rng(1)
    arrays = {
        "weight_0": rng.normal(0, 0.1, (8, FIRST_SIZE)).astype(np.float32),
        "bias_0": rng.normal(0, 0.1, 8).astype(np.float32),
        "weight_1": rng.normal(0, 0.1, (252, 8)).astype(np.float32),
        "bias_1": np.zeros(252, np.float32),
    }
    network = {"kind": "dense", "activation": "tanh"}
    old = Model.read(written(tmp_path / "old.npz", FIRST, network, arrays, rules))
    assert isinstance(old.network, DenseNetwork)
    assert old.encoder.name == "flat"
    with np.load(STORED) as stored:
        units = stored["ppo-2p/units"]
    assert (old.logits(widened(units)) == old.logits(widened(units, seed=1))).all()
    old.save(tmp_path / "new.npz", "float32")
    again = Model.read(tmp_path / "new.npz")
    assert (again.logits(widened(units)) == old.logits(widened(units))).all()


def test_what_can_not_be_migrated_is_refused(tmp_path):
    rules = Rules(num_players=2, trading=False)
    arrays = {
        "weight_0": np.zeros((252, FIRST_SIZE), np.float32),
        "bias_0": np.zeros(252, np.float32),
    }
    unknown = written(tmp_path / "a.npz", "0123", {"kind": "dense"}, arrays, rules)
    with pytest.raises(ValueError, match=r"a\.npz .* another layout of observations, '0123'"):
        Model.read(unknown)
    other = written(tmp_path / "b.npz", FIRST, {"kind": "recurrent"}, arrays, rules)
    with pytest.raises(ValueError, match="'recurrent', which can't be migrated"):
        Model.read(other)
