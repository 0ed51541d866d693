"""The options of a game: `Rules`, its presets, and `Board`, a board laid out by hand."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from enum import IntEnum
from inspect import signature
from itertools import islice
from typing import Any, Final, Self

from catan_pz.actions import NUM_ACTIONS, NUM_ACTIONS_WITHOUT_TRADE
from catan_pz.checks import (
    check_choice,
    check_flag,
    did_you_mean,
    not_possible,
    plain_int,
    quoted,
)
from catan_pz.terms import (
    GENERIC_HARBOR,
    HARBOR_COUNTS,
    HARBOR_EDGES,
    MAX_PLAYERS,
    NUMBER_TOKENS,
    TERRAIN_COUNTS,
    Resource,
    Terrain,
)

OFFER_FORMS: Final = ("templates", "composed", "both")
BOARD_KINDS: Final = ("random", "spiral", "beginner")
DICE_KINDS: Final = ("random", "balanced")


def _repeated(counts: Sequence[int]) -> list[int]:
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


BOARD_PARTS: Final = {
    "terrains": _repeated(TERRAIN_COUNTS),
    "tokens": [0, *NUMBER_TOKENS],
    "harbors": _repeated(HARBOR_COUNTS),
}
"""What a board consists of, sorted, by the attributes of `Board`."""


@dataclass(frozen=True)
class Board:
    """A whole board: the 19 hexes row by row and the 9 harbors in the order of `HARBOR_EDGES`.

    Attributes:
        terrains: `Terrain` of each hex, 19 of them.
        tokens: number token of each hex, 0 on the desert.
        harbors: kind of each harbor: a `Resource` for 2:1, `GENERIC_HARBOR` for 3:1.

    Raises:
        ValueError: if the parts are not those of the base game.
    """

    terrains: tuple[int, ...]
    tokens: tuple[int, ...]
    harbors: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in BOARD_PARTS:
            given = getattr(self, name)
            try:
                parts = tuple(map(plain_int, given))
            except TypeError:
                raise not_possible(f"board: {name}", given, "a list of numbers") from None
            object.__setattr__(self, name, parts)
        for name, expected in BOARD_PARTS.items():
            _check_parts(name, getattr(self, name), expected)
        desert = self.terrains.index(Terrain.DESERT)
        if self.tokens[desert] != 0:
            raise ValueError(f"board: hex {desert} is the desert and can't carry a number token")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The board of a state's JSON form (keys "hexes" and "harbors")."""
        try:
            hexes = list(data["hexes"])
            kinds = {h["edge"]: h["resource"] for h in data["harbors"]}
            terrains = tuple(_named(Terrain, h["terrain"]) for h in hexes)
            tokens = tuple(0 if h["token"] is None else h["token"] for h in hexes)
            if set(kinds) != set(HARBOR_EDGES) or len(data["harbors"]) != len(HARBOR_EDGES):
                raise ValueError(
                    f"board: harbors lie on edges {quoted(list(kinds))}, must lie on the edges "
                    f"{sorted(HARBOR_EDGES)}, one each"
                )
            harbors = tuple(
                GENERIC_HARBOR if kinds[e] is None else _named(Resource, kinds[e])
                for e in HARBOR_EDGES
            )
        except (LookupError, TypeError) as error:
            raise ValueError(f"board: missing or unknown entry {quoted(error)}") from error
        return cls(terrains, tokens, harbors)

    def to_dict(self) -> dict[str, Any]:
        """The board in the JSON form of a state."""
        return {
            "hexes": [
                {"terrain": Terrain(t).name.lower(), "token": token or None}
                for t, token in zip(self.terrains, self.tokens, strict=True)
            ],
            "harbors": [
                {
                    "edge": edge,
                    "resource": None if kind == GENERIC_HARBOR else Resource(kind).name.lower(),
                }
                for edge, kind in zip(HARBOR_EDGES, self.harbors, strict=True)
            ],
        }


def _named(kinds: type[IntEnum], name: Any) -> int:
    """The number of a terrain or resource that JSON names."""
    if not isinstance(name, str):
        raise KeyError(name)
    return kinds[name.upper()].value


def _check_parts(name: str, parts: Iterable[int], expected: list[int]) -> None:
    parts = tuple(parts)
    if not all(isinstance(n, int) for n in parts) or Counter(parts) != Counter(expected):
        raise ValueError(
            f"board: {name} {quoted(list(parts))} must be a rearrangement of {expected}"
        )


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Every option of a game; the defaults are the base game for four with trade.

    Attributes:
        num_players: 2 to 4.
        trading: whether players trade with each other.
        counter_offers: whether an offer may be answered with another.
        offer_form: "templates" (offers of one action), "composed" (card by card) or "both".
        max_offers_per_turn: offers that the player in turn may begin.
        victory_points: points that win, 3 to 22.
        discard_limit: cards in hand above which a 7 costs half of them.
        friendly_robber: the robber spares players with 2 visible points or fewer.
        dice: "random", "balanced", or pairs rolled first, in order (random dice follow them).
        board: "random", "spiral", "beginner", seeds of random boards (one is drawn for each
            game), a `Board`, or its JSON form. An object with an attribute `option` holding
            one of these is taken as well.
        no_adjacent_red: on random boards no 6 or 8 lies next to another.
        first_player: seat 0, or "random".
        skip_forced: decisions with a single legal action are played by the engine.
        max_turns: turns after which a game is truncated; None for no limit.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    num_players: int = 4
    trading: bool = True
    counter_offers: bool = True
    offer_form: str = "templates"
    max_offers_per_turn: int = 3
    victory_points: int = 10
    discard_limit: int = 7
    friendly_robber: bool = False
    dice: str | tuple[tuple[int, int], ...] = "random"
    board: Any = "random"
    no_adjacent_red: bool = False
    first_player: int | str = 0
    skip_forced: bool = False
    max_turns: int | None = 1000

    def __post_init__(self) -> None:
        self._take_int("num_players", 2, MAX_PLAYERS)
        self._take_int("max_offers_per_turn", 0, 100)
        self._take_int("victory_points", 3, 22)
        self._take_int("discard_limit", 1, 95)
        if self.max_turns is not None:
            self._take_int("max_turns", 1, 2**31 - 1, ", or None")
        for name in ("trading", "counter_offers", "friendly_robber", "no_adjacent_red"):
            self._take_flag(name)
        self._take_flag("skip_forced")
        check_choice("offer_form", self.offer_form, OFFER_FORMS)
        check_choice("first_player", self.first_player, (0, "random"))
        if self.first_player != "random":
            object.__setattr__(self, "first_player", 0)
        object.__setattr__(self, "dice", _dice_option(self.dice))
        object.__setattr__(self, "board", _board_option(self.board))
        if self.no_adjacent_red and not (self.board == "random" or isinstance(self.board, tuple)):
            raise _bad_option(
                "no_adjacent_red", True, f"False with board={self.board!r}: it needs random boards"
            )

    @property
    def num_actions(self) -> int:
        """A, the size of the action space."""
        return NUM_ACTIONS if self.trading else NUM_ACTIONS_WITHOUT_TRADE

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules known by a name; `PRESETS` lists them."""
        if not isinstance(name, str) or name not in PRESETS:
            raise _bad_option("rules", name, f"a Rules or one of {sorted(PRESETS)}", PRESETS)
        return cls(**PRESETS[name])

    @classmethod
    def make(cls, rules: "Rules | str | None" = None, **options: Any) -> "Rules":
        """Rules from rules, a preset's name or the defaults, with some options replaced."""
        if isinstance(rules, str):
            rules = cls.preset(rules)
        if rules is not None and not isinstance(rules, Rules):
            raise _bad_option("rules", rules, f"a Rules or one of {sorted(PRESETS)}")
        _check_names(options, _names())
        return replace(rules or cls(), **options)

    @classmethod
    def of(
        cls,
        taker: Callable[..., Any],
        rules: "Rules | str | None",
        options: Mapping[str, Any],
    ) -> "Rules":
        """As `make`, for what takes options of the rules beside arguments of its own.

        Args:
            taker: the class or function, whose own arguments an error lists, too.
            rules: a `Rules`, a preset's name, or None for the defaults.
            options: the keywords that are no arguments of its own.

        Raises:
            ValueError: names the option, its value and what is allowed.
        """
        if not options.keys() <= _names():
            # A metaclass may hide the arguments of a class.
            called = vars(taker).get("__init__", taker)
            own = set(signature(called).parameters) - {"self", "options"}
            _check_names(options, own | _names())
        return cls.make(rules, **options)

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON values."""
        data = asdict(self)
        if isinstance(self.board, Board):
            data["board"] = self.board.to_dict()
        elif isinstance(self.board, tuple):
            data["board"] = list(self.board)
        if isinstance(self.dice, tuple):
            data["dice"] = [list(pair) for pair in self.dice]
        return data

    def differences(self) -> dict[str, Any]:
        """The options that aren't the defaults, as JSON values."""
        defaults = Rules().to_dict()
        return {name: value for name, value in self.to_dict().items() if value != defaults[name]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rules from JSON values; options that are missing take their defaults.

        Raises:
            ValueError: names the option, its value and what is allowed.
        """
        if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
            raise not_possible("rules", data, "an object of options by name")
        _check_names(data, _names())
        return cls(**data)

    # Integers and bools of NumPy are taken, too, but they are no JSON values.
    def _take_int(self, name: str, low: int, high: int, further: str = "") -> None:
        value = getattr(self, name)
        number = plain_int(value)
        if type(number) is not int or not low <= number <= high:
            raise _bad_option(name, value, f"an int from {low} to {high}{further}")
        object.__setattr__(self, name, number)

    def _take_flag(self, name: str) -> None:
        object.__setattr__(self, name, check_flag(name, getattr(self, name)))


_LONGEST_NAME: Final = 80
"""Characters of an option's name that an error shows as it is."""


_LONGEST_LIST: Final = 10_000
"""Seeds of boards, or rolls of dice: they are part of every state that is written down."""


def _names() -> set[str]:
    return {field.name for field in fields(Rules)}


def _check_names(options: Mapping[str, Any], known: set[str]) -> None:
    for name, value in options.items():
        if name not in known:
            hint = did_you_mean(name, sorted(known))
            called = name if name.isidentifier() and len(name) < _LONGEST_NAME else quoted(name)
            raise ValueError(
                f"unknown option {called}={quoted(value)}{hint}; options are {sorted(known)}"
            )


def _bad_option(name: str, value: object, allowed: str, known: Iterable[str] = ()) -> ValueError:
    return not_possible(f"option {name}", value, allowed, known)


def _dice_option(value: Any) -> str | tuple[tuple[int, int], ...]:
    allowed = f"one of {DICE_KINDS} or a list of pairs of numbers from 1 to 6"
    if isinstance(value, str):
        if value not in DICE_KINDS:
            raise _bad_option("dice", value, allowed, DICE_KINDS)
        return value
    try:
        some = islice(value, _LONGEST_LIST + 1)
        pairs = tuple((plain_int(a), plain_int(b)) for a, b in some)
    except (TypeError, ValueError):
        raise _bad_option("dice", value, allowed) from None
    if len(pairs) > _LONGEST_LIST:
        raise _bad_option("dice", value, f"{allowed}; at most {_LONGEST_LIST:,} pairs")
    dice = [n for pair in pairs for n in pair]
    if not pairs or not all(type(n) is int and 1 <= n <= 6 for n in dice):
        raise _bad_option("dice", value, allowed)
    return pairs


def _board_option(value: Any) -> str | tuple[int, ...] | Board:
    allowed = f"one of {BOARD_KINDS}, a list of seeds, a Board or its JSON form"
    value = getattr(value, "option", value)
    if isinstance(value, str):
        if value not in BOARD_KINDS:
            raise _bad_option("board", value, allowed, BOARD_KINDS)
        return value
    if isinstance(value, Board):
        return value
    if isinstance(value, Mapping):
        return Board.from_dict(value)
    try:
        seeds = tuple(plain_int(seed) for seed in islice(value, _LONGEST_LIST + 1))
    except TypeError:
        raise _bad_option("board", value, allowed) from None
    if len(seeds) > _LONGEST_LIST:
        raise _bad_option("board", value, f"{allowed}; at most {_LONGEST_LIST:,} seeds")
    if not seeds or not all(type(seed) is int and 0 <= seed < 2**64 for seed in seeds):
        raise _bad_option("board", value, allowed + "; seeds lie from 0 to 2**64 - 1")
    return seeds


PRESETS: Final[dict[str, dict[str, Any]]] = {
    "base": {},
    "one_v_one": {
        "num_players": 2,
        "trading": False,
        "victory_points": 15,
        "discard_limit": 9,
        "dice": "balanced",
        "friendly_robber": True,
    },
    "rocco": {
        "num_players": 2,
        "trading": False,
        "victory_points": 15,
        "board": (0, 1, 2, 3),
    },
    "charlesworth": {
        "counter_offers": False,
        "offer_form": "composed",
        "max_offers_per_turn": 4,
        "no_adjacent_red": True,
        "first_player": "random",
    },
}
"""Named rules: the options in which each differs from the defaults."""
