"""Factored views of the action table: the kind of an action first, then its argument.

A learner with several heads picks a kind, then the arguments that the kind needs. A `Factored`
converts between these choices and ids of the flat table, and makes each head's mask. It takes
NumPy arrays and torch tensors. Letters: A actions, F heads, K choices of a head; "..." is any
leading axes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ACTION_KINDS, NUM_ACTIONS, NUM_ACTIONS_WITHOUT_TRADE
from catan_pz.encoders.arrays import Array, Constant, floats

UNUSED: Final = -1
"""The choice of a head that an action doesn't need."""


class Head(NamedTuple):
    """One choice of a learner: "kind", or the type of an argument; and its size K."""

    name: str
    size: int


@dataclass(frozen=True, eq=False)
class Factored:
    """A flat action as one choice of each head that its kind needs.

    Choices are made in the order of the heads, and a head's mask depends on earlier choices.
    """

    heads: tuple[Head, ...]  # the first picks the kind
    choices: NDArray[np.int64]  # (A, F) of each action, `UNUSED` for unneeded heads

    @property
    def num_actions(self) -> int:
        """A."""
        return len(self.choices)

    @cached_property
    def _choices(self) -> Constant:
        return Constant(self.choices)

    @cached_property
    def _columns(self) -> tuple[Constant, ...]:
        return tuple(Constant(column) for column in self.choices.T)

    @cached_property
    def _members(self) -> tuple[Constant, ...]:
        """For each head (A, K) float32, 1 where an action has a choice."""
        return tuple(
            Constant((column[:, None] == np.arange(head.size)).astype(np.float32))
            for head, column in zip(self.heads, self.choices.T, strict=True)
        )

    def split(self, actions: Array) -> Array:
        """(..., F) the choices of actions (...)."""
        return self._choices.beside(actions)[actions]

    def join(self, choices: Array) -> Array:
        """(...) the actions of choices (..., F), -1 if there is none."""
        fits = self._fitting(choices, len(self.heads))
        found = floats(fits).argmax(-1)
        return (found + 1) * fits.any(-1) - 1

    def _fitting(self, choices: Array, count: int) -> Array:
        """(..., A) whether an action has the first `count` choices, or doesn't need them."""
        fits = choices[..., :1] == self._columns[0].beside(choices)
        for k in range(1, count):
            own = self._columns[k].beside(choices)
            fits = fits & ((choices[..., k : k + 1] == own) | (own == UNUSED))
        return fits

    def mask(self, head: int, legal: Array, choices: Array | None = None) -> Array:
        """(..., K) the options of a head, given by its index; all False if it isn't `needed`.

        Takes the flat mask (..., A) and the choices of earlier heads, none for the kind.
        """
        fits = legal != 0
        if head:
            fits = fits & self._fitting(choices, head)
        return floats(fits) @ self._members[head].beside(legal) > 0

    def needed(self, head: int, choices: Array) -> Array:
        """(...) whether a head after the first is needed, given the earlier choices (..., F)."""
        own = self._columns[head].beside(choices)
        return (self._fitting(choices, head) & (own != UNUSED)).any(-1)


def factored(trading: bool = True) -> Factored:
    """The kind of an action, then its argument, with one head per type of argument.

    They are "kind", "edge", "vertex", "pair", "resource", "hex", "seat", "swap" and, with trade
    between players, "bundles".
    """
    kinds = [kind for kind in ACTION_KINDS if trading or not kind.trading]
    sizes = {"kind": len(kinds)} | {kind.argument: kind.count for kind in kinds if kind.argument}
    names = list(sizes)
    choices = np.full((NUM_ACTIONS if trading else NUM_ACTIONS_WITHOUT_TRADE, len(names)), UNUSED)
    for k, kind in enumerate(kinds):
        rows = slice(kind.first, kind.first + kind.count)
        choices[rows, 0] = k
        if kind.argument:
            choices[rows, names.index(kind.argument)] = np.arange(kind.count)
    return Factored(tuple(Head(*head) for head in sizes.items()), choices)
