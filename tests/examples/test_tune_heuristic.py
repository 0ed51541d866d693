"""The tuning program: what it writes, how it goes on, and that it gets better."""

import json

from catan_pz.agents.heuristic.weights import Weights

SHORT = ["--players=2", "--population=4", "--games=20", "--eval-games=20", "--eval-every=2"]

PROGRAM = "tune_heuristic"


def generations(folder):
    return (folder / "generations.jsonl").read_text(encoding="utf-8").splitlines()


def test_a_resumed_run_is_the_whole_run(program, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    program.main([*SHORT, "--generations=4", f"--out={whole}"])
    program.main([*SHORT, "--generations=2", f"--out={parts}"])
    program.main([*SHORT, "--generations=4", f"--out={parts}", "--resume"])
    assert generations(parts) == generations(whole)
    assert len(generations(whole)) == 1 + 4
    written = json.loads((whole / "weights.json").read_text(encoding="utf-8"))
    assert written == json.loads((parts / "weights.json").read_text(encoding="utf-8"))
    assert Weights(**written) != Weights()
    assert "offer" not in written
