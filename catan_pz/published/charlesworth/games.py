"""A policy of several heads that samples joint actions, and batches of games that play them.

The environment makes every offer to all players, card by card. A joint action names one of them:
the offer is closed only with that player, and withdrawn if it doesn't accept. Letters: B games,
K decisions, S slots, M numbers in the masks of all slots, N numbers of an observation, A actions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.actions import NO_ACTION
from catan_pz.batch.cpu import CpuBatch
from catan_pz.encoders import Encoder
from catan_pz.encoders.arrays import Array
from catan_pz.engine.trade import ACCEPTED
from catan_pz.observation.segments import PLACES
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth import networks
from catan_pz.published.charlesworth.choices import COLUMN, NUM_SLOTS, Choices, Situations
from catan_pz.published.charlesworth.encoder import RESOURCES
from catan_pz.published.charlesworth.networks import CharlesworthNetwork, Weights
from catan_pz.published.factored import UNUSED
from catan_pz.terms import MAX_PLAYERS, MONOPOLY, YEAR_OF_PLENTY

ANYBODY = -1
"""Stands for an offer that is closed with the first player to accept."""


@dataclass
class ActionPlan:
    """The rest of a joint action: environment actions, in order."""

    actions: list[int] = field(default_factory=list)
    partner: int = ANYBODY  # the opponent, from 0, who gets the offer

    def next_action(self, units: NDArray[np.int8], mask: NDArray[Any]) -> int:
        """The next action, or the end of the offer, given an observation (N,) and a mask (A,)."""
        if self.actions:
            action = self.actions.pop(0)
            if mask[action]:
                return action
            self.actions.clear()
        answers = units[PLACES["answer"]].reshape(MAX_PLAYERS, -1)[1:, ACCEPTED]
        possible = (answers != 0) & (mask[actions.CLOSE_WITH : actions.WITHDRAW] != 0)
        partner = int(possible.argmax()) if self.partner == ANYBODY else self.partner
        return actions.CLOSE_WITH + partner if possible[partner] else actions.WITHDRAW


def plans_of(choices: Choices) -> list[ActionPlan]:
    """The plan of each joint action, from choices (K, S)."""
    single = single_actions(choices).tolist()
    return [
        _offer(row) if action == NO_ACTION else ActionPlan([action])
        for row, action in zip(choices, single, strict=True)
    ]


def _offer(row: NDArray[np.int8]) -> ActionPlan:
    words = []
    for side, first in ((ch.GIVE, actions.COMPOSE_GIVE), (ch.GET, actions.COMPOSE_GET)):
        words += [first + int(RESOURCES[r]) for r in row[side] if 0 <= r < ch.STOP]
    return ActionPlan([*words, actions.COMPOSE_SEND], int(row[COLUMN["player"]]))


def single_actions(choices: Choices) -> NDArray[np.int64]:
    """(K,) the action of each joint action with a single one; `NO_ACTION` for offers."""
    place = {name: choices[:, k].astype(np.int64) for name, k in COLUMN.items()}
    kind, card, first, second = (place[name] for name in ("kind", "card", "first", "second"))
    of_card = np.where(
        card == YEAR_OF_PLENTY,
        ch.PLENTY[first, second],
        np.where(card == MONOPOLY, ch.MONOPOLIES[first], actions.PLAY_KNIGHT + card),
    )
    by_kind: dict[int, Any] = {
        ch.SETTLEMENT: actions.BUILD_SETTLEMENT + place["corner"],
        ch.ROAD: actions.BUILD_ROAD + place["edge"],
        ch.CITY: actions.BUILD_CITY + place["corner"],
        ch.BUY: actions.BUY_DEVELOPMENT_CARD,
        ch.PLAY: of_card,
        ch.EXCHANGE: ch.SWAPS[first, second],
        ch.RESPOND: actions.ACCEPT + place["accept"],
        ch.ROBBER: actions.MOVE_ROBBER + place["tile"],
        ch.ROLL: actions.ROLL,
        ch.END_TURN: actions.END_TURN,
        ch.STEAL: actions.STEAL + place["player"],
        ch.DISCARD: ch.DISCARDS[place["discard"]],
    }
    return np.select([kind == k for k in by_kind], list(by_kind.values()), NO_ACTION)


@dataclass
class JointDecision:
    """Joint actions chosen by a policy."""

    choices: Choices  # (K, S)
    masks: ch.Mask  # (K, M) the options of each slot if needed
    log_probability: NDArray[np.float64]  # (K,) joint
    value: NDArray[np.float64]  # (K,) normalised
    certainty: NDArray[np.float64]  # (K, S) probability of each choice; 1 for unneeded slots


@dataclass(frozen=True)
class Policy:
    """A network with its weights, NumPy arrays or tensors without gradients, and its encoder."""

    architecture: CharlesworthNetwork
    weights: Weights
    encoder: Encoder

    @np.errstate(under="ignore")  # other libraries may make it raise
    def decide(
        self,
        units: NDArray[np.int8],
        masks: NDArray[Any],
        uniforms: NDArray[np.float64],
        *,
        kinds: NDArray[np.int64] | None = None,
        best: bool = False,
    ) -> JointDecision:
        """Choose a joint action in each of K decisions, slot by slot.

        Takes observations (K, N), masks (K, A) and uniform numbers (K, S) for sampling; `kinds`
        (K,) replace sampled ones. With `best` each slot takes its most probable option.
        """
        network, weights, count = self.architecture, self.weights, len(units)
        found, seen = Situations.of(units, masks), self._encoded(units)
        trunk = network.trunk(weights, seen)
        decision = JointDecision(
            np.full((count, NUM_SLOTS), UNUSED, np.int8),
            np.zeros((count, ch.MASK_SIZE), np.bool_),
            np.zeros(count),
            _numbers(network.value(weights, trunk)),
            np.ones((count, NUM_SLOTS)),
        )
        for k, slot in enumerate(ch.SLOTS):
            rows = np.flatnonzero(ch.needed(slot.name, decision.choices))
            if not len(rows):
                continue
            before = decision.choices[rows]
            mask = ch.mask_of(slot.name, found.at(rows), before)
            decision.masks[rows, ch.MASK_PLACES[slot.name]] = mask
            here = {name: seen[name][rows] for name in networks.CONDITIONS_SEEN}
            given = before if isinstance(trunk, np.ndarray) else trunk.new_tensor(before)
            condition = networks.condition_of(slot.name, given, here)
            logits = network.logits(weights, slot.head, trunk[rows], condition)
            logs = networks.log_probabilities(_numbers(logits), mask)
            if slot.name == "kind" and kinds is not None:
                chosen = kinds
            else:
                chosen = logs.argmax(1) if best else _sampled(np.exp(logs), uniforms[rows, k])
            decision.choices[rows, k] = chosen
            chosen_logs = logs[np.arange(len(rows)), chosen]
            decision.log_probability[rows] += chosen_logs
            decision.certainty[rows, k] = np.exp(chosen_logs)
        return decision

    def _encoded(self, units: NDArray[np.int8]) -> Mapping[str, Any]:
        """Encoded observations, as arrays of the weights' kind."""
        seen, some = self.encoder.encode(units), next(iter(self.weights.values()))
        if isinstance(some, np.ndarray):
            return dict(seen)
        return {name: some.new_tensor(array) for name, array in seen.items()}


def _numbers(array: Array) -> NDArray[np.float64]:
    """An array or tensor as float64 in NumPy."""
    if not isinstance(array, np.ndarray):
        array = array.numpy(force=True)
    return np.asarray(array, np.float64)


def _sampled(probabilities: NDArray[np.float64], uniforms: NDArray[np.float64]) -> Any:
    """(K,) choices with these probabilities (K, n), which sum to 1."""
    below = probabilities.cumsum(1)
    picked = np.minimum(uniforms * below[:, -1], np.nextafter(below[:, -1], 0))
    return (below > picked[:, None]).argmax(1)


_LONGEST: Final = 2 * ch.MOST_PICKS + 1
"""The number of actions of the longest offer."""


class PlannedGames:
    """A batch of games with observations in natural units, stepped by joint actions."""

    def __init__(self, batch: CpuBatch) -> None:
        self.batch = batch
        self._plans: dict[int, ActionPlan] = {}

    def asked(self) -> NDArray[np.int64]:
        """(K,) the unfinished games that wait for a joint action."""
        units = self.batch.units
        assert units is not None
        return np.flatnonzero(ch.is_asked(units) & self.batch.mask.any(1))

    def step(
        self, rows: NDArray[np.int64], choices: Choices, actions: NDArray[np.int64] | None = None
    ) -> None:
        """Play one action in every game: joint actions (K, S) chosen in some of them (K,).

        Games played in another way have `actions` (B,), the others `NO_ACTION`.
        """
        batch = self.batch
        units, masks = batch.units, batch.mask
        assert units is not None
        played = np.full(batch.num_games, NO_ACTION) if actions is None else actions.copy()
        played[rows] = single_actions(choices)
        offers = np.flatnonzero(played[rows] == NO_ACTION)
        for row, plan in zip(rows[offers].tolist(), plans_of(choices[offers]), strict=True):
            self._plans[row] = plan
        for row in np.flatnonzero((played == NO_ACTION) & masks.any(1)).tolist():
            plan = self._plans.setdefault(row, ActionPlan())
            played[row] = plan.next_action(units[row], masks[row])
        batch.step(played)
        for row in np.flatnonzero(batch.done).tolist():
            self._plans.pop(row, None)

    def place(self, rows: NDArray[np.int64], records: np.ndarray) -> None:
        """Replace games with positions, (K,) of `STATE` without an open offer."""
        self.batch.place_games(rows, records, check=False)
        for row in rows.tolist():
            self._plans.pop(row, None)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that determine the future, by name."""
        plans = np.full((len(self._plans), 2 + _LONGEST), NO_ACTION)
        for line, (row, plan) in zip(plans, self._plans.items(), strict=True):
            line[: 2 + len(plan.actions)] = [row, plan.partner, *plan.actions]
        return self.batch.get_state() | {"plans": plans}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a result of `get_state` for the same rules and number of games."""
        arrays = dict(state)
        lines = arrays.pop("plans").tolist()
        self.batch.set_state(arrays)
        self._plans = {
            row: ActionPlan([action for action in left if action != NO_ACTION], partner)
            for row, partner, *left in lines
        }
