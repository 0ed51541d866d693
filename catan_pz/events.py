"""Events of decisions, decoded from the engine's rows and cut down to what one seat may see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import BUY_DEVELOPMENT_CARD, ROLL
from catan_pz.checks import plain_int
from catan_pz.engine.event_rows import EVENT_ROWS, EVERYBODY, NUM_FIELDS
from catan_pz.engine.event_rows import EventKind as EventKind  # noqa: PLC0414 (shown to others)
from catan_pz.terms import Card, Resource

UNKNOWN: Final = -1
"""Stands for what a seat can't see of an event."""

ONLOOKER: Final = -1
"""Stands for a viewer who holds no seat and knows what everybody knows."""

ChanceOutcome = tuple[int, int] | Resource | Card
"""An outcome of chance: the dice, the resource stolen, the card bought."""

Outcome = ChanceOutcome | None
"""The chance outcome of a decision; None for no chance."""

NamedOutcome = ChanceOutcome | Sequence[int] | str
"""A chance outcome as callers may give it: dice as a list too, resources and cards by name."""


class Event(NamedTuple):
    """One thing that a decision brought; `EventKind` says what the fields mean for each kind.

    Attributes:
        kind: the `EventKind`.
        seat: the seat that it is about, -1 for none.
        other: another seat that has a part in it, -1 for none.
        what: action, resource, development card, place or first die; `UNKNOWN` where it is
            hidden from whom the event was told.
        amount: how many, or the second die.
        seen_by: set of the seats, as bits, that see all of it.
    """

    kind: EventKind
    seat: int
    other: int
    what: int
    amount: int
    seen_by: int


Events = tuple[Event, ...]
"""The events of one decision; the first is of the kind `DECISION`."""

_KINDS: Final = tuple(EventKind)


def event_arrays(count: int) -> NDArray[np.int16]:
    """(count, EVENT_ROWS, NUM_FIELDS) int16, to which the engine writes the events of decisions."""
    return np.zeros((count, EVENT_ROWS, NUM_FIELDS), np.int16)


def decode(rows: NDArray[np.int16]) -> Events:
    """The events of a decision that the engine wrote, (EVENT_ROWS, NUM_FIELDS) int16."""
    count = int(rows[0, 0])
    return tuple(Event(_KINDS[row[0]], *row[1:]) for row in rows[1 : count + 1].tolist())


def as_seen_by(events: Iterable[Event], seat: int) -> Events:
    """Events of a decision as one seat sees them, or with `ONLOOKER` as everybody sees them.

    Hidden points are left out. That a decision of others was forced would tell what they can't
    play or pay: its amount is 0.
    """
    viewers = EVERYBODY if seat == ONLOOKER else 1 << seat
    seen = []
    for told in events:
        elsewhere = told.kind == EventKind.DECISION and told.seat != seat
        event = told._replace(amount=0) if elsewhere else told
        if event.seen_by & viewers == viewers:
            seen.append(event)
        elif event.kind != EventKind.POINTS_CHANGED:
            seen.append(event._replace(what=UNKNOWN))
    return tuple(seen)


def outcome_of(events: Iterable[Event]) -> Outcome:
    """The chance outcome of a decision, from all its events."""
    for event in events:
        if event.kind == EventKind.ROLLED:
            return event.what, event.amount
        if event.kind == EventKind.STOLEN:
            return Resource(event.what)
        if event.kind == EventKind.CARD_BOUGHT:
            return Card(event.what)
    return None


def as_outcome(action: int, given: Any) -> Outcome:
    """The chance outcome of an action that a caller names; None for what can't be one."""
    if action == ROLL:
        return _as_dice(given)
    kind = Card if action == BUY_DEVELOPMENT_CARD else Resource
    if isinstance(given, kind):
        return given
    if isinstance(given, str) and given.islower():
        return kind.__members__.get(given.upper())
    return None


def _as_dice(given: Any) -> tuple[int, int] | None:
    dice = [plain_int(die) for die in given] if isinstance(given, tuple | list) else []
    if len(dice) == 2 and all(type(die) is int and 1 <= die <= 6 for die in dice):
        return dice[0], dice[1]
    return None


def outcome_code(outcome: ChanceOutcome) -> int:
    """The number that the engine has for a chance outcome."""
    if isinstance(outcome, tuple):
        return 6 * (outcome[0] - 1) + outcome[1] - 1
    return int(outcome)


def outcome_from_code(action: int, code: int) -> ChanceOutcome:
    """The chance outcome of an action that the engine has a number for."""
    if action == ROLL:
        return code // 6 + 1, code % 6 + 1
    return Card(code) if action == BUY_DEVELOPMENT_CARD else Resource(code)


@dataclass(frozen=True)
class Decision:
    """One decision played, and what chance brought: None for no chance.

    Attributes:
        marks: what is to be known of it in games read from elsewhere (`tables.records.moves`).
    """

    player: int
    action: int
    outcome: Outcome
    marks: tuple[str, ...] = ()

    @classmethod
    def of(cls, events: Events) -> Self:
        """The decision that some events, of full information, tell of."""
        return cls(events[0].seat, events[0].what, outcome_of(events))
