"""Matches on a scripted server that plays recorded games: what is kept, and what goes wrong."""

import json
import os
import shutil
import socket
from pathlib import Path

import pytest

from catan_pz.arena import load_results
from catan_pz.bridges.jsettlers import client
from catan_pz.bridges.jsettlers import match as match_module
from catan_pz.bridges.jsettlers.client import ServerError
from catan_pz.bridges.jsettlers.match import Match, ServerAddress, play_match, seat_weighted_rate
from catan_pz.bridges.jsettlers.server import CLASSES
from tests.bridges.jsettlers.server import (
    COOKIE,
    CUT,
    Script,
    ScriptedServer,
    running,
    unchanged,
)

NAME = "two_players"


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SECONDS_BEFORE_RECONNECT", 0.01)


def cut_at(place: int) -> Script:
    return lambda texts: [*texts[:place], CUT]


def with_text(place: int, text: str) -> Script:
    return lambda texts: [*texts[:place], text, *texts[place:]]


def told_twice(start: str) -> Script:
    def script(texts: list[str]) -> list[str]:
        place = next(k for k, text in enumerate(texts) if k > 120 and text.startswith(start))
        return [*texts[:place], *texts[place : place + 1] * 2, *texts[place + 1 :]]

    return script


def play(
    scripts: list[Script], games: int, results: Path | None = None, refusal: str | None = None
) -> tuple[Match, ScriptedServer]:
    with running(ScriptedServer(NAME, scripts, refusal)) as server:
        address = ServerAddress("127.0.0.1", server.port, COOKIE)
        match = play_match(
            "random", players=2, games=games, seed=1, server=address, results=results
        )
        return match, server


def test_games_become_a_result_with_the_first_player_in_seat_0(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    match, server = play([unchanged] * 2, 2, path)
    game = match.result.games[0]
    assert len(match.result.games) == 2
    assert sorted(game.seats) == ["random", "smart"]
    assert game.winner is not None
    assert game.points[game.winner] >= 10
    assert match.result.tally("random").seats == 2
    assert seat_weighted_rate(match.result, "random") is None
    assert load_results(path) == match.result
    assert match.reconnects == 0
    assert match.broken == []
    assert "9999|7" in server.said


def test_a_match_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    play([unchanged], 1, path)
    match, _ = play([unchanged] * 5, 2, path)
    assert [game.number for game in match.result.games] == [0, 1]
    with pytest.raises(ValueError, match="another match"):
        play_match("heuristic", games=2, server=ServerAddress("", 1, ""), results=path)


def test_a_lost_connection_is_opened_anew_and_its_game_played_again() -> None:
    match, server = play([unchanged, cut_at(200), unchanged], 2)
    assert match.reconnects == 1
    assert len(match.broken) == 1
    assert "lost" in match.broken[0]
    assert len(match.result.games) == 2
    assert sum(text.startswith("1022|") for text in server.said) == 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (with_text(150, "1028|g,99"), "99"),
        (with_text(150, "1009|g,0"), "fields"),
        (told_twice("1028|"), "legal"),
        (lambda texts: [*texts[:100], *texts[140:]], ""),
        (with_text(150, "1056|g"), "ended"),
    ],
    ids=["impossible", "too short", "repeated", "lost", "dismissed"],
)
def test_a_game_with_a_wrong_message_is_broken_off_and_the_others_go_on(
    script: Script, reason: str
) -> None:
    match, _ = play([script, unchanged], 1)
    assert len(match.broken) == 1
    assert reason in match.broken[0]
    assert len(match.result.games) == 1


@pytest.mark.parametrize("text", ["", "hello", "1|", "9" * 5000 + "|g", "1028|another game,7", "1091|g\0chat, 1|2"])
def test_what_is_no_message_of_the_game_is_ignored(text: str) -> None:
    match, _ = play([with_text(150, text)], 1)
    assert match.broken == []


def test_a_wrong_cookie_is_named() -> None:
    with (
        running(ScriptedServer(NAME, [])) as server,
        pytest.raises(ServerError, match="refuses: Cookie contents do not match"),
    ):
        play_match("random", games=1, server=ServerAddress("127.0.0.1", server.port, "x"))


def test_a_full_server_is_named() -> None:
    with pytest.raises(ServerError, match=r"refuses: .*full"):
        play([], 1, refusal="Sorry, the server is full.")


def test_no_server_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(ServerError, match=f"no JSettlers server at 127.0.0.1:{port}"):
            play_match("random", games=1, server=ServerAddress("127.0.0.1", port, "x"))


def test_a_server_that_is_gone_leaves_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    cuts: list[Script] = [cut_at(0)] * (client.RECONNECTS + 1)
    with pytest.raises(ServerError, match="is gone"):
        play([unchanged, *cuts], 5, path)
    assert len(load_results(path).games) == 1
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert header["table"] == "JSettlers"


def test_a_match_gives_up_when_every_game_breaks_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "MOST_BROKEN", 3)
    broken: list[Script] = [with_text(150, "1028|g,99")] * 9
    match, _ = play(broken, 1)
    assert len(match.broken) == 3
    assert match.result.games == ()


@pytest.mark.skipif(
    CLASSES not in os.environ or shutil.which("java") is None,
    reason=f"needs java, and the classes of a JSettlers server in {CLASSES}",
)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("against", "players", "trading"), [("smart", 2, False), ("fast", 4, True)]
)
def test_a_real_server(against: str, players: int, trading: bool) -> None:
    match = play_match("heuristic", against, players, trading, games=2, parallel=2)
    assert len(match.result.games) == 2
    assert match.refused == []
    assert match.broken == []
