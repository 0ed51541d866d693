"""The options of a game: `Rules`, its presets, and `Board`, a board laid out by hand."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from inspect import signature
from itertools import islice
from typing import Any, Final, NamedTuple, Self, TypedDict

from catan_pz.checks import (
    check_choice,
    check_count,
    check_flag,
    check_seed,
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
    MOST_COMPOSED,
    NUM_ACTIONS,
    NUM_ACTIONS_WITHOUT_TRADE,
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
"""The parts of a board, sorted, by attribute of `Board`."""


@dataclass(frozen=True)
class Board:
    """A whole board: the 19 hexes row by row and the 9 harbors in the order of `HARBOR_EDGES`.

    Attributes:
        terrains: `Terrain` of each hex, 19 of them.
        tokens: number token of each hex, 0 on the desert.
        harbors: kind of each harbor: a `Resource` for 2:1, `GENERIC_HARBOR` for 3:1.
    """

    terrains: tuple[int, ...]
    tokens: tuple[int, ...]
    harbors: tuple[int, ...]

    def __post_init__(self) -> None:
        for name, expected in BOARD_PARTS.items():
            object.__setattr__(self, name, _parts(name, getattr(self, name), expected))
        desert = self.terrains.index(Terrain.DESERT)
        if self.tokens[desert] != 0:
            raise ValueError(f"board: hex {desert} is the desert and can't carry a number token")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The board of a state's JSON form (keys "hexes" and "harbors")."""
        try:
            hexes = list(data["hexes"])
            kinds = {h["edge"]: h["resource"] for h in data["harbors"]}
            terrains = tuple(_named("terrain", h["terrain"]) for h in hexes)
            tokens = tuple(0 if h["token"] is None else h["token"] for h in hexes)
            if set(kinds) != set(HARBOR_EDGES) or len(data["harbors"]) != len(HARBOR_EDGES):
                raise ValueError(
                    f"board: harbors lie on edges {quoted(list(kinds))}, must lie on the edges "
                    f"{sorted(HARBOR_EDGES)}, one each"
                )
            harbors = tuple(
                GENERIC_HARBOR if kinds[e] is None else _named("resource", kinds[e])
                for e in HARBOR_EDGES
            )
        except (LookupError, TypeError) as error:
            raise ValueError(f"board: missing or unknown entry {quoted(error)}") from error
        return cls(terrains, tokens, harbors)

    def to_dict(self) -> dict[str, Any]:
        """The board in the JSON form of a state."""
        terrains, resources = _WORDS["terrain"], [*_WORDS["resource"], None]
        return {
            "hexes": [
                {"terrain": terrains[t], "token": token or None}
                for t, token in zip(self.terrains, self.tokens, strict=True)
            ],
            "harbors": [
                {"edge": edge, "resource": resources[kind]}
                for edge, kind in zip(HARBOR_EDGES, self.harbors, strict=True)
            ],
        }


_WORDS: Final = {
    "terrain": [kind.name.lower() for kind in Terrain],
    "resource": [kind.name.lower() for kind in Resource],
}


def _named(kind: str, name: Any) -> int:
    """The number of a terrain or resource named in JSON."""
    names = _WORDS[kind]
    if name not in names:
        hint = did_you_mean(name, names)
        raise ValueError(f"board: unknown {kind} {quoted(name)}{hint}; must be one of {names}")
    return names.index(name)


def _parts(name: str, given: Iterable[Any], expected: list[int]) -> tuple[int, ...]:
    """Parts of a board, in any order, as plain numbers."""
    try:
        parts = tuple(map(plain_int, given))
    except TypeError:
        raise not_possible(f"board: {name}", given, "a list of numbers") from None
    if not all(isinstance(n, int) for n in parts):
        raise ValueError(f"board: {name} must be whole numbers, got {quoted(list(parts))}")
    words = {"terrains": _WORDS["terrain"], "harbors": [*_WORDS["resource"], "3:1"]}.get(name, [])
    found, due = Counter(parts), Counter(expected)
    for n in sorted(found.keys() | due.keys()):
        if found[n] != due[n]:
            word = words[n] if 0 <= n < len(words) else f"of {n}"
            raise ValueError(f"board: {name} must hold {due[n]} {word}, got {found[n]}")
    return parts


NUM_OBSERVED: Final = 14
"""Columns for options in observations; unused ones are spare and zero."""


class Column(NamedTuple):
    """A field of a game's record for an option.

    Attributes:
        name: the field of `engine.state.STATE`; "" for the option's own name.
        value: converts the option's value to a number.
        dtype: its type.
        observed: name of the flag in observations; "" if observations have no such flag.
        of_trade: whether the flag is shown only in games with trade.
    """

    name: str = ""
    value: Callable[[Any], Any] = int
    dtype: str = "i1"
    observed: str = ""
    of_trade: bool = False


class Option(NamedTuple):
    """The declaration of an option of `Rules`.

    Attributes:
        meaning: description.
        check: checks and converts a value, given the option's name and the value.
        columns: fields of a game's record; options of the deal have none.
    """

    meaning: str
    check: Callable[[str, Any], Any]
    columns: tuple[Column, ...] = ()


def _option(default: Any, meaning: str, check: Callable[..., Any], *columns: Column) -> Any:
    return field(default=default, metadata={"option": Option(meaning, check, columns)})


def _flag(default: bool, meaning: str, observed: str = "", *, of_trade: bool = False) -> Any:
    """An option that is on or off, in a column of the same name."""
    return _option(default, meaning, check_flag, Column(observed=observed, of_trade=of_trade))


def _number(default: int, meaning: str, low: int, high: int, column: str = "") -> Any:
    """An option that is a number from low to high."""
    return _option(default, meaning, _range(low, high), Column(column))


def _range(low: int, high: int, *, none: bool = False) -> Callable[[str, Any], Any]:
    """Integers from low to high; NumPy integers become plain ones for JSON."""

    def check(name: str, value: Any) -> int | None:
        number = plain_int(value)
        if none and value is None:
            return None
        if type(number) is not int or not low <= number <= high:
            raise not_possible(name, value, f"an int from {low} to {high}{', or None' * none}")
        return number

    return check


def _choice(*choices: Any) -> Callable[[str, Any], Any]:
    def check(name: str, value: Any) -> Any:
        check_choice(name, value, choices)
        return next(choice for choice in choices if choice == value)

    return check


_LONGEST_LIST: Final = 10_000
"""The longest list of board seeds or rolls; it is part of every saved state."""


def _word_or_list(
    words: Sequence[str], one: Callable[[Any], Any], others: str
) -> Callable[[str, Any], Any]:
    """One of some words, or a list of items checked by `one`."""
    allowed = f"one of {words}{others}"

    def check(name: str, value: Any) -> str | tuple[Any, ...]:
        if isinstance(value, str):
            if value not in words:
                raise not_possible(name, value, allowed, words)
            return value
        try:
            items = tuple(one(item) for item in islice(value, _LONGEST_LIST + 1))
        except (TypeError, ValueError):
            items = ()
        if not items:
            raise not_possible(name, value, allowed)
        if len(items) > _LONGEST_LIST:
            raise not_possible(name, value, f"{allowed}, at most {_LONGEST_LIST:,} of them")
        return items

    return check


def _roll(value: Any) -> tuple[int, int]:
    first, second = value
    return check_count("die", first, most=6), check_count("die", second, most=6)


_dice: Final = _word_or_list(DICE_KINDS, _roll, " or a list of pairs of numbers from 1 to 6")
_board_kind: Final = _word_or_list(
    BOARD_KINDS, check_seed, ", a Board, its JSON form, or seeds from 0 to 2**64 - 1"
)


def _board(name: str, value: Any) -> str | tuple[int, ...] | Board:
    if isinstance(value, Mapping):
        return Board.from_dict(value)
    return value if isinstance(value, Board) else _board_kind(name, value)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Every option of a game; the defaults are the base game for four with trade.

    `OPTIONS` describes each and its values. A new option must come last, so that the others keep
    their place in observations; `RuleOptions` names its type.
    """

    num_players: int = _number(4, "2 to 4", 2, MAX_PLAYERS)
    trading: bool = _flag(
        True, "whether players trade with each other", "trade between players", of_trade=True
    )
    counter_offers: bool = _flag(
        True, "whether an offer may be answered with another", "counter-offers", of_trade=True
    )
    offer_form: str = _option(
        "templates",
        '"templates" (offers of one action), "composed" (card by card) or "both"',
        _choice(*OFFER_FORMS),
        Column(
            "offer_templates",
            lambda form: form != "composed",
            observed="offers as templates",
            of_trade=True,
        ),
        Column(
            "offer_composed",
            lambda form: form != "templates",
            observed="composed offers",
            of_trade=True,
        ),
    )
    max_offers_per_turn: int = _number(
        3, "offers that the player in turn may make", 0, 100, "max_offers"
    )
    victory_points: int = _number(10, "points that win, 3 to 22", 3, 22)
    discard_limit: int = _number(7, "cards in hand above which a 7 costs half of them", 1, 95)
    friendly_robber: bool = _flag(
        False, "the robber spares players with 2 visible points or fewer", "friendly robber"
    )
    dice: str | tuple[tuple[int, int], ...] = _option(
        "random",
        '"random", "balanced", or pairs rolled first, in order (random dice follow them)',
        _dice,
        Column("balanced_dice", lambda dice: dice == "balanced", observed="balanced dice"),
    )
    board: Any = _option(  # noqa: RUF009 (a field of the dataclass)
        "random",
        '"random", "spiral", "beginner", seeds of random boards (one is drawn for each game), a '
        "`Board`, or its JSON form",
        _board,
    )
    no_adjacent_red: bool = _option(
        False, "on random boards no 6 or 8 lies next to another", check_flag
    )
    first_player: int | str = _option(0, 'seat 0, or "random"', _choice(0, "random"))
    skip_forced: bool = _flag(
        False, "decisions with a single legal action are played by the engine"
    )
    max_turns: int | None = _option(
        1000,
        "turns after which a game is truncated; None for no limit",
        _range(1, 2**31 - 1, none=True),
        Column(value=lambda turns: turns or 0, dtype="i4"),
    )
    robber_on_desert: bool = _flag(
        False,
        "with the friendly robber: it may always go to the desert, where it takes nothing",
        "friendly robber allowed on the desert",
    )
    robber_spares_mover: bool = _flag(
        False,
        "with the friendly robber: it also spares the hexes of the player who moves it",
        "friendly robber spares its mover",
    )
    dice_memory: bool = _flag(
        False,
        "recent sums, and sevens of a player who rolled many, are less likely",
        "dice with memory",
    )
    max_offer_cards: int = _number(
        MOST_COMPOSED, "cards a side of a composed offer, 4 to 95", MOST_COMPOSED, 95
    )

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.check(name, getattr(self, name)))
        if self.no_adjacent_red and not (self.board == "random" or isinstance(self.board, tuple)):
            raise not_possible(
                "no_adjacent_red", True, f"False with board={self.board!r}: it needs random boards"
            )

    def columns(self) -> dict[str, int]:
        """The options as numbers of a game's record, by the names of `COLUMNS`."""
        return {
            column.name or name: int(column.value(getattr(self, name)))
            for name, option in OPTIONS.items()
            for column in option.columns
        }

    def observed(self) -> list[int]:
        """The options as flags in observations, 0 or 1: `OBSERVED`, and zeros for spare ones."""
        values = self.columns()
        shown = [values[c.name] if self.trading or not c.of_trade else 0 for c in OBSERVED]
        return shown + [0] * (NUM_OBSERVED - len(shown))

    @property
    def num_actions(self) -> int:
        """A, the size of the action space."""
        return NUM_ACTIONS if self.trading else NUM_ACTIONS_WITHOUT_TRADE

    @classmethod
    def preset(cls, name: str) -> Self:
        """The rules of a preset; `PRESETS` lists them."""
        if not isinstance(name, str) or name not in PRESETS:
            raise not_possible("rules", name, f"a Rules or one of {sorted(PRESETS)}", PRESETS)
        return cls(**PRESETS[name])

    @classmethod
    def make(cls, rules: "Rules | str | None" = None, **options: Any) -> "Rules":
        """Rules from rules, a preset's name or the defaults, with some options replaced."""
        if rules is not None and not isinstance(rules, Rules):
            rules = cls.preset(rules)
        _check_names(options, {*OPTIONS})
        return replace(rules or cls(), **options)

    @classmethod
    def of(
        cls,
        taker: Callable[..., Any],
        rules: "Rules | str | None",
        options: Mapping[str, Any],
    ) -> "Rules":
        """As `make`, for a class or function whose own arguments errors also list."""
        if not options.keys() <= OPTIONS.keys():
            # A metaclass may hide a class's arguments.
            called = vars(taker).get("__init__", taker)
            own = set(signature(called).parameters) - {"self", "options"}
            _check_names(options, own | OPTIONS.keys())
        return cls.make(rules, **options)

    def to_dict(self) -> dict[str, Any]:
        """The options as JSON values, without the options of `LATER` at their defaults."""
        data = asdict(self)
        for name in LATER:
            if data[name] == type(self).__dataclass_fields__[name].default:
                del data[name]
        if isinstance(self.board, Board):
            data["board"] = self.board.to_dict()
        elif isinstance(self.board, tuple):
            data["board"] = list(self.board)
        if isinstance(self.dice, tuple):
            data["dice"] = [list(pair) for pair in self.dice]
        return data

    def differences(self) -> dict[str, Any]:
        """The options that differ from the defaults, as JSON values."""
        defaults = Rules().to_dict()
        return {k: value for k, value in self.to_dict().items() if value != defaults.get(k)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rules from JSON values; missing options take their defaults."""
        if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
            raise not_possible("rules", data, "an object of options by name")
        _check_names(data, {*OPTIONS})
        return cls(**data)


class RuleOptions(TypedDict, total=False):
    """The options of `Rules`, as keywords of environments."""

    num_players: int
    trading: bool
    counter_offers: bool
    offer_form: str
    max_offers_per_turn: int
    victory_points: int
    discard_limit: int
    friendly_robber: bool
    dice: Any
    board: Any
    no_adjacent_red: bool
    first_player: int | str
    skip_forced: bool
    max_turns: int | None
    robber_on_desert: bool
    robber_spares_mover: bool
    dice_memory: bool
    max_offer_cards: int


LATER: Final = ("robber_spares_mover", "dice_memory", "max_offer_cards")
"""Options omitted from JSON at their defaults, which keeps older files unchanged."""

OPTIONS: Final[dict[str, Option]] = {f.name: f.metadata["option"] for f in fields(Rules)}
"""All options by name."""

COLUMNS: Final = tuple(
    column._replace(name=column.name or name)
    for name, option in OPTIONS.items()
    for column in option.columns
)
"""The fields of a game's record that hold options."""

OBSERVED: Final = tuple(column for column in COLUMNS if column.observed)
"""The columns shown in observations, in order."""

_LONGEST_NAME: Final = 80
"""Characters of an option's name shown unchanged in an error."""


def _check_names(options: Mapping[str, Any], known: set[str]) -> None:
    for name, value in options.items():
        if name not in known:
            if name == "preset":
                raise ValueError(f"unknown option preset={quoted(value)}: write rules={value!r}")
            hint = did_you_mean(name, sorted(known))
            called = name if name.isidentifier() and len(name) < _LONGEST_NAME else quoted(name)
            raise ValueError(
                f"unknown option {called}={quoted(value)}{hint}; options are {sorted(known)}"
            )


PRESETS: Final[dict[str, dict[str, Any]]] = {
    "base": {},
    "one_v_one": {
        "num_players": 2,
        "trading": False,
        "victory_points": 15,
        "discard_limit": 9,
        "dice": "balanced",
        "friendly_robber": True,
        "robber_spares_mover": True,
        "dice_memory": True,
    },
    "rocco": {"num_players": 2, "trading": False, "victory_points": 15, "board": (0, 1, 2, 3)},
    "charlesworth": {
        "counter_offers": False,
        "offer_form": "composed",
        "max_offers_per_turn": 4,
        "no_adjacent_red": True,
        "first_player": "random",
    },
}
"""Named rules: the options in which each differs from the defaults."""
