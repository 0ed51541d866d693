"""Events of decisions, decoded from the engine's rows and restricted to one seat's view."""

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
"""A value hidden from a seat."""

ONLOOKER: Final = -1
"""A viewer without a seat, who knows only public information."""

ChanceOutcome = tuple[int, int] | Resource | Card
"""A chance outcome: the dice, the resource stolen, or the card bought."""

Outcome = ChanceOutcome | None
"""The chance outcome of a decision; None for no chance."""

NamedOutcome = ChanceOutcome | Sequence[int] | str
"""A chance outcome from callers: dice also as a list, resources and cards by name."""


class Event(NamedTuple):
    """One effect of a decision; `EventKind` defines the fields of each kind.

    Attributes:
        kind: the `EventKind`.
        seat: the seat concerned, -1 for none.
        other: the other seat involved, -1 for none.
        what: action, resource, development card, place or first die; `UNKNOWN` if it is hidden
            from the viewer.
        amount: a number of items, or the second die.
        seen_by: set of the seats, as bits, that see the whole event.
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
    """(count, EVENT_ROWS, NUM_FIELDS) int16, where the engine writes the events of decisions."""
    return np.zeros((count, EVENT_ROWS, NUM_FIELDS), np.int16)


def decode(rows: NDArray[np.int16]) -> Events:
    """Decode the events of a decision from the engine's rows, (EVENT_ROWS, NUM_FIELDS) int16."""
    count = int(rows[0, 0])
    return tuple(Event(_KINDS[row[0]], *row[1:]) for row in rows[1 : count + 1].tolist())


def as_seen_by(events: Iterable[Event], seat: int) -> Events:
    """A decision's events as one seat sees them, or with `ONLOOKER` the public ones.

    Hidden points are removed. For decisions of other seats the amount is 0: that a decision was
    forced would reveal what they can't play or pay.
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
    """A caller's chance outcome of an action; None if it can't be one."""
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
    """The engine's code of a chance outcome."""
    if isinstance(outcome, tuple):
        return 6 * (outcome[0] - 1) + outcome[1] - 1
    return int(outcome)


def outcome_from_code(action: int, code: int) -> ChanceOutcome:
    """The chance outcome of an action with an engine code."""
    if action == ROLL:
        return code // 6 + 1, code % 6 + 1
    return Card(code) if action == BUY_DEVELOPMENT_CARD else Resource(code)


@dataclass(frozen=True)
class Decision:
    """A decision and its chance outcome, None without chance.

    Attributes:
        marks: remarks on decisions of games read from other files (`tables.records.moves`).
    """

    player: int
    action: int
    outcome: Outcome
    marks: tuple[str, ...] = ()

    @classmethod
    def of(cls, events: Events) -> Self:
        """The decision of some events with full information."""
        return cls(events[0].seat, events[0].what, outcome_of(events))
