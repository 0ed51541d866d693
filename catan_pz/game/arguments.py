"""What callers give to batches, checked: actions, states, records of games."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import quoted
from catan_pz.engine.ranges import ranges_of
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.game import violations_of
from catan_pz.rules import Rules
from catan_pz.terms import NOBODY


def integers(given: Any, count: int, name: str) -> NDArray[np.int64]:
    """An array (count,) of any integer type as int64."""
    try:
        array = np.asarray(given)
    except ValueError:  # a list of lists of several lengths
        raise TypeError(f"{name} are {quoted(given)}, must be integers") from None
    if array.shape == (0,) == (count,):
        return np.zeros(0, np.int64)  # an empty list has no type of its own
    if array.shape != (count,):
        raise ValueError(f"{name} have shape {array.shape}, must have ({count},)")
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} are {array.dtype}, must be integers")
    array = np.ascontiguousarray(array, np.int64)
    return array if array.flags.writeable else array.copy()  # compiled calls take no other


def numbers(given: Any, count: int, name: str) -> Any:
    """An array or tensor (count,) of real numbers."""
    try:
        array = given if hasattr(given, "dtype") else np.asarray(given)
    except ValueError:  # a list of lists of several lengths
        raise TypeError(f"{name} are {quoted(given)}, must be real numbers") from None
    if getattr(array.dtype, "kind", "f") not in "iuf":  # the types of tensors have no kind
        raise TypeError(f"{name} are {quoted(given)}, must be real numbers")
    if tuple(array.shape) != (count,):
        raise ValueError(f"{name} have shape {tuple(array.shape)}, must have ({count},)")
    return array


def are_finite(numbers: Any) -> bool:
    """Whether the numbers of an array or tensor are finite in float32."""
    if hasattr(numbers, "isfinite"):  # a tensor
        return bool(numbers.float().isfinite().all())
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.asarray(numbers, np.float32)).all())


def check_arrays(state: Mapping[str, Any], kept: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a state without an array for each of those that a batch keeps, or with another one."""
    if not isinstance(state, Mapping):
        raise ValueError(f"state is {quoted(state)}, must be arrays by name")
    for name, own in kept.items():
        given = state.get(name)
        if isinstance(given, np.ndarray):
            if given.shape == own.shape and given.dtype == own.dtype:
                continue
            seen = f"{given.shape} of {given.dtype}"
        else:
            seen = "missing" if given is None else quoted(given)
        raise ValueError(f"state: {name} is {seen}, must be {own.shape} of {own.dtype}")


def check_numbers_in(
    state: Mapping[str, NDArray[Any]], names: Iterable[str], least: int, most: int | None = None
) -> None:
    """Refuse a state with numbers that can't be.

    Args:
        state: the state.
        names: of arrays in it.
        least: the least number allowed in them.
        most: the largest, if there is one.
    """
    for name in names:
        given = state[name]
        if (given < least).any() or (most is not None and (given > most).any()):
            allowed = f"from {least}" if most is None else f"{least} to {most}"
            raise ValueError(f"state: {name} is {quoted(given)}, must be {allowed}")


def check_finite_in(state: Mapping[str, NDArray[Any]], names: Iterable[str]) -> None:
    """Refuse a state with numbers that aren't finite."""
    for name in names:
        if not np.isfinite(state[name]).all():
            raise ValueError(f"state: {name} is {quoted(state[name])}, must be finite")


def check_ends(state: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a state in which games are truncated that aren't done."""
    if (state["truncated"] & ~state["done"]).any():
        raise ValueError("state: truncated names games that aren't done")


def check_winners(state: Mapping[str, NDArray[Any]], records: np.ndarray) -> None:
    """Refuse a state whose winners, or ends of games that are still there, don't fit.

    A game that is done may be followed by any other already.

    Args:
        state: the state, with or without "winner".
        records: (B,) its games, sound.
    """
    done, truncated = state["done"], state["truncated"]
    here = done & ~records["legal"].any(1)
    if (truncated != (records["winner"] == NOBODY))[here].any():
        raise ValueError("state: truncated isn't how the games ended")
    if "winner" not in state:
        return
    winner, most = state["winner"], int(records["num_players"].max(initial=1)) - 1
    check_numbers_in(state, ["winner"], NOBODY, most)
    if ((winner != NOBODY) != (done & ~truncated)).any():
        raise ValueError("state: winner must be a seat where done without truncated, else -1")
    if (winner != records["winner"])[here].any():
        raise ValueError("state: winner isn't who won the games")


def check_unfinished(records: np.ndarray) -> None:
    """Refuse finished games among sound records (K,)."""
    ended = ~records["legal"].any(1)
    if ended.any():
        raise ValueError(f"games[{int(ended.argmax())}] is finished")


def check_records(games: Any) -> None:
    """Refuse what are no records (K,) of `STATE`."""
    if not isinstance(games, np.ndarray) or games.ndim != 1 or games.dtype != STATE:
        is_array = isinstance(games, np.ndarray)
        given = f"{games.shape} of {quoted(games.dtype)}" if is_array else quoted(games)
        raise ValueError(
            "games must be an array (K,) of engine.state.STATE, such as the `games` of a Game; "
            f"that of a JSON state is Game.from_snapshot(state).games; given: {given}"
        )


def records_in_range(games: Any, rules: Rules) -> np.ndarray:
    """A copy of records (K,) of `STATE` as compiled code wants them, each number in its range."""
    check_records(games)
    ranges_of(rules).check(np.ascontiguousarray(games))
    records = as_games(np.empty(len(games), STATE))
    records[:] = games  # those from files are not aligned
    return records


def sound_records(games: Any, rules: Rules) -> np.ndarray:
    """A copy of records (K,) of `STATE` as compiled code wants them, all sound games."""
    records = records_in_range(games, rules)
    for i, broken in enumerate(violations_of(records)):
        if broken:
            raise ValueError(f"games[{i}] breaks the rules: {broken!r}")
    return records
