"""Players that are networks, and their files."""

import dataclasses
import json
import sys

import numpy as np
import pytest

from catan_pz import agents, encoders
from catan_pz.agents import network
from catan_pz.agents.board_network import BoardNetwork
from catan_pz.agents.board_program import shapes
from catan_pz.agents.logits import LogitsAgent
from catan_pz.agents.model_files import check_weights
from catan_pz.agents.network import Base, DenseNetwork, Model, NetworkAgent
from catan_pz.agents.registry import as_opponents
from catan_pz.encoders import registry
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.observation.segments import PLACES, SCALES, SIZE
from catan_pz.rules import Rules
from tests.views import views_of

QUICK = {"num_players": 3, "trading": False, "victory_points": 4, "max_turns": 60}


def model(choice="sample", activation="tanh", kind="dense", outputs="logits", base=None):
    rules = Rules.make(**QUICK)
    rng = np.random.default_rng(1)
    card = {"seed": 1, "frames": 123}
    if kind == "board":
        sizes = shapes(4, 8, rules.num_actions)
        arrays = {k: rng.normal(0, shape[0] ** -0.5, shape) for k, shape in sizes.items()}
        network = BoardNetwork({k: array.astype(np.float32) for k, array in arrays.items()})
        return Model(network, outputs, choice, rules.to_dict(), card)
    sizes = (SIZE, 8, 8, rules.num_actions)
    arrays = {}
    for k, (after, before) in enumerate(zip(sizes[1:], sizes, strict=False)):
        arrays[f"weight_{k}"] = rng.normal(0, before**-0.5, (after, before)).astype(np.float32)
        arrays[f"bias_{k}"] = rng.normal(0, 0.1, after).astype(np.float32)
    network = DenseNetwork(arrays, activation)
    return Model(network, outputs, choice, rules.to_dict(), card, base=base)


@pytest.fixture(scope="module")
def positions():
    batch = SingleLearnerBatch(40, seed=1, seat="random", **QUICK)
    for _ in range(30):
        batch.step(batch.sample())
    return batch.observation.copy(), batch.mask.copy()


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_network_is_its_dense_layers(positions, activation):
    net = model(activation=activation)
    x = np.minimum(positions[0].astype(np.float64) * SCALES, 1)
    for k in range(3):
        weight, bias = net.network.arrays[f"weight_{k}"], net.network.arrays[f"bias_{k}"]
        x = x @ weight.T.astype(np.float64) + bias
        if k < 2:
            x = np.tanh(x) if activation == "tanh" else np.maximum(x, 0)
    np.testing.assert_allclose(net.logits(positions[0]), x, atol=1e-5)
    most = np.round(1 / SCALES).astype(np.int8)[None]  # what is larger counts as that
    np.testing.assert_array_equal(net.logits(np.minimum(most, 122) + 5), net.logits(most))


def test_choices_follow_the_probabilities_of_legal_actions(positions):
    seen, mask = positions[0][:1], positions[1][:1]
    agent = NetworkAgent(model())
    draws = np.arange(8000, dtype=np.uint64) * np.uint64(2**64 // 8000)
    chosen = agent.act_batch(views_of(np.repeat(seen, 8000, 0), np.repeat(mask, 8000, 0), draws))
    wanted = np.where(mask[0], np.exp(agent.model.logits(seen)[0].astype(np.float64)), 0)
    drawn = np.bincount(chosen, minlength=252) / 8000
    np.testing.assert_allclose(drawn, wanted / wanted.sum(), atol=1e-3)
    assert (np.diff(chosen) >= 0).all()
    np.testing.assert_allclose(agent.probabilities(seen, mask)[0], wanted / wanted.sum(), atol=1e-6)
    with pytest.raises(ValueError, match="has Q-values"):
        NetworkAgent(model(choice="best", outputs="q_values")).probabilities(seen, mask)


def test_a_base_gets_the_bonus(positions, tmp_path):
    seen, masks = positions
    bits = np.zeros(len(seen), np.uint64)
    wanted = agents.load("heuristic").act_batch(views_of(seen, masks, bits))
    plain = NetworkAgent(model())
    logits = np.where(masks, plain.model.logits(seen).astype(np.float64), -np.inf)
    logits[np.arange(len(seen)), wanted] += 2.5
    weights = np.exp(logits)
    path = tmp_path / "residual.npz"
    model(base=Base("heuristic", 2.5)).save(path, "float32")
    residual = NetworkAgent(path)
    found = residual.probabilities(seen, masks)
    np.testing.assert_allclose(found, weights / weights.sum(axis=1, keepdims=True), atol=1e-6)
    assert (found != plain.probabilities(seen, masks)).any()
    assert "heuristic, whose choice gets 2.5 more" in residual.model.card_text("residual")
    sure = NetworkAgent(model(base=Base("heuristic", 1000.0)))
    assert (sure.act_batch(views_of(seen, masks, bits)) == wanted).all()


def test_a_file_can_name_no_other_base(tmp_path):
    base = Base("evolved", 1.0)
    object.__setattr__(base, "agent", "exec:sh")
    model(base=base).save(tmp_path / "bad.npz")
    with pytest.raises(ValueError, match=r"bad\.npz is no model .*base must be .*, got 'exec:sh'"):
        Model.read(tmp_path / "bad.npz")


def test_single_and_batched_play_are_the_same(positions):
    seen, masks = positions
    draws = np.random.default_rng(0).integers(2**64, size=len(seen), dtype=np.uint64)
    for choice in ("sample", "best"):
        agent = NetworkAgent(model(), choice=choice)
        together = agent.act_batch(views_of(seen, masks, draws))
        one_by_one = [
            int(agent.act_batch(views_of(seen[k : k + 1], masks[k : k + 1], draws[k : k + 1]))[0])
            for k in range(len(seen))
        ]
        assert together.tolist() == one_by_one
    best = np.where(masks, agent.model.logits(seen), -np.inf).argmax(axis=1)
    assert (together == best).all()


@pytest.mark.parametrize("kind", Model.kinds)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_a_file_gives_the_model_back(tmp_path, positions, dtype, kind):
    net = model(kind=kind)
    net.save(tmp_path / "net.npz", dtype)
    assert [path.name for path in tmp_path.iterdir()] == ["net.npz"]
    read = Model.read(tmp_path / "net.npz")
    assert read.network.kind == kind
    assert read.network.options == net.network.options
    assert read.network.arrays.keys() == net.network.arrays.keys()
    for name, back in read.network.arrays.items():
        assert back.dtype == np.float32
        assert (back == net.network.arrays[name].astype(dtype)).all()
    for field in ("outputs", "choice", "rules", "card"):
        assert getattr(read, field) == json.loads(json.dumps(getattr(net, field)))
    agent = agents.load(str(tmp_path / "net.npz"))
    (opponent,) = as_opponents(tmp_path / "net.npz", 1)
    assert agent.name == opponent.name == "net"
    np.testing.assert_allclose(
        agent.model.logits(positions[0]), net.logits(positions[0]), atol=5e-3
    )


def _change(path, **changes):
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"format": "catan-pz-model/9"}, "format is 'catan-pz-model/9'"),
        ({"layout": "another"}, "another layout of observations"),
        ({"network": {"kind": "dense", "activation": "sigmoid"}}, "activation must be"),
        ({"network": {"kind": "deep"}}, "the kind 'deep'"),
        ({"outputs": "q_values"}, "choice must be one of .*best.* for q_values"),
        ({"rules": {"trading": True}}, "gives 252 outputs, its rules have 389 actions"),
        ({"format": "x" * 9999}, r"format is 'x{100,300}\.\.\., must"),
    ],
)
def test_a_file_that_does_not_fit_is_named(tmp_path, changes, match):
    path = tmp_path / "net.npz"
    model().save(path)
    _change(path, **changes)
    with pytest.raises(ValueError, match=match) as error:
        Model.read(path)
    assert str(path) in str(error.value)


def test_a_damaged_file_is_never_taken_for_a_whole_one(tmp_path):
    path = tmp_path / "net.npz"
    model().save(path)
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(ValueError, match="no model"):
            Model.read(path)
    np.savez(path, header=np.array([{"format": "catan-pz-model/1"}], object))  # with a pickle
    with pytest.raises(ValueError, match="no model"):
        Model.read(path)
    for place in range(len(whole) // 3, len(whole), len(whole) // 4):
        damaged = bytearray(whole)
        damaged[place] ^= 255
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="no model"):
            Model.read(path)


def test_weights_too_large_for_the_file_are_refused(tmp_path):
    net = model()
    arrays = net.network.arrays | {"bias_0": net.network.arrays["bias_0"] + 1e6}
    network = dataclasses.replace(net.network, arrays=arrays)
    large = dataclasses.replace(net, network=network)
    with pytest.raises(ValueError, match="too large for float16"):
        large.save(tmp_path / "net.npz")
    large.save(tmp_path / "net.npz", "float32")


def test_logits_that_overflow_are_refused(positions):
    whole = model(activation="relu")
    dense = whole.network
    arrays = {name: array * np.float32(1e15) for name, array in dense.arrays.items()}
    huge = dataclasses.replace(dense, arrays=arrays)
    agent = NetworkAgent(dataclasses.replace(whole, network=huge), name="huge")
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="'huge' are NaN or infinite"):
        agent.act_batch(views_of(*positions, np.zeros(40, np.uint64)))


def test_games_of_other_rules_are_named():
    agent = NetworkAgent(model(), name="tiny")
    with pytest.raises(ValueError, match="'tiny' plays games of 3 players with 252 actions"):
        agent.reset(0, Rules(num_players=4, trading=False), 1)


def test_models_of_the_package_are_known_by_name(tmp_path, monkeypatch):
    monkeypatch.setattr(network, "SHIPPED", tmp_path)
    assert network.shipped() == []
    model().save(tmp_path / "ppo-3p-test.npz")
    assert "ppo-3p-test" in agents.names()
    agent = agents.load("ppo-3p-test", choice="best")
    assert agent.name == "ppo-3p-test"
    with pytest.raises(ValueError, match="ppo-3p-test"):
        agents.load("ppo-9p-test")
    with pytest.raises(ValueError, match="isn't taken"):
        agents.register("ppo-3p-test", "a:b")


@pytest.mark.parametrize("name", network.shipped())
def test_shipped_models_are_small_and_have_their_card(name):
    path = network.SHIPPED / f"{name}.npz"
    assert path.stat().st_size < 4 << 20
    assert path.with_suffix(".md").read_text(encoding="utf-8") == Model.read(path).card_text(name)


def test_a_card_tells_everything():
    results = [
        {"against": "random", "games": 1000, "win_rate": 0.9, "interval": [0.88, 0.92], "seed": 7}
    ]
    net = dataclasses.replace(model(), card={"command": "train a|b\n c", "results": results})
    card = net.card_text("tiny")
    assert "| command | train a\\|b c |" in card
    assert "| random | 1,000 | 90.0 % | 88.0 to 92.0 % | 7 |" in card
    assert f"{SIZE} - 8 - 8 - 252, tanh" in card
    assert '"num_players": 3' in card


class Hand(encoders.Encoder):
    name = "hand_of_a_test"
    segments = (encoders.Segment("hand", (5,), "(R)", "int8", 0, 127),)

    def encode(self, units):
        return units[..., PLACES["own_hand"]]


class OtherHand(Hand):
    def __init__(self, change):
        self.change = change

    def encode(self, units):
        return self.change(super().encode(units))


def of_hands(**changes):
    rules = Rules.make(**QUICK)
    rng = np.random.default_rng(0)
    weight = rng.normal(0, 1, (rules.num_actions, 5)).astype(np.float32)
    net = DenseNetwork({"weight_0": weight, "bias_0": np.zeros(rules.num_actions, np.float32)})
    return Model(net, "logits", "best", rules.to_dict(), {}, **{"encoder": Hand(), **changes})


def test_a_network_takes_what_its_encoder_gives(positions):
    net = of_hands()
    hands = positions[0][:, PLACES["own_hand"]].astype(np.float32)
    np.testing.assert_allclose(net.logits(positions[0]), hands @ net.network.arrays["weight_0"].T)
    with pytest.raises(ValueError, match="takes 5, <encoder 'flat'> gives 1008"):
        of_hands(encoder=encoders.load("flat"))
    with pytest.raises(ValueError, match="encoder must be 'flat', got"):
        dataclasses.replace(model(kind="board"), encoder=encoders.load("units"))


def test_a_file_names_its_encoder_and_another_one_is_refused(tmp_path, positions, monkeypatch):
    path = tmp_path / "hand.npz"
    of_hands().save(path, "float32")
    monkeypatch.setattr(registry, "_HOMES", dict(registry._HOMES))
    monkeypatch.setattr(registry, "_LOADED", {})
    with monkeypatch.context() as elsewhere:
        elsewhere.delitem(sys.modules, __name__)
        told = rf"hand\.npz .*the encoder 'hand_of_a_test', .* --encoder {__name__}:Hand"
        with pytest.raises(ValueError, match=told):
            Model.read(path)
    assert (Model.read(path).logits(positions[0]) == of_hands().logits(positions[0])).all()
    other = OtherHand(lambda hand: hand[..., ::-1])
    monkeypatch.setattr(registry, "_LOADED", {Hand.name: other})
    with pytest.raises(ValueError, match="'hand_of_a_test': the one known gives other numbers"):
        Model.read(path)
    monkeypatch.setattr(encoders.load(Hand.name), "layout", "0" * 16)
    with pytest.raises(ValueError, match="another encoder of the name 'hand_of_a_test'"):
        Model.read(path)


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ({"a": np.zeros(3)}, r"model: array 'b' has the shape None, must have \(1, 2\)"),
        ({"a": np.zeros(3), "b": np.zeros((2, 1))}, r"'b' has the shape \(2, 1\), must have"),
        ({"a": np.zeros(3), "b": np.zeros((1, 2)), "c": np.zeros(1)}, r"'c' .* must have None"),
        ({"a": np.zeros(3), "b": np.array([[0, np.inf]])}, "'b' has weights that aren't finite"),
    ],
)
def test_weights_of_other_shapes_or_not_finite_are_named(weights, match):
    check_weights({"a": np.zeros(3), "b": np.zeros((1, 2))}, {"a": (3,), "b": (1, 2)})
    with pytest.raises(ValueError, match=match):
        check_weights(weights, {"a": (3,), "b": (1, 2)})


def test_a_function_gets_what_the_encoder_gives(positions):
    views, given = views_of(*positions, np.zeros(40, np.uint64)), []

    def logits(seen):
        given.append(seen)
        return np.zeros(views.masks.shape)

    LogitsAgent(logits).act_batch(views)
    LogitsAgent(logits, observation="dict").act_batch(views)
    assert given[0].dtype == np.float32
    assert np.array_equal(given[0], encoders.load("flat").encode(views.observations))
    assert isinstance(given[1], dict)


def test_choices_by_a_function_are_legal_and_follow_its_logits(positions):
    bits = np.random.default_rng(1).integers(2**64, size=40, dtype=np.uint64)
    views = views_of(*positions, bits)
    numbers = np.random.default_rng(1).normal(size=views.masks.shape)
    best = LogitsAgent(lambda _: numbers, best=True).act_batch(views)
    assert np.array_equal(best, np.where(views.masks, numbers, -np.inf).argmax(axis=1))
    sampled = LogitsAgent(lambda _: numbers).act_batch(views)
    assert views.masks[np.arange(len(views)), sampled].all()
    assert not np.array_equal(best, sampled)
    sure = LogitsAgent(lambda _: 1000 * numbers).act_batch(views)
    assert np.array_equal(sure, best)
    with pytest.raises(ValueError, match=r"shape \(40, 3\), must have \(40, 252\)"):
        LogitsAgent(lambda _: np.zeros((40, 3))).act_batch(views)
