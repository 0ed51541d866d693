"""What trainings show, and where."""

import pytest

pytest.importorskip("rich", reason="takes the extra `train`")

from catan_pz.training.console import progress_bar, say, warn


def test_results_go_to_standard_output_all_else_to_standard_error(capsys):
    with progress_bar(shown=True) as bar:
        bar.add_task("frames", total=2, completed=1, rate=1.0)
        say("[b]60 % won")
        warn("no room")
    out, error = capsys.readouterr()
    assert out == "[b]60 % won\n"
    assert "no room" in error
    assert "frames" in error
