"""The training on Ray, and without: the same numbers whatever becomes of workers and nodes."""

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from catan_pz.agents.network import Model
from catan_pz.training.checkpoints import Checkpoints
from tests.clusters import add_node, ray_cluster
from tests.examples.programs import ENVIRONMENT, EXAMPLES, end_of, load
from tests.training.test_distributed import FakeRay

SMALL = (
    *("--players=2", "--points=3", "--num-envs=4", "--n-steps=8", "--width=8", "--minibatches=2"),
    *("--frames=512", "--eval-games=2", "--no-eval-first", "--eval-every=100000"),
    *("--checkpoint-every=128", "--league-every=2", "--league-members=2", "--no-progress"),
)
UPDATES = 8


def on_a_cluster(test):
    """Marks of a test that needs Ray, which leaves files and sockets to the garbage collector."""
    for mark in (
        pytest.mark.ray,
        pytest.mark.skipif(find_spec("ray") is None, reason="takes the extra `ray`"),
        pytest.mark.filterwarnings("ignore::ResourceWarning"),
        pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    ):
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def cluster():
    with ray_cluster(1, 1) as cluster, pytest.MonkeyPatch.context() as patched:
        patched.setenv("RAY_ADDRESS", cluster.address)
        yield cluster


@pytest.fixture(scope="module")
def program(cluster):
    import ray

    module = load("distributed/train_ray")
    ray.cloudpickle.register_pickle_by_value(module)  # as a script's own classes are
    return module


@pytest.fixture(scope="module")
def undisturbed(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    return program.main([*SMALL, f"--out={out}"]), end_of(out)


def small(program, out, *more):
    return program.parse(program.Args, [*SMALL, f"--out={out}", *more], "")


@on_a_cluster
def test_a_node_that_is_lost_changes_nothing(undisturbed, program, cluster, tmp_path):
    run = program.make_run(small(program, tmp_path))
    node = add_node(cluster, 1)  # not yet used
    play = run.learner.play

    def losing(number):
        if number == 3:
            lost = next(iter(cluster.worker_nodes - {node}))
            cluster.remove_node(lost, allow_graceful=False)
        return play(number)

    run.learner.play = losing
    result = run.train()
    run.learner.workers.close()
    assert result["replaced"] >= 1
    assert {name: result[name] for name in ("rounds", "learned", "games")} == {
        name: undisturbed[0][name] for name in ("rounds", "learned", "games")
    }
    assert end_of(tmp_path) == undisturbed[1]


@on_a_cluster
def test_a_killed_driver_resumes_exactly(undisturbed, program, cluster, tmp_path):
    code = (
        "import os, runpy, signal, sys; from catan_pz.training.checkpoints import Checkpoints\n"
        "save = Checkpoints.save\n"
        "def save_and_die(self, frames, *arguments):\n"
        "    save(self, frames, *arguments)\n"
        f"    if frames == {128 * 3}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Checkpoints.save = save_and_die\n"
        f"sys.argv[0] = {str(EXAMPLES / 'distributed/train_ray.py')!r}\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    words = [sys.executable, "-c", code, *SMALL, f"--out={tmp_path}"]
    killed = subprocess.run(words, env=ENVIRONMENT | os.environ, timeout=600, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "result.json").exists()
    assert program.main([*SMALL, f"--out={tmp_path}", "--resume"])["frames"] == 512
    assert end_of(tmp_path) == undisturbed[1]


@on_a_cluster
@pytest.mark.slow
def test_two_processes_of_torchrun_learn_the_same(program, cluster, tmp_path):
    words = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    words += [str(EXAMPLES / "distributed/train_ray.py"), *SMALL, f"--out={tmp_path}"]
    subprocess.run(words, env=ENVIRONMENT | os.environ, timeout=900, check=True)
    state = Checkpoints(tmp_path).load()
    assert sorted(state["learner"]["games"]) == [0, 1]
    assert sum(row["rounds"] for row in state["rows"]) == UPDATES  # those of the first process
    assert Model.read(tmp_path / "model.npz").card["frames"] == 512


@pytest.fixture
def alone(monkeypatch):
    """The program on a simulated cluster: its workers play in this process."""
    module = load("distributed/train_ray")
    monkeypatch.setattr(module, "connect_all", lambda *_: FakeRay())
    return module


def test_it_trains_and_writes_everything(alone, tmp_path):
    result = alone.main([*SMALL, "--eval-every=256", f"--out={tmp_path}"])
    assert result["frames"] == 512
    assert json.loads((tmp_path / "result.json").read_text()) == result
    assert Model.read(tmp_path / "model.npz").card["frames"] == 512
    assert [row["frames"] for row in Checkpoints(tmp_path).load()["curve"]] == [256, 512]
    assert (tmp_path / "curve.csv").exists()
