"""Agents by name, with options: "search:simulations=250,turns=16", also as a list."""

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from catan_pz.agents.base import Agent
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
    "catanatron:": "catan_pz.tables.catanatron.bots:CatanatronAgent",
    "hf:": "catan_pz.agents.hub:load",
    "llm:": "catan_pz.agents.language_model:LanguageModelAgent",
}
"""Homes by name: the class, or the function that makes the agent, imported on first use. Names that
end in a colon are families, whose function also takes the rest of the name."""

_OWN: Final = frozenset(_HOMES)

_NAMED_IN: Final[ContextVar[Path | None]] = ContextVar("_NAMED_IN", default=None)
"""The folder of the file that names agents; None if the caller names them."""

Source = str | os.PathLike[str] | Agent | Callable[[], Agent]
"""A name for `load`, the path of a model file, an agent, or a function that makes one."""


def _shipped() -> list[str]:
    # At call time: the module of models imports this one.
    from catan_pz.agents.network import shipped

    return shipped()


def names() -> list[str]:
    """The names that `load` accepts, those of the shipped models included."""
    return [*(name for name in _HOMES if not name.endswith(":")), *_shipped()]


def _is_family(word: str) -> bool:
    return f"{word}:" in _HOMES


def register(name: str, home: str) -> None:
    """Register an agent's name for `load`.

    Args:
        name: a name without a colon, different from the package's own.
        home: "module:thing", a class of `Agent` or a function that returns one; it is
            imported when the agent is loaded, and gets the options of `load`.
    """
    if not isinstance(name, str) or not name or ":" in name:
        raise not_possible("name", name, "a str that isn't empty and has no colon")
    if name in _OWN or _is_family(name) or name in _shipped():
        raise not_possible("name", name, "one that isn't taken")
    _HOMES[name] = check_home(home)


def registered() -> dict[str, str]:
    """Homes by name of the registered agents."""
    return {name: home for name, home in _HOMES.items() if name not in _OWN}


class Registrations(NamedTuple):
    """Homes by name of the registered agents and encoders, for processes started from here."""

    agents: dict[str, str]
    encoders: dict[str, str]

    @classmethod
    def here(cls) -> Self:
        """The registrations of this process."""
        return cls(registered(), encoders.registered())

    def adopt(self) -> None:
        """Register missing ones in this process."""
        for name, home in self.encoders.items():
            if encoders.registered().get(name) != home:
                encoders.register(name, home)
        for name, home in self.agents.items():
            register(name, home)


def load(name: str | os.PathLike[str], **options: Any) -> Agent:
    """An agent by its name.

    Args:
        name: one of `names()`, the path of a model file, which ends in ".npz" and may be a
            `Path`, a home "module:thing" as in `register`, or a family, a colon, and the rest:
            "exec:node bot.js" is a program, "catanatron:value" a player of catanatron,
            "llm:model=...,base_url=..." a chat model, "hf:owner/name" a model of Hugging Face's
            hub, whose checksum is verified. Options may follow one more colon, but not for
            programs: "search:simulations=250,turns=16", "mine:Builder:cities=3".
        **options: arguments of its class, such as `simulations` of "search". They override
            those in the name.
    """
    text = os.fspath(name) if isinstance(name, os.PathLike) else name
    if not isinstance(text, str):
        raise ValueError(f"agent must be a name, one of {names()}, got {quoted(text)}")
    if not begins_with_name(text):
        return _of_model_file(text, options)
    try:
        return _of_name(text, options)
    except (TypeError, ValueError, OSError) as error:
        if ":" in text:
            raise ValueError(f"agent {quoted(text)}: {error}") from error
        raise


def _of_name(name: str, options: dict[str, Any]) -> Agent:
    """The agent of a name, family member or home, with options."""
    word, _, rest = name.partition(":")
    what, members = f"agent {word!r}", []
    if word == "exec":  # the whole rest is its command
        check_code("starts a program")
        home, members, rest = _HOMES[f"{word}:"], [rest], ""
    elif word == "llm":  # addresses have colons
        check_code("asks a language model")
        home = _HOMES[f"{word}:"]
    elif _is_family(word):
        member, _, rest = rest.partition(":")
        home, members = _HOMES[f"{word}:"], [member]
    elif word in _HOMES:
        home = _HOMES[word]
    elif word in _shipped():
        from catan_pz.agents.network import SHIPPED, NetworkAgent

        given = options_in(rest) | options
        check_options(word, NetworkAgent, given, own=("model",))
        return NetworkAgent(SHIPPED / f"{word}.npz", **given)
    else:
        check_code("imports a module")
        thing, _, rest = rest.partition(":")
        what, home = f"{word!r} is no agent{did_you_mean(word, names())}", f"{word}:{thing}"
    make = callable_at(what, home)
    given = options_in(rest) | options
    check_options(word if word in _HOMES else home, make, given)
    return as_agent(make(*members, **given))


def _of_model_file(name: str, options: dict[str, Any]) -> Agent:
    from catan_pz.agents.network import NetworkAgent

    path = Path(name)
    if path.suffix != ".npz":
        if path.is_file():
            raise not_possible("agent", name, "a model file whose name ends in '.npz'")
        allowed = (
            f"one of {names()}, FILE.npz for a saved model, MODULE:CLASS, exec:PROGRAM, or "
            "llm:model=NAME"
        )
        raise not_possible("agent", name, allowed, names())
    check_options(name, NetworkAgent, options, own=("model",))
    folder = _NAMED_IN.get()
    if folder is not None and path.resolve().parent != folder.resolve():
        raise ValueError(f"no file names a model elsewhere ({quoted(name)}): name it yourself")
    if not path.is_file():
        raise FileNotFoundError(f"there is no model {name}")
    return NetworkAgent(name, **options)


@contextmanager
def no_foreign_code(folder: Path) -> Iterator[None]:
    """A context for `load` with names from a file in the folder, which may be untrusted.

    It refuses programs, homes, and models in other folders, also in options of other agents.
    """
    before = _NAMED_IN.set(folder)
    try:
        yield
    finally:
        _NAMED_IN.reset(before)


def begins_with_name(text: str) -> bool:
    """Whether a text is a name for `load` or a home, or begins with one and a colon."""
    word, sign, _ = text.partition(":")
    return bool(sign and _is_family(word)) or word in names() or is_home(text)


def is_home(text: str) -> bool:
    """Whether a text is a home "module:thing" but not a name, or begins with one and a colon."""
    word, _, rest = text.partition(":")
    thing = rest.partition(":")[0]
    is_word = _is_family(word) or word in names()
    return not is_word and thing.isidentifier() and all(map(str.isidentifier, word.split(".")))


def check_code(does: str) -> None:
    """Refuse to run foreign code for a name from a file."""
    if _NAMED_IN.get() is not None:
        raise ValueError(f"no file {does}: name it on the command line")


def as_agent(given: Any) -> Agent:
    """The agent of a `Source`."""
    if isinstance(given, str | os.PathLike):
        return load(given)
    if isinstance(given, Agent):
        return given
    if not callable(given):
        allowed = f"an Agent of catan_pz.agents, or one of {names()}"
        raise not_possible("agent", given, allowed)
    agent = given()
    if not isinstance(agent, Agent):
        raise ValueError(f"{given!r} made {agent!r}, which is no Agent of catan_pz.agents")
    return agent


Opponents = Agent | str | os.PathLike[str] | Sequence[Agent | str | os.PathLike[str] | None] | None
"""None for random players; an agent, its name or a model's path for all other seats; or a sequence
with one of these per other seat, in turn order from the learner's left."""


def as_opponents(given: Opponents, count: int) -> list[Agent | None]:
    """A list with an agent per other seat, None for a random one."""
    is_one = given is None or isinstance(given, Agent | str | os.PathLike)
    listed = [given] * count if is_one else given
    if not isinstance(listed, Sequence) or len(listed) != count:
        allowed = f"None, an Agent, one of {names()}, or a list of {count} of these"
        raise not_possible("opponents", given, allowed)
    try:
        return [None if one is None else as_agent(one) for one in listed]
    except ValueError as error:
        raise ValueError(f"opponents={quoted(given)}: {error}") from None


def split_specs(text: str) -> list[str]:
    """Split names of agents at the commas outside of options and quotes."""
    specs: list[str] = []
    for word in re.findall(r"""((?:"[^"]*"|'[^']*'|[^,])+)""", text):
        option, sign, _ = word.partition("=")
        if sign and ":" not in option and specs:
            specs[-1] += f",{word}"
        else:
            specs.append(word.strip())
    return [spec for spec in specs if spec]


def specs_by_seat(option: str, given: str, seats: int, what: str = "other seats") -> list[str]:
    """Names of agents, one per seat; the last one takes all further seats."""
    specs = split_specs(given)
    if not 1 <= len(specs) <= seats:
        raise ValueError(f"{option} {given!r} names {len(specs)} agents; there are {seats} {what}")
    return specs + specs[-1:] * (seats - len(specs))


def options_in(text: str) -> dict[str, Any]:
    """The options of a text "name=value,name=value", with values read by `as_value`."""
    options = {}
    for given in filter(None, text.split(",")):
        option, sign, value = given.partition("=")
        if not sign:
            raise ValueError("write NAME:OPTION=VALUE,OPTION=VALUE")
        options[option.strip()] = as_value(value)
    return options


def check_options(
    name: str, make: Callable[..., Any], options: Mapping[str, Any], own: Collection[str] = ()
) -> None:
    """Refuse options that aren't parameters of `make`, an agent's class or factory.

    Its `own` parameters aren't options. A function with `**options` checks them itself.
    """
    parameters = signature(make).parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
        return
    taken = [one for one in parameters if one not in own]
    for option in options:
        if option not in taken:
            allowed = f"its options are {', '.join(taken)}" if taken else "it has none"
            hint = did_you_mean(option, taken)
            raise ValueError(f"agent {name!r} has no option {option!r}{hint}; {allowed}")


def as_value(text: str) -> Any:
    """A value from text: JSON, True, False or None if valid, else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # also numbers of thousands of digits, deeply nested lists
        return {"True": True, "False": False, "None": None}.get(text, text)
