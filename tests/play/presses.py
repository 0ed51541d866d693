"""Playing by pressing: the presses that lead to an action."""

from dataclasses import replace

from catan_pz import actions as table
from catan_pz.actions import RESOURCE_NAMES, describe_action
from catan_pz.game.game import Game
from catan_pz.play.controls import Control, Draft, controls
from catan_pz.render.view import CARD_WORDS, table_view


def pressable(game: Game, draft: Draft) -> tuple[Control, ...]:
    return controls(game, game.player, table_view(game.snapshot(), game.player), draft)


def _tray_names(described: dict) -> list[str]:
    if described["kind"] == "maritime_trade":
        return [f"give {described['give']}", f"get {described['get']}"]
    return [
        f"{side} {name}"
        for side in ("give", "get")
        for name, count in described[side].items()
        for _ in range(count)
    ]


def names_for(game: Game, action: int) -> list[str]:
    """Names of the controls to press for an action, in order."""
    d = describe_action(action)
    kind = d["kind"]
    if kind == "play_year_of_plenty":
        return [f"card {CARD_WORDS[2]}", *(f"get {name}" for name in d["pair"])]
    if kind == "play_monopoly":
        return [f"card {CARD_WORDS[3]}", f"get {d['resource']}"]
    if kind == "maritime_trade":
        return [*_tray_names(d), "bank"]
    if kind == "offer":
        return [*_tray_names(d), "counter" if game.phase.name == "ANSWER" else "offer"]
    if kind in ("build_settlement", "build_city"):
        return [f"vertex {d['vertex']}"]
    if kind in ("steal", "close_with"):
        seat = (game.player + d["seat"]) % game.rules.num_players
        return [f"{'close' if kind == 'close_with' else 'seat'} {seat}"]
    return {
        "roll": ["roll"],
        "end_turn": ["end turn"],
        "build_road": [f"edge {d.get('edge')}"],
        "buy_development_card": ["buy card"],
        "play_knight": [f"card {CARD_WORDS[0]}"],
        "play_road_building": [f"card {CARD_WORDS[1]}"],
        "move_robber": [f"hex {d.get('hex')}"],
        "discard": [f"hand {d.get('resource')}"],
        "compose_give": [f"give {d.get('resource')}"],
        "compose_get": [f"get {d.get('resource')}"],
        "compose_send": ["send"],
        "accept": ["accept"],
        "reject": ["reject"],
        "withdraw": ["withdraw"],
    }[kind]


def presses_for(game: Game, action: int) -> list[Control]:
    """The controls to press for an action; composing is done by laying out instead."""
    draft, found = Draft(), []
    for name in names_for(game, action):
        control = next(c for c in pressable(game, draft) if c.name == name and c.is_active)
        found.append(control)
        draft = control.draft or Draft()
    return found


def composed(give: list[int], get: list[int]) -> Draft:
    """A draft with these resources laid out."""
    counts = [tuple(side.count(r) for r in range(len(RESOURCE_NAMES))) for side in (give, get)]
    return replace(Draft(), give=counts[0], get=counts[1])


def is_composing(action: int) -> bool:
    return table.COMPOSE_GIVE <= action <= table.COMPOSE_SEND
