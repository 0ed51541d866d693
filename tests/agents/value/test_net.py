"""Networks of the value in files."""

import numpy as np
import pytest

from catan_pz.agents.network import Model
from catan_pz.agents.value.net import FOLDER, ValueNet, shipped
from catan_pz.agents.value.network import NET_SIZE
from catan_pz.rules import Rules

RULES = Rules(num_players=3, trading=False)


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
    assert (FOLDER / f"{seats}p.npz").stat().st_size < 10**6


def test_what_is_no_such_network_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"weights \(5,\), must be \(12544,\)"):
        ValueNet(RULES, np.zeros(5, np.float32))
    (tmp_path / "no.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="no model that can be played"):
        ValueNet.read(tmp_path / "no.npz")
    net = ValueNet(RULES, np.zeros(NET_SIZE, np.float32))
    net.save(tmp_path / "v.npz")
    with pytest.raises(ValueError, match="no model that can be played"):
        Model.read(tmp_path / "v.npz")
    with pytest.raises(ValueError, match="for 3 players, the game has 4"):
        net.check_rules(Rules())
