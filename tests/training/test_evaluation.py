import csv
import io

import pytest

pytest.importorskip("matplotlib", reason="takes the extra `train`")
pytest.importorskip("torch", reason="takes the extra `train`")

from matplotlib.figure import Figure

from catan_pz.training.evaluation import draw_curve, write_curve

CURVE = [
    {
        "frames": frames,
        "seconds": 1.5,
        "against": against,
        "games": 10,
        "won": won,
        "win_rate": won / 10,
        "interval": [won / 10 - 0.1, won / 10 + 0.1],
        "points": 7.5,
        "seed": 1,
    }
    for frames, won in ((0, 2), (1000, 6))
    for against in ("random", "heuristic")
]


def test_the_picture_has_title_and_chance_level(monkeypatch):
    saved = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *a, **k: (saved.append(self), save(self, *a, **k))
    )
    assert draw_curve(CURVE, "A title", 4, "frames")[:4] == b"\x89PNG"
    (axes,) = saved[0].axes
    assert axes.get_title() == "A title"
    lines = {line.get_label(): line for line in axes.lines}
    assert set(lines) == {"against random", "against heuristic", "chance level, 25 %"}
    assert set(lines["chance level, 25 %"].get_ydata()) == {25}
    assert list(lines["against random"].get_xdata()) == [0, 1000]


def test_both_files_are_written(tmp_path):
    write_curve(tmp_path, CURVE, "A title", 4, "frames")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "curve.csv").read_text())))
    assert [int(row["frames"]) for row in rows] == [0, 0, 1000, 1000]
    assert [row["against"] for row in rows] == ["random", "heuristic"] * 2
    assert float(rows[2]["low"]) < float(rows[2]["win_rate"]) < float(rows[2]["high"])
    assert (tmp_path / "curve.png").stat().st_size > 1000
