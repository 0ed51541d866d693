"""Executors: the same games wherever they are played, and the seam that others can plug into."""

import pickle
import sys
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from catan_pz import arena
from catan_pz.agents import registry
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors import (
    Executor,
    InlineExecutor,
    ProcessExecutor,
    Task,
    make_executor,
    play_task,
)
from catan_pz.arena.results import GameResult, Result
from catan_pz.arena.schedule import MatchConfig
from tests.agents.programs.players import all_end, pids
from tests.arena.players import QUICK, Builder, Delegating, Failing

AGENTS: list[Any] = [("builder", Builder()), "counting", ("raising", Failing(12))]


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(registry, "_HOMES", dict(registry._HOMES))
        registry.register("counting", "tests.arena.players:Counter")
        yield


class RemoteExecutor:
    """Sends everything as bytes and returns results out of order, as other machines would."""

    workers = 3

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        for task in reversed(tasks):
            request = pickle.dumps((config, tuple(entrants), task))
            yield from reversed(pickle.loads(self.play_remotely(request)))

    def play_remotely(self, request: bytes) -> bytes:
        config, entrants, task = pickle.loads(request)
        agents = [entrant.make() for entrant in entrants]
        return pickle.dumps(list(play_task(config, task, agents)))


def play(executor: str | Executor | None, folder: Path, **changes: Any) -> Result:
    options: dict[str, Any] = {"seed": 5, "progress": False, **QUICK} | changes
    return arena.play_match(
        options.pop("agents", AGENTS),
        18,
        executor=executor,
        results=folder / "results.jsonl",
        records=folder / "records",
        **options,
    )


def records(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "records").iterdir()}


@pytest.fixture(scope="module")
def inline(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    folder = tmp_path_factory.mktemp("inline")
    return play("inline", folder), folder


@pytest.mark.parametrize(("executor", "workers"), [("processes", 2), (RemoteExecutor(), None)])
def test_every_executor_plays_the_same_games(
    executor: Any, workers: int | None, inline: tuple[Result, Path], tmp_path: Path
) -> None:
    result, folder = inline
    assert result.ends()["forfeit"] > 0
    assert play(executor, tmp_path, workers=workers) == result
    assert records(tmp_path) == records(folder)
    assert arena.load_results(tmp_path / "results.jsonl") == result


def test_an_executor_has_workers_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers must be None, as the executor has 3, got 2"):
        play(RemoteExecutor(), tmp_path, workers=2)
    assert make_executor(None, 3, None).workers == 3
    assert make_executor(ProcessExecutor(2), None, 1.0).workers == 2
    assert isinstance(make_executor(None, 1, 1.0), ProcessExecutor)
    assert isinstance(make_executor(None, None, None), InlineExecutor)


def test_a_record_that_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "records" / "game-000003.jsonl").mkdir(parents=True)
    with pytest.raises(IsADirectoryError, match="game-000003"):
        play("processes", tmp_path)


@pytest.mark.purepython
def test_an_interrupted_match_closes_its_executor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []

    class Watched(InlineExecutor):
        def run(self, *arguments: Any) -> Generator[GameResult, None, None]:
            try:
                yield from super().run(*arguments)
            finally:
                closed.append(True)

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(arena.results_file.ResultsFile, "add", interrupt)
    with pytest.raises(arena.Interrupted, match="stopped after 0 of 18 games"):
        play(Watched(), tmp_path)
    assert closed == [True]


def test_workers_name_what_keeps_them_from_making_the_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a class of a notebook's cell, which there is in this process alone."""
    only_here = ModuleType("only_here")
    made = type("Made", (Builder,), {"__module__": "only_here"})
    only_here.Made = made  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "only_here", only_here)
    with pytest.raises(ValueError, match=r"can't make the agents .*'only_here'"):
        arena.play_match([("made", made()), "random"], 2, executor="processes", progress=False)


def test_agents_in_workers_may_start_processes(tmp_path: Path) -> None:
    player = Delegating(tmp_path / "pids")
    options: dict[str, Any] = {"executor": "processes", "progress": False, **QUICK}
    result = arena.play_match([player, "random"], 2, seed=1, **options)
    assert result.ends()["forfeit"] == 0
    assert all_end(pids(tmp_path))
