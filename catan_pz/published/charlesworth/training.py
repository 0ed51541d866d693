"""Parts of the training: recorded decisions, log-probabilities, win rates, past selves.

Letters: B games, K decisions, S slots, M numbers in the masks of all slots.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.agents.base import BatchAgent
from catan_pz.agents.random_stream import SeatSeeds
from catan_pz.agents.registry import load
from catan_pz.agents.views import Views
from catan_pz.arena.statistics import normal_quantile, wilson
from catan_pz.batch.cpu import CpuBatch
from catan_pz.checks import not_possible
from catan_pz.files import read_arrays, whole_file
from catan_pz.published.charlesworth.choices import COLUMN, MASK_PLACES, NUM_SLOTS, SLOTS
from catan_pz.published.charlesworth.games import PlannedGames, Policy
from catan_pz.published.charlesworth.networks import (
    CONDITIONS_SEEN,
    CharlesworthNetwork,
    condition_of,
    log_probabilities,
)
from catan_pz.published.factored import UNUSED
from catan_pz.rewards import LinearReward
from catan_pz.rules import Rules

END: Final = -1
"""Follows the last decision of a game that was won."""

UNKNOWN: Final = -2
"""Follows a decision of which it isn't known what came of it."""

Batch = dict[str, Any]


class Recording:
    """Decisions as they are taken, each with its reward and the number of the next one.

    The reward of a decision is what its seat gets until its next decision or the end of the game.

    Args:
        num_games: B.

    Attributes:
        complete: decisions of which reward and next one are known.
    """

    def __init__(self, num_games: int) -> None:
        self.complete = 0
        self._parts: list[Batch] = []
        self._reward: NDArray[np.float64] = np.zeros(0)
        self._next: NDArray[np.int64] = np.zeros(0, np.int64)
        self._last = np.full(num_games, UNKNOWN)
        self._gained = np.zeros(num_games)

    def add(self, games: NDArray[np.int64], part: Batch) -> None:
        """Add a decision in each of some games.

        Args:
            games: numbers of the games.
            part: arrays with a row for each of them, by name.
        """
        index = len(self._reward) + np.arange(len(games))
        self._close(games, index)
        self._last[games] = index
        self._parts.append(part)
        self._reward = np.append(self._reward, np.zeros(len(games)))
        self._next = np.append(self._next, np.full(len(games), UNKNOWN))

    def _close(self, games: NDArray[np.int64], following: NDArray[np.int64] | int) -> None:
        """Give the last decisions in some games their rewards and what follows them."""
        known = self._last[games] != UNKNOWN
        before = self._last[games][known]
        self._reward[before] = self._gained[games][known]
        self._next[before] = np.broadcast_to(following, len(games))[known]
        self._gained[games] = 0
        self.complete += len(before)

    def step(
        self, rewards: NDArray[Any], done: NDArray[np.bool_], truncated: NDArray[np.bool_]
    ) -> None:
        """Note what a step of all games has brought.

        The last decision of a truncated game stays incomplete: nobody's game has ended there.

        Args:
            rewards: (B,) of the seat that is recorded.
            done: (B,) which games have ended.
            truncated: (B,) which of them by the limit of turns.
        """
        self._gained += rewards
        self._close(np.flatnonzero(done & ~truncated), END)
        self._last[done] = UNKNOWN
        self._gained[done] = 0

    def batch(self) -> Batch:
        """All decisions: what was added, "reward" and "next", (K, ...) arrays by name."""
        names = self._parts[0] if self._parts else {}
        joined = {name: np.concatenate([part[name] for part in self._parts]) for name in names}
        return {**joined, "reward": self._reward, "next": self._next}


Tensors = Mapping[str, torch.Tensor]

_PART: Final = 4096
"""Decisions that are evaluated at once where no gradients are needed."""


def evaluate(
    architecture: CharlesworthNetwork,
    weights: Tensors,
    seen: Tensors,
    choices: torch.Tensor,
    masks: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What a policy gives for joint actions that were chosen.

    Args:
        architecture: of the network.
        weights: its weights.
        seen: observations by its encoder.
        choices: (K, S) int64, `UNUSED` where a slot wasn't needed.
        masks: (K, M) bool, what each slot could choose.

    Returns:
        Joint log-probabilities (K,); normalised values (K,); the entropy: the mean over all
        decisions of the sum over the slots that each needs.
    """
    trunk = architecture.trunk(weights, seen)
    log_probability = trunk.new_zeros(len(trunk))
    entropy = trunk.new_zeros(())
    for slot in SLOTS:
        rows = torch.nonzero(choices[:, COLUMN[slot.name]] != UNUSED)[:, 0]
        if not len(rows):
            continue
        own = choices[rows]
        here = {name: seen[name][rows] for name in CONDITIONS_SEEN}
        condition = condition_of(slot.name, own, here)
        logits = architecture.logits(weights, slot.head, trunk[rows], condition)
        logs = log_probabilities(logits, masks[rows, MASK_PLACES[slot.name]])
        chosen = logs.gather(1, own[:, COLUMN[slot.name], None])[:, 0]
        log_probability = log_probability.index_add(0, rows, chosen)
        entropy = entropy - (logs.exp() * logs).sum() / len(trunk)
    return log_probability, architecture.value(weights, trunk), entropy


def values_of(architecture: CharlesworthNetwork, weights: Tensors, seen: Tensors) -> torch.Tensor:
    """(K,) normalised values, without gradients."""
    found = []
    with torch.no_grad():
        for k in range(0, len(seen["tiles"]), _PART):
            part = {name: array[k : k + _PART] for name, array in seen.items()}
            found.append(architecture.value(weights, architecture.trunk(weights, part)))
    return torch.cat(found)


Player = Policy | BatchAgent

_WIN: Final = 100
_TALLY: Final = LinearReward(won=_WIN, points_gained=1)
"""Tells winner and points: the sum over a game is 100 for a win, and the points at its end."""


def batch_opponent(name: str, rules: Rules) -> BatchAgent:
    """An agent, by its name, that decides in many games by one call."""
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


RECENT: Final = 800
"""Snapshots over which the probability of the recent half rises."""


def draw_probabilities(count: int, recent: int = RECENT) -> NDArray[np.float64]:
    """(count,) probability of each snapshot, oldest first.

    Half is uniform; half rises linearly over the last `recent` ones.
    """
    rising = np.maximum(np.arange(count) + 1 - max(0, count - recent), 0.0)
    return np.asarray(0.5 / count + 0.5 * rising / rising.sum())


def write_weights(path: Path, weights: Mapping[str, torch.Tensor]) -> None:
    """Write a snapshot."""
    arrays = {key: array.detach().cpu().numpy() for key, array in weights.items()}
    with whole_file(path) as draft, draft.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """The weights of a snapshot."""
    try:
        arrays = read_arrays(path.read_bytes())
        return {name: torch.tensor(array) for name, array in arrays.items()}
    except (ValueError, TypeError) as error:  # torch knows no texts, for one
        raise ValueError(f"league: the snapshot {path} is damaged: {error}") from error
