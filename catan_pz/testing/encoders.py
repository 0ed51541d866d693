"""Checks of an encoder: shapes and types, blind to all but the view, the same everywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.batch.cpu import CpuBatch
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.base import check_arrays, check_segments, named_arrays
from catan_pz.rules import Rules

GAMES = 16
PART = 5
TOLERANCE = 1e-5
"""By how much an array may differ between NumPy and torch, or between a batch and one row."""

_TABLES: tuple[dict[str, Any], ...] = (
    {"num_players": 4},
    {"num_players": 3, "dice": "balanced"},
    {"num_players": 2, "trading": False, "friendly_robber": True},
)


class EncoderError(AssertionError):
    """An encoder does what an encoder must not; the message says what, and where."""


def check_encoder(encoder: Encoder | str, *, steps: int = 60, seed: int = 0) -> None:
    """Check that an encoder is what encoders must be. Returns nothing if it is.

    It is given observations of random games of two, three and four players:

    - its name is a str;
    - it gives what its segments say: names, shapes, dtypes, and finite values in their range;
    - it depends on the view alone: the same again when asked again, in another order, in a part
      of the rows, by a copy of the encoder;
    - it doesn't write to what it is given;
    - one observation, several axes of them and a batch give the same;
    - it gives the same for torch tensors, as tensors on their device, where torch is installed.

    Args:
        encoder: the encoder, or the name of one.
        steps: decisions in each game between the observations looked at.
        seed: of the games.
    """
    encoder = as_encoder(encoder, "encoder")
    _check_name(encoder)
    with _as_encoder_errors():
        check_segments(encoder)
    units = _observations(steps, seed)
    batch = _encoded(encoder, units)
    with _as_encoder_errors():
        check_arrays(encoder, batch, units.shape[:-1], f"{len(units)} observations")
    _check_independence(encoder, batch, units, np.random.default_rng(seed))
    _check_copies(encoder, batch, units)
    _check_torch(encoder, batch, units)


def _observations(steps: int, seed: int) -> NDArray[np.int8]:
    """(K, N) int8 observations of games at different stages."""
    parts = []
    for options in _TABLES:
        batch = CpuBatch(GAMES, Rules(**options), seed=seed)
        for _ in range(3):
            assert batch.observation is not None
            parts.append(batch.observation.copy())
            batch.play_random(steps)
    return np.concatenate(parts)


def _check_name(encoder: Encoder) -> None:
    name = getattr(encoder, "name", None)
    if not isinstance(name, str) or not name:
        raise EncoderError(
            f"{type(encoder).__name__}: its attribute `name` is {name!r}, must be a str"
        )


@contextmanager
def _as_encoder_errors() -> Iterator[None]:
    """Faults that the block finds, as what `check_encoder` raises."""
    try:
        yield
    except ValueError as error:
        raise EncoderError(str(error)) from None


def _called(encoder: Encoder, given: Any, where: str) -> Any:
    try:
        return encoder.encode(given)
    except Exception as error:
        what = "wrote to what it was given" if "read-only" in str(error) else "raised an error"
        raise EncoderError(f"{encoder}, {where}: {what}: {error!r}") from error


def _encoded(
    encoder: Encoder, units: NDArray[np.int8], where: str = "a batch"
) -> dict[str, NDArray[Any]]:
    """What the encoder gives for observations, which must stay as they are."""
    given = units.copy()
    given.flags.writeable = False
    made = _called(encoder, given, where)
    if (given != units).any():
        raise EncoderError(f"{encoder}, {where}: wrote to what it was given")
    with _as_encoder_errors():
        return named_arrays(encoder, made, np.ndarray, where)


def _must_agree(
    encoder: Encoder, expected: dict[str, NDArray[Any]], found: dict[str, Any], how: str, why: str
) -> None:
    for name, array in expected.items():
        other = np.asarray(found[name])
        if other.shape != array.shape:
            raise EncoderError(
                f"{encoder}: {name!r} has the shape {other.shape} {how}, must have {array.shape}"
            )
        wrong = ~np.isclose(other, array, rtol=TOLERANCE, atol=TOLERANCE)
        if wrong.any():
            place = tuple(int(k) for k in np.argwhere(wrong)[0])
            raise EncoderError(
                f"{encoder}: {name!r} is {array[place]} at {place}, but {other[place]} {how}. {why}"
            )


def _check_independence(
    encoder: Encoder,
    batch: dict[str, NDArray[Any]],
    units: NDArray[np.int8],
    rng: np.random.Generator,
) -> None:
    """The same whatever the other rows are, and with other leading axes."""
    alone = "It must depend on each observation alone, and keep nothing between calls"
    order = rng.permutation(len(units))
    for how, chosen in (
        ("when asked again", np.arange(len(units))),
        ("in another order", order),
        ("in a part of the rows", order[:PART]),
    ):
        found = _encoded(encoder, units[chosen], how)
        _must_agree(encoder, {n: a[chosen] for n, a in batch.items()}, found, how, alone)
    single = _encoded(encoder, units[order[0]], "one observation (N,)")
    expected = {name: array[order[0]] for name, array in batch.items()}
    _must_agree(encoder, expected, single, "for one observation (N,)", alone)
    shape = (2, len(units) // 2)
    none = _encoded(encoder, units[:0], "no observations (0, N)")
    expected = {name: array[:0] for name, array in batch.items()}
    _must_agree(encoder, expected, none, "for no observations (0, N)", alone)
    folded = _encoded(encoder, units.reshape(*shape, -1), "two leading axes")
    expected = {n: a.reshape(*shape, *a.shape[1:]) for n, a in batch.items()}
    _must_agree(encoder, expected, folded, "with two leading axes", "Leading axes must be kept")


def _check_copies(
    encoder: Encoder, batch: dict[str, NDArray[Any]], units: NDArray[np.int8]
) -> None:
    """The same by a copy, such as other processes get."""
    try:
        copy = deepcopy(encoder)
    except TypeError as error:
        raise EncoderError(f"{encoder}: can't be copied: {error}") from None
    found = _encoded(copy, units, "by a copy")
    _must_agree(encoder, batch, found, "by a copy", "It must keep nothing between calls")


def _check_torch(encoder: Encoder, batch: dict[str, NDArray[Any]], units: NDArray[np.int8]) -> None:
    """The same for tensors of any leading axes, where torch is installed."""
    if find_spec("torch") is None:
        return
    _check_tensor(encoder, batch, units, "a tensor")
    single = {name: array[0] for name, array in batch.items()}
    _check_tensor(encoder, single, units[0], "a tensor (N,)")
    shape = (2, len(units) // 2)
    folded = {name: array.reshape(*shape, *array.shape[1:]) for name, array in batch.items()}
    _check_tensor(encoder, folded, units.reshape(*shape, -1), "a tensor with two leading axes")


def _check_tensor(
    encoder: Encoder, expected: dict[str, NDArray[Any]], units: NDArray[np.int8], where: str
) -> None:
    import torch

    tensor = torch.from_numpy(units.copy())
    made = _called(encoder, tensor, where)
    with _as_encoder_errors():
        named = named_arrays(encoder, made, torch.Tensor, where)
    if (tensor.numpy() != units).any():
        raise EncoderError(f"{encoder}, {where}: wrote to what it was given")
    for segment in encoder.segments:
        found = named[segment.name]
        if found.device != tensor.device:
            raise EncoderError(
                f"{encoder}: {segment.name!r} is on {found.device}, must stay where "
                f"the observations are, on {tensor.device}"
            )
    with _as_encoder_errors():
        check_arrays(encoder, named, units.shape[:-1], where)
    arrays = {name: array.numpy(force=True) for name, array in named.items()}
    _must_agree(encoder, expected, arrays, f"for {where}", "NumPy and torch must give the same")
