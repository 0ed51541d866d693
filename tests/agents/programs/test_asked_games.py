"""Programs that ask for games while they decide: those that wait for them, and those that don't."""

from pathlib import Path

import pytest

from catan_pz import arena
from catan_pz.agents.programs.agent import ProgramAgent, ProgramError
from catan_pz.game.followed import FollowedGame
from catan_pz.rules import Rules
from tests.agents.programs.players import all_end, command, pids

ASK = "say({'type': 'resample', 'count': 1, 'seed': 1})"


def decide(program: str, tmp_path: Path, seconds: float | None) -> int:
    """A decision of a program for which games are drawn."""
    rules = Rules(board="beginner")
    agent = ProgramAgent(command(tmp_path, program), seconds=seconds)
    agent.reset(0, rules, 1)
    try:
        return agent.act(FollowedGame(rules, 0).view())
    finally:
        agent.end_programs()


def test_a_program_that_asks_for_games_and_does_not_wait(tmp_path: Path) -> None:
    """It doesn't read any, either."""
    program = f"while kind == 'view': {ASK.replace('1', '1000', 1)}"
    with pytest.raises(ProgramError, match="nonsense: it asks for games and doesn't wait for"):
        decide(program, tmp_path, None)
    assert all_end(pids(tmp_path))


def test_a_program_that_asks_for_games_one_by_one(tmp_path: Path) -> None:
    program = f"""
    if kind == 'games':
        asked += 1
        kind = 'view' if asked == 20 else ''
    elif kind == 'view':
        asked = 0
        kind = ''
    if not kind:
        {ASK}
    message = {{"actions": [{{"id": 42}}]}}
    """
    assert decide(program, tmp_path, None) == 42


def test_a_program_that_is_shown_the_true_state_asks_for_it(tmp_path: Path) -> None:
    program = """
    if kind == "view":
        say({"type": "resample", "count": 2, "seed": 1})
        one, other = json.loads(sys.stdin.readline())["games"]
        assert one == other and one["deck"]
    """
    result = arena.play_match(
        [("bot", f"exec:{command(tmp_path, program)}"), "random"],
        1,
        seed=1,
        num_players=2,
        trading=False,
        max_turns=5,
        progress=False,
        true_state=["bot"],
    )
    assert {game.reason for game in result.games} == {""}
