"""How programs of the command line end."""

import signal
import threading

import pytest

from catan_pz.training.console import RESUMABLE, heeding_signals, run_program


@pytest.mark.parametrize("error", [ValueError("option a=1"), ConnectionError("no cluster")])
def test_a_wrong_option_ends_a_program_with_one_line(error):
    with pytest.raises(SystemExit, match=f"^error: {error}$"):
        run_program(raising(error))


def test_other_errors_have_to_be_named():
    with pytest.raises(RuntimeError, match="what"):
        run_program(raising(RuntimeError("what")))
    with pytest.raises(SystemExit, match=r"^error: what$"):
        run_program(raising(RuntimeError("what")), RuntimeError)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), EOFError()])
def test_an_interrupted_program_says_how_to_go_on(error):
    with pytest.raises(SystemExit, match=r"^Interrupted: --resume continues"):
        run_program(raising(error), stopped=RESUMABLE)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_ask_to_stop_and_then_do_again_what_they_did_before(number):
    before, heard = signal.getsignal(number), []
    with heeding_signals(lambda *_: heard.append(1)):
        signal.raise_signal(number)
        assert signal.getsignal(number) is not before
    assert heard == [1]
    assert signal.getsignal(number) is before


def test_another_thread_leaves_signals_alone():
    before, found = signal.getsignal(signal.SIGINT), []

    def look():
        with heeding_signals(print):
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [before]


def raising(error):
    """A program that ends by an error."""

    def main():
        raise error

    return main
