"""Ray clusters in one machine, for tests: several nodes, and none of them left over."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 120.0
"""Seconds until a machine that is busy with other things has ended a process."""

OWNER = "CATAN_PZ_RAY_TESTS"
"""A variable of the environment by which processes of these clusters are told from others."""


@contextmanager
def ray_cluster(*cpus: int) -> Iterator[Any]:
    """A `Cluster` whose nodes have so many CPUs, the head first; this process isn't connected."""
    import ray
    from ray.cluster_utils import Cluster

    os.environ[OWNER] = str(os.getpid())
    os.environ["RAY_AUTH_MODE"] = "disabled"
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (its name)
    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args=_node(cpus[0]))
    try:
        for count in cpus[1:]:
            cluster.add_node(**_node(count))
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        wait_until(lambda: not left_over())


def _node(cpus: int) -> dict[str, Any]:
    return {"num_cpus": cpus, "object_store_memory": 100 * 2**20, "include_dashboard": False}


def add_node(cluster: Any, cpus: int) -> Any:
    """A further node of a cluster."""
    return cluster.add_node(**_node(cpus))


def left_over() -> list[str]:
    """Processes that clusters of this one have started, and that are still there."""
    mark = f"{OWNER}={os.getpid()}".encode()
    found = []
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in environment.read_bytes().split(b"\0"):
                command = environment.with_name("cmdline").read_bytes()
                if b"resource_tracker" not in command:  # this process may have one itself
                    found.append(command.replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it has just ended
            continue
    return found


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for a condition.

    Raises:
        AssertionError: when patience is over.
    """
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, left_over()
        time.sleep(0.1)
