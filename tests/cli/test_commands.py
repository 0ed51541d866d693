import json
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from catan_pz.agents import load
from catan_pz.agents.hosting import blamed
from catan_pz.batch import calls as batch_calls
from catan_pz.batch import seat_calls
from catan_pz.cli import app, machine, main
from catan_pz.cli.agents import load_agent, trained_with
from catan_pz.cli.options import RuleChoice
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.kernels.rule import Entry
from catan_pz.rules import Rules
from tests.engine.test_perft import SETUP_COUNTS

COMMANDS = app.commands()
QUICK = ["--players", "2", "--no-trading", "--points", "3", "--set", "max_turns=60"]
HEAVY = ("numpy", "numba", "torch", "gymnasium", "pettingzoo", "pygame", "rich")


def told(capsys: Any) -> str:
    """What was said on standard error, on one line."""
    return " ".join(capsys.readouterr().err.split())


def test_help_imports_nothing_heavy() -> None:
    program = f"""
import sys
from catan_pz.cli import app, main
main(["--help"])
for name in app.commands():
    main([name, "--help"])
print("loaded:", [name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("loaded: []\n")


def test_the_group_lists_each_command_once(capsys: Any) -> None:
    assert main([]) == 2
    out = capsys.readouterr().out
    assert re.findall(r"^  ([a-z]+) {2,}[A-Z]", out, re.MULTILINE) == [*COMMANDS]
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("catan-pz, version ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_its_examples_can_be_typed(name: str, capsys: Any) -> None:
    assert main([name, "--help"]) == 0
    lines = capsys.readouterr().out.rstrip().split("\n")
    assert max(map(len, lines)) <= 80
    shown = [shlex.split(line) for line in lines[lines.index("  Examples:") + 1 :]]
    assert any(words[1] == name for words in shown)
    for program, command, *words in shown:
        assert program == "catan-pz"
        options = COMMANDS[command].params
        known = {text for option in options for text in [*option.opts, *option.secondary_opts]}
        assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["dance"], "there is no command 'dance'"),
        (["perft"], "Missing argument 'DEPTH'"),
        (["perft", "x"], "'x' is not a valid integer"),
        (["plya"], "(did you mean 'play'?)"),
        (["evaluate", "random", "--agianst", "random"], "--against"),
        (["evaluate", "heurstic"], "(did you mean 'heuristic'?)"),
        (["evaluate", "search:simulatons=1"], "'simulatons' (did you mean 'simulations'?)"),
        (["evaluate", "random:style=1"], "has no option 'style'; it has none"),
        (["evaluate", "random:x"], "write NAME:OPTION=VALUE"),
        (["evaluate", "there/is/none.zip"], "there is no model"),
        (["evaluate", "random", "--against", ""], "--against '' names 0 agents"),
        (["evaluate", "random", "--against", "random,random", *QUICK], "names 2 agents"),
        (["tournament", "random", "nobody"], "agent must be one of"),
        (["bench", "--set", "vicory_points=3"], "(did you mean 'victory_points'?)"),
        (["bench", "--set", "dice=balancd"], "(did you mean 'balanced'?)"),
        (["bench", "--set", "dice"], "write OPTION=VALUE"),
        (["play", "--seat", "3", "--players", "2"], "--seat 3: this game has the seats 0 to 1"),
        (["bench", "--board", "spirl"], "(did you mean 'spiral'?)"),
        (["bench", "--rules", "two"], "rules must be a Rules or one of"),
        (["bench", "--points", "2"], "2 is not in the range"),
        (["bench", "--set", f"board={'[' * 10**5}"], "board must be one of"),
    ],
)
def test_wrong_words_are_one_sentence(words: list[str], complaint: str, capsys: Any) -> None:
    assert main(words) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert complaint in error
    assert re.fullmatch(r"Error: .*\nTry 'catan-pz.* --help'\.\n", error, re.DOTALL)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (ValueError("seed=1 is odd"), 1, "Error: seed=1 is odd\n"),
        (PermissionError(13, "Permission denied", "/x"), 1, "Error: /x: Permission denied\n"),
        (RuntimeError(), 1, "Error: RuntimeError\n"),
        (MemoryError(), 1, "Error: there is not enough memory\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
    ],
)
def test_errors_have_no_traceback_unless_asked_for(
    error: BaseException, status: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(machine, "gather", fail)
    assert main(["info"]) == status
    assert capsys.readouterr().err.lstrip() == words
    assert main(["info", "--debug"]) == status
    shown = capsys.readouterr().err
    assert ("Traceback" in shown) == (status == 1)
    assert shown.endswith(words)


def test_the_agent_that_raised_an_error_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def fail() -> None:
        with blamed(load("random"), 2):
            raise ValueError("no such card")

    monkeypatch.setattr(machine, "gather", fail)
    assert main(["info"]) == 1
    assert capsys.readouterr().err == "Error: no such card\nraised by agent 'random' in seat 2\n"


def test_a_mistake_of_the_program_itself_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "gather", {}.popitem)
    with pytest.raises(KeyError):
        main(["info"])


def test_an_interrupted_start_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def interrupt(_arguments: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("catan_pz.cli.app.run", interrupt)
    assert main(["info"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["train"], "train"),
        (["tournament", "random", "weighted"], "arena"),
        (["play", "--browser"], "web"),
    ],
)
def test_commands_name_the_extra_that_they_miss(
    words: list[str], extra: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(words) == 1
    assert f'pip install "catan-pz[{extra}]"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("catan_pz.env.vector.torchrl", "torchrl.data", "torchrl"),
        ("catan_pz.env.vector.sb3", "torch", "train"),
        ("catan_pz.env.open_spiel", "pyspiel", "openspiel"),
    ],
)
def test_adapters_name_the_extra_that_they_miss(
    module: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ImportError, match=rf'pip install "catan-pz\[{extra}\]"'):
        import_module(module)


def test_an_option_of_an_agent_may_be_a_file(tmp_path: Path) -> None:
    from catan_pz.published.gendre.agent import SHIPPED

    rules = Rules(num_players=2, trading=False)
    assert load_agent(f"gendre:choice=best,model={SHIPPED}", rules).name == "gendre"
    with pytest.raises(click.UsageError, match=r"agent 'gendre:model=.*none\.npz'.*No such file"):
        load_agent(f"gendre:model={tmp_path / 'none.npz'}", rules)
    with pytest.raises(click.UsageError, match="no model that can be played"):
        load_agent(f"rocco:model={SHIPPED}", rules)


def test_a_model_brings_its_rules(tmp_path: Path, capsys: Any) -> None:
    from catan_pz.agents.network import SHIPPED

    words = ["evaluate", "ppo-2p", "--games", "2", "--set", "max_turns=20"]
    assert main(words) == 0
    assert "of 2 games" in capsys.readouterr().out
    rules = RuleChoice("base").make("heuristic,ppo-4p-notrade")
    assert (rules.num_players, rules.trading, rules.skip_forced) == (4, False, False)
    rules = RuleChoice("base", 3).make("ppo-2p:choice=sample")
    assert (rules.num_players, rules.trading) == (3, False)
    assert RuleChoice("one_v_one").make("ppo-4p-notrade").num_players == 2
    assert main([*words, "--trading"]) == 2
    assert "'ppo-2p' plays games of 2 players with 252 actions; this one" in told(capsys)
    path = tmp_path / "runs:2" / "model.npz"
    path.parent.mkdir()
    path.write_bytes((SHIPPED / "ppo-2p.npz").read_bytes())
    assert trained_with(str(path)) == {"num_players": 2, "trading": False}
    path.write_bytes(b"no")
    assert main(["evaluate", str(path)]) == 2
    assert "is no model that can be played" in told(capsys)


def test_an_own_encoder_is_known_to_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from catan_pz import encoders

    (tmp_path / "own_encoder.py").write_text(
        "from catan_pz.encoders import load\n\n\nclass Own(type(load('flat'))):\n    name = 'own'\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("catan_pz.encoders.registry._HOMES", {**encoders.registry._HOMES})
    words = ["evaluate", "random", "--games", "2", *QUICK, "--encoder"]
    assert main([*words, "own_encoder:Own"]) == 0
    assert encoders.load("own").name == "own"
    assert main([*words, "own_encoder:Other"]) == 2
    assert "--encoder own_encoder:Other: " in capsys.readouterr().err


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.split("\n")[1:] if line]


def test_perft_counts_and_divides(tmp_path: Path, capsys: Any) -> None:
    assert main(["perft", "2", "--players", "2"]) == 0
    assert [int(row[1]) for row in rows(capsys.readouterr().out)] == SETUP_COUNTS[:2]
    game = Game(seed=5, num_players=2)
    while game.phase.name != "ROLL":
        game.step(int(game.legal_actions()[0]))
    path = tmp_path / "position.json"
    path.write_text(json.dumps(game.snapshot()))
    assert main(["perft", "1", "--position", str(path), "--divide"]) == 0
    found = rows(capsys.readouterr().out)
    assert int(found[0][1]) == 36
    assert sum(int(row[0]) for row in found[1:]) == 36
    assert found[1] == ["1", "0", "roll", "->", "1", "+", "1"]
    assert machine._move(12, None) == "road at edge 10"
    path.write_text("{}")
    assert main(["perft", "1", "--position", str(path)]) == 1
    assert "holds no state of a game" in capsys.readouterr().err


@pytest.mark.skipif(not isinstance(game_calls.play, Entry), reason="compilation is switched off")
def test_warmup_finds_every_entry_point() -> None:
    found = dict(machine.entries())
    assert {"catan_pz.game.calls.play", "catan_pz.game.perft.count_from"} <= found.keys()
    things = list(found.values())
    for module in (game_calls, batch_calls, seat_calls):
        assert all(thing in things for thing in vars(module).values() if isinstance(thing, Entry))
    assert len(set(map(id, things))) == len(things)


def test_warmup_compiles_all(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    compiled: list[str] = []
    things = [
        (f"thing {k}", SimpleNamespace(compiled=lambda k=k: compiled.append(k))) for k in "ab"
    ]
    for found, told in ((things, "2 entry points are ready after"), ([], "NUMBA_DISABLE_JIT")):
        monkeypatch.setattr(machine, "entries", lambda found=found: iter(found))
        assert main(["warmup"]) == 0
        assert told in capsys.readouterr().out
    assert compiled == ["a", "b"]


def test_info_tells_what_there_is(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    real = machine.version_of
    monkeypatch.setattr(machine, "version_of", lambda n: None if n == "pygame-ce" else real(n))
    assert main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["libraries"]["numba"]
    assert found["extras"]["render"].startswith("missing pygame-ce: pip install")
    if isinstance(game_calls.play, Entry):
        Game(seed=1)
        assert Path(found["cache"]).is_dir()
    assert main(["info"]) == 0
    shown = capsys.readouterr().out
    assert "CUDA, numba" in shown
    assert found["python"] in shown
    assert 'missing pygame-ce: pip install "catan-pz[render]"' in shown


def test_bench_measures_each_thing(capsys: Any) -> None:
    words = ["--seconds", "0.05", "--games", "8", "--players", "2", "--no-trading"]
    assert main(["bench", *words]) == 0
    out = capsys.readouterr().out
    for name, _, _ in machine.measures(Rules(), 8, 1):
        (row,) = (line for line in out.split("\n") if line[:46].rstrip() == name)
        assert int(re.findall(r"([\d,]+) \S+(?: steps)?/s", row)[0].replace(",", "")) > 100
    assert "2 players, trade between players off; 8 games" in out


@pytest.mark.skipif(sys.platform == "win32", reason="no such shell there")
@pytest.mark.slow
def test_a_closed_pipe_is_no_traceback() -> None:
    words = "watch --terminal --agents random --seed 1 --set max_turns=8"
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m catan_pz.cli {words} | head -1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "random 0 builds a settlement\n"
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_a_match_is_watched_and_recorded_without_standard_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "game.jsonl"
    monkeypatch.setattr(sys, "stderr", None)
    words = ["watch", "--terminal", "--agents", "random", "--record", str(record), *QUICK]
    assert main(words) == 0
    assert GameRecord.load(record).decisions


def test_jsettlers_names_what_is_missing(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CATAN_PZ_JSETTLERS", raising=False)
    assert main(["jsettlers", "--agent", "random", "--games", "1"]) == 1
    assert "--classes" in capsys.readouterr().err
    assert main(["jsettlers", "--agent", "random", "--classes", "nowhere/at/all"]) == 1
    assert "no classes in nowhere/at/all" in capsys.readouterr().err
