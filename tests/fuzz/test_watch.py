"""A long run sees findings, hangs and crashes, keeps their inputs, and goes on after them."""

import json
import sys
from pathlib import Path

import pytest

from tests.fuzz.inputs import Input
from tests.fuzz.watch import Campaign
from tests.fuzz.worker import kind_of

HARMFUL = """
import os, time
from tests.fuzz import targets, worker

def harmful(rng, tally):
    tally["inputs"] += 1
    time.sleep(0.01)
    {harm}

targets.TARGETS.clear()
targets.TARGETS["harmful"] = harmful
worker.main()
"""
HARMS = {
    "finding": ("raise KeyError('a')", "KeyError"),
    "crash": ("os.abort()", "crash, exit status"),
    "hang": ("time.sleep(1000)", "hang (harmful)"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_harm_is_noticed(harm: str, tmp_path: Path) -> None:
    statement, told = HARMS[harm]
    command = [sys.executable, "-c", HARMFUL.format(harm=statement)]
    patience = 2.0 if harm == "hang" else 600.0
    campaign = Campaign(
        tmp_path, seconds_per_input=patience, seconds_to_start=patience, command=command
    )
    campaign.run(600.0, until_found=True)
    (finding,) = campaign.findings.values()
    assert told in finding.what
    assert json.loads(finding.file.read_text())["target"] == "harmful"
    assert Input.read(finding.file).target == "harmful"
    assert told in campaign.report()


def test_findings_of_one_kind_are_counted_together() -> None:
    assert kind_of("KeyError at game.py:17: 5") == kind_of("KeyError at game.py:17: 89")
