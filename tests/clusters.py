"""Ray clusters on one machine, for tests: several nodes, without leftover processes."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PATIENCE = 120.0
"""Seconds in which a busy machine ends a process."""

OWNER = "CATAN_PZ_RAY_TESTS"
"""An environment variable that marks processes of these clusters."""


@contextmanager
def ray_cluster(*cpus: int, store: int = 100) -> Iterator[Any]:
    """A `Cluster` on this machine, to which this process isn't connected yet.

    Args:
        *cpus: CPUs of each node, the head first; the others have each a resource "other".
        store: MiB of each object store.
    """
    import ray
    from ray.cluster_utils import Cluster

    os.environ[OWNER] = str(os.getpid())
    os.environ["RAY_AUTH_MODE"] = "disabled"
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 (its name)
    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args=_node(cpus[0], store))
    try:
        for count in cpus[1:]:
            cluster.add_node(**_node(count, store), resources={"other": 1})
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
        end = time.monotonic() + PATIENCE
        while left := left_over():
            assert time.monotonic() < end, left
            time.sleep(0.1)


def _node(cpus: int, store: int = 100) -> dict[str, Any]:
    return {"num_cpus": cpus, "object_store_memory": store * 2**20, "include_dashboard": False}


def add_node(cluster: Any, cpus: int) -> Any:
    """A further node of a cluster."""
    return cluster.add_node(**_node(cpus))


def left_over() -> list[str]:
    """Command lines of processes that this process's clusters started and haven't ended."""
    mark, found = f"{OWNER}={os.getpid()}".encode(), []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended, or belongs to others
            if mark in (process / "environ").read_bytes().split(b"\0"):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                # This process may have a resource tracker itself.
                if command and b"resource_tracker" not in command:
                    found.append(command.decode(errors="replace"))
    return found
