"""Searchers at work on a game, for tests."""

from typing import Any

import numpy as np

from catan_pz.actions import describe_action
from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.search import SearchAgent, search_calls
from catan_pz.agents.search.rollout import Rollout
from catan_pz.agents.search.search_calls import Simulations
from catan_pz.agents.search.simulator import ITSELF
from catan_pz.agents.value.network import Workspace, shipped, workspace
from catan_pz.belief import Belief
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.view import View, view_of
from catan_pz.rules import Rules

DUEL = Rules(num_players=2, trading=False)
METHODS = ("gumbel", "puct")  # methods with simulations
LEADER = {"cities": [0, 2, 4], "settlements": [6, 16, 18]}
"""A player of nine points."""
RIVAL = {"cities": [20, 22, 24], "settlements": [26, 48, 50], "hand": {"grain": 2, "ore": 3}}
"""Another one of nine points, who wins in the next turn if not stopped."""


def simulations(games: np.ndarray, player: int, seed: int, turns: int = 0) -> Simulations:
    """Simulations of the first of some games."""
    played, rollout = games[:1].copy(), Rollout(player, turns)
    return Simulations(games[:1], played, np.uint64(seed), rollout, work_for(games))


def quick_choice(games: np.ndarray, player: int, draw: int = 0) -> int:
    """A rollout player's action in the first of some games."""
    run = simulations(games, player, draw)
    return int(search_calls.simulate(run, ITSELF, 0, 0, 0, np.zeros((0, 4))))


def play_out(games: np.ndarray, player: int, seed: int, last_turn: int) -> np.ndarray:
    """Continue the first of some games as simulation 0; its (4,) win probabilities."""
    values = np.zeros((1, 4))
    run = simulations(games, player, seed, last_turn - int(games["turn"][0]))
    search_calls.simulate(run, ITSELF, 0, 1, 0, values)
    games[0] = run.played[0]
    return values[0]


def work_for(games: np.ndarray) -> Workspace:
    net = shipped(int(games["num_players"][0])).weights
    return workspace(net, 389 if games["trading"][0] else 252)


def duel(hand: dict[str, int], **entries: Any) -> Game:
    """Two players; the first has nine points and is in turn."""
    first = LEADER | {"hand": hand} | entries.pop("first", {})
    second = {"settlements": [22, 24], "hand": {"wool": 1}} | entries.pop("second", {})
    return position([first, second], rules=entries.pop("rules", DUEL), **entries)


def seen(game: Game, belief: Belief | None = None) -> View:
    """The view of the player to move, with a belief that began with the position."""
    belief = belief or Belief(game.player, game.state)
    return view_of(game, game.player, FromBelief(belief, game))


def searcher(game: Game, seed: int = 1, **options: Any) -> SearchAgent:
    agent = SearchAgent(**options)
    agent.reset(game.player, game.rules, seed)
    return agent


def decided(game: Game, belief: Belief | None = None, seed: int = 1, **options: Any) -> Any:
    agent = searcher(game, seed, **options)
    return agent.act(seen(game, belief)), agent.last


def choice(game: Game, **options: Any) -> dict[str, Any]:
    return describe_action(decided(game, **options)[0])


def in_the_middle(rules: Rules, seed: int, decisions: int) -> tuple[Game, Belief]:
    """A random game at a decision with a choice, and the belief of the player to move."""
    game = Game(rules, seed=seed)
    beliefs = [Belief(p, game.state) for p in range(rules.num_players)]
    game.listeners += [belief.listen for belief in beliefs]
    rng = np.random.default_rng(seed)
    for played in range(5 * decisions):
        legal = game.legal_actions()
        if len(legal) > 1 and played >= decisions:
            return game, beliefs[game.player]
        if len(legal) == 0:
            break
        game.step(int(rng.choice(legal)))
    return in_the_middle(rules, seed + 1000, decisions)
