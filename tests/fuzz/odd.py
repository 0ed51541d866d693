"""Odd values, and JSON values that are changed here and there.

Everything is drawn from a `random.Random`: that of a seed in long runs, hypothesis's own in tests.
"""

import copy
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any, Final

import numpy as np

from catan_pz.terms import Card, Phase, Resource

INTEGERS: Final = (
    *(0, 1, 2, 3, 4, 5, 6, 7, 10, 18, 19, 20, 25, 26, 53, 54, 71, 72, 95, 100, 127, 128, 255, 256),
    *(251, 252, 388, 389, 1000, 2**15, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63),
    *(2**64 - 1, 2**64, 10**30, -1, -2, -128, -(2**31), -(2**63), -(10**30)),
)
STRINGS: Final = (
    *("", " ", "0", "1", "-1", "1e9", "nan", "True", "none", "random", "ore", "ORE", "knight"),
    *("base", "flat", "x", "\0", "\n", "\x1b[31m", "\ud800", "é", "🎲", "../..", "a" * 5_000),
    *("%s%s%n", "{0.__class__}", "<b>", "$\\frac{1}{2}$", "[1, 2]", '{"a": 1}'),
)
FLOATS: Final = (0.0, -0.0, 1.0, 1.5, -3.7, 2.0, 1e308, math.inf, -math.inf, math.nan)


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


JSON_MAKERS: Final[tuple[Callable[[Random], Any], ...]] = (
    lambda rng: rng.choice(INTEGERS),
    lambda rng: rng.choice(INTEGERS),
    lambda rng: rng.choice(FLOATS),
    lambda rng: rng.choice(STRINGS),
    lambda rng: rng.choice((True, False, None)),
    lambda rng: [],
    lambda rng: {},
    lambda rng: [odd_json(rng) for _ in range(rng.randrange(4))],
    lambda rng: {rng.choice(STRINGS): odd_json(rng) for _ in range(rng.randrange(3))},
    lambda rng: _nested(rng.choice((3, 50, 2_000))),
    lambda rng: 10 ** rng.choice((40, 5_000)),
    lambda rng: [0] * rng.choice((5, 19, 20, 1_000)),
)

_ARRAY_TYPES: Final = ("i1", "i4", "i8", "u8", "f4", "f8", "?", "O", "U3", ">i8", "c8", "M8[s]")
_SHAPES: Final = ((), (0,), (1,), (2,), (3,), (1, 1), (2, 3), (0, 5), (1_000,))


def odd_array(rng: Random) -> Any:
    """An array of any kind: types, shapes, order, read-only or not."""
    shape = rng.choice(_SHAPES)
    array = np.zeros(shape, rng.choice(_ARRAY_TYPES))
    if rng.random() < 0.3:
        array = np.zeros(tuple(2 * n for n in shape), array.dtype)[
            tuple(slice(None, None, 2) for _ in shape)
        ]
    if rng.random() < 0.2 and shape:
        array = array[::-1]
    if rng.random() < 0.3 and isinstance(array, np.ndarray):
        array.flags.writeable = False
    return array


PYTHON_MAKERS: Final[tuple[Callable[[Random], Any], ...]] = (
    lambda rng: np.dtype(rng.choice(("i1", "i8", "u8", "f4", "?"))).type(rng.randrange(100)),
    lambda rng: rng.choice((Resource.ORE, Card.KNIGHT, Phase.MAIN)),
    odd_array,
    lambda rng: Fraction(1, 2),
    lambda rng: Decimal("NaN"),
    lambda rng: complex(1, 1),
    lambda rng: b"bytes",
    lambda rng: (rng.choice(INTEGERS),) * rng.randrange(4),
    lambda rng: {1, 2},
    lambda rng: frozenset(),
    lambda rng: range(3),
    lambda rng: (n for n in (1, 2)),
    lambda rng: object(),
    lambda rng: int,
    lambda rng: print,
    lambda rng: {1: 2, "a": 3, None: 4},
    lambda rng: np.str_("ore"),
    lambda rng: slice(1),
    lambda rng: memoryview(b"abc"),
)


def odd_json(rng: Random) -> Any:
    """A JSON value, often an unlikely one."""
    return rng.choice(JSON_MAKERS)(rng)


def odd(rng: Random) -> Any:
    """Any Python value."""
    return odd_json(rng) if rng.random() < 0.6 else rng.choice(PYTHON_MAKERS)(rng)


def odd_or(rng: Random, *usual: Any, share: float = 0.5) -> Any:
    """One of the usual values, or an odd one."""
    return odd(rng) if rng.random() < share else rng.choice(usual)


def chosen_options(rng: Random, usual: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Some keywords, each with a usual value or, seldom, an odd one."""
    names = rng.sample(sorted(usual), rng.randint(0, min(4, len(usual))))
    return {name: odd_or(rng, *usual[name], share=0.25) for name in names}


_DEEPEST: Final = 20


def _places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the values of a nested JSON value lie."""
    if isinstance(value, dict):
        pairs: Any = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    else:
        return [place]
    found = [place] if place else []
    if len(place) > _DEEPEST:
        return found
    for key, inner in pairs:
        found += _places(inner, (*place, key))
    return found


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*map(str, value), *(word for inner in value.values() for word in _words(inner))]
    if isinstance(value, list):
        return [word for inner in value for word in _words(inner)]
    return [value] if isinstance(value, str) else []


def mutated(rng: Random, data: Any, changes: int | None = None) -> Any:
    """A copy of a JSON value with one to three changes, or as many as told."""
    data, words = copy.deepcopy(data), _words(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3)) if changes is None else changes):
        places = _places(data)
        if not places or not isinstance(data, dict | list):
            return odd_json(rng)
        *way, last = rng.choice(places) or (None,)
        owner = data
        for key in way:
            owner = owner[key]
        _change(rng, words, owner, last)
    return data


def _change(rng: Random, words: list[str], owner: Any, key: Any) -> None:
    value = owner[key]
    kind = rng.randrange(8)
    if kind <= 1 and isinstance(value, int) and not isinstance(value, bool):
        owner[key] = value + rng.choice((-1, 1, 1, 2, -3, 10))
    elif kind == 2 and isinstance(value, bool):
        owner[key] = not value
    elif kind == 3 and isinstance(value, str):
        owner[key] = rng.choice(words)
    elif kind == 4:
        del owner[key]
    elif kind == 5 and isinstance(owner, list):
        owner.insert(rng.randrange(len(owner) + 1), rng.choice(owner))
    elif kind == 6 and isinstance(owner, list):
        rng.shuffle(owner)
    elif kind == 6:
        owner[rng.choice((*map(str, owner), *STRINGS))] = odd_json(rng)
    elif kind == 7 and rng.random() < 0.2:
        owner[key] = odd(rng)
    else:
        owner[key] = odd_json(rng)


def damaged(rng: Random, content: bytes) -> bytes:
    """Bytes with some of them changed, cut, doubled or moved."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        size = len(data)
        at = rng.randrange(size) if size else 0
        match rng.randrange(6):
            case 0 if size:
                data[at] = rng.randrange(256)
            case 1 if size:
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                del data[at:]
            case 3:
                data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 9)))
            case 4:
                del data[at : at + rng.randrange(1, 64)]
            case _:
                data[at:at] = data[at // 2 : at]
    return bytes(data)
