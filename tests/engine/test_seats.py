"""Relabelling seats changes nothing: the game moved around the table is the same game."""

import numpy as np
import pytest

from catan_pz import Game
from tests.engine.games import choose
from tests.helpers import RULE_SETS

NAMES = ["base", "three", "one_v_one", "both_forms", "composed", "friendly_spiral"]


def rotated(state, k):
    """The state in which seat p is called (p + k) % P."""
    n = len(state["players"])

    def seat(p):
        return None if p is None else (p + k) % n

    def moved(row):
        return [row[(q - k) % n] for q in range(n)]

    new = dict(state)
    for name in ("players", "to_discard"):
        new[name] = moved(state[name])
    new["knowledge"] = moved([moved(row) for row in state["knowledge"]])
    for name in ("longest_road_owner", "largest_army_owner", "turn_player", "player_to_move"):
        new[name] = seat(state[name])
    new["winner"] = seat(state["winner"])
    memory = state["rng"].get("memory")
    if memory:
        run = [seat(memory["run"][0]), memory["run"][1]]
        new["rng"] = state["rng"] | {
            "memory": {**memory, "sevens": moved(memory["sevens"]), "run": run}
        }
    if state["offer"]:
        offer = state["offer"]
        new["offer"] = {
            **offer,
            "from": seat(offer["from"]),
            "answers": moved(offer["answers"]),
        }
    return new


def test_rotating_all_the_way_round_is_no_change():
    state = Game(seed=1).snapshot()
    assert rotated(rotated(state, 1), 3) == state


@pytest.mark.parametrize("name", NAMES)
def test_the_game_is_the_same_for_every_seat(name):
    """The same actions and outcomes lead a rotated state along rotated states."""
    rng = np.random.default_rng(1)
    game = Game(RULE_SETS[name], seed=1)
    n = game.rules.num_players
    others = {k: Game.from_snapshot(rotated(game.snapshot(), k)) for k in range(1, n)}
    for step in range(400):
        actions = game.legal_actions()
        if len(actions) == 0:
            break
        action = choose(rng, actions)
        possible = list(game.outcomes(action))
        outcome = possible[rng.integers(len(possible))] if possible else None
        for other in others.values():
            assert (other.mask == game.mask).all()
            assert other.outcomes(action) == game.outcomes(action)
            other.step(action, outcome=outcome)
        game.step(action, outcome=outcome)
        for k, other in others.items():
            if step % 5 == 0:
                assert other.snapshot() == rotated(game.snapshot(), k)
            for viewer in range(n):
                moved = other.observe((viewer + k) % n)
                assert (moved == game.observe(viewer)).all()
