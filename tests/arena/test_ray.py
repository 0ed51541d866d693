"""Matches on a Ray cluster: the same games as anywhere else, even if nodes are lost."""

import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from catan_pz import arena
from catan_pz.arena.entrants import as_entrants
from catan_pz.arena.executors import InlineExecutor, RayExecutor, make_tasks, ray_executor
from catan_pz.arena.executors.ray_executor import connect
from catan_pz.arena.results import Result
from catan_pz.arena.schedule import MatchConfig, Schedule
from catan_pz.cli import main
from catan_pz.rules import Rules
from tests.arena.players import QUICK, Builder, Counter, Failing
from tests.clusters import ray_cluster

on_ray = [
    pytest.mark.ray,
    pytest.mark.skipif(find_spec("ray") is None, reason="takes the extra `ray`"),
    # Ray leaves files and sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

AGENTS: list[Any] = [
    ("builder", Builder()),
    ("raising", Failing(12)),
    ("dying", Failing(9, "dies")),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with ray_cluster(2, 1) as cluster, pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_ADDRESS", cluster.address)
        yield cluster


def play(executor: str, folder: Path, agents: list[Any] = AGENTS, **options: Any) -> Result:
    folder.mkdir()
    return arena.play_match(
        agents,
        6,
        seed=5,
        executor=executor,
        progress=False,
        results=folder / "results.jsonl",
        records=folder / "records",
        **QUICK | options,
    )


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "records").iterdir()}


class TestOnACluster:
    pytestmark = on_ray

    def test_the_same_games_as_in_processes(self, cluster: Any, tmp_path: Path) -> None:
        here = play("processes", tmp_path / "here")
        there = play("ray", tmp_path / "there")
        assert {game.reason.partition(":")[0] for game in here.games} >= {"error", "died"}
        assert there == here
        assert files(tmp_path / "there") == files(tmp_path / "here")
        assert arena.load_results(tmp_path / "there" / "results.jsonl") == here

    def test_a_lost_worker_is_made_up_for(
        self, cluster: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One that is asked for more ends, as it would with its node."""
        import ray

        entrants, _ = as_entrants([("counter", Counter), ("builder", Builder())])
        config = MatchConfig(("counter", "builder"), Rules.make(None, num_players=2, **QUICK), 7)
        tasks = make_tasks(config, entrants, list(Schedule(((0, 1),), 20).games()), 3)
        ended = []
        ask = ray_executor._Match._ask

        def ask_and_end(match: Any, worker: Any) -> None:
            ask(match, worker)
            if not ended and worker.task is not None:
                ended.append(worker)
                ray.kill(worker.actor)

        monkeypatch.setattr(ray_executor._Match, "_ask", ask_and_end)
        results = list(RayExecutor(3).run(config, entrants, tasks))
        assert ended
        expected = list(InlineExecutor().run(config, entrants, tasks))
        assert sorted(results, key=lambda r: r.number) == sorted(expected, key=lambda r: r.number)

    def test_functions_of_a_script_are_taken_along(self, cluster: Any, tmp_path: Path) -> None:
        agents: list[Any] = [("counter", lambda: [Counter()][0]), "random"]
        assert play("ray", tmp_path / "there", agents) == play("inline", tmp_path / "here", agents)

    def test_agents_that_stay_where_they_are(self, cluster: Any, tmp_path: Path) -> None:
        class Holding(Counter):
            def __init__(self) -> None:
                self.connection = socket.socket()

        with pytest.raises(ValueError, match="'holding' can't be sent to another machine"):
            play("ray", tmp_path / "there", [("holding", Holding()), "random"])

    def test_the_command(self, cluster: Any, tmp_path: Path) -> None:
        words = ["tournament", "random,weighted", "--games=4", "--seed=3", "--players=2"]
        results = []
        for where in (["--executor=inline"], ["--executor=ray", f"--address={cluster.address}"]):
            path = tmp_path / where[0].strip("-")
            assert main([*words, *where, f"--results={path}"]) == 0
            results.append(arena.load_results(path))
        assert results[0] == results[1]

    def test_another_version_on_a_node(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ray_executor, "__version__", "9.9")
        said = r"^node .* has catan-pz .*, this process 9\.9: [^\n]*$"
        with pytest.raises(RuntimeError, match=said):
            play("ray", tmp_path / "there")

    def test_what_the_nodes_lack(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        module = tmp_path / "only_here.py"
        module.write_text("import catan_pz\n\n\ndef make():\n    return catan_pz.RandomAgent()\n")
        monkeypatch.syspath_prepend(tmp_path)
        import only_here

        with pytest.raises(ValueError, match=r"can't make the agents .*'only_here'"):
            play("ray", tmp_path / "there", [("mine", only_here.make), "random"])

    def test_another_version_of_ray(self, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        import ray
        from ray._private import utils

        ray.shutdown()
        monkeypatch.setattr(utils, "compute_version_info", lambda: ("1.2.3", "3.9.0"))
        with pytest.raises(RuntimeError, match=r"Version mismatch: .*\s*Ray: .*\s"):
            RayExecutor(1)
        assert not ray.is_initialized()


class TestWithoutACluster:
    """One clear line each."""

    pytestmark = on_ray

    def test_nobody_answers(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        said = f"^no Ray cluster answers at 127.0.0.1:{port} .*$"
        with pytest.raises(ConnectionError, match=said):
            connect(f"127.0.0.1:{port}")

    @pytest.mark.parametrize("address", ["ray://head:10001", "head", "head:port", "head:99999"])
    def test_no_address(self, address: str) -> None:
        with pytest.raises(ValueError, match=r"address.* a new one"):
            connect(address)


def test_no_ray(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["tournament", "random,weighted", "--executor=ray"]) == 1
    said = capsys.readouterr().err
    assert said == "Error: playing on a cluster needs Ray: pip install 'catan-pz[ray]'\n"
