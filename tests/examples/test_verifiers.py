"""verifiers plays the tasks of `examples/libraries/verifiers_taskset.py`."""

import json
import random
import re
import subprocess
import sys

import pytest

from tests.agents.scripted_model import scripted
from tests.examples.programs import ENVIRONMENT, EXAMPLES

pytestmark = pytest.mark.libraries


def test_an_evaluation_of_a_scripted_model(tmp_path):
    pytest.importorskip("verifiers.v1", reason="takes verifiers")

    def script(number, asked):
        numbers = re.findall(r"\[(\d+)\]", asked["messages"][-1]["content"])
        return random.Random(number).choice(numbers) if number % 5 else "well"

    with scripted(script) as model:
        command = [sys.executable, EXAMPLES / "libraries" / "verifiers_taskset.py", "-m", "m"]
        command += ["--client.base-url", model.url, "-n", "2", "-r", "2", "-o", tmp_path]
        command += ["--env.taskset.decisions", "20"]
        subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True)
    (file,) = tmp_path.glob("*/traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(episodes) == 4
    for episode in episodes:
        (trace,) = episode["traces"]
        assert trace["ok"], trace["errors"]
        assert trace["rewards"]["game"]["score"] >= 2.0
    assert len({episode["task"]["data"]["prompt"] for episode in episodes}) == 2
    assert len(model.questions) == 80
