"""The program that plays the learner of Xenou et al. game after game."""

import csv
import json

import numpy as np
import pytest

from catan_pz.published.xenou.agent import XenouModel

SMALL = ["--games=4", "--keep=3", "--network=gru", "--hidden=2", "--checkpoint-every=1"]
SMALL += ["--no-progress"]

PROGRAM = "published/xenou"


@pytest.fixture(scope="module")
def whole(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    program.main([*SMALL, f"--out={folder}"])
    return folder


def rows(folder, name="games"):
    with (folder / f"{name}.csv").open(newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def test_results_are_those_of_the_games(whole):
    games, result = rows(whole), json.loads((whole / "result.json").read_text())
    assert [row["place"] for row in games] == [0, 1, 2, 0]
    assert [row["seat"] for row in games] == [row["game"] for row in games] == [0, 1, 2, 3]
    assert result["won"] == sum(row["won"] for row in games)
    for name in ("offers", "closed", "asked", "given", "got"):
        assert result["means"][name] == pytest.approx(np.mean([row[name] for row in games]))
    for k, row in enumerate(rows(whole, "decisions")):
        assert row["games"] == sum(game["decisions"] > k for game in games)


def test_the_model_is_what_the_last_series_learned(whole):
    model = XenouModel.read(whole / "model.npz")
    assert model.options.network == "gru"
    assert model.card["games_learned"] == 1
    assert (whole / "model.md").read_text() == model.card_text("xenou_kept")
    assert "--keep 3" in model.card["command"]


def test_it_goes_on_within_a_series_and_between_two(program, whole, tmp_path):
    out = f"--out={tmp_path}"
    program.main([*SMALL, "--games=2", out])
    with pytest.raises(ValueError, match="keep"):
        program.main([*SMALL, "--keep=2", out, "--resume"])
    program.main([*SMALL, "--games=3", out, "--resume"])
    program.main([*SMALL, out, "--resume"])
    for name in ("games", "decisions"):
        assert rows(tmp_path, name) == rows(whole, name)
    one, other = (XenouModel.read(path / "model.npz").weights for path in (tmp_path, whole))
    assert all((one[name] == other[name]).all() for name in one)
