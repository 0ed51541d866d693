"""What messages of a game hold, in the words of this package; seats keep their numbers."""

from typing import Final, NamedTuple

from catan_pz.events import UNKNOWN
from catan_pz.game.followed import Bundles
from catan_pz.rules import Board
from catan_pz.tables.jsettlers import coordinates
from catan_pz.tables.jsettlers.messages import Kind, Message, as_count, digits_of
from catan_pz.terms import NUM_RESOURCES, Resource

SEATS = 4
"""Seats at their tables, taken or not."""


_HARMLESS: Final = ("PL", "BC", "NT", "UBL", "_VP_ALL", "_EXT_BOT", "_EXT_CLI", "_EXT_GAM")
"""Options of a game that leave the rules of the base game as they are, or are looked at apart."""


class Invitation(NamedTuple):
    """An invitation to a game.

    Attributes:
        game: its name.
        number: of the seat.
        trading: whether players trade.
        other_rules: options by which it isn't the base game of two to four players for 10 points.
    """

    game: str
    number: int
    trading: bool
    other_rules: tuple[str, ...]


def invitation_in(message: Message) -> Invitation:
    """An invitation, with the options of its game."""
    options = dict(field.partition("=")[::2] for field in message.fields[2:] if "=" in field)
    changes = [
        f"{name}={value}"
        for name, value in options.items()
        if name not in _HARMLESS and _is_on(name, value)
    ]
    players = digits_of(options.get("PL", "4"))
    if players is None or players > SEATS:
        changes.append(f"PL={options['PL']}")
    trading = not options.get("NT", "f").startswith("t")
    return Invitation(message.game, message.integer(1), trading, tuple(changes))


def _is_on(name: str, value: str) -> bool:
    """Whether an option, a flag with or without a number or a text, changes anything."""
    return value != "" and not value.startswith("f") and (name, value) != ("VP", "t10")


def board_in(message: Message) -> Board | None:
    """The board of a layout; None for the empty one of a game that hasn't begun."""
    count = len(coordinates.HEXES)
    if message.kind == Kind.BOARD_LAYOUT:
        numbers = message.integers(1, 1 + 2 * count)
        hexes, tokens = numbers[:count], numbers[count:]
    else:
        parts = _parts(message)
        hexes, tokens = parts.get("HL", []), parts.get("NL", [])
    if coordinates.is_placeholder(hexes):
        return None
    return coordinates.board_of(hexes, tokens, coded=message.kind == Kind.BOARD_LAYOUT)


def _parts(message: Message) -> dict[str, list[int]]:
    """The arrays of a layout in parts: each has a name, and its length after a bracket."""
    parts, place = {}, 2
    while place + 1 < len(message.fields):
        name, first = message.fields[place], message.fields[place + 1]
        place += 2
        length = digits_of(first[1:])
        if first.startswith("[") and length is not None:
            end = place + length
            parts[name] = message.integers(place, end)
            place = end
    return parts


def production_in(message: Message) -> list[tuple[int, Resource, int]]:
    """Who gains which resource, and how many, by a roll."""
    found, fields = [], message.integers(2)
    while fields:
        number = fields.pop(0)
        del fields[:1]  # the size of the hand
        while len(fields) >= 2 and fields[0] != 0:
            amount, kind = fields.pop(0), fields.pop(0)
            found.append((number, coordinates.resource(kind), as_count(amount)))
        del fields[:1]
    return found


def discard_in(message: Message) -> tuple[int | None, list[int]]:
    """Who discards, None for the own seat, and the cards, `UNKNOWN` where they are hidden."""
    text = message.fields[1] if len(message.fields) > 1 else ""
    number = digits_of(text[1:]) if text[:1] == "p" else None
    counts = message.counts(2, 2 + NUM_RESOURCES + 1)
    known = coordinates.from_theirs(counts[:NUM_RESOURCES])
    cards = [r for r, n in enumerate(known) for _ in range(n)]
    return number, cards + [UNKNOWN] * counts[NUM_RESOURCES]


def offer_in(message: Message) -> tuple[int, list[int], Bundles]:
    """An offer or counter-offer: who makes it, to whom, and what it gives and gets."""
    start = 2 + SEATS
    bundles = _two_bundles(message, start)
    to = [number for number, field in enumerate(message.fields[2:start]) if field == "true"]
    return message.integer(1), to, bundles


def trade_in(message: Message) -> tuple[int, int, Bundles]:
    """An accepted offer: who takes it, who made it, and what the maker gives and gets."""
    return message.integer(1), message.integer(2), _two_bundles(message, 3)


def bank_trade_in(message: Message) -> tuple[int | None, Bundles]:
    """Who trades with the bank, None if nobody is named, and what is given and got."""
    named = len(message.fields) > 1 + 2 * NUM_RESOURCES
    number = message.integer(1 + 2 * NUM_RESOURCES) if named else None
    return number, _two_bundles(message, 1)


def elements_in(message: Message) -> tuple[int, int, list[tuple[int, int]]]:
    """A player's number, what is done to the elements, and each with its amount."""
    if message.kind == Kind.PLAYER_ELEMENT:
        number, action, *fields = message.integers(1, 5)
    else:
        message.integers(1, 3)
        number, action, *fields = message.integers(1)
    pairs = list(zip(fields[::2], fields[1::2], strict=False))
    for kind, amount in pairs:
        if 1 <= kind <= coordinates.UNKNOWN_RESOURCE:
            as_count(amount)
    return number, action, pairs


def _two_bundles(message: Message, start: int) -> Bundles:
    counts = message.counts(start, start + 2 * NUM_RESOURCES)
    return (
        coordinates.from_theirs(counts[:NUM_RESOURCES]),
        coordinates.from_theirs(counts[NUM_RESOURCES:]),
    )
