"""The programs in `examples/libraries`, each for seconds."""

import pytest

pytest.importorskip("tyro", reason="takes the extra `train`")
pytest.importorskip("torch", reason="takes the extra `train`")

import torch

from tests.examples.programs import EXAMPLES, load

RLLIB = ("--num-games=4", "--train-batch-size=128", "--minibatch-size=32")

PROGRAMS = {
    "agilerl_ppo": ("agilerl", "--num-envs=4", "--steps=16", "--batch-size=32"),
    "cleanrl_ppo": ("torch", "--num-envs=4", "--num-steps=16", "--minibatch-size=32"),
    "open_spiel_ppo": ("pyspiel", "--num-envs=4", "--steps-per-batch=16"),
    "pettingzoo_parallel": ("pettingzoo", "--games=2", "--max-turns=30", "--minibatch=32"),
    "rllib_selfplay": ("ray.rllib", *RLLIB, "--join-at=0.01"),
    "sb3_single_seat": ("sb3_contrib", "--num-envs=4", "--n-steps=16", "--batch-size=32"),
    "sb3_vec": ("sb3_contrib", "--num-envs=4", "--n-steps=16", "--batch-size=32"),
    "tianshou_ppo": ("tianshou", "--num-envs=4", "--steps=16", "--minibatch=32"),
    "torchrl_ppo": ("torchrl", "--num-envs=4", "--steps=16", "--minibatch=32"),
}
"""What each needs, and options that make it small."""

OWN_ENVIRONMENTS = ("agilerl", "pyspiel", "ray.rllib", "tianshou")
"""Libraries that aren't among the dependencies; `make test-libraries` installs each by itself."""

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


def cases():
    for name, (library, *_) in PROGRAMS.items():
        marks = [pytest.mark.libraries] if library in OWN_ENVIRONMENTS else []
        if library == "ray.rllib":
            marks.append(pytest.mark.filterwarnings("ignore"))  # it warns of matters of its own
        yield pytest.param(name, marks=marks)


@pytest.fixture(params=cases())
def program(request):
    """A module of a program, and words that make it small."""
    library, *small = PROGRAMS[request.param]
    pytest.importorskip(library, reason=f"takes {library}", exc_type=ImportError)
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


@pytest.mark.libraries
@pytest.mark.filterwarnings("ignore")
def test_rllib_steps_pettingzoo_environments_too(capsys):
    pytest.importorskip("ray.rllib", reason="takes RLlib", exc_type=ImportError)
    module = load("libraries/rllib_selfplay")
    result = module.main([*SHORT, *RLLIB, "--runner=aec", "--observation=dict"])
    assert result["decisions"] >= 128
