"""Win rates of policies of joint actions, all games played at once."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.agents.base import BatchAgent
from catan_pz.agents.random_stream import SeatSeeds
from catan_pz.agents.registry import load
from catan_pz.agents.views import Views
from catan_pz.arena.statistics import normal_quantile, wilson
from catan_pz.batch.cpu import CpuBatch
from catan_pz.checks import not_possible
from catan_pz.published.charlesworth.choices import NUM_SLOTS
from catan_pz.published.charlesworth.games import PlannedGames, Policy
from catan_pz.rewards import LinearReward
from catan_pz.rules import Rules

Player = Policy | BatchAgent

_WIN: Final = 100
_TALLY: Final = LinearReward(won=_WIN, points_gained=1)
"""Tells winner and points: the sum over a game is 100 for a win, and the points at its end."""


def batch_opponent(name: str, rules: Rules) -> BatchAgent:
    """An agent, by its name, that decides in many games by one call.

    Raises:
        ValueError: if it decides game by game, as searches do, or isn't for these rules.
    """
    agent = load(name)
    if not isinstance(agent, BatchAgent):
        allowed = "agents that decide in many games by one call, such as 'heuristic'"
        raise not_possible("option eval_against", name, allowed)
    agent.check_rules(rules)
    return agent


def win_rate(
    learner: Policy, opponent: Player, rules: Rules, games: int, seed: int
) -> dict[str, Any]:
    """Play games against one opponent in all other seats, and count wins.

    Args:
        learner: sits in each seat in turn.
        opponent: a policy, or an agent that decides in batches.
        rules: of the games.
        games: how many, rounded up to a multiple of the seats.
        seed: of the first game; that of the next is larger by 1.

    Returns:
        JSON values: `games`, `won`, `win_rate`, `interval` (95 %), `points` (mean), `seed`, and
        `decisions` (mean of a game's joint actions of the learner).
    """
    count = rules.num_players
    games = -(-games // count) * count
    batch = CpuBatch(games, rules, reward=_TALLY, seed=seed)
    played = PlannedGames(batch)
    rng = np.random.default_rng(seed)
    seats, seat_seeds = np.arange(games) % count, SeatSeeds(games, count)
    tally, finished, decisions = np.zeros(games), np.zeros(games, bool), 0
    while not finished.all():
        actions = np.full(games, NO_ACTION)
        actions[finished] = batch.sample()[finished]  # of games that don't count
        own = batch.player == seats
        asked = played.asked()
        asked = asked[~finished[asked]]
        rows, chosen = [], []
        for policy, mine in ((learner, True), (opponent, False)):
            if isinstance(policy, Policy):
                here = asked[own[asked] == mine]
                rows.append(here)
                chosen.append(_joint(policy, batch, here, rng))
                decisions += len(here) * mine
            else:
                here = np.flatnonzero(~own & ~finished)
                actions[here] = _single(policy, batch, here, seat_seeds, rng)
        played.step(np.concatenate(rows), np.concatenate(chosen), actions)
        tally += np.where(finished, 0, batch.reward[np.arange(games), seats])
        finished |= batch.done
    won, points = tally // _WIN, tally % _WIN
    return {
        "games": games,
        "won": int(won.sum()),
        "win_rate": float(won.mean()),
        "interval": list(wilson(int(won.sum()), games, normal_quantile(0.95))),
        "points": float(points.mean()),
        "seed": seed,
        "decisions": decisions / games,
    }


def _joint(
    policy: Policy, batch: CpuBatch, rows: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int8]:
    assert batch.units is not None
    if not len(rows):
        return np.empty((0, NUM_SLOTS), np.int8)
    uniforms = rng.random((len(rows), NUM_SLOTS))
    return policy.decide(batch.units[rows], batch.mask[rows], uniforms).choices


def _single(
    agent: BatchAgent,
    batch: CpuBatch,
    rows: NDArray[np.int64],
    seat_seeds: SeatSeeds,
    rng: np.random.Generator,
) -> NDArray[np.integer[Any]]:
    assert batch.units is not None
    if not len(rows):
        return np.empty(0, np.int64)
    bits = rng.integers(2**64, size=len(rows), dtype=np.uint64)
    seeds = seat_seeds.of(batch.seeds, rows, batch.player[rows])
    return agent.act_batch(Views(batch.units[rows], batch.mask[rows], seeds, bits))
