"""A whole game as readable text: the board, then each decision's state and result."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from catan_pz import Game, Rules, describe_action
from catan_pz.events import Decision
from catan_pz.observation.segments import named_views

FOLDER: Final = Path(__file__).parent
FULL_DECISIONS: Final = 60
DIGEST_EVERY: Final = 25

GAMES: Final[dict[str, tuple[Rules, int]]] = {
    "two_players": (Rules(num_players=2, board="beginner"), 1),
    "two_players_without_trade": (Rules(num_players=2, trading=False, board="spiral"), 2),
    "one_v_one": (Rules.preset("one_v_one"), 3),
    "three_players": (Rules(num_players=3, offer_form="both", first_player="random"), 4),
    "three_players_skip_forced": (Rules(num_players=3, skip_forced=True, board="spiral"), 5),
    "four_players": (Rules(board="beginner"), 6),
    "four_players_without_trade": (Rules(trading=False, no_adjacent_red=True), 7),
}
"""Rules and seed of each playthrough."""


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def words(counts: dict[str, int]) -> str:
    return " ".join(f"{name} {n}" for name, n in counts.items() if n) or "-"


def in_words(decision: Decision) -> Iterator[str]:
    """The player, the action, and the outcome of chance."""
    description = describe_action(decision.action)
    kind = description.pop("kind")
    parts = [f"{name}: {_value(value)}" for name, value in description.items()]
    yield f"  > seat {decision.player}: {kind} {', '.join(parts)}".rstrip()
    if decision.outcome is not None:
        yield f"    chance: {str(getattr(decision.outcome, 'name', decision.outcome)).lower()}"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{n} {r}" for r, n in value.items())
    return " ".join(value) if isinstance(value, list) else str(value)


def board_lines(state: dict[str, Any]) -> Iterator[str]:
    hexes = iter(state["board"]["hexes"])
    for row in range(-2, 3):
        names = [next(hexes) for _ in range(5 - abs(row))]
        cells = [f"{h['terrain']} {h['token'] or ''}".strip().center(14) for h in names]
        yield (" " * 7 * abs(row) + "".join(cells)).rstrip()
    harbors = state["board"]["harbors"]
    yield "harbors " + ", ".join(f"{h['edge']} {h['resource'] or '3:1'}" for h in harbors)
    yield f"robber {state['robber']}"
    yield "deck " + " ".join(state["deck"])


def seat_line(state: dict[str, Any], p: int) -> str:
    seat = state["players"][p]
    special = [n for n in ("longest_road", "largest_army") if state[f"{n}_owner"] == p]
    facts = {
        "points": f"{seat['points']} ({seat['visible_points']} visible)",
        "hand": words(seat["hand"]),
        "cards": words(seat["cards"]),
        "played": words(seat["cards_played"]),
        "settlements": " ".join(map(str, seat["settlements"])) or "-",
        "cities": " ".join(map(str, seat["cities"])) or "-",
        "roads": " ".join(map(str, seat["roads"])) or "-",
        "road length": str(seat["road_length"]),
    }
    return (
        f"  seat {p}: "
        + "; ".join(f"{k} {v}" for k, v in facts.items() if v not in ("-", "0"))
        + (f"; {' '.join(special)}" if special else "")
    )


def table_lines(state: dict[str, Any]) -> Iterator[str]:
    yield f"  bank: {words(state['bank'])}; deck {len(state['deck'])}; robber {state['robber']}"
    offer = state["offer"]
    if offer:
        answers = [
            f"give {words(a['give'])} get {words(a['get'])}" if isinstance(a, dict) else a or "-"
            for a in offer["answers"]
        ]
        sides = f"give {words(offer['give'])} get {words(offer['get'])}"
        yield f"  offer of seat {offer['from']}: {sides}; answers {', '.join(answers)}"


def seen_line(game: Game) -> str:
    """The mover's knowledge of all hands, and a hash of each seat's view."""
    views = named_views(game.observe(game.player))
    hands = [
        " ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(least, most, strict=True))
        for least, most in zip(views["hand_min"], views["hand_max"], strict=True)
    ][: game.rules.num_players]
    everything = b"".join(game.observe(p).tobytes() for p in range(game.rules.num_players))
    return f"  sees hands {' | '.join(hands)}; all that seats see {sha(everything)}"


def choose(rng: random.Random, game: Game) -> int:
    """A uniform kind of action, then a uniform action of the kind; turns rarely end."""
    by_kind: dict[str, list[int]] = {}
    for a in map(int, game.legal_actions()):
        by_kind.setdefault(describe_action(a)["kind"], []).append(a)
    if len(by_kind) > 1 and rng.random() < 0.7:
        by_kind.pop("end_turn", None)
    kinds = sorted(by_kind)
    actions = by_kind[kinds[int(rng.random() * len(kinds))]]
    return actions[int(rng.random() * len(actions))]


def decision_lines(game: Game, k: int, last: dict[str, Any] | None) -> Iterator[str]:
    """The lines before a decision; seats only if something has changed."""
    state = game.snapshot()
    yield f"decision {k}: turn {state['turn']}, {state['phase']}, seat {state['player_to_move']}"
    if last is None or list(table_lines(last)) != list(table_lines(state)):
        yield from table_lines(state)
    for p in range(game.rules.num_players):
        if last is None or seat_line(last, p) != seat_line(state, p):
            yield seat_line(state, p)
    counts = Counter(describe_action(int(a))["kind"] for a in game.legal_actions())
    yield f"  {sum(counts.values())} legal: {words(counts)}"
    yield seen_line(game)


def digest_line(game: Game, k: int) -> str:
    state = game.snapshot()
    points = " ".join(str(player["points"]) for player in state["players"])
    legal = len(game.legal_actions())
    everything = b"".join(game.observe(p).tobytes() for p in range(game.rules.num_players))
    whole = json.dumps(state, sort_keys=True).encode()
    return (
        f"decision {k}: turn {state['turn']}, {state['phase']}, seat {state['player_to_move']}, "
        f"points {points}, {legal} legal, state {sha(whole)}, seen {sha(everything)}"
    )


def playthrough(name: str) -> str:
    rules, seed = GAMES[name]
    game, rng = Game(rules, seed=seed), random.Random(seed)
    lines = [f"game {name}, seed {seed}"]
    lines += [f"rules {json.dumps(rules.differences())}", "", *board_lines(game.snapshot()), ""]
    heard: list[Decision] = []
    game.listeners.append(lambda _game, events: heard.append(Decision.of(events)))
    last: dict[str, Any] | None = None
    k = 0
    while len(game.legal_actions()):
        if k < FULL_DECISIONS:
            lines += decision_lines(game, k, last)
            last = game.snapshot()
        elif k % DIGEST_EVERY == 0:
            lines.append(digest_line(game, k))
        heard.clear()
        game.step(choose(rng, game))
        if k < FULL_DECISIONS:
            lines += [line for decision in heard for line in in_words(decision)]
            lines.append("")
        k += 1
    state = game.snapshot()
    lines += ["", digest_line(game, k), *(seat_line(state, p) for p in range(rules.num_players))]
    lines.append(f"winner {state['winner']} after {k} decisions")
    return "\n".join(lines) + "\n"


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"
