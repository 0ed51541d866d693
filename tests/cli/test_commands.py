import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from catan_pz.batch import calls as batch_calls
from catan_pz.batch import seat_calls
from catan_pz.cli import bench, info, main, perft, warmup
from catan_pz.cli.agents import load_agent, model_of
from catan_pz.cli.app import app
from catan_pz.cli.console import size_words
from catan_pz.cli.extras import need
from catan_pz.cli.options import make_rules
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.kernels.rule import Entry
from catan_pz.rules import Rules
from tests.agents.test_network import model
from tests.engine.test_perft import SETUP_COUNTS

COMMANDS = sorted(app.commands)


# ---------------------------------------------------------------------------------- the group


def test_the_program_as_a_process() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "catan_pz.cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("catan-pz, version ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_ends_with_examples(name: str, capsys: Any) -> None:
    assert main([name, "--help"]) == 0
    lines = capsys.readouterr().out.rstrip().split("\n")
    assert max(map(len, lines)) <= 80
    where = lines.index("  Examples:")
    shown = [line.strip() for line in lines[where + 1 :]]
    assert shown
    assert all(line.startswith("catan-pz ") for line in shown)
    assert any(line.split()[1] == name for line in shown)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_options_of_examples_exist(name: str) -> None:
    command = app.commands[name]
    for line in (command.epilog or "").split("\n"):
        words = shlex.split(line)
        if words[:1] != ["catan-pz"]:
            continue
        shown = app.commands[words[1]]
        given = [word for word in words[2:] if word not in ("runs/train/model.npz",)]
        known = {name for option in shown.params for name in [*option.opts, *option.secondary_opts]}
        assert {word for word in given if word.startswith("--")} <= known


def test_no_command_shows_help(capsys: Any) -> None:
    assert main([]) == 2
    assert "Commands:" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["dance"], ["perft"], ["perft", "x"], ["info", "--nothing"]])
def test_wrong_words_are_one_sentence(words: list[str], capsys: Any) -> None:
    assert main(words) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"Error: .*\nTry 'catan-pz.* --help'\.\n", error)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["plya"], "'plya' (did you mean 'play'?)"),
        (["play", "--agianst", "random"], "Did you mean '--against'?"),
        (["play", "--against", "heurstic"], "(did you mean 'heuristic'?)"),
        (["play", "--against", "heuristic:wieghts=1"], "'wieghts' (did you mean 'weights'?)"),
        (
            ["play", "--against", "search:simulatons=1"],
            "'simulatons' (did you mean 'simulations'?)",
        ),
        (["play", "--against", "random:style=1"], "has no option 'style'; it has none"),
        (["play", "--set", "vicory_points=3"], "(did you mean 'victory_points'?)"),
        (["play", "--set", "dice=balancd"], "(did you mean 'balanced'?)"),
        (["play", "--board", "spirl"], "(did you mean 'spiral'?)"),
        (["watch", "--agents", "serch"], "(did you mean 'search'?)"),
    ],
)
def test_misspelled_words_get_a_hint(words: list[str], hint: str, capsys: Any) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    # Older versions of click word their own hint in another way.
    assert hint in error or ("--agianst" in words and "--against" in error)


def fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(info, "gather", fail)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (ValueError("seed=1 is odd"), 1, "Error: seed=1 is odd\n"),
        (
            ImportError('pip install "catan-pz[render]"'),
            1,
            'Error: pip install "catan-pz[render]"\n',
        ),
        (PermissionError(13, "Permission denied", "/x"), 1, "Error: /x: Permission denied\n"),
        (RuntimeError(), 1, "Error: RuntimeError\n"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
    ],
)
def test_errors_have_no_traceback_unless_asked_for(
    error: BaseException, status: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    fail_with(error, monkeypatch)
    assert main(["info"]) == status
    assert capsys.readouterr().err.lstrip() == words
    assert main(["info", "--debug"]) == status
    shown = capsys.readouterr().err
    assert ("Traceback" in shown) == (status == 1)
    assert shown.endswith(words)


def test_a_mistake_of_the_program_itself_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(KeyError("place"), monkeypatch)
    with pytest.raises(KeyError):
        main(["info"])


def test_memory_that_runs_out_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def load(_path: Path) -> None:
        raise MemoryError

    monkeypatch.setattr("catan_pz.cli.show.load_record", load)
    assert main(["watch", __file__, "--terminal"]) == 1
    assert capsys.readouterr().err == "Error: there is not enough memory\n"


def test_starting_is_quick() -> None:
    program = (
        "import sys, catan_pz.cli.app\n"
        "print([n for n in ('torch', 'pygame', 'PIL', 'pettingzoo', 'rich') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


# ------------------------------------------------------------------------------ common things


def test_sizes_in_words() -> None:
    assert [size_words(n) for n in (12, 1_234, 5_600_000, 7_100_000_000)] == [
        *("12 B", "1 kB", "6 MB", "7.1 GB")
    ]


def test_small_networks_play_by_their_file(tmp_path: Path) -> None:
    rules = Rules(num_players=2, trading=False)
    path = tmp_path / "small.npz"
    model(rules=rules).save(path)
    agent = load_agent(str(path), rules)
    assert agent.name == "small"
    with pytest.raises(click.UsageError, match="there is no model"):
        load_agent("none.npz", rules)


def test_an_option_of_an_agent_may_be_a_file(tmp_path: Path) -> None:
    from catan_pz.published.gendre.agent import SHIPPED

    rules = Rules(num_players=2, trading=False)
    for spec in (f"gendre:model={SHIPPED}", f"gendre:choice=best,model={SHIPPED}"):
        assert load_agent(spec, rules).name == "gendre"
    with pytest.raises(click.UsageError, match=r"agent 'gendre:model=.*none\.npz'.*No such file"):
        load_agent(f"gendre:model={tmp_path / 'none.npz'}", rules)
    with pytest.raises(click.UsageError, match="no model that can be played"):
        load_agent(f"rocco:model={SHIPPED}", rules)


@pytest.mark.skipif(sys.platform == "win32", reason="no colons in names of folders there")
def test_a_model_in_a_folder_with_a_colon_says_what_the_rules_are(tmp_path: Path) -> None:
    from catan_pz.agents.network import SHIPPED

    path = tmp_path / "runs:2" / "model.npz"
    path.parent.mkdir()
    path.write_bytes((SHIPPED / "ppo-2p.npz").read_bytes())
    assert model_of(str(path)).rules == model_of("ppo-2p").rules
    chosen = (None, None, None, None, None, ())
    load_agent(str(path), make_rules("base", *chosen, agents=str(path)))


def test_help_of_matches_says_what_workers_and_seeds_are_for(capsys: Any) -> None:
    assert main(["jsettlers", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "Threads in which agents decide." in words
    assert "the server draws the games" in words
    assert main(["bot", "--help"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "random choices; the table draws the games. [drawn]" in words
    assert main(["tournament", "--help"]) == 0
    assert "Processes that play." in " ".join(capsys.readouterr().out.split())


def test_what_is_missing_is_named_with_its_extra() -> None:
    need("render", "a thing", "json")
    with pytest.raises(click.ClickException) as raised:
        need("render", "a thing", "json", "no_such_module")
    assert raised.value.message == ('a thing needs no_such_module: pip install "catan-pz[render]"')


# -------------------------------------------------------------------------------------- perft


def rows(out: str) -> list[list[str]]:
    return [line.split() for line in out.split("\n")[1:] if line]


def test_perft_counts(capsys: Any) -> None:
    assert main(["perft", "4", "--players", "2"]) == 0
    counted = [int(row[1].replace(",", "")) for row in rows(capsys.readouterr().out)]
    assert counted == SETUP_COUNTS[:4]


def test_perft_divides_a_position(tmp_path: Path, capsys: Any) -> None:
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
    (tmp_path / "no.json").write_text("{}")
    assert main(["perft", "1", "--position", str(tmp_path / "no.json")]) == 1
    assert "holds no state of a game" in capsys.readouterr().err
    twice = json.dumps(game.snapshot()).replace('"robber":', '"robber": 3, "robber":')
    (tmp_path / "no.json").write_text(twice)
    assert main(["perft", "1", "--position", str(tmp_path / "no.json")]) == 1
    assert "the entry 'robber' stands twice" in capsys.readouterr().err
    assert perft._move(12, None) == "build_road edge=10"


@pytest.mark.parametrize("words", [["--seed", "3"], ["--players", "2"], ["--set", "max_turns=8"]])
def test_options_of_a_fresh_game_are_refused_for_a_position(
    words: list[str], tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "position.json"
    path.write_text(json.dumps(Game(seed=1).snapshot()))
    assert main(["perft", "1", "--position", str(path), *words]) == 2
    assert f"{words[0]}: this is for a fresh game" in capsys.readouterr().err


# --------------------------------------------------------------------- warmup, info and bench


@pytest.mark.skipif(not isinstance(game_calls.play, Entry), reason="compilation is switched off")
def test_warmup_finds_every_entry_point() -> None:
    found = dict(warmup.entries())
    names = {name.removeprefix("catan_pz.") for name in found}
    assert {"runtime.game_calls.play", "runtime.perft.count_from"} <= names
    things = list(found.values())
    for module in (game_calls, batch_calls, seat_calls):
        for thing in vars(module).values():
            if isinstance(thing, Entry):
                assert thing in things
    assert len(set(map(id, things))) == len(things)


class Ready:
    """An entry point that is compiled, or whose compilation is broken off."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.done = False

    def compiled(self) -> None:
        if self.error is not None:
            raise self.error
        self.done = True


def test_warmup_compiles_all(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    things = [Ready() for _ in range(3)]
    monkeypatch.setattr(warmup, "entries", lambda: enumerate_names(things))
    assert main(["warmup"]) == 0
    assert all(thing.done for thing in things)
    assert re.fullmatch(r"3 entry points are ready after [\d.]+ s\.\n", capsys.readouterr().out)
    broken = [Ready(), Ready(KeyboardInterrupt()), Ready()]
    monkeypatch.setattr(warmup, "entries", lambda: enumerate_names(broken))
    assert main(["warmup"]) == 130
    assert "1 of 3 are compiled and kept" in capsys.readouterr().out
    monkeypatch.setattr(warmup, "entries", lambda: iter(()))
    assert main(["warmup"]) == 0
    assert "NUMBA_DISABLE_JIT" in capsys.readouterr().out


def enumerate_names(things: list[Ready]) -> Any:
    return ((f"thing {k}", thing) for k, thing in enumerate(things))


def test_info_tells_what_there_is(capsys: Any) -> None:
    assert main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["libraries"]["numba"]
    if isinstance(game_calls.play, Entry):
        Game(seed=1)
        assert found["cache"]["files"] > 0
        assert Path(found["cache"]["folder"]).is_dir()
    assert main(["info"]) == 0
    shown = capsys.readouterr().out
    assert "CUDA, numba" in shown
    assert found["python"] in shown


def test_info_tells_how_to_get_an_extra(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    real = info.version_of
    monkeypatch.setattr(info, "version_of", lambda n: None if n == "pygame-ce" else real(n))
    missing = info.extras()
    assert missing["render"] == ["pygame-ce"]
    assert main(["info"]) == 0
    assert 'missing pygame-ce: pip install "catan-pz[render]"' in capsys.readouterr().out


def test_bench_measures_each_thing(capsys: Any) -> None:
    names = [name for name, _, _ in bench.measures_of(Rules(), 8, 1)]
    words = ["--seconds", "0.05", "--games", "8", "--players", "2", "--no-trading"]
    assert main(["bench", *words]) == 0
    out = capsys.readouterr().out
    for name in names:
        (row,) = (line for line in out.split("\n") if line[:46].rstrip() == name)
        assert int(re.findall(r"([\d,]+) \S+(?: steps)?/s", row)[0].replace(",", "")) > 100
    assert "2 players, trade between players off; 8 games" in out


def test_bench_shows_what_it_has_when_interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def interrupted() -> bench.Measure:
        raise KeyboardInterrupt

    done = ("the first", "things", lambda: lambda seconds: 1234.0)
    monkeypatch.setattr(
        bench, "measures_of", lambda *_: [done, ("the second", "things", interrupted)]
    )
    assert main(["bench"]) == 130
    assert "the first" in (out := capsys.readouterr().out)
    assert "1,234 things/s" in out


@pytest.mark.skipif(sys.platform == "win32", reason="no such shell there")
@pytest.mark.parametrize(
    ("words", "reader", "shown"),
    [
        (
            "watch --terminal --agents random --seed 1 --set max_turns=8",
            "head -1",
            "random 0 builds a settlement\n",
        ),
        ("info", "true", ""),
        ("--help", "true", ""),
    ],
)
def test_a_closed_pipe_is_no_failure(words: str, reader: str, shown: str) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m catan_pz.cli {words} | {reader}"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.stdout == shown
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    "words",
    [["bench", "--seconds", "nan"], ["watch", "--speed", "nan"], ["serve", "--pause", "NaN"]],
)
def test_times_are_finite(words: list[str], capsys: Any) -> None:
    assert main(words) == 2
    assert "is no finite number" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["bot", "program"])
@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_bot_or_program_without_a_stream_is_told(
    command: str, stream: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(sys, stream, None)
    assert main([command]) == 1
    complaint = f"standard input or output is closed: a {command} speaks through them"
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("agent", ["rocco", "gendre", "ppo-2p"])
@pytest.mark.parametrize("command", ["bot", "program"])
def test_bots_and_programs_leave_the_rules_to_the_game(command: str, agent: str) -> None:
    hello = {"bot": {"protocol_version": 1}, "program": {"protocol": "catan-pz-program/1"}}
    done = subprocess.run(
        [sys.executable, "-m", "catan_pz.cli", command, "--agent", agent],
        input=json.dumps({"type": "hello", **hello[command]}) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["name"] == agent


@pytest.mark.skipif(sys.platform == "win32", reason="no such shell there")
def test_a_program_needs_no_standard_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m catan_pz.cli program 2>&- </dev/null"],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_a_match_without_standard_error_tells_its_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["evaluate", "random", "--games", "2", "--html", str(tmp_path), *QUICK]) == 0
    assert "random won" in capsys.readouterr().out


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_a_match_is_watched_and_recorded_without_a_stream(
    stream: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = tmp_path / "game.jsonl"
    monkeypatch.setattr(sys, stream, None)
    words = ["watch", "--terminal", "--agents", "random", "--record", str(record), *QUICK]
    assert main(words) == 0
    assert GameRecord.load(record).decisions


def test_an_interrupted_start_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def interrupt(_arguments: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("catan_pz.cli.app.run", interrupt)
    assert main(["info"]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"


# -------------------------------------------------------------------- tournament and evaluate

QUICK = ["--players", "2", "--no-trading", "--points", "3", "--set", "max_turns=60"]


def test_matches_write_some_of_their_games_as_replays(tmp_path: Path, capsys: Any) -> None:
    pages, games = tmp_path / "pages", tmp_path / "games"
    words = ["--games", "6", "--seed", "1", "--most-html", "2", *QUICK]
    assert main(["evaluate", "weighted", "--html", str(pages), *words]) == 0
    assert "has the replays of 2 games" in capsys.readouterr().err
    written = sorted(path.name for path in pages.iterdir())
    assert [name.split(".")[-1] for name in written] == ["html", "jsonl", "html", "jsonl"]
    assert written[0] == "game-000000.html"
    assert "<title>weighted, random</title>" in (pages / written[0]).read_text()
    words += ["--html", str(tmp_path / "more"), "--records", str(games)]
    assert main(["tournament", "random,weighted", *words]) == 0
    assert len(list(games.iterdir())) == 6
    assert {path.suffix for path in (tmp_path / "more").iterdir()} == {".html"}
    assert len(list((tmp_path / "more").iterdir())) == 2


def test_a_tournament_goes_on_where_it_was(tmp_path: Path, capsys: Any) -> None:
    kept, report = tmp_path / "games.jsonl", tmp_path / "table.csv"
    words = ["tournament", "random,weighted", "--games", "6", "--results", str(kept), *QUICK]
    assert main([*words, "--records", str(tmp_path / "games"), "--report", str(report)]) == 0
    out = capsys.readouterr().out
    assert "| weighted |" in out
    assert "random" in report.read_text()
    assert len(list((tmp_path / "games").iterdir())) == 6
    before = kept.read_bytes()
    assert main(words) == 0  # nothing is left to play
    assert kept.read_bytes() == before
    # Times are kept to fewer digits than they are measured with.
    without_times = [re.sub(r"[\d.e-]+ \| 0 \|$", "", line) for line in out.split("\n")]
    again = capsys.readouterr().out.split("\n")
    assert [re.sub(r"[\d.e-]+ \| 0 \|$", "", line) for line in again] == without_times


def test_a_report_that_cannot_be_written_is_named_before_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("catan_pz.arena.play_tournament", None)
    words = ["tournament", "random,weighted", "--report"]
    assert main([*words, str(tmp_path / "table.json")]) == 2
    assert "must end in one of .md, .csv, .png, .svg" in capsys.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(words[:2]) == 1
    assert 'a tournament needs scipy: pip install "catan-pz[arena]"' in capsys.readouterr().err


def test_a_tournament_that_is_stopped_says_what_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("catan_pz.arena.executors.tasks.play_games", interrupt)
    kept = tmp_path / "games.jsonl"
    words = ["tournament", "random,weighted", "--games", "2", "--results", str(kept), *QUICK]
    assert main(words) == 130
    error = capsys.readouterr().err
    assert "stopped after 0 of 2 games" in error
    assert str(kept) in error


def test_evaluate_measures_one_agent(capsys: Any) -> None:
    words = ["--games", "10", "--seed", "1", *QUICK]
    assert main(["evaluate", "heuristic", *words]) == 0
    first = capsys.readouterr().out
    assert re.fullmatch(
        r"heuristic won \d+ of 10 games = [\d.]+ % \(95 % interval [\d.]+ to [\d.]+ %\) against "
        r"random, from seed 1\n",
        first,
    )
    assert int(first.split()[2]) >= 7
    assert main(["evaluate", "random", *words]) == 0
    won = int(capsys.readouterr().out.split()[2])
    assert 0 <= won <= 10
    cut = [word.replace("max_turns=60", "max_turns=1") for word in words]
    assert main(["evaluate", "heuristic", *cut]) == 0
    assert "heuristic won 0 of 10 games (10 truncated) = 0.0 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["tournament", "random"], "two or more different ones"),
        (["tournament", "random,nobody"], "agent 'nobody' is not possible"),
        (["evaluate", "random", "--against", "random,random", *QUICK], "names 2 agents"),
    ],
)
def test_wrong_entrants(words: list[str], complaint: str, capsys: Any) -> None:
    assert main(words) in (1, 2)
    assert complaint in capsys.readouterr().err


def test_a_model_brings_its_rules(tmp_path: Path, capsys: Any) -> None:
    words = ["evaluate", "ppo-2p", "--games", "2", "--set", "max_turns=20"]
    assert main(words) == 0
    assert "of 2 games" in capsys.readouterr().out
    rules = make_rules("base", None, None, None, None, None, (), "heuristic,ppo-4p-notrade")
    assert (rules.num_players, rules.trading, rules.skip_forced) == (4, False, False)
    rules = make_rules("base", 3, None, None, None, None, (), "ppo-2p:choice=sample")
    assert (rules.num_players, rules.trading) == (3, False)
    preset = make_rules("one_v_one", None, None, None, None, None, (), "ppo-4p-notrade")
    assert preset.num_players == 2
    assert main([*words, "--trading"]) == 2
    assert "'ppo-2p' plays games of 2 players with 252 actions; this one" in (
        error := capsys.readouterr().err
    )
    assert "see --players and --trading" in error
    (tmp_path / "net.npz").write_bytes(b"no")
    assert main(["evaluate", str(tmp_path / "net.npz")]) == 2
    assert "is no model that can be played" in capsys.readouterr().err


def test_jsettlers_names_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CATAN_PZ_JSETTLERS", raising=False)
    assert main(["jsettlers", "--agent", "random", "--games", "1"]) == 1
    assert "--classes" in capsys.readouterr().err
    assert main(["jsettlers", "--agent", "random", "--classes", "nowhere/at/all"]) == 1
    assert "no classes in nowhere/at/all" in capsys.readouterr().err
