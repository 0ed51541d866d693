"""The messages between a host and a program: JSON objects, one a line."""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import describe_action
from catan_pz.agents.base import SeatResult
from catan_pz.checks import check_count, check_seed, not_possible
from catan_pz.engine.events import EventKind
from catan_pz.events import Event, Events
from catan_pz.game.game import Game
from catan_pz.game.state_json import state_from_dict, state_to_dict
from catan_pz.game.view import View
from catan_pz.observation.segments import SEGMENTS, UnitSegment
from catan_pz.rules import Rules

PROTOCOL: Final = "catan-pz-program/1"

HELLO: Final = "hello"
START: Final = "start"
READY: Final = "ready"
EVENTS: Final = "events"
VIEW: Final = "view"
ACTION: Final = "action"
END: Final = "end"
RESAMPLE: Final = "resample"
GAMES: Final = "games"
ERROR: Final = "error"
"""Types of messages."""

MOST_DRAWN: Final = 1000
"""Games that a program may ask for at once."""

Message = dict[str, Any]


def encoded(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decoded(line: bytes) -> Message:
    """The message of a line; a `ValueError` where it is no JSON object with a `type`."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ValueError('no JSON object with a "type"')
    return message


def hello(version: str) -> Message:
    """What a host says first."""
    return {"type": HELLO, "protocol": PROTOCOL, "version": version}


def start(seat: int, rules: Rules, seed: int, seconds: float | None) -> Message:
    """A game begins."""
    return {
        "type": START,
        "seat": seat,
        "rules": rules.to_dict(),
        "seed": seed,
        "seconds": seconds,
    }


def of_view(view: View) -> Message:
    """What a seat sees when it is asked for an action."""
    message = {
        "type": VIEW,
        "segments": {name: values.tolist() for name, values in view.segments.items()},
        "actions": [{"id": a, **describe_action(a)} for a in np.flatnonzero(view.mask).tolist()],
    }
    return message | {RESAMPLE: True} if view.can_resample else message


def resample(count: int, seed: int) -> Message:
    """A program asks for games that look to its seat as the present one does."""
    return {"type": RESAMPLE, "count": count, "seed": seed}


def of_games(view: View, rules: Rules, request: Message) -> Message:
    """The games that a program asks for, drawn for its view."""
    if not view.can_resample:
        raise ValueError("no games are drawn at this table")
    count = check_count("count", request.get("count"), most=MOST_DRAWN)
    random = np.random.default_rng(check_seed(request.get("seed")))
    games = view.resample_many(random, count)
    return {"type": GAMES, "games": [state_to_dict(game, rules) for game in games]}


def to_games(message: Message, rules: Rules) -> np.ndarray:
    """The games (count,) of `STATE` of a message."""
    if message["type"] != GAMES:
        raise ValueError(f"the host answers with {message['type']!r}; {GAMES!r} are due")
    records = [state_from_dict(data)[0] for data in message["games"]]
    return np.concatenate([Game.from_games(games, rules).games for games in records])


def to_start(message: Message) -> tuple[int, Rules, int]:
    """Seat, rules and seed of a game that begins."""
    rules = Rules.from_dict(_entry(message, "rules"))
    seat = check_count("seat", _entry(message, "seat"), 0, rules.num_players - 1)
    return seat, rules, check_seed(_entry(message, "seed"))


def _entry(message: Message, name: str) -> Any:
    if name not in message:
        raise ValueError(f"a message of type {message['type']!r} needs the entry {name!r}")
    return message[name]


def to_arrays(message: Message, num_actions: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Observation (N,) and mask (A,) of a view's message."""
    segments, actions = _entry(message, "segments"), _entry(message, "actions")
    parts = [_segment(segments, segment) for segment in SEGMENTS]
    mask = np.zeros(num_actions, np.int8)
    for action in actions if isinstance(actions, list) and actions else [None]:
        if not isinstance(action, dict):
            raise not_possible("actions", actions, "one or more objects with an 'id'")
        mask[check_count("id", action.get("id"), 0, num_actions - 1)] = 1
    return np.concatenate(parts), mask


def _segment(segments: Any, segment: UnitSegment) -> NDArray[np.int8]:
    """A part (N,) of the observation."""
    what = f"segments[{segment.name!r}]"
    if not isinstance(segments, dict) or segment.name not in segments:
        raise ValueError(f"a view needs {what}")
    allowed = f"counts up to 127 of shape {segment.shape}"
    try:
        values = np.array(segments[segment.name])
    except (ValueError, OverflowError):  # rows of several lengths
        raise not_possible(what, segments[segment.name], allowed) from None
    fits = values.shape == segment.shape and values.dtype.kind == "i"
    most = np.iinfo(np.int8).max
    if not fits or values.max() > most or values.min() < -most:
        raise not_possible(what, segments[segment.name], allowed)
    return values.astype(np.int8).ravel()


def of_events(events: Events) -> Message:
    """What a decision brought, as one seat sees it."""
    names = ("seat", "other", "what", "amount")
    told = [
        {"kind": event.kind.name.lower()} | {name: getattr(event, name) for name in names}
        for event in events
    ]
    return {"type": EVENTS, "events": told}


def to_events(message: Message) -> Events:
    """The events of a message."""
    return tuple(
        Event(EventKind[e["kind"].upper()], e["seat"], e["other"], e["what"], e["amount"], 0)
        for e in message["events"]
    )


def of_result(result: SeatResult) -> Message:
    """How a game ended."""
    return {
        "type": END,
        "winner": result.winner,
        "points": list(result.points),
        "turns": result.turns,
        "reason": result.reason,
    }


def to_result(message: Message, seat: int) -> SeatResult:
    """The end of a game, told to a seat."""
    points = tuple(message["points"])
    return SeatResult(seat, message["winner"], points, message["turns"], message["reason"])
