from pathlib import Path
from typing import Any

from catan_pz.cli import main


def test_openings_and_agreement_of_a_folder(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    folder, plots = str(recorded.parent), [tmp_path / "openings.svg", tmp_path / "odds.png"]
    assert main(["openings", folder, "--plot", str(plots[0])]) == 0
    told = capsys.readouterr().out
    assert "Games of 2 players: 1" in told
    assert "| places second | 1 |" in told
    assert main(["agreement", folder, "--plot", str(plots[1])]) == 0
    told = capsys.readouterr().out
    assert "| winners |" in told
    assert "Brier score: 0." in told
    assert all(path.stat().st_size > 1000 for path in plots)
    assert main(["openings", str(tmp_path)]) == 2
    assert "has no recorded games" in capsys.readouterr().err
