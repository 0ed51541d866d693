"""Checks of arguments: options, counts, seeds, actions.

Each error names the given value and the allowed ones.
"""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from math import isfinite
from numbers import Real
from operator import index
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    import numpy as np

_Shape = TypeVar("_Shape")

_MOST_QUOTED: Final = 200

SYNONYMS: Final = {
    "clay": "brick",
    "wood": "lumber",
    "timber": "lumber",
    "sheep": "wool",
    "wheat": "grain",
    "corn": "grain",
    "stone": "ore",
    "rock": "ore",
}
"""Synonyms of players for the rulebook's resources."""


def quoted(value: object, most: int = _MOST_QUOTED) -> str:
    """A value quoted for an error: its repr, cut after `most` characters."""
    try:
        text = repr(value)
    except Exception:  # numbers of thousands of digits, deeply nested lists, odd classes
        return f"<{type(value).__name__}>"
    return text if len(text) <= most else f"{text[:most]}..."


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """A hint: the known word that is close, " (did you mean 'dice'?)", or an object of a class."""
    if isinstance(given, type):
        return f" (did you mean {given.__name__}()?)"
    words = [word for word in known if isinstance(word, str)]
    meant = SYNONYMS.get(given.lower()) if isinstance(given, str) else None
    if meant in words:
        return f" (did you mean {meant!r}?)"
    close = get_close_matches(given, words, 1) if isinstance(given, str) else []
    return f" (did you mean {close[0]!r}?)" if close else ""


def not_possible(
    what: str, value: object, allowed: str, known: Iterable[object] = ()
) -> ValueError:
    """The error for a value that isn't allowed; it names the value and the allowed ones.

    `known` are the words that could be meant.
    """
    hint = did_you_mean(value, known)
    return ValueError(f"{what} must be {allowed}, got {quoted(value)}{hint}")


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Refuse an option that isn't one of the choices."""
    if not any(_is(value, choice) for choice in choices):
        raise not_possible(name, value, f"one of {choices}", choices)


def _is_bool(value: object) -> bool:
    """Whether a value is a bool, of Python or NumPy; NumPy isn't imported for this."""
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")


def plain_int(value: Any) -> Any:
    """Any kind of integer as a plain int; anything else, bools included, unchanged."""
    if type(value) is not int and not isinstance(value, bool):
        with suppress(TypeError):
            return index(value)
    return value


def _is(value: object, choice: object) -> bool:
    """Whether a value is a choice: True isn't 1, and 1.0 isn't either."""
    if type(choice) is int:
        number = plain_int(value)
        return type(number) is int and number == choice
    return value is choice or (isinstance(value, type(choice)) and bool(value == choice))


def check_flag(name: str, value: object) -> bool:
    """Check an option that is True or False."""
    if not _is_bool(value):
        raise not_possible(name, value, "True or False")
    return bool(value)


def check_text(name: str, value: object) -> str:
    """Check a text option."""
    if not isinstance(value, str):
        raise not_possible(name, value, "a str")
    return value


def check_count(name: str, value: object, least: int = 1, most: int | None = None) -> int:
    """Check a count; return it as a plain int."""
    number = plain_int(value)
    if type(number) is not int or number < least or (most is not None and number > most):
        allowed = f"an int from {least}" if most is None else f"an int from {least} to {most}"
        raise not_possible(name, value, allowed)
    return number


def check_number(
    what: str,
    value: object,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
) -> float:
    """Check a finite real number; return it as a plain float."""
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            number = float(value)
            enough = (least is None or number >= least) and (above is None or number > above)
            if isfinite(number) and enough and (most is None or number <= most):
                return number
    limits = (("from", least), ("above", above), ("to", most))
    told = "".join(f" {word} {limit:g}" for word, limit in limits if limit is not None)
    raise not_possible(what, value, f"a finite number{told}")


def check_seed(seed: object) -> int:
    """Check a seed, an int from 0 to 2**64 - 1."""
    number = plain_int(seed)
    if type(number) is not int or not 0 <= number < 2**64:
        raise not_possible("seed", seed, "an int from 0 to 2**64 - 1")
    return number


def check_reset_options(options: object, known: tuple[str, ...] = ()) -> None:
    """Refuse unknown options for the `reset` of an environment."""
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise not_possible("reset: options", options, "a dict or None")
    for name in options:
        if name not in known:
            told = f"known: {list(known)}" if known else "it has none"
            hint = did_you_mean(name, known)
            raise ValueError(f"reset: unknown option {quoted(name)}{hint}; {told}")


def check_generator(rng: object) -> "np.random.Generator":
    """A random generator."""
    import numpy as np

    if not isinstance(rng, np.random.Generator):
        raise not_possible("rng", rng, "a numpy.random.Generator")
    return rng


def as_integer(what: str, value: Any) -> int:
    """Any kind of integer as a plain int; `what` names it, in the singular, in errors."""
    number = value if type(value) is int else plain_int(value)  # called in each step
    if type(number) is not int:
        kind = type(value).__name__
        raise TypeError(f"{what} must be an integer, got {quoted(value)} of type {kind}")
    return number


def as_action(action: Any) -> int:
    """An action of any integer type as a plain int."""
    return as_integer("action", action)


def check_seat(seat: Any, num_players: int) -> int:
    """Check a seat, an int from 0 to P - 1."""
    checked = as_integer("seat", seat)
    if not 0 <= checked < num_players:
        raise not_possible("seat", seat, f"an int from 0 to {num_players - 1}")
    return checked


def check_game_number(number: Any, num_games: int) -> int:
    """Check the index of a game in a batch, an int from 0 to B - 1."""
    checked = as_integer("game number", number)
    if not 0 <= checked < num_games:
        raise IndexError(f"there is no game {quoted(checked)}; games go from 0 to {num_games - 1}")
    return checked


def check_home(home: object) -> str:
    """Check the home of a class or function, "module:thing"."""
    if not isinstance(home, str) or not re.fullmatch(r"[^:.][^:]*:[^:]+", home):
        raise not_possible("home", home, "'module:thing'")
    return home


def callable_at(what: str, home: str) -> Callable[..., Any]:
    """The class or function at a home, "module:thing", imported.

    `what` names it in errors. Raises `ImportError` if the module needs a missing package.
    """
    try:
        found = resolve_name(home)
    except ModuleNotFoundError as error:
        # An import within the module may fail as well; that error suffices.
        if error.name is None or not f"{home.split(':', maxsplit=1)[0]}.".startswith(
            f"{error.name}."
        ):
            raise
        raise ValueError(f"{what}: home {home!r}: {error}") from error
    except AttributeError:
        found = None
    if not callable(found):
        module, _, thing = home.partition(":")
        hint = did_you_mean(thing, vars(sys.modules[module]))
        raise ValueError(f"{what}: home {home!r} has no such class or function{hint}")
    return found


def shaped(data: Any, shape: type[_Shape], name: str) -> _Shape:
    """Convert JSON values to the type that declares their shape, such as a `msgspec.Struct`.

    The error names the wrong entry: "state.players[2].hand.brick: expected int, got str".
    """
    import msgspec

    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        raise ValueError(_wrong_entry(str(error), data, name)) from None
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: {quoted(error.object)} has half a surrogate pair") from None


def _wrong_entry(error: str, data: Any, name: str) -> str:
    """Put the entry first in a msgspec error: "Expected `int`, got `str` - at `$.hand.brick`"."""
    fault, _, place = error.replace("`", "").partition(" - at ")
    path = place.partition("$")[2]
    for told, verdict in (
        ("Object missing required field ", "is missing"),
        ("Object contains unknown field ", "is unknown"),
    ):
        if fault.startswith(told):
            return f"{name}{path}.{quoted(fault.removeprefix(told), 80)[1:-1]} {verdict}"
    if not any(told in fault + path for told in ("got", "'", "[...]")):
        for key, number in re.findall(r"\.(\w+)|\[(\d+)\]", path):
            data = data[key or int(number)]
        fault += f", got {quoted(data, 80)}"
    fault = fault.replace("Invalid enum value", "no such value")
    end = "..." * (len(fault) > _MOST_QUOTED)
    return f"{name}{path}: {fault[0].lower()}{fault[1:_MOST_QUOTED]}{end}"
