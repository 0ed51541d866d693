"""An agent of Python in a process of its own, as a program of this package's protocol."""

import base64
import pickle
import sys
from multiprocessing import spawn
from typing import Any

from catan_pz.agents.programs import messages
from catan_pz.agents.programs.agent import ProgramAgent, ProgramError
from catan_pz.agents.programs.serve import serve, standard_streams
from catan_pz.agents.registry import Registrations, Source, as_agent

_MAIN: bytes = b"_main__"
"""Part of the names that the module of a program has, here and in processes started from it."""


class IsolatedAgent(ProgramAgent):
    """An agent that plays in a process of its own, which gets its views and nothing else.

    It is made there from its source, which must be picklable, and chooses what it would choose
    here. Agents and encoders that are registered here are known there by their names.
    """

    def __init__(self, source: Source, name: str, *, seconds: float | None = None) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import main; main()"
        super().__init__("python", seconds=seconds)
        self.command = [sys.executable, "-c", code]
        self.name = name
        try:
            self._source = pickle.dumps((Registrations.here(), source))
        except Exception as error:
            raise ValueError(
                f"agent {name!r} can't be sent to a process of its own ({error}); give a name or "
                "a function of a module that makes it, or play without isolation"
            ) from error

    def start(self) -> None:
        """Start a process, which makes the agent and waits for a game."""
        try:
            program = self._pool.take(self.name, self.command, self._first_line())
        except ProgramError as error:
            reason = error.reason.removeprefix("error: ")
            raise ValueError(
                f"agent {self.name!r} can't be made in a process of its own: {reason}"
            ) from None
        self._pool.give_back(program)

    def _first_line(self) -> bytes:
        preparation: dict[str, Any] = {}
        if _MAIN in self._source:  # its class, or its home, is in the program that was started
            preparation = spawn.get_preparation_data(self.name)
            preparation.pop("authkey", None)
        return base64.b64encode(pickle.dumps((preparation, self._source))) + b"\n"


def main() -> None:
    """Serve the agent that the first line of standard input holds."""
    incoming, outgoing = standard_streams()
    preparation, pickled = pickle.loads(base64.b64decode(incoming.readline()))
    try:
        spawn.prepare(preparation)
        registrations, source = pickle.loads(pickled)
        registrations.adopt()
        agent = as_agent(source)
    except Exception as error:
        incoming.readline()
        told = f"{type(error).__name__}: {error}"
        outgoing.write(messages.encoded({"type": "error", "message": told}))
        outgoing.close()
    else:
        serve(agent, incoming, outgoing)
