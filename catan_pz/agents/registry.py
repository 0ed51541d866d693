"""Agents by name."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from catan_pz.agents.base import Agent
from catan_pz.agents.specs import check_options, options_in
from catan_pz.checks import callable_at, check_home, did_you_mean, not_possible, quoted
from catan_pz.encoders import registry as encoders

_HOMES: dict[str, str] = {
    "random": "catan_pz.agents.random:RandomAgent",
    "weighted": "catan_pz.agents.random:WeightedAgent",
    "heuristic": "catan_pz.agents.heuristic.agent:HeuristicAgent",
    "evolved": "catan_pz.agents.heuristic.agent:EvolvedAgent",
    "value": "catan_pz.agents.value.agent:ValueAgent",
    "search": "catan_pz.agents.search:SearchAgent",
    "xenou": "catan_pz.published.xenou:XenouAgent",
    "xenou_kept": "catan_pz.published.xenou:kept",
    "rocco": "catan_pz.published.rocco.agent:RoccoAgent",
    "rocco_random": "catan_pz.published.rocco.agent:RandomRoccoAgent",
    "charlesworth": "catan_pz.published.charlesworth.agent:CharlesworthAgent",
    "gendre": "catan_pz.published.gendre.agent:GendreAgent",
    "exec:": "catan_pz.agents.programs.agent:ProgramAgent",
    "catanatron:": "catan_pz.tables.catanatron.bots:load_bot",
}
"""Where the class, or the function that makes the agent, lies: imported when it is wanted. Names
that end in a colon are of families, whose function takes the rest of the name as well."""

_OWN: Final = frozenset(_HOMES)

PROGRAM: Final = "exec"

_NAMED_IN: Final[ContextVar[Path | None]] = ContextVar("_NAMED_IN", default=None)
"""The folder of the file that names agents; None where the caller does."""

Source = str | os.PathLike[str] | Agent | Callable[[], Agent]
"""A name for `load`, the path of a model file, an agent, or a function that makes one."""


def _shipped() -> list[str]:
    # At call time: the module of models imports this one.
    from catan_pz.agents.network import shipped

    return shipped()


def names() -> list[str]:
    """Names that `load` knows, those of the models that come with the package included."""
    return [*(name for name in _HOMES if not name.endswith(":")), *_shipped()]


def _is_family(word: str) -> bool:
    return f"{word}:" in _HOMES


def register(name: str, home: str) -> None:
    """Let `load` know an agent.

    A name that was registered can be registered again; those of the package stay.

    Args:
        name: its name, without a colon.
        home: "module:thing", a class of `Agent` or a function that returns one; it is
            imported when the agent is loaded, and gets the options of `load`.
    """
    if not isinstance(name, str) or not name or ":" in name:
        raise not_possible("name", name, "a str that isn't empty and has no colon")
    if name in _OWN or _is_family(name) or name in _shipped():
        raise not_possible("name", name, "one that isn't taken")
    _HOMES[name] = check_home(home)


def registered() -> dict[str, str]:
    """Homes by name of the agents that were registered."""
    return {name: home for name, home in _HOMES.items() if name not in _OWN}


class Registrations(NamedTuple):
    """Homes by name of agents and encoders that were registered, for processes started from here.

    Attributes:
        agents: of those given to `agents.register`.
        encoders: of those given to `encoders.register`.
    """

    agents: dict[str, str]
    encoders: dict[str, str]

    @classmethod
    def here(cls) -> Self:
        """Those of this process."""
        return cls(registered(), encoders.registered())

    def adopt(self) -> None:
        """Register in this process what isn't known here yet."""
        for name, home in self.encoders.items():
            if encoders.registered().get(name) != home:
                encoders.register(name, home)
        for name, home in self.agents.items():
            register(name, home)


def load(name: str | os.PathLike[str], **options: Any) -> Agent:
    """An agent by its name.

    Args:
        name: one of `names()`, the path of a model file, which ends in ".npz" and may be a
            `Path`, a home "module:thing" as for `register`, or a family, a colon, and the rest:
            "exec:node bot.js" is a program, "catanatron:value" a player of catanatron. Options
            may follow one more colon, though not for programs:
            "search:simulations=250,turns=16", "mine:Builder:cities=3".
        **options: arguments of its class, such as `simulations` of "search". They count before
            those in the name.
    """
    name = os.fspath(name) if isinstance(name, os.PathLike) else name
    if not isinstance(name, str):
        raise ValueError(f"agent {quoted(name)} is not possible; allowed: a name, one of {names()}")
    word, sign, rest = name.partition(":")
    if not sign or not begins_with_name(name):
        return _made_by_name(name, options)
    try:
        if _is_family(word):
            return _made_by_family(word, rest, options)
        if word in names():
            return _made_by_name(word, options_in(rest) | options)
        return _made_at_home(name, options)
    except (TypeError, ValueError, OSError) as error:
        raise ValueError(f"agent {quoted(name)}: {error}") from error


@contextmanager
def no_foreign_code(folder: Path) -> Iterator[None]:
    """Within it `load` takes names from a file, which may be a stranger's.

    It refuses programs, homes, and models that don't lie in the file's folder, also those in
    options of other agents.
    """
    before = _NAMED_IN.set(folder)
    try:
        yield
    finally:
        _NAMED_IN.reset(before)


def begins_with_name(text: str) -> bool:
    """Whether a text is a name that `load` knows or a home, or begins with one and a colon."""
    word, sign, _ = text.partition(":")
    return bool(sign and _is_family(word)) or word in names() or is_home(text)


def is_home(text: str) -> bool:
    """Whether a text is a home "module:thing" and no name, or begins with one and a colon."""
    word, _, rest = text.partition(":")
    thing = rest.partition(":")[0]
    is_word = _is_family(word) or word in names()
    return not is_word and thing.isidentifier() and all(map(str.isidentifier, word.split(".")))


def check_code(does: str) -> None:
    """Refuse code that isn't the package's own where names come from a file."""
    if _NAMED_IN.get() is not None:
        raise ValueError(f"no file {does}: name it on the command line")


def _made_by_family(word: str, rest: str, options: dict[str, Any]) -> Agent:
    """An agent of a family, from the rest of its name."""
    if word == PROGRAM:  # all of the rest is its command
        check_code("starts a program")
        member, given = rest, {}
    else:
        member, _, written = rest.partition(":")
        given = options_in(written)
    make = callable_at(f"agents {word!r}", _HOMES[f"{word}:"])
    return as_agent(make(member, **given | options))


def _made_at_home(name: str, options: dict[str, Any]) -> Agent:
    """An agent of a class, or of a function that makes it."""
    check_code("imports a module")
    module, thing, *written = name.split(":", 2)
    home = f"{module}:{thing}"
    make = callable_at(f"{module!r} is no agent{did_you_mean(module, names())}", home)
    given = options_in("".join(written)) | options
    check_options(home, make, given)
    return as_agent(make(**given))


def _made_by_name(name: str, options: dict[str, Any]) -> Agent:
    """An agent of a plain name, or of a model file."""
    if name in _HOMES:
        make = callable_at(f"agent {name!r}", _HOMES[name])
        check_options(name, make, options)
        return as_agent(make(**options))
    from catan_pz.agents.network import SHIPPED, NetworkAgent

    check_options(name, NetworkAgent, options, own=("model",))
    if name in _shipped():
        return NetworkAgent(SHIPPED / f"{name}.npz", **options)
    if not name.endswith(".npz") and Path(name).is_file():
        raise not_possible("agent", name, "a model file whose name ends in '.npz'")
    if not name.endswith(".npz"):
        raise ValueError(
            f"agent {quoted(name)} is not possible{did_you_mean(name, names())}; allowed: one of "
            f"{names()}, a saved model as FILE.npz, a class as MODULE:CLASS, or a program as "
            f'exec:"PROGRAM"'
        )
    folder = _NAMED_IN.get()
    if folder is not None and Path(name).resolve().parent != folder.resolve():
        raise ValueError(f"no file names a model elsewhere ({quoted(name)}): name it yourself")
    if not Path(name).is_file():
        raise FileNotFoundError(f"there is no model {name}")
    return NetworkAgent(name, **options)


def as_agent(given: Any) -> Agent:
    """The agent of a `Source`."""
    if isinstance(given, str | os.PathLike):
        return load(given)
    if isinstance(given, Agent):
        return given
    if not callable(given):
        raise ValueError(
            f"agent {quoted(given)} is not possible; allowed: an Agent of catan_pz.agents, or one "
            f"of {names()}"
        )
    agent = given()
    if not isinstance(agent, Agent):
        raise ValueError(f"{given!r} made {agent!r}, which is no Agent of catan_pz.agents")
    return agent


Opponents = Agent | str | os.PathLike[str] | Sequence[Agent | str | os.PathLike[str] | None] | None
"""None for random players, an agent, its name or a model's path for all other seats, or one of
these for each in turn order from the learner's left."""


def as_opponents(given: Opponents, count: int) -> list[Agent | None]:
    """Opponents as a list with one for each of the other seats, None for a random one."""
    is_one = given is None or isinstance(given, Agent | str | os.PathLike)
    listed = [given] * count if is_one else given
    if not isinstance(listed, Sequence) or len(listed) != count:
        raise ValueError(
            f"option opponents={quoted(given)} is not possible; allowed: None, an Agent, one of "
            f"{names()}, or a list of {count} of these"
        )
    try:
        return [None if one is None else as_agent(one) for one in listed]
    except ValueError as error:
        raise ValueError(f"option opponents={quoted(given)}: {error}") from None
