"""Networks of the value in files."""

import json
from importlib.resources import files

import numpy as np
import pytest

from catan_pz.agents.network import Model
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.network import LARGEST, NET_SIZE, ValueNet, shipped
from catan_pz.files import read_arrays
from catan_pz.rules import Rules
from tests.agents.search.play import in_the_middle

RULES = Rules(num_players=3, trading=False)
FOLDER = files("catan_pz.agents.value")


def test_a_file_gives_the_same_network(tmp_path) -> None:
    weights = np.random.default_rng(1).normal(0, 1, NET_SIZE).astype(np.float16)
    net = ValueNet(RULES, weights.astype(np.float32), {"seed": 4})
    net.save(tmp_path / "v.npz")
    again = ValueNet.read(tmp_path / "v.npz")
    assert again.weights.tobytes() == net.weights.tobytes()
    assert (again.rules, again.card) == (RULES, {"seed": 4})
    text = again.card_text("v")
    assert "positions of 3 players" in text
    assert "162 - 64 - 32" in text


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_those_that_are_shipped_have_their_cards(seats: int) -> None:
    net = shipped(seats)
    assert net.rules.num_players == seats
    assert (FOLDER / f"{seats}p.md").read_text(encoding="utf-8") == net.card_text("value")
    assert len((FOLDER / f"{seats}p.npz").read_bytes()) < 10**6


def test_what_is_no_such_network_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"weights \(5,\), must be \(12544,\)"):
        ValueNet(RULES, np.zeros(5, np.float32))
    for odd in (np.nan, np.inf, -1e30):
        weights = np.zeros(NET_SIZE, np.float32)
        weights[7] = odd
        with pytest.raises(ValueError, match="must be numbers from -65504 to 65504"):
            ValueNet(RULES, weights)
    (tmp_path / "no.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="no model that can be played"):
        ValueNet.read(tmp_path / "no.npz")
    net = ValueNet(RULES, np.zeros(NET_SIZE, np.float32))
    net.save(tmp_path / "v.npz")
    with pytest.raises(ValueError, match="no model that can be played"):
        Model.read(tmp_path / "v.npz")
    with pytest.raises(ValueError, match="for 3 players, the game has 4"):
        net.check_rules(Rules())


def test_a_file_of_odd_numbers_or_with_an_odd_card_is_named(tmp_path) -> None:
    content = read_arrays((FOLDER / "2p.npz").read_bytes())
    header = json.loads(content.pop("header").tobytes())
    for name, weights, card, match in (
        ("nan", np.full(NET_SIZE, np.nan, np.float16), {}, "value: weights"),
        ("card", content["weights"], 5, "model: card must be an object, got 5"),
    ):
        header |= {"card": card}
        text = np.frombuffer(json.dumps(header).encode(), np.uint8)
        np.savez(tmp_path / f"{name}.npz", header=text, weights=weights)
        with pytest.raises(ValueError, match=f"{name}.npz is no model that can be played: {match}"):
            ValueNet.read(tmp_path / f"{name}.npz")


def test_win_probabilities_are_sound_for_the_largest_weights() -> None:
    rng = np.random.default_rng(2)
    net = ValueNet(RULES, rng.choice([-LARGEST, LARGEST], NET_SIZE).astype(np.float32))
    for steps in (60, 160):
        game, _ = in_the_middle(RULES, steps, steps)
        found = Judge(RULES, net).win_probabilities(game.games, 0)
        assert found.sum() == pytest.approx(1)
