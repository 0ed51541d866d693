"""Moves at a catanatron table, as plain values, and the actions that they stand for.

A move is what catanatron writes as JSON: a color, a type and a value. Where we take two
decisions, the robber's hex and whom to steal from, it has one; where we discard card by card,
version 3.2.1 discards a whole hand's half at once.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, Self

from catan_pz import actions as table
from catan_pz.tables.catanatron.numbering import EDGE_OF, HEX_OF, RESOURCE_OF, VERTEX_OF

Actions = tuple[int, ...]

_SINGLE: Final = {
    "ROLL": table.ROLL,
    "END_TURN": table.END_TURN,
    "BUY_DEVELOPMENT_CARD": table.BUY_DEVELOPMENT_CARD,
    "PLAY_KNIGHT_CARD": table.PLAY_KNIGHT,
    "PLAY_ROAD_BUILDING": table.PLAY_ROAD_BUILDING,
}
"""Moves that are one action each, whatever their value."""


class Move(NamedTuple):
    """A move of one seat.

    Attributes:
        seat: the seat.
        kind: its type, in catanatron's words.
        value: what it is about, as plain values: None, a name, a number, or tuples of these.
        result: what chance brought, as far as it is known: two dice, or the name of a resource
            or card; None without chance, or where it is hidden.
    """

    seat: int
    kind: str
    value: Any
    result: Any = None

    @classmethod
    def read(cls, colors: Sequence[str], written: Any, result: Any = None) -> Self:
        """A move from what catanatron writes: color, type and value.

        Args:
            colors: (P,) color of each seat.
            written: the three, as a list, or an `Action` of catanatron.
            result: what chance brought.
        """
        try:
            color, kind, value = map(plain, written)
            return cls(colors.index(color), str(kind), value, plain(result))
        except (TypeError, ValueError):
            raise ValueError(f"{written!r} is no [color, type, value] of a move") from None


def plain(value: Any) -> Any:
    """A value without lists and enums: tuples, names and numbers."""
    if isinstance(value, list | tuple):
        return tuple(map(plain, value))
    return getattr(value, "value", value)


def actions_of(move: Move, colors: Sequence[str]) -> Actions | None:
    """The actions that a move stands for, in order; None if we have none for it.

    The second action of a robber that steals is needed only where there is a choice of
    victims. Nothing stands for trade between players, nor for a year of plenty that takes
    one card.
    """
    kind, value = move.kind, move.value
    if kind in _SINGLE:
        return (_SINGLE[kind],)
    try:
        match kind:
            case "BUILD_ROAD":
                return (table.BUILD_ROAD + EDGE_OF[value],)
            case "BUILD_SETTLEMENT":
                return (table.BUILD_SETTLEMENT + VERTEX_OF[value],)
            case "BUILD_CITY":
                return (table.BUILD_CITY + VERTEX_OF[value],)
            case "MOVE_ROBBER":
                return _robber(move, colors)
            case "DISCARD_RESOURCE" | "DISCARD":
                return _discard(value if kind == "DISCARD" else (value,))
            case "PLAY_YEAR_OF_PLENTY":
                first, second = (RESOURCE_OF[name] for name in value)
                return (int(table.PLENTY_ACTIONS[first, second]),)
            case "PLAY_MONOPOLY":
                return (table.PLAY_MONOPOLY + RESOURCE_OF[value],)
            case "MARITIME_TRADE":
                give, get = RESOURCE_OF[value[0]], RESOURCE_OF[value[-1]]
                return None if give == get else (int(table.SWAP_ACTIONS[give, get]),)
    except (KeyError, IndexError, TypeError, ValueError):
        pass
    return None


def _robber(move: Move, colors: Sequence[str]) -> Actions:
    place, victim = move.value[:2]
    action = table.MOVE_ROBBER + HEX_OF[place]
    if victim is None:
        return (action,)
    places = (colors.index(victim) - move.seat) % len(colors)
    return action, table.STEAL + places - 1


def _discard(names: Iterable[str] | None) -> Actions | None:
    if names is None:
        return None
    return tuple(table.DISCARD + RESOURCE_OF[name] for name in names)


def stolen(move: Move) -> str | None:
    """The name of the resource that a robber's move took, None if it is hidden or there is none.

    Version 3.2.1 writes it as the third part of the value.
    """
    value = move.value
    return move.result or (value[2] if len(value) > 2 else None)


def victim_of(move: Move, colors: Sequence[str]) -> int | None:
    """The seat that a robber's move steals from."""
    name = move.value[1]
    return None if name is None else colors.index(name)
