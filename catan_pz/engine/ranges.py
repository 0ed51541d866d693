"""The possible ranges of a record's fields, checked before compiled rules read them.

Rules use many of these numbers as indices without checks. `engine.course` tests whether a
record follows the rules of the game.
"""

from functools import lru_cache
from typing import Final

import numpy as np

from catan_pz import terms
from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.engine.chance import NO_OUTCOME
from catan_pz.engine.deal import deal_of
from catan_pz.engine.state import DERIVED, MOST_SEVENS, STATE
from catan_pz.engine.trade import COUNTERED
from catan_pz.rules import BOARD_PARTS, COLUMNS, Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY, Phase, Terrain

MOST_CARDS: Final = 127
"""The most resource cards of a game, bank and hands. It exceeds the box's 95 for followed tables
with an unlimited bank, and keeps every count within a byte."""

MOST_TURNS: Final = 2**30
"""The greatest turn; a game that continues from it never overflows its counter."""

_MOST: Final[dict[str, int]] = {
    "terrain": max(Terrain),
    "token": 12,
    "harbor": terms.GENERIC_HARBOR,
    "robber": terms.NUM_HEXES - 1,
    "phase": max(Phase),
    "turn": MOST_TURNS,
    "dice": 6,
    "free_roads": terms.ROADS_PER_PLAYER,
    "deck": terms.NUM_CARD_KINDS - 1,
    "answer": COUNTERED,
    "script_place": 2**31 - 1,
    "recent_sums": 12,
    **dict.fromkeys(("sevens", "seven_run"), MOST_SEVENS),
    "dice_left": 2**36 - 1,
    "roads": 2**EDGES_PER_WORD - 1,
    **dict.fromkeys(("settlements", "cities"), 2**terms.NUM_VERTICES - 1),
    **dict.fromkeys(("rolled", "card_played"), 1),
    **dict.fromkeys(("bank", "offer_give", "offer_get"), terms.BANK_PER_RESOURCE),
    **dict.fromkeys(("deck_left", "cards", "new_cards", "played"), terms.DECK_SIZE),
    **dict.fromkeys(("to_discard", "hand", "offers_made", "below", "above"), 127),
}
"""The greatest value of fields with the same limit under all rules; the least is 0."""

_OWNERS: Final = ("winner", "longest_road_owner", "largest_army_owner")
_OF_SEATS: Final = tuple(
    name for name in STATE.names or () if STATE[name].shape[:1] == (MAX_PLAYERS,)
)
_PARTS: Final = {name.removesuffix("s"): np.array(parts) for name, parts in BOARD_PARTS.items()}
"""The parts of a board, sorted."""
_PIECES: Final = {
    "roads": terms.ROADS_PER_PLAYER,
    "settlements": terms.SETTLEMENTS_PER_PLAYER,
    "cities": terms.CITIES_PER_PLAYER,
}
_FREE: Final = ("rng", "padding", *DERIVED)
"""Fields with any value; derived ones are recomputed."""

OF_RULES: Final = ("observed_rules", *(column.name for column in COLUMNS))
"""Fields with the rules of the game."""


class Ranges:
    """The least and the greatest value of each field in games of some rules.

    Args:
        blank: (1,) a record with the rules set.
    """

    def __init__(self, blank: np.ndarray) -> None:
        self._least, self._most = blank.copy(), blank.copy()
        seats = int(blank["num_players"][0])
        ranges = {name: (0, most) for name, most in _MOST.items()}
        ranges |= dict.fromkeys(("turn_player", "player", "seven_roller"), (0, seats - 1))
        ranges |= dict.fromkeys(_OWNERS, (NOBODY, seats - 1))
        ranges["outcome"] = NO_OUTCOME, NO_OUTCOME
        for name in _FREE:
            info = np.iinfo(STATE[name].base)
            ranges[name] = (int(info.min), int(info.max))
        ranges["rng"] = 2**63, 2**63 - 1  # any, seen as int64
        for name, (least, most) in ranges.items():
            self._least[name], self._most[name] = least, most
        for name in _OF_SEATS:
            if name not in _FREE:  # absent seats stay zero
                self._most[name][0, seats:] = 0
        for name in ("below", "above"):
            self._most[name][0, :, seats:] = 0
        self._parts = [_as_numbers(part) for part in (self._least, self._most)]

    def check(self, games: np.ndarray) -> None:
        """Refuse records with values that compiled rules can't handle.

        Args:
            games: (B,) `STATE`, contiguous; derived fields aren't checked.

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
                f"games[{i}]: bank and hands must hold at most {MOST_CARDS} cards, got {cards[i]}"
            )
        for name, most in _PIECES.items():
            members = np.asarray(games[name]).reshape(len(games), MAX_PLAYERS, -1).tolist()
            for i, seats in enumerate(members):
                for p, sets in enumerate(seats):
                    count = sum(map(int.bit_count, sets))
                    if count > most:
                        raise ValueError(
                            f"games[{i}]: {name} of seat {p} must be at most {most}, got {count}"
                        )

    def _wrong_number(self, games: np.ndarray) -> str:
        for name in STATE.names or ():
            wrong = (games[name] < self._least[name]) | (games[name] > self._most[name])
            if name not in _FREE and wrong.any():
                break
        i, *place = np.argwhere(wrong)[0].tolist()
        low, high = (int(part[name][(0, *place)]) for part in (self._least, self._most))
        where = "".join(f"[{k}]" for k in place)
        allowed = f"{low}" if low == high else f"from {low} to {high}"
        allowed += ", by the rules" if name in OF_RULES else ""
        value = games[name][(i, *place)]
        return f"games[{i}]: {name}{where} must be {allowed}, got {value}"


@lru_cache(maxsize=64)
def ranges_of(rules: Rules) -> Ranges:
    """The ranges of games of some rules."""
    return Ranges(deal_of(rules).blank)


def _check_boards(games: np.ndarray) -> None:
    """Refuse boards with the wrong parts or a number token on the desert."""
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


def _end_of(width: int) -> int:
    """The bytes at the start of a record that hold fields with items of at least `width` bytes."""
    kinds = [STATE[name] for name in STATE.names or ()]
    return sum(kind.itemsize for kind in kinds if kind.base.itemsize >= width)


_PARTS_OF_RECORD: Final = (
    (0, _end_of(8), "i8"),
    (_end_of(8), _end_of(4), "i4"),
    (_end_of(4), _end_of(1), "i1"),
)


def _as_numbers(games: np.ndarray) -> list[np.ndarray]:
    """All fields of records (B,) as a few arrays (B, ...), one for each item size."""
    raw = np.asarray(games).view(np.ndarray).view(np.uint8).reshape(len(games), STATE.itemsize)
    return [raw[:, start:end].view(kind) for start, end, kind in _PARTS_OF_RECORD]
