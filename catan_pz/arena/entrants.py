"""Entrants of a match: agents with names, created in each process."""

import hashlib
import json
import math
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final

import numpy as np

from catan_pz.agents.base import Agent, BatchAgent
from catan_pz.agents.programs.agent import IsolatedAgent, ProgramAgent
from catan_pz.agents.registry import Registrations, Source, as_agent
from catan_pz.checks import not_possible
from catan_pz.rules import Rules

AgentSpec = Source | tuple[str, Source]
"""A source, or a pair of a name in tables of results and a source."""

ALLOWED = (
    "an Agent, a name for catan_pz.agents.load, or a pair of a name and one of these or a "
    "function that makes one"
)


@dataclass(frozen=True)
class Entrant:
    """An agent of a match."""

    name: str
    source: Source  # source of the agent in each process
    description: dict[str, Any]  # class and options as JSON, compared with files of results
    is_batched: bool  # whether it decides in many games with one call
    sees_state: bool = False  # whether it gets the true state of games
    is_isolated: bool = False  # whether it plays in a separate process
    has_batcher: bool = False  # whether its copies in many games decide with a batcher
    is_program: bool = False  # whether a program plays, which has a separate process anyway
    # Registered names that other processes need to make it.
    registrations: Registrations = field(default_factory=Registrations.here)

    def make(self, seconds: float | None = None) -> Agent:
        """Make the agent; `seconds` is a program's time limit for a decision."""
        self.registrations.adopt()
        if self.is_isolated:
            isolated = IsolatedAgent(self.source, self.name, seconds=seconds)
            isolated.start()
            return isolated
        agent = as_agent(self.source)
        if isinstance(agent, ProgramAgent) and seconds is not None:
            agent = copy(agent)  # the source may be the caller's agent
            agent.seconds = seconds
        return agent

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that the agent doesn't support."""
        as_agent(self.source).check_rules(rules)

    def isolated(self) -> "Entrant":
        """The same entrant in a separate process, which a program has anyway."""
        if self.is_program:
            return self
        return replace(self, is_isolated=True, is_batched=False, has_batcher=False)


_OBJECT: Final = "an object of "
"""Prefix of the description of a value by its type only."""


def as_entrant(given: AgentSpec) -> Entrant:
    """An entrant from any form of an agent."""
    name: str | None = None
    source: Any = given
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        name, source = given
    if isinstance(source, os.PathLike):
        source = os.fspath(source)
    if not isinstance(source, str | Agent) and not callable(source):
        raise not_possible("agent", given, ALLOWED)
    agent = as_agent(source)
    if name is None:
        name = source if isinstance(source, str) else agent.name
    if not isinstance(name, str) or not name or "\n" in name:
        raise not_possible("an agent's name", name, "a word")
    description = {"name": name, **describe(agent)}
    return Entrant(
        name,
        source,
        description,
        _is_batched(agent),
        has_batcher=agent.has_batcher,
        is_program=isinstance(agent, ProgramAgent),
    )


def shown_state(entrants: Sequence[Entrant], names: Sequence[str]) -> list[Entrant]:
    """The entrants, with marked names for those that get the true state."""
    known = [entrant.name for entrant in entrants]
    if isinstance(names, str) or not isinstance(names, Collection):
        raise not_possible("true_state", names, f"a list of names among {known}")
    shown = list(entrants)
    for name in names:
        if name not in known:
            raise not_possible("true_state", name, f"names among {known}", known)
        k = known.index(name)
        if entrants[k].is_isolated:
            raise not_possible("true_state", name, "empty with isolate=True")
        longer = f"{name} (true state)"
        if longer in known:
            raise _same_name(longer)
        description = entrants[k].description | {"name": longer, "true_state": True}
        shown[k] = replace(
            entrants[k], name=longer, description=description, sees_state=True, is_batched=False
        )
    return shown


def _is_batched(agent: Agent) -> bool:
    """Whether an agent's choices depend only on `act_batch`."""
    single = ("act", "reset", "observe", "end", "close")
    return (
        agent.stateless
        and not agent.needs_belief
        and all(getattr(type(agent), call) is getattr(BatchAgent, call) for call in single)
    )


def describe(agent: Agent, within: tuple[int, ...] = ()) -> dict[str, Any]:
    """Class and options of an agent, as JSON values; `within` as in `_described`.

    Numbers, strings, arrays, torch tensors, agents, and lists, dicts and dataclasses of these are
    described by their values, with their class unless it is built in; torch modules by their type
    and weights; everything else, and objects that contain themselves, only by type.
    """
    options = {
        name: _described(value, (*within, id(agent)))
        for name, value in sorted(vars(agent).items())
        if name not in ("seat", "rules", "_random", "name", "_pool")
    }
    return {"class": _class_of(agent), "options": options}


def _described(value: Any, within: tuple[int, ...]) -> Any:
    """A value as JSON; `within` has the ids of the enclosing objects, the agent's first."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": float.__repr__(value)}  # since NaN isn't equal to itself
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"array {value.dtype}{list(value.shape)} {_digest(value.tobytes())}"
    if id(value) in within:
        return f"{_OBJECT}{_class_of(value)}"
    further = (*within, id(value))
    if isinstance(value, Agent):
        return describe(value, within)
    content: Any = None
    if isinstance(value, tuple | list):
        content = [_described(part, further) for part in value]
    elif is_dataclass(value) and not isinstance(value, type):
        content = {one.name: _described(getattr(value, one.name), further) for one in fields(value)}
    elif isinstance(value, Mapping):
        content = {str(key): _described(part, further) for key, part in value.items()}
    if content is None:
        return _described_of_torch(value, further) or f"{_OBJECT}{_class_of(value)}"
    is_plain = type(value) in (tuple, list, dict)
    return content if is_plain else {"class": _class_of(value), "content": content}


def _described_of_torch(value: Any, within: tuple[int, ...]) -> Any:
    """A torch tensor or module as JSON; None for anything else."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    if isinstance(value, torch.nn.Module):
        weights = _described(value.state_dict(), within)
        return {"module": f"{_OBJECT}{_class_of(value)}", "weights": weights}
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value.is_meta:
        return None
    content = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return f"tensor {value.dtype}{list(value.shape)} {_digest(content)}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _class_of(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def as_entrants(
    given: Sequence[AgentSpec], *, isolate: bool = False
) -> tuple[list[Entrant], list[int]]:
    """The distinct entrants, and the index of each given agent among them.

    With `isolate` each plays in a separate process.
    """
    if not isinstance(given, list | tuple):
        raise not_possible("agents", given, f"a list, each {ALLOWED}")
    found: dict[str, Entrant] = {}
    order: list[str] = []
    for one in given:
        entrant = as_entrant(one)
        order.append(entrant.name)
        if not _are_copies(found.setdefault(entrant.name, entrant), entrant):
            raise _same_name(entrant.name)
    names = list(found)
    entrants = [one.isolated() if isolate else one for one in found.values()]
    return entrants, [names.index(name) for name in order]


def _same_name(name: str) -> ValueError:
    return ValueError(f"two different agents have the name {name!r}: give pairs of name and agent")


def _are_copies(one: Entrant, other: Entrant) -> bool:
    """Whether two entrants with one name are certainly the same agent."""
    if one.source is other.source or (one.source == other.source and isinstance(one.source, str)):
        return True
    return one.description == other.description and _OBJECT not in json.dumps(one.description)
