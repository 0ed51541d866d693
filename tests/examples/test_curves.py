"""Curves of several trainings in one diagram: `examples/curves.py`."""

import re

import pytest

from catan_pz.training.evaluation import write_curve
from tests.examples.programs import load


def test_each_name_has_its_color_and_a_wrong_run_is_refused(tmp_path):
    module = load("curves")
    for number, rates in enumerate(((0.3, 0.5), (0.2, 0.6), (0.4, 0.9))):
        curve = [
            {"frames": 100 * k, "seconds": 7.0 * k, "against": "random", "games": 9, "won": 3}
            | {"win_rate": rate, "interval": [rate - 0.1, rate + 0.1], "points": 4.0}
            for k, rate in enumerate(rates)
        ]
        (tmp_path / str(number)).mkdir()
        write_curve(tmp_path / str(number), curve, "", 4, "frames")
    runs = [f"{name}={tmp_path / str(k)}" for k, name in enumerate(("short", "short", "long"))]
    curves = module.read_curves(runs, "random")
    assert [[row["win_rate"] for row in curve] for curve in curves["short"]] == [
        ["0.3", "0.5"],
        ["0.2", "0.6"],
    ]
    module.main([*runs, "--out", str(tmp_path / "curves.svg")])
    drawn = (tmp_path / "curves.svg").read_text()
    assert len(set(re.findall(r"stroke: (#[0-9a-f]{6}); stroke-width: 1.5", drawn))) == 2
    with pytest.raises(ValueError, match="must be NAME=FOLDER"):
        module.main(["short"])
    with pytest.raises(ValueError, match=r"against must be one of random, got 'heuristic'"):
        module.main([*runs, "--against", "heuristic"])
