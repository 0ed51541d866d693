"""Agents in processes of their own choose what they choose in this one, and can't touch it."""

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from catan_pz import agents, arena
from catan_pz.agents import registry
from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.programs import messages
from catan_pz.agents.programs.agent import IsolatedAgent, ProgramError
from catan_pz.agents.programs.serve import Session
from catan_pz.agents.table import Table
from catan_pz.cli import main
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from tests.arena.players import QUICK, Counter, Deaf, Sulking


class Historian(Counter):
    """Chooses by all that it has heard and drawn."""

    needs_belief = True

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.heard = 0

    def observe(self, events: Any) -> None:
        for event in events:
            self.heard = (31 * self.heard + sum(event[:5])) % 1009

    def act(self, view: Any) -> int:
        drawn = view.resample(np.random.default_rng(self.random.next()))
        legal = view.mask.nonzero()[0]
        total = self.heard + int(drawn.state["hand"].sum(0) @ np.arange(5))
        total += int(drawn.state["deck"] @ np.arange(25))
        return int(legal[total % len(legal)])


def test_isolated_agents_play_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hears events and draws from its belief, a registered one, one that fails at last."""
    monkeypatch.setattr(registry, "_HOMES", dict(registry._HOMES))
    agents.register("counting", "tests.arena.players:Counter")
    players = [Historian(), "counting", Sulking()]
    options = QUICK | {
        "trading": True,
        "offer_form": "both",
        "max_turns": 12,
        "first_player": "random",
    }
    with pytest.warns(UserWarning, match="RuntimeError: not fair, raised by agent .Sulking. in"):
        here = arena.play_match(players, 3, seed=3, progress=False, **options)
    there = arena.play_match(players, 3, seed=3, progress=False, isolate=True, **options)
    assert there == here
    assert {game.reason for game in here.games} == {""}


class Prying(Agent):
    """Looks for a game in its process, and says where it is."""

    def act(self, view: Any) -> int:
        import gc

        found = [one for one in gc.get_objects() if type(one) is Game]
        raise LookupError(f"{len(found)} games in {os.getpid()}, resampler {view._resampler}")


def test_there_is_no_game_in_the_process_of_an_agent() -> None:
    game = Game(num_players=2, seed=1, trading=False)
    agent = IsolatedAgent(Prying(), "prying")
    with Table(game, [agent, None], [1, 2]) as table, pytest.raises(ProgramError) as caught:
        table.step()
    agent.end_programs()
    assert caught.value.reason.startswith("error: LookupError: 0 games in ")
    assert caught.value.reason.endswith(", resampler None")
    assert f" {os.getpid()}," not in caught.value.reason


def test_homes_that_are_not_there_are_told_before_the_first_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only_here = ModuleType("only_here")
    only_here.Counter = Counter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "only_here", only_here)
    monkeypatch.setattr(registry, "_HOMES", dict(registry._HOMES))
    agents.register("counting", "only_here:Counter")
    told = "'counting' can't be made in a process of its own: ValueError: .* home 'only_here:Count"
    with pytest.raises(ValueError, match=told):
        arena.play_match(["counting", "random"], 1, seed=1, progress=False, isolate=True, **QUICK)


def ask(session: Session, message: dict[str, Any]) -> Any:
    return session.answer(messages.encoded(message))


def test_a_session_tells_of_a_failure_where_an_answer_is_due(capsys: Any) -> None:
    """One that couldn't bear an event says so in its decision, if the game comes to one."""
    game = Game(num_players=2, seed=1, trading=False)
    session = Session(Deaf())
    view = Table(game, [None] * 2, [1, 2]).view(0)
    assert ask(session, messages.start(0, game.rules, 1, None))["type"] == "ready"
    assert ask(session, messages.of_view(view))["type"] == "action"
    for _ in range(13):
        assert ask(session, messages.of_events(())) is None
    assert capsys.readouterr().err == "UnicodeError: what was that?\n"
    answer = ask(session, messages.of_view(view))
    assert answer == {"type": "error", "message": "UnicodeError: what was that?"}
    ended = messages.of_result(SeatResult(0, 0, (10, 2), 30, "victory"))
    assert ask(session, ended) is None


def test_sessions_refuse_what_they_cannot_follow() -> None:
    session = Session(Historian())
    hello = {"type": "hello", "protocol": "catan/9"}
    assert "protocol is 'catan/9'; known: 'catan-pz-" in ask(session, hello)["message"]
    assert "no game has begun" in ask(session, {"type": "view"})["message"]
    assert "no message of type 'move'" in ask(session, {"type": "move"})["message"]
    assert session.answer(b"nonsense")["type"] == "error"  # type: ignore[index]
    game = Game(num_players=2, seed=1, max_turns=30)
    ask(session, messages.start(0, game.rules, 1, None))
    for _ in range(3):
        game.step(int(game.legal_actions()[0]))
    view = Table(game, [None] * 2, [1, 2]).view(game.player)
    assert "all decisions are needed" in ask(session, messages.of_view(view))["message"]


def test_the_command_speaks_the_protocol(tmp_path: Path, capsys: Any) -> None:
    spec = f'exec:"{sys.executable}" -m catan_pz.cli program'
    words = ["tournament", f"random,{spec} --agent weighted", "--games", "2", "--seed", "1"]
    words += ["--players", "2", "--no-trading", "--points", "3", "--results", str(tmp_path / "r")]
    assert main(words) == 0
    games = [json.loads(line) for line in (tmp_path / "r").read_text().splitlines()][1:]
    direct = arena.play_tournament(
        ["random", "weighted"], 2, seed=1, num_players=2, trading=False, victory_points=3
    )
    assert [tuple(game["points"]) for game in games] == [game.points for game in direct.games]
