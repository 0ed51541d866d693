"""Positions written by hand: name what matters, and the rest follows."""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from typing import Any

import numpy as np

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.checks import did_you_mean, not_possible, plain_int, quoted
from catan_pz.engine.chance import ALL_ROLLS
from catan_pz.game.game import Game
from catan_pz.game.state_json import FORMAT, state_from_dict
from catan_pz.rules import Board, Rules
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    CARD_NAMES,
    DECK_COUNTS,
    LARGEST_ARMY_MINIMUM,
    LONGEST_ROAD_MINIMUM,
    NOBODY,
    Terrain,
)


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
        players: for each seat what it has: "hand", "cards", "new_cards", "cards_played" as
            counts by name, "roads", "settlements", "cities" as lists. What is left out is empty,
            seats as well where `rules` are given.
        rules: as for `Game`; `num_players` must be right.
        board: the board, or its JSON form; the robber stands on its desert unless `robber` is
            given.
        phase: what the game waits for.
        deck: the cards on top of the deck; the others follow in no particular order.
        seed: state of the random generator.
        **entries: any other entry of a state's JSON form, as it stands there; "knowledge" is
            by default that every hand is known, "card_played" what the phase needs.

    Special cards go to whom they must belong, unless their owners are given.

    Raises:
        ValueError: if the position can't be, or breaks the rules.
    """
    rules_given = rules is not None
    rules = Rules.make(rules)
    given = _seats(players, rules.num_players, rules_given)
    if not isinstance(deck, Sequence) or not all(isinstance(card, str) for card in deck):
        raise not_possible("deck", deck, "a list of cards by name")
    if isinstance(board, Mapping):
        board = Board.from_dict(board)
    if not isinstance(board, Board):
        raise not_possible("board", board, "a Board or its JSON form")
    if not isinstance(phase, str):
        raise not_possible("phase", phase, "the name of a phase")
    table = [_player(given.get(p, {})) for p in range(rules.num_players)]
    data = _skeleton(rules, table, board, phase, deck, seed)
    _check_entries(entries, data)
    data |= entries
    if "card_played" not in entries:
        before_roll = phase in ("move_robber", "steal") and not data["rolled"]
        data["card_played"] = before_roll or phase == "free_road"
    games, rules = state_from_dict(data)
    game = Game.from_games(games, rules)
    award(game.games[0], entries)
    game = Game.from_games(games, rules)
    broken = game.validate()
    if broken:
        raise ValueError(f"position breaks the rules: {broken!r}")
    return game


def _seats(players: Any, count: int, rules_given: bool) -> dict[int, Any]:
    """What the seats have, those that are named.

    Args:
        players: as for `position`.
        count: the seats of the rules.
        rules_given: whether these aren't the defaults.
    """
    if not isinstance(players, Mapping | Sequence) or isinstance(players, str):
        raise not_possible("players", players, "what each seat has")
    if isinstance(players, Mapping):
        given = {plain_int(seat): has for seat, has in players.items()}
    elif not rules_given and len(players) < count:
        raise ValueError(
            f"players are {len(players)}, but without `rules` a game has {count}: name the rules, "
            f"such as rules=Rules(num_players={max(len(players), 2)})"
        )
    else:
        given = dict(enumerate(players))
    unknown = [seat for seat in given if type(seat) is not int or not 0 <= seat < count]
    if unknown:
        raise ValueError(
            f"there are no seats {quoted(unknown)}; by the rules seats go from 0 to {count - 1}"
        )
    return given


def _check_entries(entries: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Refuse what is no entry of a state, and name what is."""
    unknown = sorted(set(entries) - set(known))
    if not unknown:
        return
    options = sorted(set(unknown) & set(Rules().to_dict()))
    hint = f"; {options} are options of `rules`" if options else did_you_mean(unknown[0], known)
    raise ValueError(f"unknown entries of a state {unknown}{hint}; known: {sorted(known)}")


def _counts(given: Any, name: str) -> dict[str, int]:
    """Counts by name, as plain ints."""
    if isinstance(given, Mapping) and all(isinstance(key, str) for key in given):
        counts = {key: plain_int(n) for key, n in given.items()}
        if all(isinstance(n, int) and 0 <= n <= BANK_PER_RESOURCE for n in counts.values()):
            return counts
    allowed = f"an object of counts by name, from 0 to {BANK_PER_RESOURCE}"
    raise not_possible(f"{name} of a player", given, allowed)


def _player(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise not_possible("a player", given, "an object of what the seat has")
    empty: dict[str, Any] = {
        "hand": {},
        "cards": {},
        "new_cards": {},
        "cards_played": {},
        "roads": [],
        "settlements": [],
        "cities": [],
    }
    unknown = sorted(set(given) - set(empty), key=quoted)
    if unknown:
        raise ValueError(f"unknown entries of a player {quoted(unknown)}; known: {sorted(empty)}")
    player = empty | dict(given)
    for name in ("hand", "cards", "cards_played"):
        player[name] = _counts(player[name], name)
    return player


def _cards_left(table: list[dict[str, Any]], deck: Sequence[str]) -> Counter[str]:
    """Development cards that are neither with a player nor named on top of the deck."""
    given = Counter(deck)
    for player in table:
        given.update(player["cards"])
        given.update(player["cards_played"])
    kinds = dict(zip(CARD_NAMES, DECK_COUNTS, strict=True))
    for kind, count in kinds.items():
        if given[kind] > count:
            raise ValueError(
                f"{given[kind]} cards {kind!r} are in `deck` and with the players; the game has "
                f"{count}"
            )
    return Counter(kinds) - given


def _skeleton(
    rules: Rules,
    table: list[dict[str, Any]],
    board: Board,
    phase: str,
    deck: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    n = rules.num_players
    bank = {
        r: BANK_PER_RESOURCE - sum(player["hand"].get(r, 0) for player in table)
        for r in RESOURCE_NAMES
    }
    known = [{"min": player["hand"], "max": player["hand"]} for player in table]
    return {
        "format": FORMAT,
        "rules": rules.to_dict(),
        "board": board.to_dict(),
        "robber": board.terrains.index(Terrain.DESERT),
        "bank": bank,
        "deck": [*deck, *_cards_left(table, deck).elements()],
        "players": table,
        "longest_road_owner": None,
        "largest_army_owner": None,
        "phase": phase,
        "turn": 0,
        "turn_player": 0,
        "player_to_move": 0,
        "rolled": phase not in ("setup_settlement", "setup_road", "roll"),
        "card_played": False,
        "dice": [0, 0],
        "free_roads": 0,
        "to_discard": [0] * n,
        "offers_made": 0,
        "offer": None,
        "knowledge": [known] * n,
        "winner": None,
        "rng": {
            "state": seed,
            "dice_left": [[k // 6 + 1, k % 6 + 1] for k in range(36) if ALL_ROLLS >> k & 1],
            "script_place": 0,
        },
    }


def award(state: np.ndarray, given: Container[str] = ()) -> None:
    """Give the special cards to the sole leaders.

    Args:
        state: a `STATE` scalar with the roads' lengths.
        given: "longest_road_owner" or "largest_army_owner" where it stays as it is.
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
