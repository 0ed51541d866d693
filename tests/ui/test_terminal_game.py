import numpy as np
import pytest

from catan_pz.ui.terminal_game import Left, TerminalGame
from tests.ui.sessions import choice, session
from tests.ui.test_typed_commands import typed


@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_typed_in_the_terminal(seat: int) -> None:
    match = session(seat=seat)
    rng = np.random.default_rng(2)
    said: list[str] = []
    asked = 0

    def ask(prompt: str) -> str:
        nonlocal asked
        asked += 1
        assert match.waits_for_person
        if asked % 7 == 0:
            return "nonsense" if asked % 2 else "?"
        return typed(match.game, choice(match.game, rng))

    TerminalGame(match, ask, said.append, color=False).run()
    assert match.is_finished
    assert said[-1] == match.result()
    assert asked > 30
    lines = "\n".join(said).split("\n")
    assert max(map(len, lines)) <= 80 or all(len(x) <= 120 for x in lines)
    # Each decision was told once, as this seat may know it.
    told = [line.strip() for line in lines if line.startswith("  ")]
    assert [line for line in told if line in set(match.story)] == match.story


def test_leaving_a_game() -> None:
    with pytest.raises(Left):
        TerminalGame(session(), lambda _: "quit", lambda _: None).run()

    def end(_: str) -> str:
        raise EOFError

    with pytest.raises(Left):
        TerminalGame(session(), end, lambda _: None).run()
