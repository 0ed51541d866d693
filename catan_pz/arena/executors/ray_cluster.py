"""The connection to a Ray cluster, and the errors where there is none."""

import os
import socket
from typing import Any, Final

from catan_pz.checks import not_possible

_ALLOWED: Final = (
    '"HOST:PORT" of a cluster, "auto" for the one of this machine, "local" for a new one'
)
_ANSWER_SECONDS: Final = 10.0
"""How long the head of a cluster has to take up a connection."""


def connect(address: str | None = None, num_cpus: int | None = None) -> Any:
    """The module `ray`, connected to a cluster; a connection that there is already stays.

    Args:
        address: "HOST:PORT" of the cluster's head; "auto" for the cluster that this machine
            belongs to; "local" for a new one in this machine alone; None for that of the
            variable RAY_ADDRESS, or of this machine if it belongs to one, or a new one.
        num_cpus: of a new cluster; None for those of the machine.

    Raises:
        ImportError: if Ray isn't installed; says how to get it.
        ValueError: if the address is none.
        ConnectionError: if there is no cluster.
        RuntimeError: if the cluster has another version of Ray or Python.
    """
    ray = _import_ray()
    if ray.is_initialized():
        return ray
    asked = address or os.environ.get("RAY_ADDRESS") or None
    if asked not in (None, "auto", "local"):
        _check_answers(asked)
    is_new = asked == "local" or (asked is None and not _is_running(ray))
    options: dict[str, Any] = {"logging_level": "WARNING"}
    if is_new:
        options |= {"num_cpus": num_cpus, "include_dashboard": False}
    try:
        ray.init("local" if is_new else (asked or "auto"), **options)
    except ConnectionError as error:
        raise ConnectionError(_no_cluster(asked)) from error
    except RuntimeError as error:
        if "Version mismatch" not in str(error):
            raise
        ray.shutdown()
        raise RuntimeError(_versions(str(error))) from error
    return ray


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError("playing on a cluster needs Ray: pip install 'catan-pz[ray]'") from error
    return ray


def _is_running(ray: Any) -> bool:
    """Whether this machine belongs to a cluster."""
    from ray._private.services import canonicalize_bootstrap_address

    return canonicalize_bootstrap_address(None, None) is not None


def _check_answers(address: str) -> None:
    """Refuse an address where nobody listens: Ray itself would end the process."""
    host, sign, port = address.rpartition(":")
    if "://" in address or not sign or not port.isdecimal() or int(port) > 65535:
        raise not_possible("option address", address, _ALLOWED)
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise ConnectionError(f"{_no_cluster(address)} ({error.strerror or error})") from error


def _no_cluster(address: str | None) -> str:
    if address in (None, "auto"):
        return "no Ray cluster runs on this machine: `ray start --head` starts one"
    return f"no Ray cluster answers at {address}"


def _versions(message: str) -> str:
    """One line from the lines in which Ray tells of versions."""
    words = " ".join(message.split())
    return f"Ray's versions don't fit; install the same on every node. {words}"
