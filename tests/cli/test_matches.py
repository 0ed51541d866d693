from typing import Any

import pytest

from catan_pz.cli import main

QUICK = ["--players", "2", "--no-trading", "--points", "3", "--set", "max_turns=60"]


@pytest.mark.parametrize("program", ["/nonexistent", "false"])
def test_an_agent_that_never_plays_is_an_error(program: str, capsys: Any) -> None:
    bot = f'exec:"{program}"'
    assert main(["evaluate", bot, "--games", "2", "--seed", "1", *QUICK]) == 1
    out, error = capsys.readouterr()
    assert f"{bot} forfeited 2 of 2 games, the first because: " in out
    assert "every game was forfeited" in error


def test_forfeits_of_the_others_are_told(capsys: Any) -> None:
    words = ["evaluate", "random", "--against", 'exec:"false"', "--games", "2", *QUICK]
    assert main(words) == 1
    assert 'exec:"false" forfeited 2 of 2 games, the first because: ' in capsys.readouterr().out


def test_nothing_is_told_of_forfeits_where_there_are_none(capsys: Any) -> None:
    assert main(["evaluate", "random", "--games", "2", *QUICK]) == 0
    assert "forfeited" not in capsys.readouterr().out
