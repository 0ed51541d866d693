import json
import subprocess

import pytest

from catan_pz.training.options import parse
from tests.examples.programs import load


@pytest.fixture
def ablation(monkeypatch):
    """The example, with trainings that take no time: a win rate by options and seed."""
    module = load("ablation")
    module.ran = []

    def run(command, **_options):
        options = dict(word.removeprefix("--").partition("=")[::2] for word in command[2:])
        module.ran.append(options)
        rate = 0.5 + 0.1 * int(options["seed"]) + (0.05 if "reward" in options else 0)
        results = [{"against": name, "win_rate": rate} for name in ("random", "heuristic")]
        figures = {"results": results, "seconds": 30.0, "timers": {"evaluations": 10.0}}
        evaluated = int(options["eval-games"]), options["eval-against"]
        figures["options"] = dict(zip(("eval_games", "eval_against"), evaluated, strict=True))
        path = module.Path(options["out"]) / "result.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(figures))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(module.subprocess, "run", run)
    return module


def test_seeds_are_put_together(ablation, tmp_path, capsys):
    only = ["--only", "baseline", "sparse reward (win and loss)"]
    arguments = [*only, "--seeds", "1", "3", "--against=random,heuristic", f"--out={tmp_path}"]
    rows = ablation.main(arguments)
    assert [row["against"] for row in rows] == ["random", "heuristic"] * 2
    assert rows[0]["mean"] == pytest.approx(70)
    assert (rows[2]["lowest"], rows[2]["highest"]) == pytest.approx((65, 85))
    assert rows[0]["seconds"] == 20
    text = (tmp_path / "ablation.md").read_text()
    assert "| baseline | | random | 70.0 % | 60.0 to 80.0 % | 20 |" in text
    assert text in capsys.readouterr().out
    assert len((tmp_path / "ablation.csv").read_text().splitlines()) == 1 + 4


@pytest.mark.parametrize("program", ["maskable_ppo", "quick", "selfplay"])
def test_every_training_can_be_asked_for(ablation, tmp_path, program):
    trainer = load(ablation.PROGRAMS[program].script.removesuffix(".py"))
    options = ablation.parse_args([f"--program={program}", f"--out={tmp_path}"])
    assert options.only == tuple(ablation.PROGRAMS[program].variants)
    for name in options.only:
        words = ablation.command_of(name, 1, options)[2:]
        args = parse(trainer.Args, words, "")
        assert args.out == str(ablation.folder_of(name, 1, options))
    folders = {ablation.folder_of(name, 1, options) for name in options.only}
    assert len(folders) == len(options.only)
