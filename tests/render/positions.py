"""Positions to draw: a state in the middle of a game, and variations of it."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import numpy as np

from catan_pz import actions as table
from catan_pz.actions import RESOURCE_NAMES
from catan_pz.game.game import Game
from catan_pz.render.view import PHASE_WORDS
from catan_pz.terms import CARD_NAMES

State = dict[str, Any]

PHASES = tuple(PHASE_WORDS)
_MIDGAME: Final = json.loads(Path(__file__).with_name("midgame.json").read_text(encoding="utf-8"))


def bundle(**counts: int) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in RESOURCE_NAMES}


def kinds(*counts: int) -> dict[str, int]:
    return dict(zip(CARD_NAMES, counts, strict=True))


def knowledge(players: list[dict[str, Any]], observer: int) -> list[dict[str, Any]]:
    """Possible bounds of a seat for all hands, which contain the true ones."""
    known = []
    for seat, player in enumerate(players):
        hand = player["hand"]
        slack = 0 if seat == observer or len(players) == 2 else 1
        most = {r: min(n + slack, sum(hand.values())) for r, n in hand.items()}
        known.append({"min": {r: max(0, n - slack) for r, n in hand.items()}, "max": most})
    return known


def midgame(**changes: Any) -> State:
    """A position of four players in the main phase; `changes` replace entries of the state."""
    return deepcopy(_MIDGAME) | changes


def played(num_players: int, seed: int) -> State:
    """A position with many roads and buildings, from players who build whenever they can."""
    game, rng = Game(num_players=num_players, seed=seed), np.random.default_rng(seed)
    for _ in range(600):
        legal = game.legal_actions()
        builds = legal[(legal >= table.BUILD_ROAD) & (legal < table.BUY_DEVELOPMENT_CARD)]
        chosen = int(rng.choice(builds if len(builds) else legal))
        if game.mask.sum() == 0 or (chosen == table.ROLL and game.turn > 60):
            break
        game.step(chosen)
    return game.snapshot()


def with_offer(phase: str = "close") -> State:
    """Seat 1 offers grain for ore: one has accepted, one countered, one rejected."""
    answers: list[Any] = [
        "accept",
        None,
        {"give": bundle(ore=1, wool=1), "get": bundle(lumber=2)},
        "reject",
    ]
    mover = 1
    if phase == "answer":
        # Clockwise from seat 1: seat 2 has answered, seat 3 is asked.
        answers = [None, None, answers[2], None]
        mover = 3
    offer = {"from": 1, "give": bundle(grain=2), "get": bundle(ore=1), "answers": answers}
    return midgame(phase=phase, player_to_move=mover, offer=offer, offers_made=2)


def composing(seat: int) -> State:
    answers: list[Any] = [None] * 4
    offer = {"from": 1, "give": bundle(grain=1), "get": bundle(ore=1), "answers": answers}
    if seat != 1:
        answers[seat] = {"give": bundle(wool=1), "get": bundle()}
    return midgame(phase="compose", player_to_move=seat, offer=offer, offers_made=1)


def in_phase(phase: str) -> State:
    if phase in ("answer", "close"):
        return with_offer(phase)
    if phase == "compose":
        return composing(1)
    state = midgame(phase=phase)
    if phase == "discard":
        state |= {"dice": [3, 4], "to_discard": [0, 0, 4, 0], "player_to_move": 2}
    if phase == "free_road":
        state["free_roads"] = 2
    if phase == "roll":
        state["rolled"] = False
    if phase.startswith("setup"):
        state |= {"turn": 0, "dice": [0, 0], "rolled": False}
    if phase == "over":
        state |= {"winner": 1}
    return state
