"""The messages between a host and a program: JSON objects, one a line."""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import describe_action
from catan_pz.agents.base import SeatResult
from catan_pz.checks import check_count, check_seat, check_seed
from catan_pz.events import Event, EventKind, Events
from catan_pz.game.game import Game
from catan_pz.game.state_json import state_from_dict, state_to_dict
from catan_pz.game.view import View
from catan_pz.observation.segments import SEGMENTS
from catan_pz.rules import Rules

PROTOCOL: Final = "catan-pz-program/1"

MOST_DRAWN: Final = 1000
"""Games that a program may ask for at once."""

Message = dict[str, Any]


def encoded(message: Message) -> bytes:
    """A message as a line."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decoded(line: bytes) -> Message:
    """Parse the message of a line; a `ValueError` if it isn't a JSON object with a `type`."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ValueError('no JSON object with a "type"')
    return message


def hello(version: str) -> Message:
    """The first message of a host."""
    return {"type": "hello", "protocol": PROTOCOL, "version": version}


def start(seat: int, rules: Rules, seed: int, seconds: float | None) -> Message:
    """The message that a game begins."""
    game = {"seat": seat, "rules": rules.to_dict(), "seed": seed, "seconds": seconds}
    return {"type": "start", **game}


def of_view(view: View) -> Message:
    """The message that requests an action, with the seat's view."""
    message = {
        "type": "view",
        "segments": {name: values.tolist() for name, values in view.segments.items()},
        "actions": [{"id": a, **describe_action(a)} for a in np.flatnonzero(view.mask).tolist()],
    }
    return message | {"resample": True} if view.can_resample else message


def of_games(view: View, rules: Rules, request: Message) -> Message:
    """The message with the games that a program requests, drawn from its view."""
    if not view.can_resample:
        raise ValueError("no games are drawn at this table")
    count = check_count("count", request.get("count"), most=MOST_DRAWN)
    random = np.random.default_rng(check_seed(request.get("seed")))
    games = view.resample_many(random, count)
    return {"type": "games", "games": [state_to_dict(game, rules) for game in games]}


def to_games(message: Message, rules: Rules) -> np.ndarray:
    """(count,) `STATE` of the games in a message."""
    if message["type"] != "games":
        raise ValueError(f"the host answers with {message['type']!r}; {'games'!r} are due")
    records = [state_from_dict(data)[0] for data in message["games"]]
    return np.concatenate([Game.from_games(games, rules).games for games in records])


def to_start(message: Message) -> tuple[int, Rules, int]:
    """Seat, rules and seed of a game that begins."""
    rules = Rules.from_dict(message["rules"])
    return check_seat(message["seat"], rules.num_players), rules, check_seed(message["seed"])


def to_arrays(message: Message, num_actions: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Observation (N,) and mask (A,) of a view's message."""
    segments = message["segments"]
    parts = [np.array(segments[s.name], np.int8).reshape(s.shape).ravel() for s in SEGMENTS]
    mask = np.zeros(num_actions, np.int8)
    mask[[action["id"] for action in message["actions"]]] = 1
    return np.concatenate(parts), mask


def of_events(events: Events) -> Message:
    """The message of a decision's events, as one seat sees them."""
    names = ("seat", "other", "what", "amount")
    told = [
        {"kind": event.kind.name.lower()} | {name: getattr(event, name) for name in names}
        for event in events
    ]
    return {"type": "events", "events": told}


def to_events(message: Message) -> Events:
    """The events of a message."""
    return tuple(
        Event(EventKind[e["kind"].upper()], e["seat"], e["other"], e["what"], e["amount"], 0)
        for e in message["events"]
    )


def of_result(result: SeatResult) -> Message:
    """The message of a game's result."""
    told = {"winner": result.winner, "points": result.points, "turns": result.turns}
    return {"type": "end", **told, "reason": result.reason}


def to_result(message: Message, seat: int) -> SeatResult:
    """The result in a message, for a seat."""
    points = tuple(message["points"])
    return SeatResult(seat, message["winner"], points, message["turns"], message["reason"])
