"""The learning curve as files."""

import csv

from matplotlib.figure import Figure

from catan_pz.training.evaluation import write_curve


def test_all_files_are_written(tmp_path, monkeypatch):
    drawn, save = [], Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *a, **k: (drawn.append(self), save(self, *a, **k))
    )
    same = {"seconds": 1.5, "games": 10, "points": 7.5, "seed": 1}
    curve = [
        same
        | {"frames": frames, "against": name, "won": 10 * rate, "win_rate": rate, "interval": ends}
        for frames, rate, ends in ((0, 0.2, [0.1, 0.3]), (1000, 0.6, [0.5, 0.7]))
        for name in ("random", "heuristic")
    ]
    write_curve(tmp_path, curve, "A title", 4, "frames")
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    assert [int(row["frames"]) for row in rows] == [0, 0, 1000, 1000]
    assert [row["against"] for row in rows] == ["random", "heuristic"] * 2
    assert float(rows[2]["low"]) < float(rows[2]["win_rate"]) < float(rows[2]["high"])
    assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "curve.pdf").read_bytes()[:4] == b"%PDF"
    lines = {line.get_label(): line for line in drawn[0].axes[0].lines}
    assert set(lines) == {"against random", "against heuristic", "chance level, 25 %"}
    assert list(lines["against random"].get_xdata()) == [0, 1000]
