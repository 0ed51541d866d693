"""Parses text answers into actions: by number, as JSON, or in short words."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from catan_pz.actions import (
    ACTION_KINDS,
    RESOURCE_NAMES,
    action_id,
    composing,
    describe_action,
    template_of,
)
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.checks import SYNONYMS, did_you_mean, quoted
from catan_pz.game.view import View
from catan_pz.render.view import Bundle
from catan_pz.terms import MOST_COMPOSED, Phase
from catan_pz.text.choices import choices_of
from catan_pz.text.places import LETTERS, SEATS

LONGEST_ANSWER: Final = 20_000
"""Characters of an answer that are read."""

WORDS: Final = {
    "roll": "roll",
    "end": "end_turn",
    "road": "build_road",
    "settlement": "build_settlement",
    "city": "build_city",
    "buy": "buy_development_card",
    "knight": "play_knight",
    "building": "play_road_building",
    "plenty": "play_year_of_plenty",
    "monopoly": "play_monopoly",
    "robber": "move_robber",
    "steal": "steal",
    "discard": "discard",
    "bank": "maritime_trade",
    "offer": "offer",
    "give": "compose_give",
    "get": "compose_get",
    "send": "compose_send",
    "accept": "accept",
    "reject": "reject",
    "close": "close_with",
    "withdraw": "withdraw",
}
"""The word for each kind of action; an unambiguous abbreviation also works."""

WORD_OF: Final = {kind: word for word, kind in WORDS.items()}
"""`WORDS` by kind."""

_ARGUMENTS: Final = {kind.name: kind.argument for kind in ACTION_KINDS}
_SHOWN: Final = 40


class CommandError(ValueError):
    """An answer that can't be parsed or isn't legal; the message lists the legal ones."""


def parse(text: str, view: View) -> tuple[int, ...]:
    """The actions of an answer, in order.

    There are several only if an offer is composed card by card.

    Args:
        text: a number of `legal_actions`; JSON, {"number": 3} or the form of `describe_action`,
            also inside other text, where the last object counts; or words: "road E20",
            "bank ore for brick", "offer 2 wool for ore". Thoughts up to "</think>" are ignored.
        view: the view of the seat to move.
    """
    if not view.mask.any():
        raise CommandError("it isn't your turn to decide")
    text = said_in(text)
    described = json_in(text)
    if described is not None:
        if described.get("number") is not None:
            return (_numbered(described["number"], view),)
        return _described(described, view)
    copied = re.match(r"\W*\[(\d+)\]", text)
    number = copied[1] if copied else text.strip("*`'\"#.: ")
    if number.isascii() and number.isdigit():
        return (_numbered(number, view),)
    return _worded(text, view)


def said_in(text: str) -> str:
    """What is read of an answer: what follows a model's thoughts, not longer than is allowed."""
    return text.rpartition("</think>")[2][:LONGEST_ANSWER].strip()


def _legal(view: View) -> list[int]:
    """The legal actions, in the order of their ids."""
    return np.flatnonzero(view.mask).tolist()


def json_in(text: str) -> dict[str, Any] | None:
    """The last JSON object in a text; None if it has none."""
    decoder, found, start = json.JSONDecoder(), None, text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return found


def _numbered(given: object, view: View) -> int:
    legal = _legal(view)
    number = _number(given) if isinstance(given, str) else given
    if type(number) is int and 1 <= number <= len(legal):
        return legal[number - 1]
    raise CommandError(f"the number must be from 1 to {len(legal)}, got {quoted(given, _SHOWN)}")


def _worded(text: str, view: View) -> tuple[int, ...]:
    """Parse whole words of `legal_actions`, or a kind's word and its arguments."""
    lowered = text.lower().rstrip(".!")
    for choice in choices_of(view):
        if lowered == choice.words.lower():
            return (choice.action,)
    words = [w for w in re.split(r"[\s,;:+()]+", lowered) if w and w not in _FILLERS]
    if not words:
        raise CommandError(f"the answer is empty; {_legal_now(view)}")
    kind = WORDS[_complete(words[0], view)]
    return _chosen(kind, _arguments(kind, words[1:], view), view)


_FILLERS: Final = frozenset({"build", "play", "a", "an", "the", "at", "to", "and", "from"})
"""Words of an answer that are ignored."""


def _legal_words(view: View) -> list[str]:
    """The words for the kinds of legal actions, including offers that can only be composed."""
    words = list(dict.fromkeys(WORD_OF[describe_action(a)["kind"]] for a in _legal(view)))
    if "give" in words and not {"offer", "withdraw"} & set(words):
        words.append("offer")
    return words


def _complete(given: str, view: View) -> str:
    """Complete an abbreviation to the only legal word that starts with it."""
    known = _legal_words(view)
    fitting = [word for word in known if word.startswith(given)]
    if given in known:
        return given
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise CommandError(
            f"{quoted(given, _SHOWN)} may be {' or '.join(fitting)}: write more letters"
        )
    hint = did_you_mean(given, known)
    raise CommandError(f"{quoted(given, _SHOWN)} can't be played now{hint}; {_legal_now(view)}")


def _legal_now(view: View) -> str:
    return f"legal now: {', '.join(_legal_words(view))}, or a number"


def _arguments(kind: str, words: Sequence[str], view: View) -> dict[str, Any]:
    """Parse the words after a kind's word into arguments named as in `describe_action`."""
    match _ARGUMENTS[kind]:
        case "edge" | "vertex" | "hex" | "seat" as name:
            if not words:
                return _only(kind, name, view)
            return {name: _place(name, " ".join(words))}
        case "resource":
            return {"resource": _resource(" ".join(words))}
        case "pair":
            return {"pair": [_resource(word) for word in words]}
        case "swap":
            given = [word for word in words if word != "for" and not word.isdigit()]
            if len(given) != 2:
                raise CommandError("write a trade with the bank as: bank ore for brick")
            return {"give": _resource(given[0]), "get": _resource(given[1])}
        case "bundles":
            if words.count("for") != 1:
                raise CommandError("write an offer as: offer 2 brick for ore")
            at = words.index("for")
            return {"give": _bundle(words[:at]), "get": _bundle(words[at + 1 :])}
    return {}


def _only(kind: str, name: str, view: View) -> dict[str, Any]:
    """The argument of the only legal action of a kind."""
    of_kind = [one for one in map(describe_action, _legal(view)) if one["kind"] == kind]
    if len(of_kind) != 1:
        raise CommandError(_takes(kind, view))
    return {name: of_kind[0][name]}


def _takes(kind: str, view: View) -> str:
    """The arguments that the word of a kind allows; "" if no action of the kind is legal."""
    described = [(one, describe_action(one.action)) for one in choices_of(view)]
    found = ", ".join(
        f"{told['give']} for {told['get']}"
        if kind == "maritime_trade"
        else choice.rest.partition(" (")[0]
        for choice, told in described
        if told["kind"] == kind
    )
    return f"{WORD_OF[kind]} takes one of: {found}" if found else ""


def _place(name: str, word: object) -> int:
    """The number of a place or a seat: 12, "12", "V12", or "V12-V17" for an edge."""
    text = str(word).strip().upper()
    letter = LETTERS.get(name, "P")
    if name == "edge" and "V" in text:
        ends = [int(n) for n in re.findall(r"\d{1,3}", text)]
        for edge, joined in enumerate(EDGE_VERTICES.tolist()):
            if sorted(ends) == sorted(joined):
                return edge
    number = _number(text.removeprefix(letter).split(" ")[0])
    if number is None:
        raise CommandError(f"{name} must be a name such as {letter}1, got {quoted(word, _SHOWN)}")
    return number


def _number(word: str) -> int | None:
    """The number typed; None for anything else, or if it has too many digits."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS else None


_MOST_DIGITS: Final = 3


def _resource(word: object) -> str:
    """The resource named by a word, an abbreviation or a synonym."""
    text = str(word).lower()
    fitting = [name for name in RESOURCE_NAMES if text and name.startswith(text)]
    name = SYNONYMS.get(text) or (fitting[0] if len(fitting) == 1 else None)
    if name is None:
        known = ", ".join(RESOURCE_NAMES)
        raise CommandError(f"a resource must be one of {known}, got {quoted(word, _SHOWN)}")
    return name


def _bundle(words: Sequence[str]) -> dict[str, int]:
    """Parse cards such as "2 brick ore"; a number precedes its resource, even in one word."""
    counts: dict[str, int] = {}
    number: str | None = None
    for word in words:
        name = word.lstrip("0123456789")
        digits = word[: len(word) - len(name)]
        if number and digits:
            raise CommandError(f"write a resource after {number}, such as: offer 2 brick for ore")
        number = digits or number
        if name:
            counts[_resource(name)] = counts.get(_resource(name), 0) + int((number or "1")[:9])
            number = None
    if number or not counts:
        raise CommandError("write an offer as: offer 2 brick for ore, or: offer wool ore for grain")
    return counts


def _described(given: Mapping[str, Any], view: View) -> tuple[int, ...]:
    """Parse a JSON object: the kind and its arguments; places and seats may be names."""
    kind = str(given.get("kind", ""))
    kind = WORDS.get(kind, kind)
    if kind not in _ARGUMENTS:
        raise CommandError(
            f'JSON needs "number", or "kind" and its arguments, got {quoted(dict(given), _SHOWN)}; '
            f"{_legal_now(view)}"
        )
    known = (*_NUMBERED, "resource", "pair", "give", "get")
    arguments = {name: _json_argument(name, given[name]) for name in given if name in known}
    return _chosen(kind, arguments, view)


_NUMBERED: Final = ("edge", "vertex", "hex", "seat")
"""Arguments that are numbers of places or seats."""


def _json_argument(name: str, value: Any) -> Any:
    if name in _NUMBERED:
        return _place(name, value)
    if isinstance(value, Mapping):
        return {_resource(r): _count(n) for r, n in value.items()}
    if isinstance(value, list):
        return [_resource(r) for r in value]
    return _resource(value)


def _count(given: object) -> int:
    """Parse a number of cards: 2 or "2"."""
    count = _number(str(given))
    if count is None:
        raise CommandError(f"a number of cards must be such as 2, got {quoted(given, _SHOWN)}")
    return count


def _chosen(kind: str, arguments: dict[str, Any], view: View) -> tuple[int, ...]:
    """The legal action of a kind with these arguments, or the actions that compose an offer."""
    if kind == "offer":
        give, get = (_counts(arguments.get(side)) for side in ("give", "get"))
        actions = offer_actions(view, give, get)
        if actions:
            return actions
        raise CommandError(
            "this offer is impossible: the cards must be in your hand, another player must be able "
            "to hold what you ask for, and the rules must allow its size"
        )
    try:
        action = action_id(kind, **arguments)
    except ValueError as error:
        raise CommandError(_takes(kind, view) or str(error)) from None
    if action not in _legal(view):
        reason = f"{WORD_OF[kind]} isn't legal; {_legal_now(view)}"
        raise CommandError(_takes(kind, view) or reason)
    return (action,)


def _counts(side: Any) -> Bundle:
    """A side's cards by name as counts; zeros for anything else."""
    cards = side if isinstance(side, Mapping) else {}
    return tuple(cards.get(name, 0) for name in RESOURCE_NAMES)


def offer_actions(view: View, give: Bundle, get: Bundle) -> tuple[int, ...]:
    """The actions that make an offer or counter-offer, in one or card by card; () if impossible.

    The view suffices, because legal cards depend on the maker's knowledge.
    """
    if not all(0 < sum(side) <= MOST_COMPOSED and min(side) >= 0 for side in (give, get)):
        return ()
    legal = _legal(view)
    template, steps = template_of(give, get), composing(give, get)
    if template in legal:
        return (template,)
    seen = view.segments
    if Phase(int(seen["phase"].argmax())) == Phase.COMPOSE or steps[0] not in legal:
        return ()
    if any(a and b for a, b in zip(give, get, strict=True)) or (seen["own_hand"] < give).any():
        return ()
    in_turn = int(seen["turn_player"].argmax())
    asked = range(1, len(SEATS)) if in_turn == 0 else (in_turn,)
    if not any(
        sum(get) <= seen["hand_size"][k] and (seen["hand_max"][k] >= get).all() for k in asked
    ):
        return ()
    return steps
