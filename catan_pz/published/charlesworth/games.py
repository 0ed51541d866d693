"""Many games in which joint actions are chosen, and offers are played to their end by plan.

Letters: B games, K decisions, S slots, N numbers of an observation, A actions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.batch.cpu import CpuBatch
from catan_pz.encoders import Encoder
from catan_pz.published.charlesworth.choices import MOST_PICKS, Choices, Situations, is_asked
from catan_pz.published.charlesworth.networks import Architecture, Weights
from catan_pz.published.charlesworth.plans import Plan, plans_of, single_actions
from catan_pz.published.charlesworth.policy import Decision, decide

_PLAN: Final = 2 * MOST_PICKS + 1
"""Actions of the longest offer."""


@dataclass(frozen=True)
class Policy:
    """A network with its weights and its encoder.

    Attributes:
        architecture: the network.
        weights: NumPy arrays, or tensors that require no gradients.
        encoder: of its observations.
    """

    architecture: Architecture
    weights: Weights
    encoder: Encoder

    def encode(self, units: NDArray[np.int8]) -> Mapping[str, Any]:
        """Observations (K, N) as the network takes them, of the same kind as its weights."""
        seen = self.encoder.encode(units)
        some = next(iter(self.weights.values()))
        if isinstance(some, np.ndarray):
            return dict(seen)
        return {name: some.new_tensor(array) for name, array in seen.items()}

    def decide(
        self,
        units: NDArray[np.int8],
        masks: NDArray[Any],
        uniforms: NDArray[np.float64],
        **options: Any,
    ) -> Decision:
        """A joint action in each of K decisions.

        Args:
            units: (K, N) int8 observations.
            masks: (K, A) legal actions.
            uniforms: (K, S) numbers in [0, 1) that sample.
            **options: as for `policy.decide`.
        """
        found = Situations.of(units, masks)
        seen = self.encode(units)
        return decide(self.architecture, self.weights, seen, found, uniforms, **options)


class PlannedGames:
    """A batch of games, stepped by joint actions.

    Args:
        batch: the games, with observations in natural units.

    Attributes:
        batch: the games.
    """

    def __init__(self, batch: CpuBatch) -> None:
        self.batch = batch
        self._plans: dict[int, Plan] = {}

    def asked(self) -> NDArray[np.int64]:
        """(K,) the games that wait for a joint action; none of finished ones."""
        units = self.batch.units
        assert units is not None
        return np.flatnonzero(is_asked(units) & self.batch.mask.any(1))

    def step(
        self, rows: NDArray[np.int64], choices: Choices, actions: NDArray[np.int64] | None = None
    ) -> None:
        """Play one action in every game.

        Args:
            rows: (K,) games in which a joint action was chosen.
            choices: (K, S) these.
            actions: (B,) of players that choose otherwise, `NO_ACTION` for the other games.
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
            plan = self._plans.setdefault(row, Plan())
            played[row] = plan.next_action(units[row], masks[row])
        batch.step(played)
        for row in np.flatnonzero(batch.done).tolist():
            self._plans.pop(row, None)

    def place(self, rows: NDArray[np.int64], records: np.ndarray) -> None:
        """Let positions take the places of some games.

        Args:
            rows: (K,) the games.
            records: (K,) of `STATE` that a seat's belief has drawn, in which no offer is being
                made or closed.
        """
        self.batch.place_games(rows, records, check=False)
        for row in rows.tolist():
            self._plans.pop(row, None)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that the future rests on, by name."""
        plans = np.full((len(self._plans), 2 + _PLAN), NO_ACTION)
        for line, (row, plan) in zip(plans, self._plans.items(), strict=True):
            line[: 2 + len(plan.actions)] = [row, plan.partner, *plan.actions]
        return self.batch.get_state() | {"plans": plans}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` gave for the same rules and number of games."""
        arrays = dict(state)
        lines = arrays.pop("plans").tolist()
        self.batch.set_state(arrays)
        self._plans = {
            row: Plan([action for action in left if action != NO_ACTION], partner)
            for row, partner, *left in lines
        }
