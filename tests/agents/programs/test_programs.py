"""Programs play; those that fail forfeit and say why; all of them are ended."""

import os
import pickle
import shutil
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import agents, arena
from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.programs import messages
from catan_pz.agents.programs.agent import ProgramAgent, ProgramError
from catan_pz.agents.programs.serve import FromHost, Session
from catan_pz.agents.random import RandomAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.game.followed import FollowedGame
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.rules import Rules
from tests.agents.programs.players import SECONDS, all_end, command, is_running, pids

ROOT = Path(__file__).parents[3]
QUICK: dict[str, Any] = {"num_players": 2, "trading": False, "max_turns": 12, "progress": False}
ASK = "say({'type': 'resample', 'count': 1, 'seed': 1})"
posix = pytest.mark.skipif(os.name != "posix", reason="looks for processes by POSIX signals")


def reasons(agent: Any, games: int = 2, **options: Any) -> set[str]:
    result = arena.play_match([("bot", agent), "random"], games, seed=1, **QUICK | options)
    lost = [game for game in result.games if game.end == "forfeit"]
    assert all(game.seats[game.offender or 0] == "bot" for game in lost)
    return {game.reason for game in result.games}


def as_line(message: messages.Message) -> messages.Message:
    return messages.decoded(messages.encoded(message))


def test_starts_and_results_survive_as_messages() -> None:
    result = SeatResult(2, None, (1, 2, 3, 4), 20, "truncated")
    assert messages.to_result(as_line(messages.of_result(result)), 2).turns == 20
    start = messages.start(0, Rules(), 1, None) | {"rules": {}}
    assert Session(RandomAgent()).answer(messages.encoded(start)) == {"type": "ready"}


def test_games_that_a_host_draws_look_the_same_to_the_program() -> None:
    rules = Rules(num_players=3, first_player="random", max_turns=None)
    game, rng = Game(rules, 5), np.random.default_rng(2)
    followed = FollowedGame.from_snapshot(game.snapshot(), 1)
    game.listeners.append(followed.listen)
    for k in range(300):
        game.step(int(rng.choice(game.legal_actions())))
        if k % 50:
            continue
        view = followed.view()
        assert as_line(messages.of_view(view))["resample"]
        host = FromHost(lambda m, v=view: as_line(messages.of_games(v, rules, as_line(m))), rules)
        drawn = host.resample_many(np.random.default_rng(1), 3)
        assert len(np.unique(drawn["rng"])) == 3
        for one in drawn:
            told = Game.from_games(one[None].copy(), rules)
            assert told.validate() == 0
            assert told.observe(1).tobytes() == view.observation.tobytes()
        assert host.resample(np.random.default_rng(2)).validate() == 0
    assert "resample" not in messages.of_view(view_of(game, 1))


@pytest.mark.parametrize(
    ("interpreter", "program"), [(shutil.which("node"), "bot.js"), (sys.executable, "bot.py")]
)
def test_the_examples_play(interpreter: str | None, program: str) -> None:
    if interpreter is None:
        pytest.skip("node isn't installed")
    spec = f'exec:"{interpreter}" "{ROOT / "examples" / "programs" / program}"'
    assert reasons(spec, 4, victory_points=3, max_turns=60) == {""}


def test_a_command_may_stand_in_quotes() -> None:
    one = agents.load('exec:"node bot.js --fast"')
    assert isinstance(one, ProgramAgent)
    assert one.command == ["node", "bot.js", "--fast"]
    assert ProgramAgent("node 'my bot.js'").command == ["node", "my bot.js"]
    assert one.name == "node bot.js --fast"
    assert pickle.loads(pickle.dumps(one)).command == deepcopy(one).command == one.command

    with pytest.raises(ValueError, match="a program and its arguments"):
        ProgramAgent("  ")


@pytest.mark.parametrize(
    ("special", "reason"),
    [
        ("if views == 2: os._exit(7)", "died: the program ended without an answer (exit status 7)"),
        ("if views == 2: print('my move', flush=True)", "nonsense: 'my move', no JSON"),
        ("if kind == 'start': say({'type': 'action'})", 'nonsense: \'{"type": "action"}\', its'),
        ("if kind == 'view': message = {'actions': [{'id': 1}]}", "illegal: phase 'setup_settl"),
        ("if views: say({'type': 'error', 'message': 'a\\x1b[2Jb\\n'})", r"error: a\x1b[2Jb"),
        ("if views == 2: sys.stdout.write('x' * 3_000_000)", "nonsense: 'xxxxx"),
        (f"if kind == 'view': {ASK}; continue", "nonsense: it asks for games, no games are drawn"),
    ],
    ids=lambda given: given[:30],
)
def test_programs_that_fail(special: str, reason: str, tmp_path: Path) -> None:
    found = reasons(f"exec:{command(tmp_path, special)}")
    assert all(one.startswith(reason) for one in found), found
    assert all(len(one) <= 300 and one.isprintable() for one in found)
    assert all_end(pids(tmp_path))


def test_what_a_program_wrote_to_standard_error_is_told(tmp_path: Path) -> None:
    special = "sys.stderr.write('x' * 200_000 + '\\n'); sys.exit('out of\\x07 cards')"
    (reason,) = reasons(f"exec:{command(tmp_path, special)}", 1)
    assert reason.startswith("died: the program ended without an answer (exit status 1); it wrote")
    assert reason.endswith(r"xxx out of\x07 cards")


def test_the_message_of_an_error_in_node_is_told(tmp_path: Path) -> None:
    """It stands above the calls, which are longer than what is told."""
    wrote = "bot.js:9\n\nError: no port" + "\n    at choose (bot.js:9:31)" * 20 + "\n\nNode.js v20"
    (reason,) = reasons(f"exec:{command(tmp_path, f'sys.exit({wrote!r})')}", 1)
    assert reason.endswith("it wrote: bot.js:9 Error: no port Node.js v20")


def in_a_game(agent: Agent) -> Table:
    game = Game(num_players=2, seed=1, trading=False)
    return Table(game, [agent, None], seat_seeds(1, 2))


def test_a_program_that_hangs_and_fills_standard_error(tmp_path: Path) -> None:
    special = "while kind == 'view': sys.stderr.write('x' * 10_000)"
    agent = ProgramAgent(command(tmp_path, special), seconds=0.1)
    told = r"time: the program took more than 0\.6 s"
    with in_a_game(agent) as table, pytest.raises(ProgramError, match=told):
        table.step()
    assert all_end(pids(tmp_path))


def test_a_hanging_start_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catan_pz.agents.programs.agent.START_SECONDS", 0.3)
    program = command(tmp_path, "time.sleep(1000)")
    (reason,) = reasons(f"exec:{program}", 4)
    assert reason.startswith("time: the program took more than 0.3 s")
    assert len(pids(tmp_path)) <= 1


def test_a_program_that_ends_after_each_game_is_replaced(tmp_path: Path) -> None:
    """It is taken for the next game while it still runs."""
    special = "if kind == 'end': time.sleep(0.1); sys.exit(0)"
    assert reasons(f"exec:{command(tmp_path, special)}") == {""}
    assert len(pids(tmp_path)) >= 2


class Impatient(RandomAgent):
    def act_batch(self, views: Any) -> Any:
        raise KeyboardInterrupt


@posix
def test_programs_end_with_the_match_however_it_ends(tmp_path: Path) -> None:
    bot = f"exec:{command(tmp_path)}"
    assert reasons(bot, 4) == {""}  # one program plays one game after the other
    with pytest.raises(arena.Interrupted):
        arena.play_match([bot, Impatient()], 2, seed=1, **QUICK)
    assert len(pids(tmp_path)) == 2
    assert all_end(pids(tmp_path))
    table = in_a_game(ProgramAgent(command(tmp_path)))
    table.step()
    pid = pids(tmp_path)[-1]
    assert is_running(pid)
    table.close()
    assert is_running(pid)  # waits for the next game
    del table
    assert not is_running(pid)


@posix
@pytest.mark.slow
def test_programs_end_with_what_they_have_started(tmp_path: Path) -> None:
    special = f"""
    if kind == "hello":
        import subprocess
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        open({str(tmp_path / "pids")!r}, "a").write(f"{{child.pid}}\\n")
    """
    agent = ProgramAgent(command(tmp_path, special))
    table = in_a_game(agent)
    table.step()
    assert len(pids(tmp_path)) == 2
    table.close()
    agent.end_programs()
    assert not is_running(pids(tmp_path)[0])
    assert all_end(pids(tmp_path)[1:])  # its own parent, process 1, has to wait for it


HOST = """
import shlex, sys, time
from catan_pz.agents.programs.process import LineProcess
LineProcess(shlex.split(sys.argv[1])).send(b'{"type": "hello"}\\n')
time.sleep(1000)
"""


@posix
@pytest.mark.slow
def test_programs_end_when_the_host_is_killed(tmp_path: Path) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, command(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    try:
        deadline = time.monotonic() + 3 * SECONDS
        while not pids(tmp_path):
            assert host.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        host.kill()
        host.wait()
    assert all_end(pids(tmp_path))


@posix
def test_the_end_of_a_program_is_seen_though_a_helper_holds_its_pipes(tmp_path: Path) -> None:
    special = """
    if views == 2:
        import subprocess
        helper = [sys.executable, "-c", "import time; time.sleep(30)"]
        subprocess.Popen(helper, start_new_session=True)
        os._exit(3)
    """
    (reason,) = reasons(ProgramAgent(command(tmp_path, special), seconds=20), 1)
    assert reason.startswith("died: the program ended without an answer (exit status 3)")


def decide(program: str, tmp_path: Path) -> int:
    """A decision of a program for which games are drawn."""
    rules = Rules(board="beginner")
    agent = ProgramAgent(command(tmp_path, program), seconds=None)
    agent.reset(0, rules, 1)
    try:
        return agent.act(FollowedGame(rules, 0).view())
    finally:
        agent.end_programs()


def test_a_program_that_asks_for_games_and_does_not_wait(tmp_path: Path) -> None:
    """It doesn't read any, either."""
    program = f"while kind == 'view': {ASK.replace('1', '1000', 1)}"
    with pytest.raises(ProgramError, match="nonsense: it asks for games and doesn't wait for"):
        decide(program, tmp_path)
    assert all_end(pids(tmp_path))


def test_a_program_that_asks_for_games_one_by_one(tmp_path: Path) -> None:
    program = f"""
    if kind == 'view':
        for _ in range(20):
            {ASK}
            assert json.loads(sys.stdin.readline())["type"] == "games"
        message = {{"actions": [{{"id": 42}}]}}
    """
    assert decide(program, tmp_path) == 42


def test_a_program_that_is_shown_the_true_state_asks_for_it(tmp_path: Path) -> None:
    program = """
    if kind == "view":
        say({"type": "resample", "count": 2, "seed": 1})
        one, other = json.loads(sys.stdin.readline())["games"]
        assert one == other and one["deck"]
    """
    bot = f"exec:{command(tmp_path, program)}"
    assert reasons(bot, 1, max_turns=5, true_state=["bot"]) == {""}


def test_a_program_is_called_by_the_names_of_its_files_and_ended_for_nonsense(
    tmp_path: Path,
) -> None:
    special = "if kind == 'view': say({'type': 'action', 'id': None}); continue"
    agent = ProgramAgent(command(tmp_path, special))
    assert agent.name == f"{Path(sys.executable).name} bot.py"
    with in_a_game(agent) as table, pytest.raises(ProgramError, match="no integer"):
        table.step()
    assert not agent._pool.all
