"""Argument checks for batches: actions, states, records of games."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import quoted
from catan_pz.engine.ranges import ranges_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.game import violations_of
from catan_pz.rules import Rules


def integers(given: Any, count: int, name: str) -> NDArray[np.int64]:
    """An array (count,) of any integer type as int64."""
    try:
        array = np.asarray(given)
    except ValueError:  # a list of lists of different lengths
        raise TypeError(f"{name} must be integers, got {quoted(given)}") from None
    if array.shape == (0,) == (count,):
        return np.zeros(0, np.int64)  # an empty list has no type of its own
    if array.shape != (count,):
        raise ValueError(f"{name} must have shape ({count},), got {array.shape}")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got {array.dtype}")
    array = np.ascontiguousarray(array, np.int64)
    return array if array.flags.writeable else array.copy()  # compiled calls need writeable arrays


def numbers(given: Any, count: int, name: str) -> Any:
    """An array or tensor (count,) of real numbers."""
    try:
        array = given if hasattr(given, "dtype") else np.asarray(given)
    except ValueError:  # a list of lists of different lengths
        raise TypeError(f"{name} must be real numbers, got {quoted(given)}") from None
    if getattr(array.dtype, "kind", "f") not in "iuf":  # the types of tensors have no kind
        raise TypeError(f"{name} must be real numbers, got {quoted(given)}")
    if tuple(array.shape) != (count,):
        raise ValueError(f"{name} must have shape ({count},), got {tuple(array.shape)}")
    return array


def check_arrays(state: Mapping[str, Any], kept: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a state without all arrays that a batch keeps, or with an array of another form."""
    for name, own in kept.items():
        if name not in state:
            raise ValueError(f"state: {name} is missing")
        given: Any = state[name]
        if getattr(given, "shape", None) != own.shape or given.dtype != own.dtype:
            told = _form(given) if isinstance(given, np.ndarray) else quoted(given)
            raise ValueError(f"state: {name} must be an array {_form(own)}, got {told}")


def _form(array: NDArray[Any]) -> str:
    """The shape and the dtype of an array; that of records by its name."""
    return f"{array.shape} of {'STATE' if array.dtype == STATE else array.dtype}"


def check_unfinished(records: np.ndarray) -> None:
    """Refuse finished games among valid records (K,)."""
    ended = ~records["legal"].any(1)
    if ended.any():
        raise ValueError(f"games[{int(ended.argmax())}] is finished")


def check_records(games: Any) -> None:
    """Refuse anything but records (K,) of `STATE`."""
    if not isinstance(games, np.ndarray) or games.ndim != 1 or games.dtype != STATE:
        raise ValueError(
            "games must be an array (K,) of engine.state.STATE, such as the `games` of a Game; "
            f"that of a JSON state is Game.from_snapshot(state).games; got {quoted(games)}"
        )


def records_in_range(games: Any, rules: Rules) -> np.ndarray:
    """A copy of records (K,) of `STATE` in the layout of compiled code, with values in range."""
    check_records(games)
    ranges_of(rules).check(np.ascontiguousarray(games))
    records = as_games(np.empty(len(games), STATE))
    records[:] = games  # records from files are not aligned
    return records


def sound_records(games: Any, rules: Rules) -> np.ndarray:
    """A copy of records (K,) of `STATE` in the layout of compiled code, all valid games."""
    records = records_in_range(games, rules)
    for i, broken in enumerate(violations_of(records)):
        if broken:
            raise ValueError(f"games[{i}] breaks the rules: {broken!r}")
    return records
