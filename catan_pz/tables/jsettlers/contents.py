"""Contents of game messages in this package's terms; seats keep their numbers."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from catan_pz.board.topology import EDGE_VERTICES, HEX_VERTICES
from catan_pz.events import UNKNOWN
from catan_pz.game.followed import Bundles
from catan_pz.rules import Board
from catan_pz.tables.jsettlers.messages import Kind, Message, MessageError, as_count, digits_of
from catan_pz.terms import GENERIC_HARBOR, HARBOR_EDGES, NUM_RESOURCES, Card, Resource, Terrain

_ROW_STARTS: Final = (0x17, 0x15, 0x13, 0x11, 0x31, 0x51, 0x71)
_ROW_LENGTHS: Final = (4, 5, 6, 7, 6, 5, 4)
_NEXT_HEX: Final = 0x22
_CORNERS: Final = (0x01, 0x12, 0x21, 0x10, -0x01, -0x10)
"""Offsets from a hex to its corners, clockwise from the top."""

HEXES: Final = tuple(
    start + _NEXT_HEX * k
    for start, length in zip(_ROW_STARTS, _ROW_LENGTHS, strict=True)
    for k in range(length)
)
"""Numbers of the 37 hexes of a layout, the surrounding sea included."""

_LAND_PLACES: Final = tuple(
    sum(_ROW_LENGTHS[:row]) + k for row in range(1, 6) for k in range(1, _ROW_LENGTHS[row] - 1)
)

LAND: Final = tuple(HEXES[place] for place in _LAND_PLACES)
"""JSettlers' number of each hex."""

VERTICES: Final = tuple(
    next(
        LAND[h] + _CORNERS[k]
        for h in range(len(LAND))
        for k in range(6)
        if HEX_VERTICES[h, k] == vertex
    )
    for vertex in range(54)
)
"""JSettlers' number of each vertex."""


def _edge(one: int, other: int) -> int:
    low = min(one, other)
    return low if abs(one - other) == 0x11 else low - 1


EDGES: Final = tuple(_edge(VERTICES[a], VERTICES[b]) for a, b in EDGE_VERTICES.tolist())
"""JSettlers' number of each edge."""

HEX_IDS: Final = {number: h for h, number in enumerate(LAND)}
VERTEX_IDS: Final = {number: v for v, number in enumerate(VERTICES)}
EDGE_IDS: Final = {number: e for e, number in enumerate(EDGES)}

RESOURCES: Final = tuple(Resource[name] for name in ("BRICK", "ORE", "WOOL", "GRAIN", "LUMBER"))
"""JSettlers' resources 1 to 5, in order."""

UNKNOWN_RESOURCE: Final = 6

_CARDS: Final = {
    1: Card.ROAD_BUILDING,
    2: Card.YEAR_OF_PLENTY,
    3: Card.MONOPOLY,
    **dict.fromkeys(range(4, 9), Card.VICTORY_POINT),
    9: Card.KNIGHT,
}
CARD_NUMBERS: Final = {card: number for number, card in _CARDS.items()}
"""JSettlers' numbers of the playable cards."""

_TERRAINS: Final = tuple(
    Terrain[name] for name in ("DESERT", "HILLS", "MOUNTAINS", "PASTURE", "FIELDS", "FOREST")
)
_TOKENS: Final = (2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
_WATER: Final = 6
_FIRST_GENERIC, _LAST_GENERIC = 7, 12
_FIRST_SPECIAL: Final = 16


def place(numbers: dict[int, int], number: int, what: str) -> int:
    """The hex, vertex or edge with a JSettlers number."""
    if number not in numbers:
        raise MessageError(f"there is no {what} {number:#x} on this board")
    return numbers[number]


def resource(number: int) -> Resource:
    """The resource with a JSettlers number."""
    if not 1 <= number <= NUM_RESOURCES:
        raise MessageError(f"there is no resource {number}")
    return RESOURCES[number - 1]


def card(number: int) -> Card | None:
    """The development card with a JSettlers number; None for an unknown one."""
    if number != 0 and number not in _CARDS:
        raise MessageError(f"there is no development card {number}")
    return _CARDS.get(number)


def resource_number(of: int) -> int:
    """JSettlers' number of a resource."""
    return RESOURCES.index(Resource(of)) + 1


def from_theirs(counts: Sequence[int]) -> list[int]:
    """(R,) counts of resources, from counts in JSettlers' order."""
    found = [0] * NUM_RESOURCES
    for which, count in zip(RESOURCES, counts, strict=True):
        found[which] = count
    return found


def to_theirs(counts: Sequence[int]) -> list[int]:
    """Counts of resources (R,), in JSettlers' order."""
    return [int(counts[which]) for which in RESOURCES]


def board_of(hexes: Sequence[int], tokens: Sequence[int], coded: bool) -> Board:
    """The board of a layout, whose tokens may be coded as indices in the list of numbers."""
    if len(hexes) != len(HEXES) or len(tokens) != len(HEXES):
        raise MessageError(f"a board must have {len(HEXES)} hexes, got {len(hexes)}")
    try:
        terrains = [_TERRAINS[hexes[place]] for place in _LAND_PLACES]
        numbers = [_token(tokens[place], coded) for place in _LAND_PLACES]
        kinds = dict(
            _harbor(HEXES[place], value) for place, value in enumerate(hexes) if value > _WATER
        )
        harbors = tuple(kinds[edge] for edge in HARBOR_EDGES)
        return Board(tuple(terrains), tuple(numbers), harbors)
    except (IndexError, KeyError, ValueError) as error:
        raise MessageError(f"this isn't a board of the base game: {error!r}") from error


def _token(value: int, coded: bool) -> int:
    if value <= 0 and not (coded and value == 0):
        return 0
    return _TOKENS[value] if coded else value


def _harbor(number: int, value: int) -> tuple[int, int]:
    """The edge of a harbor and its kind, from its sea hex."""
    generic = _FIRST_GENERIC <= value <= _LAST_GENERIC
    facing = value - _FIRST_GENERIC + 1 if generic else value >> 4
    kind = GENERIC_HARBOR if generic or value < _FIRST_SPECIAL else int(resource(value & 15))
    ends = (number + _CORNERS[(facing - 1) % 6], number + _CORNERS[facing % 6])
    return EDGE_IDS[_edge(*ends)], kind


SEATS = 4
"""Seats of a JSettlers table, taken or not."""


_HARMLESS: Final = ("PL", "BC", "NT", "UBL", "_VP_ALL", "_EXT_BOT", "_EXT_CLI", "_EXT_GAM")
"""Game options that don't change the base game's rules, or are checked separately."""


class Invitation(NamedTuple):
    """An invitation to a game."""

    game: str
    number: int  # of the seat
    trading: bool
    other_rules: tuple[str, ...]  # options that differ from the base game for 10 points


def invitation_in(message: Message) -> Invitation:
    """Parse an invitation, with the options of its game."""
    options = dict(field.partition("=")[::2] for field in message.fields[2:] if "=" in field)
    changes = [
        f"{name}={value}"
        for name, value in options.items()
        # A flag with or without a number, or a text.
        if name not in _HARMLESS and value[:1] not in ("", "f") and (name, value) != ("VP", "t10")
    ]
    players = digits_of(options.get("PL", "4"))
    if players is None or players > SEATS:
        changes.append(f"PL={options['PL']}")
    trading = not options.get("NT", "f").startswith("t")
    return Invitation(message.game, message.integer(1), trading, tuple(changes))


def board_in(message: Message) -> Board | None:
    """The board of a layout; None for the empty layout before the game."""
    count = len(HEXES)
    if message.kind == Kind.BOARD_LAYOUT:
        numbers = message.integers(1, 1 + 2 * count)
        hexes, tokens = numbers[:count], numbers[count:]
    else:
        parts = _parts(message)
        hexes, tokens = parts.get("HL", []), parts.get("NL", [])
    if all(value == _WATER for value in hexes):
        return None
    return board_of(hexes, tokens, coded=message.kind == Kind.BOARD_LAYOUT)


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
    """The seat, resource and number of cards of each gain from a roll."""
    found, fields = [], message.integers(2)
    while fields:
        number = fields.pop(0)
        del fields[:1]  # the size of the hand
        while len(fields) >= 2 and fields[0] != 0:
            amount, kind = fields.pop(0), fields.pop(0)
            found.append((number, resource(kind), as_count(amount)))
        del fields[:1]
    return found


def discard_in(message: Message) -> tuple[int | None, list[int]]:
    """The discarding seat, None for the own one, and the cards, `UNKNOWN` if hidden."""
    text = message.fields[1] if len(message.fields) > 1 else ""
    number = digits_of(text[1:]) if text[:1] == "p" else None
    counts = message.counts(2, 2 + NUM_RESOURCES + 1)
    known = from_theirs(counts[:NUM_RESOURCES])
    cards = [r for r, n in enumerate(known) for _ in range(n)]
    return number, cards + [UNKNOWN] * counts[NUM_RESOURCES]


def offer_in(message: Message) -> tuple[int, list[int], Bundles]:
    """The maker of an offer or counter-offer, its addressees, and its two sides."""
    start = 2 + SEATS
    bundles = two_bundles(message, start)
    to = [number for number, field in enumerate(message.fields[2:start]) if field == "true"]
    return message.integer(1), to, bundles


def bank_trade_in(message: Message) -> tuple[int | None, Bundles]:
    """The seat of a trade with the bank, None if unnamed, and its two sides."""
    named = len(message.fields) > 1 + 2 * NUM_RESOURCES
    number = message.integer(1 + 2 * NUM_RESOURCES) if named else None
    return number, two_bundles(message, 1)


def elements_in(message: Message) -> tuple[int, int, list[tuple[int, int]]]:
    """A player's number, the operation on its elements, and each element with its amount."""
    if message.kind == Kind.PLAYER_ELEMENT:
        number, action, *fields = message.integers(1, 5)
    else:
        message.integers(1, 3)
        number, action, *fields = message.integers(1)
    pairs = list(zip(fields[::2], fields[1::2], strict=False))
    for kind, amount in pairs:
        if 1 <= kind <= UNKNOWN_RESOURCE:
            as_count(amount)
    return number, action, pairs


def two_bundles(message: Message, start: int) -> Bundles:
    """Cards of each resource given, and those received, from a field on."""
    counts = message.counts(start, start + 2 * NUM_RESOURCES)
    return (from_theirs(counts[:NUM_RESOURCES]), from_theirs(counts[NUM_RESOURCES:]))
