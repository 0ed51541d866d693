"""A seat's view of a catanatron table, read from the document of its game.

The document is the JSON that newer versions send to bots. For older versions
`players.document_of` writes the parts that are read here.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np

from catan_pz.board.topology import EDGES_PER_WORD
from catan_pz.rules import Board, Rules
from catan_pz.tables.catanatron.moves import (
    EDGE_OF,
    HEX_OF,
    NAME_OF,
    RESOURCE_OF,
    VERTEX_OF,
    our_order,
)
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    DECK_COUNTS,
    DECK_SIZE,
    GENERIC_HARBOR,
    NOBODY,
    NUM_HEXES,
    NUM_RESOURCES,
    Card,
    Phase,
    Terrain,
)

_PHASES: Final = {
    "BUILD_INITIAL_SETTLEMENT": Phase.SETUP_SETTLEMENT,
    "BUILD_INITIAL_ROAD": Phase.SETUP_ROAD,
    "DISCARD": Phase.DISCARD,
    "MOVE_ROBBER": Phase.MOVE_ROBBER,
}


def board_from_map(written: Mapping[str, Any]) -> Board:
    """The board of a map in documents."""
    try:
        land = {tuple(t["coordinate"]): t for t in written["tiles"] if t["type"] == "LAND"}
        harbors = sorted((t["id"], t["resource"]) for t in written["tiles"] if t["type"] == "PORT")
        hexes = {HEX_OF[place]: tile for place, tile in land.items()}
        ordered = [hexes[h] for h in range(NUM_HEXES)]
        return Board(
            tuple(_kind(tile["resource"], Terrain.DESERT) for tile in ordered),
            tuple(tile["number"] or 0 for tile in ordered),
            tuple(_kind(resource, GENERIC_HARBOR) for _, resource in harbors),
        )
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"the map isn't that of the base game: {error!r}") from error


def _kind(resource: str | None, without: int) -> int:
    return int(without) if resource is None else int(RESOURCE_OF[resource])


def rules_in(document: Mapping[str, Any]) -> Rules:
    """The rules of a game, including its board, from the document at its start."""
    options = document["game"]
    return Rules(
        num_players=len(document["colors"]),
        trading=False,
        victory_points=options["vps_to_win"],
        discard_limit=options["discard_limit"],
        friendly_robber=options["friendly_robber"],
        board=board_from_map(document["map"]),
        max_turns=None,
    )


class Facts(NamedTuple):
    """The information of a seat that looks at the table."""

    seat: int
    position: dict[str, Any]  # the open board and the state of the turn, as fields of a record
    bank: tuple[int, ...]
    hand: tuple[int, ...]  # (R,) own cards
    sizes: tuple[int, ...]  # (P,) cards in each hand
    cards: tuple[int, ...]  # (C,) own development cards
    card_counts: tuple[int, ...]  # (P,) development cards held
    played: tuple[tuple[int, ...], ...]  # (P, C) development cards played
    to_discard: tuple[int, ...]  # (P,) cards still to be discarded
    # (P, R) all hands if the table reveals them; used only to count the cards of a monopoly.
    hands: list[tuple[int, ...]] | None = None

    @classmethod
    def read(cls, document: Mapping[str, Any], seat: int) -> Self:
        """Read a document as a seat sees it."""
        try:
            count = len(document["colors"])
            players = [_Player(document["player_state"], p) for p in range(count)]
            hides = any(player.hides() for player in players)
            return cls(
                seat=seat,
                position=_position(document, players),
                bank=tuple(our_order(document["resource_freqdeck"])),
                hand=players[seat].hand(),
                sizes=tuple(p.size("RESOURCES", p.hand) for p in players),
                cards=players[seat].cards(),
                card_counts=tuple(p.size("DEVELOPMENT_CARDS", p.cards) for p in players),
                played=tuple(p.played() for p in players),
                to_discard=tuple(document["discard_counts"]),
                hands=None if hides else [p.hand() for p in players],
            )
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise ValueError(f"the document of the game can't be read: {error!r}") from None


class _Player(NamedTuple):
    """The entries of one seat in `player_state`."""

    state: Mapping[str, Any]
    seat: int

    def of(self, name: str) -> Any:
        return self.state[f"P{self.seat}_{name}"]

    def hides(self) -> bool:
        return f"P{self.seat}_WOOD_IN_HAND" not in self.state

    def hand(self) -> tuple[int, ...]:
        return tuple(int(self.of(f"{NAME_OF[r]}_IN_HAND")) for r in range(NUM_RESOURCES))

    def cards(self) -> tuple[int, ...]:
        return tuple(int(self.of(f"{card.name}_IN_HAND")) for card in Card)

    def played(self) -> tuple[int, ...]:
        return tuple(int(self.of(f"PLAYED_{card.name}")) for card in Card)

    def size(self, what: str, held: Callable[[], tuple[int, ...]]) -> int:
        hidden = self.state.get(f"P{self.seat}_NUM_{what}_IN_HAND")
        return sum(held()) if hidden is None else int(hidden)


def player_facts(player_state: Mapping[str, Any], seat: int) -> tuple[tuple[int, ...], ...]:
    """(R,) the hand, (C,) development cards held and (C,) played of a seat that hides nothing."""
    player = _Player(player_state, seat)
    return player.hand(), player.cards(), player.played()


def _owner(players: Sequence[_Player], what: str) -> int:
    return next((player.seat for player in players if player.of(what)), NOBODY)


def _position(document: Mapping[str, Any], players: Sequence[_Player]) -> dict[str, Any]:
    turn_player = int(document["current_turn_index"])
    in_turn = players[turn_player]
    rolled = bool(in_turn.of("HAS_ROLLED"))
    # catanatron counts two even if the player only has one road left.
    free_roads = min(
        int(document["free_roads_available"]) if document["is_road_building"] else 0,
        int(in_turn.of("ROADS_AVAILABLE")),
    )
    roads = np.zeros((len(players), 2), np.int64)
    buildings = {name: np.zeros(len(players), np.int64) for name in ("SETTLEMENT", "CITY")}
    for p, color in enumerate(document["colors"]):
        standing = document["buildings_by_color"][color]
        for pair in standing.get("ROAD", ()):
            e = EDGE_OF[int(pair[0]), int(pair[1])]
            roads[p, e // EDGES_PER_WORD] |= 1 << e % EDGES_PER_WORD
        for name, sets in buildings.items():
            for node in standing.get(name, ()):
                sets[p] |= 1 << VERTEX_OF[int(node)]
    return {
        "robber": HEX_OF[tuple(document["board"]["robber_coordinate"])],
        "phase": int(_phase(document, rolled)),
        "turn_player": turn_player,
        "player": int(document["current_player_index"]),
        "rolled": int(rolled),
        "card_played": int(in_turn.of("HAS_PLAYED_DEVELOPMENT_CARD_IN_TURN")),
        "free_roads": free_roads,
        "roads": roads,
        "settlements": buildings["SETTLEMENT"],
        "cities": buildings["CITY"],
        "longest_road_owner": _owner(players, "HAS_ROAD"),
        "largest_army_owner": _owner(players, "HAS_ARMY"),
    }


def _phase(document: Mapping[str, Any], rolled: bool) -> Phase:
    prompt = document["current_prompt"]
    if prompt in _PHASES:
        return _PHASES[prompt]
    if document["is_road_building"]:
        return Phase.FREE_ROAD
    return Phase.MAIN if rolled else Phase.ROLL


def write_position(facts: Facts, record: Any) -> bool:
    """Write the position into a record, and return whether the record changed."""
    before = record.tobytes()
    for name, value in facts.position.items():
        if record[name].ndim:  # by seat
            record[name][: len(facts.sizes)] = value
        else:
            record[name] = value
    return bool(record.tobytes() != before)


def agree_on_cards(facts: Facts, record: Any) -> bool:
    """Whether hands and development cards in a record match the table's."""
    n, seat = len(facts.sizes), facts.seat
    return (
        tuple(record["bank"]) == facts.bank
        and tuple(record["hand"][seat]) == facts.hand
        and tuple(record["hand_size"][:n]) == facts.sizes
        and tuple(record["cards"][seat]) == facts.cards
        and tuple(record["cards"][:n].sum(1)) == facts.card_counts
        and (record["played"][:n] == np.array(facts.played)).all()
    )


def write_cards(
    facts: Facts, record: Any, bought: Sequence[Card | None], rng: np.random.Generator
) -> None:
    """Write hands and development cards into a record; hidden cards are drawn at random.

    `bought` is the cards bought this turn by the player in turn, None for hidden ones.
    """
    n = len(facts.sizes)
    record["bank"] = facts.bank
    unseen = BANK_PER_RESOURCE - np.array(facts.bank) - np.array(facts.hand)
    sizes = [0 if p == facts.seat else size for p, size in enumerate(facts.sizes)]
    dealt = _deal(unseen, sizes, rng, "resource cards")
    record["hand"][:n] = [np.bincount(hand, minlength=NUM_RESOURCES) for hand in dealt]
    record["hand"][facts.seat] = facts.hand
    most = np.minimum.outer(np.array(facts.sizes), BANK_PER_RESOURCE - np.array(facts.bank))
    hands = record["hand"][:n].astype(np.int64)
    for o in range(n):
        known = np.arange(n) == o
        record["below"][o, :n] = np.where(known[:, None], 0, hands)
        record["above"][o, :n] = np.where(known[:, None], 0, most - hands)
    _write_development_cards(facts, record, bought, rng)


def _write_development_cards(
    facts: Facts, record: Any, bought: Sequence[Card | None], rng: np.random.Generator
) -> None:
    n = len(facts.sizes)
    played = np.array(facts.played)
    unseen = np.array(DECK_COUNTS) - played.sum(0) - np.array(facts.cards)
    counts = [0 if p == facts.seat else count for p, count in enumerate(facts.card_counts)]
    deck_left = int(unseen.sum()) - sum(counts)
    *held, deck = _deal(unseen, [*counts, deck_left], rng, "development cards")
    record["cards"][:n] = [np.bincount(cards, minlength=len(Card)) for cards in held]
    record["cards"][facts.seat] = facts.cards
    record["played"][:n] = played
    record["deck"][:] = 0
    record["deck"][DECK_SIZE - deck_left :] = deck
    record["deck_left"] = deck_left
    turn_player = int(facts.position["turn_player"])
    if turn_player == facts.seat:
        new = [int(card) for card in bought if card is not None]
    else:
        new = list(held[turn_player][: len(bought)])
    record["new_cards"] = np.bincount(np.array(new, np.int64), minlength=len(Card))


def _deal(unseen: Any, sizes: Sequence[int], rng: np.random.Generator, what: str) -> list[Any]:
    """Deal unseen cards, given by kind, into hands of these sizes."""
    if (unseen < 0).any() or unseen.sum() != sum(sizes) or min(sizes) < 0:
        raise ValueError(f"the table shows an impossible number of {what}")
    cards = rng.permutation(np.repeat(np.arange(len(unseen)), unseen))
    return np.split(cards, np.cumsum(sizes)[:-1])
