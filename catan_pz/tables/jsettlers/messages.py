"""Messages of the JSettlers protocol: numbers, text, and frames on the wire.

A message is text: its type's number and then fields. On the wire it follows its length in bytes,
as two bytes in big-endian order.
"""

import asyncio
import re
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Self

from catan_pz.engine.ranges import MOST_CARDS

EMPTY: Final = "\t"
"""Stands for an empty field."""

MAX_LENGTH: Final = 65535
"""The most bytes of a message."""

LONGEST_NUMBER: Final = 10
"""The most digits of a number; the protocol needs no more."""

_INTEGER: Final = re.compile(rf"-?[0-9]{{1,{LONGEST_NUMBER}}}")

VERSION: Final = "2700,2.7.00,catan-pz,\t"
"""The robot's version message: protocol 2.7, no optional features."""

_QUOTED: Final = 200
"""Characters of a message's fields quoted in an error."""


class Kind(IntEnum):
    """The message types that a robot for the base game receives."""

    PUT_PIECE = 1009
    GAME_TEXT = 1010
    LEAVE_GAME = 1011
    SIT_DOWN = 1012
    JOIN_GAME = 1013
    BOARD_LAYOUT = 1014
    DELETE_GAME = 1015
    GAME_MEMBERS = 1017
    I_AM_A_ROBOT = 1022
    BOT_JOIN_REQUEST = 1023
    PLAYER_ELEMENT = 1024
    GAME_STATE = 1025
    TURN = 1026
    DICE_RESULT = 1028
    DISCARD_REQUEST = 1029
    ROLL_DICE = 1031
    END_TURN = 1032
    DISCARD = 1033
    MOVE_ROBBER = 1034
    CHOOSE_PLAYER = 1035
    CHOOSE_PLAYER_REQUEST = 1036
    REJECT_OFFER = 1037
    CLEAR_OFFER = 1038
    ACCEPT_OFFER = 1039
    BANK_TRADE = 1040
    MAKE_OFFER = 1041
    BUY_CARD = 1045
    DEV_CARD_ACTION = 1046
    PLAY_CARD = 1049
    PICK_RESOURCES = 1052
    PICK_RESOURCE_TYPE = 1053
    ROBOT_DISMISS = 1056
    REJECT_CONNECTION = 1059
    GAME_STATS = 1061
    RESOURCE_COUNT = 1063
    STATUS = 1069
    ROLL_DICE_PROMPT = 1072
    NEW_GAME_REQUEST = 1078
    BOARD_LAYOUT_2 = 1084
    PLAYER_ELEMENTS = 1086
    SIMPLE_ACTION = 1090
    DICE_RESOURCES = 1092
    GAME_ELEMENTS = 1096
    ROBBERY_RESULT = 1102
    DECLINE_REQUEST = 1104
    VERSION = 9998
    SERVER_PING = 9999


class MessageError(ValueError):
    """A message that can't be parsed."""


@dataclass(frozen=True)
class Message:
    """A message split into fields."""

    kind: int  # number of the type, a `Kind` or another
    fields: tuple[str, ...]  # the rest, split at commas and bars

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of a message."""
        number, _, rest = text.partition("|")
        kind = digits_of(number)
        if kind is None:
            raise MessageError(f"not a message: {text[:80]!r}")
        return cls(kind, tuple(rest.replace("|", ",").split(",")))

    @property
    def game(self) -> str:
        """Name of the game, the first field of the messages of a game."""
        return self.fields[0].partition("\0")[0]

    def text(self, place: int) -> str:
        """A field as text."""
        if place >= len(self.fields):
            raise self._wrong(f"{len(self.fields)} fields")
        return self.fields[place]

    def integer(self, place: int) -> int:
        """A field as an integer."""
        return self.integers(place, place + 1)[0]

    def integers(self, start: int, end: int | None = None) -> list[int]:
        """Fields as integers."""
        end = len(self.fields) if end is None else end
        if len(self.fields) < end:
            raise self._wrong(f"{len(self.fields)} fields")
        fields = self.fields[start:end]
        for field in fields:
            if not _INTEGER.fullmatch(field):
                raise self._wrong(f"{field[:LONGEST_NUMBER]!r} is not a number of the protocol")
        return [int(field) for field in fields]

    def counts(self, start: int, end: int | None = None) -> list[int]:
        """Fields as counts of cards."""
        return [as_count(number) for number in self.integers(start, end)]

    def _wrong(self, what: str) -> MessageError:
        return MessageError(f"message {self.kind} {str(self.fields)[:_QUOTED]}: {what}")


def as_count(number: int) -> int:
    """Check a number as a count of cards."""
    if not 0 <= number <= MOST_CARDS:
        raise MessageError(f"a count of cards must be from 0 to {MOST_CARDS}, got {number}")
    return number


def digits_of(text: str) -> int | None:
    """The number of a text of digits; None for any other text."""
    fits = text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
    return int(text) if fits else None


def command(kind: Kind, *fields: object) -> str:
    """The text of a message to the server, fields separated by commas."""
    words = [str(f).lower() if isinstance(f, bool) else str(f) for f in fields]
    return f"{kind.value}|{','.join(words)}"


def frame(text: str) -> bytes:
    """A message in wire format."""
    data = text.encode("utf-8")
    if len(data) > MAX_LENGTH:
        raise MessageError(f"a message must have at most {MAX_LENGTH} bytes, got {len(data)}")
    return struct.pack(">H", len(data)) + data


async def read_text(reader: asyncio.StreamReader) -> str:
    """Read the text of the next message."""
    (length,) = struct.unpack(">H", await reader.readexactly(2))
    return (await reader.readexactly(length)).decode("utf-8", "replace")
