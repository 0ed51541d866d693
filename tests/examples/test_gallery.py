"""The gallery runs, and says what it should."""

import json
import random
import re

import pytest

from catan_pz import Game, Rules
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import reasons_of
from tests.agents.scripted_model import scripted
from tests.examples.programs import load

CASES = {
    "first_game": ((1,), "has won"),
    "read_an_observation": ((3,), "own hand:"),
    "write_an_agent": ((8,), "of 8 games"),
    "hidden_hands": ((5,), "looks the same to the viewer: True"),
    "batch_of_games": ((16, 30), "decisions a second"),
}


@pytest.mark.parametrize("name", CASES)
def test_gallery(name, capsys):
    arguments, said = CASES[name]
    load(f"gallery/{name}").main(*arguments)
    assert said in capsys.readouterr().out


def test_reasons_beside_a_replay(tmp_path):
    recording, reasons = tmp_path / "game.jsonl", tmp_path / "reasons.jsonl"
    rules = Rules(num_players=2, trading=False, victory_points=3)
    game = Game(rules, seed=1)
    record = GameRecord.of(game)
    while not game.is_over:
        game.step(int(game.legal_actions()[-1]))
    record.save(recording)
    made = load("gallery/reasons_beside_a_replay")
    made.main(str(recording), 0, str(reasons), "search:simulations=8")
    found = reasons_of(record, [reasons])
    assert {record.decisions[number].player for number in found} == {0}
    assert any("I win" in reason and " if I " in reason for reason in found.values())


def test_episodes_in_words(capsys):
    pytest.importorskip("openai")

    def script(number, asked):
        numbers = re.findall(r"\[(\d+)\]", asked["messages"][1]["content"])
        return random.Random(number).choice(numbers) if number % 5 else "well"

    with scripted(script) as model:
        load("gallery/text_episodes").main("m", model.url, 2, 30)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2
    assert sum(line["advantage"] for line in lines) == pytest.approx(0)
    errors = [turn["error"] for line in lines for turn in line["turns"]]
    assert any("can't be played now" in error for error in errors)
    assert len(errors) == len(model.questions) == 60
