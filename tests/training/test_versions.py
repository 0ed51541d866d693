import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

import pytest
import torch

from catan_pz.agents.network import Model
from catan_pz.rules import Rules
from catan_pz.training.actor_critic import ActorCritic, policy_weights
from catan_pz.training.versions import Versions

RULES = Rules(num_players=2, trading=False)


def make(folder, **changes):
    options = {"max_lag": 2, "every": 3, "size": 2, "active": 4, "seed": 1} | changes
    network = ActorCritic(RULES.num_actions, 4)
    return network, Versions(folder, network, **options)


def update(network, versions):
    with torch.no_grad():
        network.policy[0].bias += 1
    versions.add()
    versions.write_past_self(lambda: network.export(RULES))


def bias(weights, name="policy.0.bias"):
    return float(weights[name][0])


def test_rounds_are_played_with_versions_that_are_fixed_beforehand(tmp_path):
    network, versions = make(tmp_path)
    first = bias(network.weights())
    for newest in range(9):
        for number in range(newest, newest + 3):
            assert versions.number_for(number) == max(0, number - 2)
            given = bias(versions.weights_for(number))
            assert given == pytest.approx(first + max(0, number - 2))
        update(network, versions)
    with pytest.raises(KeyError):
        versions.weights_for(8)  # too old to be played with


def test_past_selves_join_and_leave(tmp_path):
    network, versions = make(tmp_path)
    first = bias(network.weights())
    files = {}
    for _ in range(12):
        update(network, versions)
        files[versions.newest] = versions.files
    assert sorted(path.stem for path in tmp_path.iterdir()) == [
        f"{version:08d}" for version in (3, 6, 9, 12)
    ]
    assert files[2] == []
    assert files[8] == ["00000003", "00000006"]
    # Rounds that are played with version 8 may still meet the first one.
    assert files[10] == ["00000003", "00000006", "00000009"]
    assert files[11] == ["00000006", "00000009"]
    assert versions.league_for(4) == []
    assert {round(bias(one, "0.bias") - first) for one in versions.league_for(6)} == {3}
    met = {round(bias(one, "0.bias") - first) for k in range(50) for one in versions.league_for(14)}
    assert met <= {9, 12}
    again = [bias(one, "0.bias") for one in versions.league_for(14)]
    assert [bias(one, "0.bias") for one in versions.league_for(14)] == again


def test_versions_go_on_from_a_state(tmp_path):
    network, versions = make(tmp_path)
    for _ in range(5):
        update(network, versions)
    other, restored = make(tmp_path)
    restored.set_state(versions.get_state())
    assert restored.newest == 5
    assert bias(other.weights()) == bias(network.weights())
    for number in (5, 6, 7):
        for name, array in versions.weights_for(number).items():
            np.testing.assert_array_equal(restored.weights_for(number)[name], array)


def test_lags_that_are_not_possible(tmp_path):
    with pytest.raises(ValueError, match="max_lag"):
        make(tmp_path, max_lag=-1)


def test_an_exported_policy_plays_as_the_network_does(tmp_path):
    network = ActorCritic(RULES.num_actions, 8)
    network.export(RULES, {"seed": 1}).save(tmp_path / "model.npz", "float32")
    model = Model.read(tmp_path / "model.npz")
    rng = np.random.default_rng(1)
    units = rng.integers(0, 3, (5, 1000)).astype(np.int8)
    mask = rng.integers(0, 2, (5, RULES.num_actions)).astype(np.int8)
    log_probabilities, values = network(torch.from_numpy(units), torch.from_numpy(mask))
    assert values.shape == (5,)
    chances = log_probabilities.exp().detach().numpy()
    assert (chances[mask == 0] == 0).all()
    masked = np.where(mask, model.logits(units), -np.inf)
    expected = np.exp(masked - masked.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances, expected, rtol=1e-4, atol=1e-6)
    for name, array in policy_weights(model).items():
        np.testing.assert_array_equal(array, network.policy.state_dict()[name].numpy())
