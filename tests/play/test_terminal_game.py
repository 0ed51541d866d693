import numpy as np
import pytest

from catan_pz.game.game import Game
from catan_pz.play import typed_commands
from catan_pz.play.session import PlayedGame
from catan_pz.play.terminal_game import TerminalGame
from catan_pz.render.ansi import ASIDE_COLUMNS, ASIDE_LINES
from catan_pz.rules import Rules
from tests.play.sessions import choice, session
from tests.play.test_typed_commands import typed


def test_a_whole_game_typed_in_the_terminal() -> None:
    match = session(seat=1)
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
    assert [line for line in told if line in set(match.log)] == match.log


CLEAR = "\x1b[H\x1b[J"
slept: list[float] = []


def screens_of(match: PlayedGame, rows: int, pause: float = 0.0) -> list[str]:
    """What a terminal shows of a whole game, screen by screen."""
    rng = np.random.default_rng(2)
    shown: list[str] = []
    asked = 0

    def ask(prompt: str) -> str:
        nonlocal asked
        asked += 1
        shown[-1] += f"\n{prompt}"
        if asked % 9 == 0:
            return ("nonsense " * 20, "?", "log")[asked // 9 % 3]
        return typed(match.game, choice(match.game, rng))

    def say(words: str) -> None:
        if words.startswith(CLEAR):
            shown.append(words.removeprefix(CLEAR))
        else:
            shown[-1] += f"\n{words}"

    TerminalGame(match, ask, say, color=False, rows=rows, pause=pause, sleep=slept.append).run()
    return shown


@pytest.mark.parametrize(("num_players", "rows"), [(2, 30), (4, 24)])
def test_every_screen_fits_the_terminal(num_players: int, rows: int) -> None:
    rules = Rules(num_players=num_players, victory_points=6, offer_form="both", max_turns=16)
    shown = screens_of(session(rules, seed=num_players), rows)
    assert len(shown) > 40
    assert max(len(screen.split("\n")) for screen in shown) <= rows
    assert max(len(line) for screen in shown for line in screen.split("\n")) <= 80
    assert all("Type (? helps):" in s for s in shown if s.endswith("> ") and "+--" in s)
    helped = [screen for screen in shown if screen.startswith("Type a command")]
    logged = [screen for screen in shown if not screen.startswith("Type a") and "+--" not in screen]
    assert helped
    assert logged
    if rows == 30:
        assert sum("ends the turn" in screen for screen in shown) > len(shown) / 4


def test_moves_of_the_others_stay_for_the_pause() -> None:
    slept.clear()
    match = session(Rules(num_players=2, max_turns=6))
    shown = screens_of(match, 24, pause=0.4)
    others = [d for d in match.record.decisions if d.player != match.seat]
    assert slept == [0.4] * (len(slept))
    assert len(others) - 1 <= len(slept) <= len(others)
    assert len(shown) > len(slept)


def test_menus_fit_beside_the_board_whatever_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    main = ["end", "road", "settlement", "city", "buy", "knight", "building", "plenty"]
    every = [*main, "monopoly", "bank", "offer"]
    monkeypatch.setattr(typed_commands, "legal_words", lambda _: {word: [] for word in every})
    lines = typed_commands.menu_words(Game(seed=1))
    assert len(lines) <= ASIDE_LINES
    assert max(map(len, lines)) <= ASIDE_COLUMNS
    assert " ".join(lines[1:]).split() == every
