"""What the fields of a record can hold at all, checked before compiled rules read them.

Rules use many of these numbers as indices, and trust them. Whether a record keeps the rules is
another question, which `engine.invariants` answers.
"""

from functools import lru_cache
from typing import Any, Final

import numpy as np

from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.engine.chance import NO_OUTCOME
from catan_pz.engine.options import deal_of
from catan_pz.engine.state import DERIVED, STATE
from catan_pz.engine.trade import ACCEPTED, COUNTERED, NO_ANSWER, REJECTED
from catan_pz.rules import BOARD_PARTS, Rules
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    CITIES_PER_PLAYER,
    DECK_SIZE,
    GENERIC_HARBOR,
    MAX_PLAYERS,
    NOBODY,
    NUM_CARD_KINDS,
    NUM_HEXES,
    NUM_VERTICES,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
    Phase,
    Terrain,
)

MOST_CARDS: Final = 127
"""Resource cards of a game, bank and hands. More than the 95 of the box where a followed table
has no limit of the bank; however they move, counts of them stay within a byte."""

MOST_TURNS: Final = 2**30
"""So many that no game gets from there to the end of its counter."""

_BYTE: Final = (0, 127)
_CARDS: Final = (0, BANK_PER_RESOURCE)
_DEVELOPMENT_CARDS: Final = (0, DECK_SIZE)
_ANSWERS: Final = (NO_ANSWER, ACCEPTED, REJECTED, COUNTERED)

_RANGES: Final[dict[str, tuple[int, int]]] = {
    "terrain": (0, max(Terrain)),
    "token": (0, 12),
    "harbor": (0, GENERIC_HARBOR),
    "robber": (0, NUM_HEXES - 1),
    "phase": (min(Phase), max(Phase)),
    "turn": (0, MOST_TURNS),
    "rolled": (0, 1),
    "card_played": (0, 1),
    "dice": (0, 6),
    "free_roads": (0, ROADS_PER_PLAYER),
    "to_discard": _BYTE,
    "bank": _CARDS,
    "hand": _BYTE,
    "deck": (0, NUM_CARD_KINDS - 1),
    "deck_left": _DEVELOPMENT_CARDS,
    "cards": _DEVELOPMENT_CARDS,
    "new_cards": _DEVELOPMENT_CARDS,
    "played": _DEVELOPMENT_CARDS,
    "offers_made": _BYTE,
    "offer_give": _CARDS,
    "offer_get": _CARDS,
    "answer": (min(_ANSWERS), max(_ANSWERS)),
    "below": _BYTE,
    "above": _BYTE,
    "outcome": (NO_OUTCOME, NO_OUTCOME),
    "script_place": (0, 2**31 - 1),
    "dice_left": (0, 2**36 - 1),
    "roads": (0, 2**EDGES_PER_WORD - 1),
    "settlements": (0, 2**NUM_VERTICES - 1),
    "cities": (0, 2**NUM_VERTICES - 1),
}
"""Least and greatest number of the fields that have one whatever the rules."""

_SEATS: Final = ("turn_player", "player")
_OWNERS: Final = ("winner", "longest_road_owner", "largest_army_owner")
_OF_SEATS: Final = tuple(
    name for name in STATE.names or () if STATE[name].shape[:1] == (MAX_PLAYERS,)
)
_OF_TWO_SEATS: Final = ("below", "above")
_PARTS: Final = {name.removesuffix("s"): np.array(parts) for name, parts in BOARD_PARTS.items()}
"""What a board consists of, sorted."""
_PIECES: Final = {
    "roads": ROADS_PER_PLAYER,
    "settlements": SETTLEMENTS_PER_PLAYER,
    "cities": CITIES_PER_PLAYER,
}
_FREE: Final = ("rng", "padding", *DERIVED)
"""Fields that may hold anything: derived ones are worked out anew."""

OF_RULES: Final = tuple(
    name for name in STATE.names or () if name not in {*_RANGES, *_SEATS, *_OWNERS, *_FREE}
)
"""Fields that hold the rules of the game."""


class Ranges:
    """The least and the greatest number of each field in games of some rules.

    Args:
        blank: (1,) a record that holds the rules.
    """

    def __init__(self, blank: np.ndarray) -> None:
        self._least, self._most = blank.copy(), blank.copy()
        seats = int(blank["num_players"][0])
        ranges = _RANGES | dict.fromkeys(_SEATS, (0, seats - 1))
        ranges |= dict.fromkeys(_OWNERS, (NOBODY, seats - 1))
        for name in _FREE:
            info = np.iinfo(STATE[name].base)
            ranges[name] = (int(info.min), int(info.max))
        for name, (least, most) in ranges.items():
            self._least[name], self._most[name] = least, most
        for name in _OF_SEATS:
            if name not in _FREE:  # absent seats stay zero
                self._most[name][0, seats:] = 0
        for name in _OF_TWO_SEATS:
            self._most[name][0, :, seats:] = 0
        self._parts = [_as_numbers(part) for part in (self._least, self._most)]

    def check(self, games: np.ndarray) -> None:
        """Refuse records that rules can't be let loose on.

        Args:
            games: (B,) `STATE`, contiguous; derived fields aren't looked at.

        Raises:
            ValueError: names the game, the field, its value and what is allowed.
        """
        if not len(games):
            return
        for given, least, most in zip(_as_numbers(games), *self._parts, strict=True):
            if ((given < least) | (given > most)).any():
                raise ValueError(self._wrong_number(games))
        _check_boards(games)
        cards = games["hand"].sum((1, 2), np.int64) + games["bank"].sum(1, np.int64)
        if cards.max(initial=0) > MOST_CARDS:
            i = int(cards.argmax())
            raise ValueError(
                f"games[{i}]: bank and hands have {cards[i]} cards; allowed: at most {MOST_CARDS}"
            )
        for name, most in _PIECES.items():
            members = np.asarray(games[name]).reshape(len(games), MAX_PLAYERS, -1).tolist()
            for i, seats in enumerate(members):
                for p, sets in enumerate(seats):
                    count = sum(map(int.bit_count, sets))
                    if count > most:
                        raise ValueError(
                            f"games[{i}]: seat {p} has {count} {name}; allowed: at most {most}"
                        )

    def _wrong_number(self, games: np.ndarray) -> str:
        for name in STATE.names or ():
            least, most = self._least[name], self._most[name]
            wrong = (games[name] < least) | (games[name] > most)
            if not wrong.any():
                continue
            i, *place = np.argwhere(wrong)[0].tolist()
            value, low, high = (
                int(given[(k, *place)]) for given, k in ((games[name], i), (least, 0), (most, 0))
            )
            where = "".join(f"[{k}]" for k in place)
            allowed = f"{low}" if low == high else f"{low} to {high}"
            allowed += ", by the rules" if name in OF_RULES else ""
            return f"games[{i}]: {name}{where}={value} is not possible; allowed: {allowed}"
        raise AssertionError("every number is in its range")


@lru_cache(maxsize=64)
def ranges_of(rules: Rules) -> Ranges:
    """The ranges of games of some rules."""
    return Ranges(deal_of(rules).blank)


def _check_boards(games: np.ndarray) -> None:
    """Refuse boards of other parts, and a number token on the desert."""
    for name, parts in _PARTS.items():
        wrong = (np.sort(games[name], axis=1) != parts).any(1)
        if wrong.any():
            i = int(wrong.argmax())
            raise ValueError(
                f"games[{i}]: {name}={games[name][i].tolist()} must be a rearrangement of "
                f"{parts.tolist()}"
            )
    wrong = ((games["terrain"] == Terrain.DESERT) & (games["token"] != 0)).any(1)
    if wrong.any():
        raise ValueError(f"games[{int(wrong.argmax())}]: the desert has a number token")


def _as_numbers(games: np.ndarray) -> list[np.ndarray]:
    """All fields of records (B,) as a few arrays (B, ...), one for each size of items."""
    words = np.asarray(games).view(np.ndarray).view(_UNNAMED)
    return [words[name] for name in _UNNAMED.names or ()]


def _unnamed() -> np.dtype:
    """The layout of a record as one field for each type of its items."""
    places: dict[str, list[int]] = {}
    for name in STATE.names or ():
        base, start = STATE[name].base, STATE.fields[name][1]  # type: ignore[index]
        places.setdefault(base.str, []).extend((start, start + STATE[name].itemsize))
    fields: list[Any] = []
    for kind, ends in places.items():
        size = (max(ends) - min(ends)) // np.dtype(kind).itemsize
        fields.append((kind, kind, (size,), min(ends)))
    return np.dtype(
        {
            "names": [field[0] for field in fields],
            "formats": [(field[1], field[2]) for field in fields],
            "offsets": [field[3] for field in fields],
            "itemsize": STATE.itemsize,
        }
    )


_UNNAMED: Final = _unnamed()
