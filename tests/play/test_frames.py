from pathlib import Path

from catan_pz.agents.random import RandomAgent
from catan_pz.events import ONLOOKER
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_match, frames_of_record
from catan_pz.play.session import PlayedGame
from tests.play.recordings import RULES


def test_a_recording_is_replayed_to_its_end(recorded: Path) -> None:
    record = GameRecord.load(recorded)
    frames = list(frames_of_record(record))
    assert len(frames) == len(record.decisions) + 1
    assert frames[0].line is None
    assert frames[-1].state["winner"] == record.result["winner"]
    assert frames[-1].line is not None
    assert frames[-1].line.endswith(" and wins")
    assert [p["points"] for p in frames[-1].state["players"]] == record.result["points"]


def test_frames_carry_their_viewer(recorded: Path) -> None:
    for viewer in (None, ONLOOKER, 1):
        record = GameRecord.load(recorded)
        assert next(frames_of_record(record, viewer)).viewer == viewer
        match = PlayedGame(Game(RULES, 4), [RandomAgent(), RandomAgent()], 4, viewer=viewer)
        assert next(frames_of_match(match)).viewer == viewer


def test_a_match_is_the_same_watched_and_recorded(tmp_path: Path) -> None:
    match = PlayedGame(Game(RULES, 4), [RandomAgent(), RandomAgent()], 4)
    live = list(frames_of_match(match))
    match.record.save(tmp_path / "game.jsonl")
    again = list(frames_of_record(GameRecord.load(tmp_path / "game.jsonl"), None, match.names))
    assert [frame.line for frame in again] == [frame.line for frame in live]
    # A replay names what chance brought instead of drawing it.
    drawn = ("rng", "deck")
    for one, other in zip(again, live, strict=True):
        assert [v for k, v in one.state.items() if k not in drawn] == [
            v for k, v in other.state.items() if k not in drawn
        ]
