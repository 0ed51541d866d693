"""Matches on a scripted server that plays recorded games: what is kept, and what goes wrong."""

import json
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.random import RandomAgent
from catan_pz.arena import load_results
from catan_pz.arena.results_file import ResultsFile
from catan_pz.cli import main
from catan_pz.game.view import View
from catan_pz.tables.jsettlers import match as match_module
from catan_pz.tables.jsettlers.client import ServerAddress, ServerError
from catan_pz.tables.jsettlers.match import TableMatch, play_match
from catan_pz.tables.jsettlers.server import CLASSES
from tests.tables.jsettlers.recorded import received
from tests.tables.jsettlers.server import (
    COOKIE,
    CUT,
    DECLINED,
    PATIENCE,
    Script,
    ScriptedServer,
    running,
    unchanged,
)

NAME = "two_players"


def cut_at(place: int) -> Script:
    return lambda texts: [*texts[:place], CUT]


def with_texts(place: int, *more: str) -> Script:
    return lambda texts: [*texts[:place], *more, *texts[place:]]


def told_twice(start: str) -> Script:
    def script(texts: list[str]) -> list[str]:
        place = next(k for k, text in enumerate(texts) if k > 120 and text.startswith(start))
        return [*texts[:place], *texts[place : place + 1] * 2, *texts[place + 1 :]]

    return script


def play(
    scripts: list[Script], games: int, results: Path | None = None
) -> tuple[TableMatch, ScriptedServer]:
    with running(ScriptedServer(NAME, scripts)) as server:
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
    assert match.seat_weighted_rate() is None
    assert load_results(path) == match.result
    assert match.broken == []
    assert "9999|7" in server.said


def test_a_match_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    play([unchanged], 1, path)
    match, _ = play([unchanged] * 5, 2, path)
    assert [game.number for game in match.result.games] == [0, 1]
    with pytest.raises(ValueError, match="another match"):
        play_match("heuristic", games=2, server=ServerAddress("", 1, ""), results=path)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (with_texts(150, "1028|g,99"), "99"),
        (with_texts(150, "1009|g,0"), "fields"),
        (told_twice("1028|"), "legal"),
        (lambda texts: [*texts[:100], *texts[140:]], ""),
        (with_texts(150, "1056|g"), "ended"),
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


def test_what_is_no_message_of_the_game_is_ignored() -> None:
    odd = ("", "hello", "1|", "9" * 5000 + "|g", "1028|another game,7", "1091|g\0chat, 1|2")
    match, _ = play([with_texts(150, *odd)], 1)
    assert match.broken == []


def test_a_wrong_cookie_is_named() -> None:
    with (
        running(ScriptedServer(NAME, [])) as server,
        pytest.raises(ServerError, match="refuses: Cookie contents do not match"),
    ):
        play_match("random", games=1, server=ServerAddress("127.0.0.1", server.port, "x"))


def test_the_command_says_that_a_match_gives_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(match_module, "MOST_BROKEN", 2)
    with running(ScriptedServer(NAME, [unchanged] * 3)) as server:
        where = ["--host", "127.0.0.1", "--port", str(server.port), "--cookie", COOKIE]
        agent = f"{__name__}:Confused"
        words = ["--agent", agent, "--players", "2", "--no-trading", "--games", "1", *where]
        assert finished(lambda: main(["jsettlers", *words])) == 1
    out, errors = capsys.readouterr()
    assert "Games broken off because the agent failed: 2; win rates leave them out" in out
    last = errors.splitlines()[-1]
    assert last.startswith("Error: gave up after 0 of 1 games, as 2 in a row were broken off")
    assert last.endswith("the agent failed: RuntimeError: no idea")


def test_a_lost_connection_leaves_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with pytest.raises(ServerError, match="was lost: the same command continues"):
        play([unchanged, cut_at(200)], 5, path)
    assert len(load_results(path).games) == 1
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert header["table"] == "JSettlers"


class Confused(RandomAgent):
    def act(self, view: View) -> int:
        raise RuntimeError("no idea")


class Lawless(RandomAgent):
    def act(self, view: View) -> int:
        return int(view.mask.argmin())


class Failing(RandomAgent):
    def end(self, result: SeatResult) -> None:
        if result.winner is not None and result.reason == "victory" and result.turns > 20:
            raise RuntimeError("no more games")


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (Confused(), "RuntimeError: no idea"),
        (Lawless(), "IllegalActionError: "),
        (Failing(), "RuntimeError: no more games"),
    ],
    ids=["raises", "not legal", "at the end"],
)
def test_a_match_gives_up_with_an_agent_that_fails(
    monkeypatch: pytest.MonkeyPatch, agent: Agent, reason: str
) -> None:
    monkeypatch.setattr(match_module, "MOST_BROKEN", 1)
    with running(ScriptedServer(NAME, [unchanged])) as server:
        address = ServerAddress("127.0.0.1", server.port, COOKIE)
        match = finished(lambda: play_match(agent, games=1, seed=1, server=address))
    (line,) = match.broken
    assert line.partition(": ")[2].startswith(f"the agent failed: {reason}")
    assert match.agent_failed == 1
    assert match.result.games == ()
    assert match.gave_up.startswith("gave up after 0 of 1 games, as 1 in a row were broken off")


def test_a_full_disk_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ResultsFile, "add", add)
    with pytest.raises(OSError, match="No space left"):
        finished(lambda: play([unchanged] * 2, 2))


def finished(call: Callable[[], Any]) -> Any:
    """What a call returns or raises, which must not hang."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert results, "it hangs"
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]


def test_a_game_that_the_robot_is_not_invited_to_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a match that has its games created."""
    server = ScriptedServer(NAME, [unchanged], on_demand=True, ignored=1)

    def own(*_: Any) -> Any:
        return nullcontext(ServerAddress("127.0.0.1", server.port, COOKIE))

    def give_up(*given: Any) -> None:
        monkeypatch.setattr(match_module, "SECONDS_TO_INVITE", PATIENCE)
        give_one_up(*given)

    give_one_up = match_module._Running._give_up
    monkeypatch.setattr(match_module._Running, "_give_up", give_up)
    monkeypatch.setattr(match_module, "SECONDS_TO_INVITE", 0.1)
    monkeypatch.setattr(match_module, "own_server", own)
    monkeypatch.setattr(match_module, "class_path", lambda given: "")
    with running(server):
        match = finished(lambda: play_match("random", games=1, seed=1, parallel=1))
    assert len(match.result.games) == 1
    assert len(match.broken) == 1
    assert "didn't invite the robot" in match.broken[0]
    game = match.broken[0].partition(":")[0]
    assert any(text.startswith("1011|") and text.endswith(f",{game}") for text in server.said)


def test_games_of_other_players_or_rules_do_not_count() -> None:
    def four(_: list[str]) -> list[str]:
        first, *texts = received("four_players_trade")
        return [f"{first},NT=t", *texts]

    def declined(texts: list[str]) -> list[str]:
        return [*(f"{texts[0]},{option}" for option in DECLINED), *texts]

    with pytest.warns(UserWarning, match="don't count"):
        match, _ = play([four, declined], 1)
    told = ["game 1: 4 players", "game 2: VP=t13", "game 2: with trade"]
    assert sorted(match.others) == told
    assert [len(game.seats) for game in match.result.games] == [2]
    assert match.broken == []


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
