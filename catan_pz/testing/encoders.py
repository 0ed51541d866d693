"""Checks of an encoder: shapes and types, dependence on the view only, the same everywhere."""

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
"""Tolerance between NumPy and torch, and between a batch and one row."""

_TABLES: tuple[dict[str, Any], ...] = (
    {"num_players": 4},
    {"num_players": 3, "dice": "balanced"},
    {"num_players": 2, "trading": False, "friendly_robber": True},
)

Encoded = dict[str, NDArray[Any]]


class EncoderError(AssertionError):
    """An encoder breaks a rule for encoders; the message says which, and where."""


def check_encoder(encoder: Encoder | str, *, steps: int = 60, seed: int = 0) -> None:
    """Check that an encoder follows the rules for encoders; raise `EncoderError` if not.

    It gets observations of random games of two, three and four players:

    - its name is a str;
    - its output matches its segments: names, shapes, dtypes, and finite values in their range;
    - it depends on the view only: the same when called again, in another order, for a part of the
      rows, by a copy of the encoder;
    - it doesn't write to its input;
    - one observation, several leading axes and a batch give the same;
    - torch tensors give the same, if torch is installed.

    Args:
        encoder: the encoder, or its name.
        steps: decisions between the observations of each game.
        seed: of the games.
    """
    encoder = as_encoder(encoder, "encoder")
    name = getattr(encoder, "name", None)
    if not isinstance(name, str) or not name:
        kind = type(encoder).__name__
        raise EncoderError(f"{kind}: its attribute `name` is {name!r}, must be a str")
    with _as_encoder_errors():
        check_segments(encoder)
    units = _observations(steps, seed)
    batch = _encoded(encoder, units, "a batch")
    with _as_encoder_errors():
        check_arrays(encoder, batch, units.shape[:-1], f"{len(units)} observations")
    order = np.random.default_rng(seed).permutation(len(units))
    alone = "It must depend on each observation only, and keep no state between calls"
    for how, rows in (
        ("when asked again", np.arange(len(units))),
        ("in another order", order),
        ("in a part of the rows", order[:PART]),
        ("for no observations (0, N)", order[:0]),
    ):
        found = _encoded(encoder, units[rows], how)
        _must_agree(encoder, {n: a[rows] for n, a in batch.items()}, found, how, alone)
    try:
        copy = deepcopy(encoder)
    except TypeError as error:
        raise EncoderError(f"{encoder}: can't be copied: {error}") from None
    _must_agree(encoder, batch, _encoded(copy, units, "by a copy"), "by a copy", alone)

    half = (2, len(units) // 2)
    shaped = {
        "one observation (N,)": (units[0], {n: a[0] for n, a in batch.items()}),
        "two leading axes": (
            units.reshape(*half, -1),
            {n: a.reshape(*half, *a.shape[1:]) for n, a in batch.items()},
        ),
    }
    for how, (given, expected) in shaped.items():
        found = _encoded(encoder, given, how)
        _must_agree(encoder, expected, found, f"for {how}", "Leading axes must be kept")
    if find_spec("torch") is not None:
        for how, (given, expected) in (shaped | {"a batch": (units, batch)}).items():
            where = f"a tensor, {how}"
            found = _encoded(encoder, given, where, is_tensor=True)
            both = "NumPy and torch must give the same"
            _must_agree(encoder, expected, found, f"for {where}", both)


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


@contextmanager
def _as_encoder_errors() -> Iterator[None]:
    """Raise the block's errors as `EncoderError`."""
    try:
        yield
    except ValueError as error:
        raise EncoderError(str(error)) from None


def _encoded(
    encoder: Encoder, units: NDArray[np.int8], where: str, is_tensor: bool = False
) -> Encoded:
    """The encoder's arrays for observations, which it must not change."""
    given: Any = units.copy()
    kind: type = np.ndarray
    if is_tensor:
        import torch

        given, kind = torch.from_numpy(given), torch.Tensor
    else:
        given.flags.writeable = False
    try:
        made = encoder.encode(given)
    except Exception as error:
        what = "wrote to its input" if "read-only" in str(error) else "raised an error"
        raise EncoderError(f"{encoder}, {where}: {what}: {error!r}") from error
    if (np.asarray(given) != units).any():
        raise EncoderError(f"{encoder}, {where}: wrote to its input")
    with _as_encoder_errors():
        named = named_arrays(encoder, made, kind, where)
        if is_tensor:
            check_arrays(encoder, named, units.shape[:-1], where)
    return {n: array.numpy(force=True) if is_tensor else array for n, array in named.items()}


def _must_agree(encoder: Encoder, expected: Encoded, found: Encoded, how: str, why: str) -> None:
    for name, array in expected.items():
        other = found[name]
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
