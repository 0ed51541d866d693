"""A replay holds the frames that the package draws, and shows what its viewer may know."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

import catan_pz.web
from catan_pz.cli import main
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import Frame, frames_of_record
from catan_pz.render.view import table_view
from catan_pz.render.words import decision_words
from catan_pz.web.drawn import board_layers, view_json
from catan_pz.web.replay import FORMAT, Replay, make_replay
from tests.play.recordings import recorded
from tests.render import positions
from tests.render.test_secrecy import resampled

__all__ = ["recorded"]

PAGES = Path(catan_pz.web.__file__).parent / "pages"


def content(replay: Replay) -> dict[str, Any]:
    """What the page's program reads."""
    packed = re.search(r'id="game">([^<]*)<', replay.html)
    assert packed is not None
    game: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return game


@pytest.mark.parametrize("viewer", [None, 1])
def test_every_frame_shows_what_its_viewer_knows(recorded: Path, viewer: int | None) -> None:
    record = GameRecord.load(recorded)
    frames = list(frames_of_record(record, viewer))
    game = content(make_replay(frames, viewer=viewer, record=record))
    assert game["format"] == FORMAT
    assert len(game["frames"]) == len(record.decisions) + 1
    known: dict[str, Any] = {}
    for at, frame in enumerate(frames):
        view = table_view(frame.state, viewer)
        known |= game["frames"][at]["view"]
        assert known == json.loads(json.dumps(view_json(view)))
        drawn = [game["layers"][k] for k in game["frames"][at]["layers"]]
        assert drawn == [*board_layers(view), ""]
        assert game["frames"][at]["line"] == frame.line
    assert game["winner"] == record.result["winner"]
    if viewer is None:
        seats = [known[f"seat {seat}"] for seat in range(2)]
        points = [seat["visible_points"] + seat["hidden_points"] for seat in seats]
        assert points == record.result["points"]
        assert GameRecord.from_lines(game["record"]) == record
    else:  # a record holds all that is hidden
        assert game["record"] == ""


def test_hidden_cards_leave_no_trace() -> None:
    state = positions.midgame()
    shown, other = (
        make_replay([Frame(drawn_from, None, viewer=0)]).html
        for drawn_from in (state, resampled(state))
    )
    assert shown == other
    everything = [
        make_replay([Frame(drawn_from, None)]).html for drawn_from in (state, resampled(state))
    ]
    assert everything[0] != everything[1]


def test_a_page_loads_nothing_and_escapes_names() -> None:
    hostile = ['"><script>alert(1)</script>', "</script><b>", "x" * 5000, "\x1b[31m\udc80"]
    replay = make_replay([Frame(positions.midgame(), "</script><i>line")], names=hostile)
    replay.html.encode()  # no lone surrogate
    assert "alert(1)</script>" not in replay.html
    assert replay.html.count("<script") == 2
    assert "default-src 'none'" in replay.html
    links = r"http://(www\.w3\.org/2000/svg|localhost:8000/study)"
    addresses = re.sub(links, "", replay.html)
    assert not re.search(r"https?:|src=|@import|url\(", addresses)
    assert len(replay.html) < 200_000
    assert "<script" not in "".join(content(replay)["layers"])
    assert replay._repr_html_().count("<") == 2  # one frame, the page escaped inside


def test_commands_write_the_same_page(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    pages = [tmp_path / "exported.html", tmp_path / "watched.html"]
    words = ["--viewer", "0", "--names", "Ann,Bob"]
    assert main(["export", str(recorded), "--html", str(pages[0]), *words]) == 0
    assert main(["watch", str(recorded), "--html", str(pages[1]), *words]) == 0
    decisions = len(GameRecord.load(recorded).decisions)
    assert f"shows {decisions} decisions" in capsys.readouterr().out
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert "<title>Ann, Bob</title>" in pages[0].read_text()
    assert main(["export", str(recorded), "--html", str(tmp_path / "page.txt")]) == 2
    assert "must end in .html" in capsys.readouterr().err


QUICK = "search:simulations=1,determinizations=1,turns=0,rollout=random"


def test_a_replay_shows_advice_and_win_probabilities(recorded: Path, tmp_path: Path) -> None:
    page = tmp_path / "replay.html"
    words = ["--advice", "weighted", "--win-probability", QUICK, "--viewer", "1"]
    assert main(["export", str(recorded), "--html", str(page), *words]) == 0
    game = content(Replay(page.read_text(), 0))
    plain = content(make_replay(frames_of_record(GameRecord.load(recorded), 1), viewer=1))
    assert not {"advice", "wins"} & plain["frames"][0].keys()
    assert game["viewer"] == 1
    assert all(sum(frame["wins"]) == pytest.approx(1, abs=0.02) for frame in game["frames"])
    decided = {k: frame["advice"] for k, frame in enumerate(game["frames"]) if "advice" in frame}
    decisions = GameRecord.load(recorded).decisions
    views = [table_view(game.snapshot()) for game in GameRecord.load(recorded).replay()]
    assert {decisions[k].player for k in decided} == {1}
    for k, advice in decided.items():
        assert advice["agent"] == "weighted"
        assert advice["columns"] == ["Probability"]
        words = decision_words(decisions[k].action, views[k])
        assert [row[0] for row in advice["rows"] if row[3]] == [words]
        assert '<g class="overlay">' in game["layers"][advice["layer"]]
