"""Positions written by hand: only relevant entries are given, the rest is derived."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from msgspec import to_builtins

from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.checks import not_possible, plain_int, quoted
from catan_pz.game.game import Game
from catan_pz.game.state_json import DERIVED, state_from_dict
from catan_pz.rules import Board, Rules
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    DECK_COUNTS,
    DECK_SIZE,
    LARGEST_ARMY_MINIMUM,
    LONGEST_ROAD_MINIMUM,
    NOBODY,
    NUM_CARD_KINDS,
)

_NOTHING: Final[dict[str, Any]] = {
    **{name: {} for name in ("hand", "cards", "new_cards", "cards_played")},
    **{name: [] for name in ("roads", "settlements", "cities")},
}


def position(
    players: Sequence[Mapping[str, Any]] | Mapping[int, Mapping[str, Any]],
    *,
    rules: Rules | str | None = None,
    board: Board | Mapping[str, Any] = BEGINNER_BOARD,
    phase: str = "main",
    deck: Sequence[str] = (),
    seed: int = 0,
    **entries: Any,
) -> Game:
    """A game in a position written by hand.

    Args:
        players: the holdings of each seat: "hand", "cards", "new_cards", "cards_played" as
            counts by name, "roads", "settlements", "cities" as lists. Missing entries are empty,
            and with `rules` also missing seats.
        rules: as for `Game`.
        board: the robber stands on its desert unless `robber` is given.
        phase: the phase of the game, by name.
        deck: the cards on top of the deck; the others follow in no particular order.
        seed: state of the random generator.
        **entries: any other entry of a state's JSON form. By default every hand is known, and
            special cards go to their rightful owners.
    """
    table = _table(players, rules)
    rules = Rules.make(rules)
    board = board if isinstance(board, Board) else Board.from_dict(board)
    if not isinstance(phase, str):
        raise not_possible("phase", phase, "the name of a phase")
    data = _skeleton(rules, table, board, phase) | {"deck": deck}
    data["rng"]["state"] = seed
    data = to_builtins(data | entries, enc_hook=_plain)
    if "card_played" not in entries:
        before_roll = phase in ("move_robber", "steal") and not data["rolled"]
        data["card_played"] = before_roll or phase == "free_road"
    games, rules = state_from_dict(data)
    _complete(games[0], entries)
    award(Game.from_games(games, rules).games[0], entries)
    game = Game.from_games(games, rules)  # points follow from special cards
    broken = game.validate()
    if broken:
        raise ValueError(f"position breaks the rules: {broken!r}")
    return game


def _table(players: Any, rules: Rules | str | None) -> list[dict[str, Any]]:
    """The entries of each seat of the rules."""
    if not isinstance(players, Mapping | Sequence) or isinstance(players, str):
        raise not_possible("players", players, "a list or dict of what each seat has")
    count = Rules.make(rules).num_players
    if rules is None and not isinstance(players, Mapping) and len(players) < count:
        raise ValueError(
            f"players are {len(players)}, but without `rules` a game has {count}: name the rules, "
            f"such as rules=Rules(num_players={max(len(players), 2)})"
        )
    pairs = players.items() if isinstance(players, Mapping) else enumerate(players)
    table: list[dict[str, Any]] = [_NOTHING for _ in range(count)]
    for seat, has in pairs:
        if (p := plain_int(seat)) not in range(count):
            raise ValueError(f"there is no seat {quoted(seat)}; seats go from 0 to {count - 1}")
        if not isinstance(has, Mapping):
            raise not_possible(f"players[{p}]", has, f"an object with some of {list(_NOTHING)}")
        table[p] = _NOTHING | dict(has)
    return [has | dict.fromkeys(DERIVED, 0) for has in table]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise not_possible("position", value, "JSON values")


def _skeleton(
    rules: Rules, table: list[dict[str, Any]], board: Board, phase: str
) -> dict[str, Any]:
    """A state in which each seat has the table's holdings, and nothing else has happened."""
    start = Game(replace(rules, board=board, no_adjacent_red=False), 0).snapshot()
    return start | {
        "rules": rules.to_dict(),
        "bank": {},
        "players": table,
        "phase": phase,
        "turn_player": 0,
        "player_to_move": 0,
        "rolled": phase not in ("setup_settlement", "setup_road", "roll"),
        "knowledge": [[{"min": has["hand"], "max": has["hand"]} for has in table]] * len(table),
    }


def _complete(s: np.ndarray, entries: Container[str]) -> None:
    """Put all remaining cards into the bank and the deck."""
    if "bank" not in entries:
        s["bank"] = BANK_PER_RESOURCE - s["hand"].sum(0)
        if s["bank"].min() < 0:
            raise ValueError(f"players hold more than {BANK_PER_RESOURCE} cards of a resource")
    on_top = s["deck"][DECK_SIZE - int(s["deck_left"]) :]
    used = s["cards"].sum(0) + s["played"].sum(0) + np.bincount(on_top, minlength=NUM_CARD_KINDS)
    left = DECK_COUNTS - used
    if left.min() < 0:
        raise ValueError(
            f"deck and players have {used.tolist()} cards of each kind; the game has {DECK_COUNTS}"
        )
    deck = [*on_top, *np.repeat(np.arange(NUM_CARD_KINDS), left)]
    s["deck_left"] = len(deck)
    s["deck"][DECK_SIZE - len(deck) :] = deck


def award(state: np.ndarray, given: Container[str] = ()) -> None:
    """Give the special cards to the sole leaders.

    Args:
        state: a `STATE` scalar with the roads' lengths.
        given: "longest_road_owner" or "largest_army_owner" to leave that one unchanged.
    """
    rivals = (
        ("longest_road_owner", state["road_length"], LONGEST_ROAD_MINIMUM),
        ("largest_army_owner", state["played"][:, 0], LARGEST_ARMY_MINIMUM),
    )
    for name, counts, minimum in rivals:
        if name not in given:
            leaders = np.flatnonzero(counts == counts.max())
            alone = counts.max() >= minimum and len(leaders) == 1
            state[name] = leaders[0] if alone else NOBODY
