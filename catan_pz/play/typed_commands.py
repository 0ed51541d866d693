"""Commands typed by a person in the terminal: their actions, and a menu of them."""

from itertools import groupby
from textwrap import wrap
from typing import Any, Final

from catan_pz.actions import PLENTY_PAIRS, RESOURCE_NAMES, ROLL, describe_action
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.render.ansi import ASIDE_COLUMNS
from catan_pz.render.log import bundle_words
from catan_pz.text import commands
from catan_pz.text.commands import WORD_OF, CommandError

_PLACES: Final = {"road": "edge", "settlement": "vertex", "city": "vertex", "robber": "hex"}
_SEATS: Final = ("steal", "close")
_MANY: Final = 20
_COLUMNS: Final = 80


def legal_words(game: Game) -> dict[str, list[dict[str, Any]]]:
    """The commands possible now, each with its legal actions as `describe_action`."""
    described = (describe_action(a) | {"id": a} for a in game.legal_actions().tolist())
    found = {WORD_OF[kind]: list(own) for kind, own in groupby(described, lambda d: d["kind"])}
    if game.phase.name != "COMPOSE" and ("give" in found or "get" in found):
        # Composed offers are typed as a whole.
        found.setdefault("offer", [])
        found.pop("give", None)
        found.pop("get", None)
    return found


def parse(line: str, game: Game) -> tuple[int, ...]:
    """The actions of a command, in order.

    It reads the commands of `text.parse`, with absolute seat numbers. A number alone is a place if
    only one kind of place is possible, and an empty line is the only action or a roll.
    """
    legal = legal_words(game)
    words = line.lower().split()
    if not words:
        return (_only(legal),)
    if words[0].isascii() and words[0].isdigit():
        placed = [word for word in _PLACES if word in legal]
        if len(placed) != 1:
            raise CommandError("write a command before the number, such as: road 12")
        words.insert(0, placed[0])
    takes_seat = any(word.startswith(words[0]) for word in _SEATS if word in legal)
    if takes_seat and len(words) == 2 and words[1].isascii() and words[1].isdigit():
        words[1] = str((int(words[1][:9]) - game.player) % game.rules.num_players)
    return commands.parse(" ".join(words), view_of(game, game.player))


def _only(legal: dict[str, list[dict[str, Any]]]) -> int:
    members = [d for word in legal for d in legal[word]]
    if len(members) == 1:
        return int(members[0]["id"])
    if "roll" in legal:
        return ROLL
    raise CommandError("write a command; ? lists all")


def _number_of(game: Game, word: str, described: dict[str, Any]) -> int:
    if word in _SEATS:
        return (game.player + int(described["seat"])) % game.rules.num_players
    return int(described[_PLACES[word]])


def marks(game: Game) -> dict[str, list[int]]:
    """Places that can be named now, as shown on the board: "vertices", "edges", "hexes"."""
    found: dict[str, list[int]] = {"vertices": [], "edges": [], "hexes": []}
    names = {"vertex": "vertices", "edge": "edges", "hex": "hexes"}
    for word, members in legal_words(game).items():
        if word in _PLACES:
            place = _PLACES[word]
            found[names[place]] += [d[place] for d in members]
    return found


def menu_words(game: Game) -> list[str]:
    """The commands possible now, in lines for the column beside the board."""
    return ["Type (? helps):", *wrap(" ".join(legal_words(game)), ASIDE_COLUMNS)]


def menu(game: Game) -> list[str]:
    """The commands possible now, a line for each word."""
    lines = [f"  {word:<11}{_told(game, word, d)}" for word, d in legal_words(game).items()]
    return [line if len(line) <= _COLUMNS else line[: _COLUMNS - 3] + "..." for line in lines]


_EXPLAINED: Final = {
    "roll": "roll the dice (or just Enter)",
    "end": "end the turn",
    "buy": "a development card for wool, grain and ore",
    "knight": "play a knight",
    "building": "play road building",
    "send": "the offer",
    "reject": "the offer",
    "withdraw": "withdraw the offer",
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
        every = len(members) == len(PLENTY_PAIRS)
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
