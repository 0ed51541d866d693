import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli.app import run
from catan_pz.game import Game, GameRecord
from catan_pz.tables.jsettlers.contents import EDGES, LAND, VERTICES
from catan_pz.tables.records import read
from catan_pz.tables.records.catanatron_json import read_game
from catan_pz.tables.records.colonist import told_game
from catan_pz.tables.records.playing import played
from tests.tables.catanatron.recorded import game as catanatron_game
from tests.tables.records.colonist_files import Replay
from tests.tables.records.soclog_files import HEXES, TOKENS
from tests.tables.records.test_colonist import rules


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(json.dumps(Replay(rules(4), 4).play().data()))
    return told


def write(path: Path, data: Any) -> Path:
    content = (data if isinstance(data, str) else json.dumps(data)).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def test_names_are_kept_on_demand_alone(data: dict[str, Any], tmp_path: Path) -> None:
    path = write(tmp_path / "replay.json.gz", "\ufeff" + json.dumps({"data": data}))
    (kept,), (game,) = read(path, names=True), read(path)
    assert kept.record.names == [f"Person {seat}" for seat in range(3)]
    assert game.record.names == [f"player_{seat}" for seat in range(3)]
    assert "Person" not in json.dumps([game.to_dict(), *game.record.lines()])


def test_records_of_ours(tmp_path: Path) -> None:
    played = Game(num_players=2, seed=3)
    record = GameRecord.of(played, ["Ada", "search"], [None, "search"])
    for _ in range(20):
        played.step(int(played.legal_actions()[0]))
    record.save(tmp_path / "game.jsonl")
    (game,) = read(tmp_path / "game.jsonl")
    assert game.record.decisions == record.decisions
    assert game.record.names == ["player_0", "search"]
    lines = [*record.lines()]
    lines[12] = lines[11]
    (game,) = read(write(tmp_path / "odd.jsonl", "\ufeff" + "\r\n".join(lines)))
    assert game.report.disagreement is not None
    assert game.report.disagreement.place == "line 13"
    assert len([*game.record.replay()]) == 12


def test_games_of_catanatron() -> None:
    told = catanatron_game("four_players")
    last = told["decisions"][-1]
    tiles = []
    for tile in told["map"]["tiles"]:
        land = "RESOURCE_TILE" if tile.get("resource") else "DESERT"
        kind = land if tile["type"] == "LAND" else tile["type"]
        tiles.append({"coordinate": tile["coordinate"], "tile": {**tile, "type": kind}})
    data = {
        "tiles": tiles,
        "colors": told["colors"],
        "bot_colors": told["colors"][:1],
        "player_state": last["state"]["player_state"],
        "action_records": told["records"][: last["moves"]],
        "robber_coordinate": last["state"]["board"]["robber_coordinate"],
    }
    game = read_game(data)
    assert game.report.disagreement is None
    assert game.record.result["points"] == [9, 4, 4, 2]
    assert all(("bot" in one.marks) == (one.player == 0) for one in game.record.decisions)
    data["action_records"][30:] = [[["RED", "PLAY_YEAR_OF_PLENTY", ["WOOD"]], None]]
    game = read_game(data)
    assert game.report.disagreement is not None
    assert game.report.disagreement.place == "move 30"
    data["action_records"][30:] = [[["RED", "OFFER_TRADE", [10**12, *[0] * 9]], None]]
    with pytest.raises(ValueError, match="count of cards must be"):
        read_game(data)


def test_saved_games_of_jsettlers(tmp_path: Path) -> None:
    nobody = {"isSeatVacant": True}
    first = {
        "name": "Ada",
        "isSeatVacant": False,
        "totalVP": 3,
        "resources": {"clay": 2, "ore": 0, "sheep": 1, "wheat": 0, "wood": 0},
        "elements": {"NUMKNIGHTS": 1},
        "oldDevCards": ["UNIV"],
        "newDevCards": [],
        "pieces": [
            {"pieceType": "SETTLEMENT", "coord": VERTICES[0]},
            {"pieceType": "ROAD", "coord": EDGES[0]},
            {"pieceType": "SETTLEMENT", "coord": VERTICES[50]},
            {"pieceType": "ROAD", "coord": EDGES[68]},
        ],
    }
    empty = {"totalVP": 0, "resources": {}, "elements": {}, "oldDevCards": [], "pieces": []}
    deck = ["KNIGHT"] * 13 + ["ROADS", "DISC", "MONO"] * 2 + ["CAP", "TEMPLE", "MARKET", "CHAPEL"]
    saved = {
        "modelVersion": 2400,
        "gameOptions": "PL=4,VP=t12",
        "gameState": 20,
        "elements": {
            "ROUND_COUNT": 5,
            "FIRST_PLAYER": 3,
            "CURRENT_PLAYER": 3,
            "LONGEST_ROAD_PLAYER": -1,
            "LARGEST_ARMY_PLAYER": -1,
        },
        "devCardDeck": deck,
        "boardInfo": {
            "layout1": {"hexLayout": HEXES, "numberLayout": TOKENS, "robberHex": LAND[1]}
        },
        "playerSeats": [nobody, first | empty | {"name": "Bob"}, nobody, first],
    }
    (game,) = read(write(tmp_path / "saved.game.json", saved), names=True)
    assert game.report.disagreement is None
    assert game.record.names == ["Ada", "Bob"]
    (again,) = game.record.replay()
    assert again.points.tolist() == [3, 0]
    assert again.rules.victory_points == 12
    assert game.record.start["players"][0]["hand"]["brick"] == 2


def test_disagreements_are_placed_and_the_game_kept_up_to_there(data: dict[str, Any]) -> None:
    told = json.loads(json.dumps(data))
    color = str(told["playOrder"][0])
    event = told["eventHistory"]["events"][20]["stateChange"]
    event.setdefault("playerStates", {})[color] = {"resourceCards": {"cards": [5] * 9}}
    game = played(told_game(told))
    assert game.report.disagreement is not None
    assert str(game.report.disagreement).startswith("event 20 (")
    assert "seat 0" in game.report.disagreement.ours
    assert 0 < len([*game.record.replay()]) - 1 == len(game.record.decisions) < 40


def test_bad_files_take_one_line_each_and_the_others_go_on(
    data: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("catan_pz.tables.records.reading.MOST_READ", 4 * len(json.dumps(data)))
    folder = tmp_path / "files"
    folder.mkdir()
    good = write(folder / "good.json", [data, {"data": data}])
    write(folder / "cut.json", json.dumps(data)[:-9])
    (folder / "cut.json.gz").write_bytes(gzip.compress(good.read_bytes())[:-9])
    write(folder / "huge.json.gz", " " * 5 * len(json.dumps(data)))
    write(folder / "list.json", [1, 2])
    write(folder / "other.soclog", "SOC game event log: type=F\nall:SOCTurn:game=g|playerNumber=9")
    other = json.loads(json.dumps(data)) | {"gameSettings": {"mapSetting": 3}}
    other["eventHistory"]["initialState"]["mapState"]["tileHexStates"]["19"] = {"x": 9, "y": 9}
    write(folder / "map.json", other)
    odd = json.loads(json.dumps(data))
    odd["eventHistory"]["events"][9]["stateChange"] = {"gameLogState": {"1": {"text": {}}}}
    write(folder / "odd.json", odd)
    for depth, name in ((200_000, "deep.json"), (3, "nested.json")):
        write(folder / name, "[" * depth + "]" * depth)
    out = tmp_path / "games"
    assert run(["import", str(folder), str(tmp_path / "nothing"), "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert sorted(path.name for path in out.iterdir()) == [
        "good.jsonl",
        "good_1.jsonl",
        "report.json",
    ]
    assert len(shown.err.splitlines()) == 10, shown.err
    assert "event 9 is damaged" in shown.err
    assert "mapSetting must be that of the base game, got 3" in shown.err
    assert "2 new games" in shown.out
    told = (out / "report.json").read_text()
    assert run(["import", str(folder), "--out", str(out)]) == 0
    assert (out / "report.json").read_text() == told
