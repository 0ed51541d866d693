"""How programs of the command line end."""

import pytest

from catan_pz.training.program import RESUMABLE, run_program


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


def raising(error):
    """A program that ends by an error."""

    def main():
        raise error

    return main
