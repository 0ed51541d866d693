from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.agents.random import RandomAgent
from catan_pz.game.record import GameRecord
from catan_pz.play.session import PlayedGame, get_ready
from catan_pz.rules import Rules
from tests.play.sessions import choice, session


def test_a_story_tells_a_seat_only_what_it_may_know() -> None:
    match = session(Rules(num_players=2, max_turns=60), seed=3)
    rng = np.random.default_rng(3)
    while not match.is_finished:
        if match.waits_for_person:
            match.game.step(choice(match.game, rng))
        else:
            match.table.step()
    bought = [line for line in match.log if line.startswith("RandomAgent buys a dev")]
    assert not any(":" in line for line in bought)


def leave_after(match: Any, decisions: int) -> None:
    rng = np.random.default_rng(5)
    while len(match.log) < decisions:
        if match.waits_for_person:
            match.game.step(choice(match.game, rng))
        else:
            match.table.step()


def test_a_recorded_game_goes_on_where_it_was_left(tmp_path: Path) -> None:
    match = session()
    leave_after(match, 40)
    match.record.save(tmp_path / "game.jsonl")
    record = GameRecord.load(tmp_path / "game.jsonl")
    again = PlayedGame.resumed(record, [None, RandomAgent()], 7)
    assert again.names == ["Ann", "random"]
    assert again.log == match.log
    assert again.record == match.record
    without_chance = [
        {k: v for k, v in game.snapshot().items() if k not in ("rng", "deck")}
        for game in (match.game, again.game)
    ]
    assert without_chance[0] == without_chance[1]
    leave_after(again, 60)
    assert again.record.decisions[:40] == match.record.decisions
    *_, last = again.record.replay()
    assert last.snapshot()["players"] == again.snapshot()["players"]


def test_chance_is_drawn_anew_in_a_game_that_goes_on() -> None:
    match = session()
    leave_after(match, 40)
    drawn = set()
    for seed in range(8):
        again = PlayedGame.resumed(match.record, [None, RandomAgent()], seed)
        drawn.add(again.snapshot()["rng"]["state"])
    assert len(drawn) == 8


def test_a_finished_game_is_not_gone_on_with() -> None:
    match = session(Rules(num_players=2, max_turns=1))
    while not match.is_finished:
        leave_after(match, len(match.log) + 1)
    left: list[Any] = []

    class Leaving(RandomAgent):
        def close(self) -> None:
            left.append(self.seat)

    with pytest.raises(ValueError, match="the recorded game is over"):
        PlayedGame.resumed(match.record, [None, Leaving()], 1)
    assert left == [1]


def test_agents_are_made_ready_in_a_game_of_their_own() -> None:
    asked = []

    class Noted(RandomAgent):
        def act(self, view: Any) -> int:
            asked.append((self.name, self.seat))
            return super().act(view)

    first, other = Noted(), Noted()
    other.name = "other"
    get_ready(Rules(num_players=4, trading=False), [None, first, first, other])
    assert asked == [("Noted", 0), ("other", 0)]
    assert not hasattr(first, "seat")
