"""Without catanatron, or without what is asked for: one clear sentence."""

from pathlib import Path

import numpy as np
import pytest

from catan_pz import agents, arena
from catan_pz.agents.base import Agent
from catan_pz.arena.schedule import block_seed
from catan_pz.cli.app import run
from catan_pz.game.game import Game
from catan_pz.tables.catanatron import installed
from catan_pz.tables.catanatron.bots import BotSpec

ROOT = Path(__file__).parents[3]


@pytest.fixture
def no_catanatron(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "find_spec", lambda _name: None)
    for cached in (installed.version, installed.module):
        cached.cache_clear()


@pytest.mark.usefixtures("no_catanatron")
def test_agents_say_how_to_install_it() -> None:
    with pytest.raises(ImportError, match="catanatron isn't installed: pip install catanatron"):
        agents.load("catanatron:value")


@pytest.mark.parametrize("file", [".github/workflows/ci.yml", "docs/catanatron.md"])
def test_versions_to_install_are_those_that_are_tested(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for command in (installed.INSTALL_SOME, installed.INSTALL):
        assert command.removeprefix("pip install ").strip("'") in text


@pytest.mark.usefixtures("no_catanatron")
@pytest.mark.parametrize(
    "line",
    [
        ["catanatron", "--agent", "random", "--games", "1"],
        ["evaluate", "catanatron:value", "--games", "1"],
    ],
)
def test_commands_say_so_in_one_sentence(line, capsys) -> None:
    assert run(line) == 1
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("Error: catanatron isn't installed")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("value", BotSpec("value", 0, ())),
        ("ab", BotSpec("ab", 2, ())),
        ("ab3-pruned-mended", BotSpec("ab", 3, ("pruned", "mended"))),
        ("mcts100", BotSpec("mcts", 100, ())),
    ],
)
def test_names_tell_the_options(text, found) -> None:
    assert BotSpec.read(text) == found


@pytest.mark.parametrize(
    "text",
    ["", "valu", "value2", "ab2-open", "ab0"],
)
def test_other_names_are_refused(text) -> None:
    with pytest.raises(ValueError, match=r"bot of catanatron|has no option"):
        BotSpec.read(text)


class Peeker(Agent):
    needs_belief = True
    seen: list[bytes] = []  # noqa: RUF012 (all copies add to it)

    def act(self, view) -> int:
        drawn = view.resample(np.random.default_rng(0))
        self.seen.append(drawn.state["deck"].tobytes())
        drawn.state["deck"] = 0  # a copy: the game that is played goes on with its own
        return int(view.mask.nonzero()[0][0])


def played(**options):
    Peeker.seen.clear()
    return arena.play_match(
        [("peeker", Peeker()), "random"],
        2,
        num_players=2,
        trading=False,
        max_turns=3,
        seed=1,
        progress=False,
        **options,
    )


def test_the_true_state_is_shown_to_whom_it_is_granted_alone(tmp_path) -> None:
    path = tmp_path / "games.jsonl"
    assert played(results=path).names == ("peeker", "random")
    deck = Game(seed=block_seed(1, 0), num_players=2, trading=False).state["deck"].tobytes()
    assert deck not in Peeker.seen
    with pytest.raises(ValueError, match="another match"):
        played(results=path, true_state=["peeker"])
    assert played(true_state=["peeker"]).names == ("peeker (true state)", "random")
    assert Peeker.seen.count(deck) > 4
    with pytest.raises(ValueError, match=r"true_state must be .*did you mean 'peeker'"):
        played(true_state=["peker"])
