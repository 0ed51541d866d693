"""What a person types in the terminal, as actions, and what may be typed, in words."""

from itertools import groupby
from textwrap import wrap
from typing import Any, Final

from catan_pz import actions as table
from catan_pz.actions import RESOURCE_NAMES, describe_action
from catan_pz.checks import did_you_mean, quoted
from catan_pz.game.game import Game
from catan_pz.play.offers import offer_actions
from catan_pz.render.ansi import ASIDE_COLUMNS
from catan_pz.render.log import bundle_words
from catan_pz.render.view import Bundle

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
    "hex": "move_robber",
    "steal": "steal",
    "discard": "discard",
    "bank": "maritime_trade",
    "offer": "offer",
    "give": "compose_give",
    "get": "compose_get",
    "send": "compose_send",
    "accept": "accept",
    "no": "reject",
    "close": "close_with",
    "withdraw": "withdraw",
}
"""What is typed for each kind of action; any beginning that fits only one of them will do."""

_PLACES: Final = {"road": "edge", "settlement": "vertex", "city": "vertex", "hex": "hex"}
_SEATS: Final = ("steal", "close")
_MANY: Final = 20
_COLUMNS: Final = 80
_MOST_DIGITS: Final = 3
_MOST_QUOTED: Final = 40


class CommandError(ValueError):
    """A command that isn't understood or isn't possible now; says what is."""


def legal_words(game: Game) -> dict[str, list[dict[str, Any]]]:
    """The words that may be typed now, each with its legal actions as `describe_action`."""
    word_of = {kind: word for word, kind in WORDS.items()}
    described = (describe_action(a) | {"id": a} for a in game.legal_actions().tolist())
    found = {
        word_of[kind]: list(members) for kind, members in groupby(described, lambda d: d["kind"])
    }
    if game.phase.name != "COMPOSE" and ("give" in found or "get" in found):
        # Composed offers are typed as a whole.
        found.setdefault("offer", [])
        found.pop("give", None)
        found.pop("get", None)
    return found


def parse(line: str, game: Game) -> tuple[int, ...]:
    """The actions that a command stands for, one after the other."""
    legal = legal_words(game)
    words = line.lower().replace("+", " ").replace(",", " ").split()
    if not words:
        return (_only(legal),)
    first, rest = words[0], words[1:]
    if first.isascii() and first.isdigit():
        placed = [word for word in _PLACES if word in legal]
        if len(placed) != 1:
            raise CommandError("write what to do with this number, such as: road 12")
        first, rest = placed[0], words
    word = _complete(first, list(legal), "command")
    if word == "offer":
        return _offer(game, rest)
    if word in _PLACES or word in _SEATS:
        return (_numbered(game, word, legal[word], rest),)
    return (_with_resources(word, legal[word], rest),)


def _number(word: str) -> int | None:
    """A number that is typed; None for anything else, or more digits than any that counts."""
    # `str.isdigit` takes superscripts, too, which int doesn't.
    return int(word) if word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS else None


def _only(legal: dict[str, list[dict[str, Any]]]) -> int:
    members = [d for word in legal for d in legal[word]]
    if len(members) == 1:
        return int(members[0]["id"])
    if "roll" in legal:
        return table.ROLL
    raise CommandError("write a command; ? lists them")


def _complete(given: str, known: list[str], what: str) -> str:
    fitting = [word for word in known if word.startswith(given)]
    if given in known:
        return given
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise CommandError(f"{given!r} may be {' or '.join(fitting)}: write more of it")
    hint = did_you_mean(given, known)
    raise CommandError(
        f"there is no {what} {quoted(given, _MOST_QUOTED)} now{hint}; there are: {', '.join(known)}"
    )


def _with_resources(word: str, members: list[dict[str, Any]], rest: list[str]) -> int:
    arguments = [_complete(name, list(RESOURCE_NAMES), "resource") for name in rest]
    in_order = sorted if word == "plenty" else list
    for d in members:
        if in_order(_resources(d)) == in_order(arguments):
            return int(d["id"])
    needed = len(_resources(members[0]))
    if len(arguments) != needed:
        raise CommandError(f"{word} takes {needed or 'no'} resource{'s' * (needed != 1)} after it")
    raise CommandError(f"{word} {' '.join(arguments)} isn't possible now; ? lists what is")


def _resources(described: dict[str, Any]) -> list[str]:
    if "pair" in described:
        return list(described["pair"])
    return [described[key] for key in ("resource", "give", "get") if key in described]


def _numbered(game: Game, word: str, members: list[dict[str, Any]], rest: list[str]) -> int:
    numbers = {_number_of(game, word, d): int(d["id"]) for d in members}
    if not rest and len(numbers) == 1:
        return next(iter(numbers.values()))
    chosen = _number(rest[0]) if len(rest) == 1 else None
    if chosen in numbers:
        return numbers[chosen]
    raise CommandError(f"{word} takes one of the numbers {', '.join(map(str, sorted(numbers)))}")


def _number_of(game: Game, word: str, described: dict[str, Any]) -> int:
    if word in _SEATS:
        return (game.player + int(described["seat"])) % game.rules.num_players
    return int(described[_PLACES[word]])


def _offer(game: Game, rest: list[str]) -> tuple[int, ...]:
    if rest.count("for") != 1:
        raise CommandError(
            "write an offer as: offer 2 brick for ore, or: offer wool + ore for grain"
        )
    at = rest.index("for")
    play = offer_actions(game, _bundle(rest[:at]), _bundle(rest[at + 1 :]))
    if not play:
        raise CommandError(
            "this can't be offered: it must be in your hand, somebody must be able to hold what "
            "you ask for, and the rules must allow its size"
        )
    return play


def _bundle(words: list[str]) -> Bundle:
    """Cards such as "2 brick ore"; a number stands before its resource, or in one word with it."""
    counts = dict.fromkeys(RESOURCE_NAMES, 0)
    number: str | None = None
    for word in [*words, ""]:
        name = word.lstrip("0123456789")
        digits = word[: len(word) - len(name)]
        if number and (digits or not name):
            raise CommandError(f"write a resource after {number}, such as: offer 2 brick for ore")
        number = digits or number
        if number and len(number) > _MOST_DIGITS:
            raise CommandError(f"{quoted(number, _MOST_QUOTED)} are too many cards")
        if name:
            resource = _complete(name, list(RESOURCE_NAMES), "resource")
            counts[resource] += int(number or 1)
            number = None
    return tuple(counts.values())


def marks(game: Game) -> dict[str, list[int]]:
    """Places that can be named now, as the board shows them: "vertices", "edges", "hexes"."""
    found: dict[str, list[int]] = {"vertices": [], "edges": [], "hexes": []}
    names = {"vertex": "vertices", "edge": "edges", "hex": "hexes"}
    for word, members in legal_words(game).items():
        if word in _PLACES:
            place = _PLACES[word]
            found[names[place]] += [d[place] for d in members]
    return found


def menu_words(game: Game) -> list[str]:
    """The words that may be typed now, in lines for the column beside the board."""
    return ["Type (? helps):", *wrap(" ".join(legal_words(game)), ASIDE_COLUMNS)]


def menu(game: Game) -> list[str]:
    """What may be typed now, a line for each word."""
    lines = [f"  {word:<11}{_told(game, word, d)}" for word, d in legal_words(game).items()]
    return [line if len(line) <= _COLUMNS else line[: _COLUMNS - 3] + "..." for line in lines]


_EXPLAINED: Final = {
    "roll": "roll the dice (or just Enter)",
    "end": "end the turn",
    "buy": "a development card for wool, grain and ore",
    "knight": "play a knight",
    "building": "play road building",
    "send": "the offer",
    "no": "reject the offer",
    "withdraw": "take it back",
}


def _told(game: Game, word: str, members: list[dict[str, Any]]) -> str:
    """The explanation of a word in the menu."""
    if word in _EXPLAINED:
        return _EXPLAINED[word]
    if word == "bank":
        return _rates(game, members)
    if word == "offer":
        return _example(members)
    if word == "accept":
        offer = game.snapshot()["offer"]
        return f"the offer: you give {bundle_words(offer['get'])} for {bundle_words(offer['give'])}"
    if word in _PLACES or word in _SEATS:
        numbers = sorted(_number_of(game, word, d) for d in members)
        many = "any of the numbers on the board"
        return many if len(numbers) > _MANY else " ".join(map(str, numbers))
    if word == "plenty":
        every = len(members) == len(table.PLENTY_PAIRS)
        return "two resources" if every else ", ".join(" ".join(d["pair"]) for d in members)
    return " ".join(d["resource"] for d in members)


def _example(members: list[dict[str, Any]]) -> str:
    if not members:
        return "up to 4 cards a side, such as: offer 2 brick for ore"
    first = members[0]
    words = f"such as: offer {bundle_words(first['give'])} for {bundle_words(first['get'])}"
    return f"{words} ({len(members)} possible)"


def _rates(game: Game, members: list[dict[str, Any]]) -> str:
    parts = []
    for give, group in groupby(members, lambda d: d["give"]):
        rate = int(game.games["rate"][0, game.player, RESOURCE_NAMES.index(give)])
        parts.append(f"{give} ({rate}:1) for {'/'.join(d['get'] for d in group)}")
    return "; ".join(parts)
