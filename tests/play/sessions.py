"""Matches with a person in them, and random choices for the person."""

from typing import Any

import numpy as np

from catan_pz import actions as table
from catan_pz.agents.random import RandomAgent
from catan_pz.game.game import Game
from catan_pz.play.session import PlayedGame, names_of
from catan_pz.rules import Rules
from catan_pz.terms import Phase

SHORT = Rules(num_players=2, victory_points=5, offer_form="both", max_turns=60)


def session(rules: Rules = SHORT, seed: int = 1, seat: int = 0) -> PlayedGame:
    agents: list[Any] = [RandomAgent() for _ in range(rules.num_players)]
    agents[seat] = None
    return PlayedGame(Game(rules, seed), agents, seed, names_of(agents, "Ann"))


def choice(game: Game, rng: np.random.Generator) -> int:
    """A random action, composing left to whole offers."""
    legal = game.legal_actions()
    if game.phase != Phase.COMPOSE:
        legal = legal[(legal < table.COMPOSE_GIVE) | (legal > table.COMPOSE_SEND)]
    return int(rng.choice(legal))
