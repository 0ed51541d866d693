"""The programs in `examples/libraries`, each for seconds."""

import importlib

import pytest

pytest.importorskip("tyro", reason="takes the extra `train`")
pytest.importorskip("torch", reason="takes the extra `train`")

import torch

from tests.examples.programs import EXAMPLES, load

PROGRAMS = {
    "cleanrl_ppo": ("torch", "--num-envs=4", "--num-steps=16", "--minibatch-size=32"),
    "open_spiel_ppo": ("pyspiel", "--num-envs=4", "--steps-per-batch=16"),
    "pettingzoo_parallel": ("pettingzoo", "--games=2", "--max-turns=30", "--minibatch=32"),
    "sb3_vec": ("sb3_contrib", "--num-envs=4", "--n-steps=16", "--batch-size=32"),
    "tianshou_ppo": ("tianshou", "--num-envs=4", "--steps=16", "--minibatch=32"),
    "torchrl_ppo": ("torchrl", "--num-envs=4", "--steps=16", "--minibatch=32"),
}
"""What each needs, and options that make it small."""

SHORT = ("--frames=128", "--eval-every=64", "--eval-games=4", "--no-progress")


@pytest.fixture(autouse=True)
def _usual_torch():
    """Programs set what holds for the whole process."""
    threads = torch.get_num_threads()
    checks = torch.distributions.Distribution._validate_args
    yield
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(checks)


def test_every_program_is_run():
    assert {path.stem for path in (EXAMPLES / "libraries").glob("*.py")} == set(PROGRAMS)


@pytest.fixture(params=PROGRAMS)
def program(request):
    """A module of a program, and words that make it small."""
    library, *small = PROGRAMS[request.param]
    pytest.importorskip(library.partition(".")[0], reason=f"takes {library}")
    importlib.import_module(library)
    return load(f"libraries/{request.param}"), small


def test_it_trains_and_says_how_well(program, capsys):
    module, small = program
    result = module.main([*SHORT, *small])
    assert result["decisions"] >= 128
    assert result["games"] == 8
    out = capsys.readouterr().out
    assert "decisions in " in out
    assert "against random: won " in out
    assert "above chance level" in out


def test_its_help_has_a_line_for_every_option(program, capsys):
    module, _ = program
    with pytest.raises(SystemExit):
        module.main(["--help"])
    shown = capsys.readouterr().out
    for name in module.Args.__dataclass_fields__:
        assert f"--{name.replace('_', '-')}" in shown
