"""What programs show, and where; how they end."""

import signal

import pytest

from catan_pz.progress import progress_bar
from catan_pz.training.console import heeding_signals, run_program, say, warn


def test_results_go_to_standard_output_all_else_to_standard_error(capsys):
    with progress_bar(True) as bar:
        bar.add_task("frames", total=2, completed=1, note="")
        say("[b]60 % won")
        warn("no room")
    out, error = capsys.readouterr()
    assert out == "[b]60 % won\n"
    assert "no room" in error
    assert "frames" in error


@pytest.mark.parametrize(
    ("raised", "said"), [(ValueError("no"), "error: no"), (KeyboardInterrupt(), "Interrupted.")]
)
def test_a_wrong_option_or_ctrl_c_ends_a_program_with_one_line(raised, said):
    def main():
        raise raised

    with pytest.raises(SystemExit) as ended:
        run_program(main)
    assert ended.value.code == said


def test_signals_ask_to_stop_and_then_do_again_what_they_did_before():
    asked = []
    with heeding_signals(lambda *_: asked.append(1)):
        signal.raise_signal(signal.SIGTERM)
    assert asked == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
