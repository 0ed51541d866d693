"""A file's facts about a state, as one vector that is compared with ours after each event."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.engine.state import STATE
from catan_pz.terms import CARD_NAMES

UNTOLD: Final = -128
"""Stands for a value missing from the file."""

_FIELDS: Final = (
    *("hand", "hand_size", "bank", "deck_left", "cards", "played", "points", "visible_points"),
    *("road_length", "on_vertex", "on_edge", "robber", "longest_road_owner"),
    *("largest_army_owner", "turn_player", "rolled"),
)
_AWARDS: Final = ("points", "visible_points", "road_length")


def _laid_out() -> tuple[dict[str, slice], NDArray[np.int64]]:
    """The slice of each field in the vector, and the state bytes that the vector holds."""
    slices: dict[str, slice] = {}
    places: list[int] = []
    for name in _FIELDS:
        kind, offset = STATE.fields[name][:2]  # type: ignore[index]
        slices[name] = slice(len(places), len(places) + kind.itemsize)
        places += range(offset, offset + kind.itemsize)
    return slices, np.array(places)


_SLICES, _BYTES = _laid_out()

Values = NDArray[np.int8]


class Sight:
    """The fields of `STATE` found in files, each a view of one vector of bytes.

    Attributes:
        values: the vector; `UNTOLD` for missing values.
    """

    def __init__(self) -> None:
        self.values: Values = np.full(len(_BYTES), UNTOLD, np.int8)

    def __getitem__(self, name: str) -> Values:
        """A field as in `STATE`, writeable."""
        shape = STATE.fields[name][0].shape  # type: ignore[index]
        return self.values[_SLICES[name]].reshape(shape or (1,))


class Difference(NamedTuple):
    """A value in which a file and our game differ."""

    field: str
    what: str
    ours: int
    told: int


def first_difference(games: NDArray[Any], told: Values) -> Difference | None:
    """The first value of a file that a game (1,) of `STATE` doesn't have."""
    ours = games.view(np.int8)[_BYTES]
    wrong = (ours != told) & (told != UNTOLD)
    if not wrong.any():
        return None
    at = int(wrong.argmax())
    name = next(name for name, part in _SLICES.items() if part.start <= at < part.stop)
    where = at - _SLICES[name].start
    return Difference(name, _words(name, where), int(ours[at]), int(told[at]))


def _words(name: str, where: int) -> str:
    """Describe an item of a field."""
    title = name.replace("_", " ")
    if name in ("hand", "cards", "played"):
        kind = (RESOURCE_NAMES if name == "hand" else CARD_NAMES)[where % 5]
        return f"{kind} in {title} of seat {where // 5}"
    if name == "bank":
        return f"{RESOURCE_NAMES[where]} in the bank"
    if name in ("hand_size", *_AWARDS):
        return f"{title} of seat {where}"
    if name in ("on_vertex", "on_edge"):
        return f"what stands {title} {where}"
    return title
