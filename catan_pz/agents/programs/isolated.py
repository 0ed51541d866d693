"""An agent of Python in a process of its own, as a program of this package's protocol."""

import base64
import pickle
import sys
from multiprocessing import spawn
from typing import Any

from catan_pz.agents.base import Agent
from catan_pz.agents.programs.agent import ProgramAgent
from catan_pz.agents.programs.serve import serve, standard_streams
from catan_pz.agents.registry import Source, made

_MAIN: bytes = b"_main__"
"""Part of the names that the module of a program has, here and in processes started from it."""


class IsolatedAgent(ProgramAgent):
    """An agent that plays in a process of its own, which gets its views and nothing else.

    It chooses what it would choose here, from the same random stream.

    Args:
        source: what it is made from in that process: a name for `agents.load`, an agent, or a
            function that makes one; both must be picklable.
        name: for tables of results.
        seconds: for a decision, at most; None for no limit.

    Raises:
        ValueError: if the source can't be sent to another process.
    """

    def __init__(self, source: Source, name: str, *, seconds: float | None = None) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import main; main()"
        super().__init__("python", seconds=seconds)
        self.command = [sys.executable, "-c", code]
        self.name = name
        try:
            self._source = pickle.dumps(source)
        except Exception as error:
            raise ValueError(
                f"agent {name!r} can't be sent to a process of its own ({error}); give a name or "
                "a function of a module that makes it, or play without isolation"
            ) from error

    def _first_line(self) -> bytes:
        preparation: dict[str, Any] = {}
        if _MAIN in self._source:  # its class is one of the program that was started
            preparation = spawn.get_preparation_data(self.name)
            preparation.pop("authkey", None)
        return base64.b64encode(pickle.dumps((preparation, self._source))) + b"\n"


def main() -> None:
    """Serve the agent that the first line of standard input holds."""
    incoming, outgoing = standard_streams()
    preparation, source = pickle.loads(base64.b64decode(incoming.readline()))
    agent: Agent
    try:
        spawn.prepare(preparation)
        agent = made(pickle.loads(source))
    except Exception as error:
        agent = _Unmade(error)
    serve(agent, incoming, outgoing)


class _Unmade(Agent):
    """Stands for an agent that can't be made: raises the error when it is asked."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def reset(self, *_: Any) -> None:
        """Raise the error."""
        raise self._error

    def act(self, view: Any) -> int:
        """Never called."""
        raise self._error
