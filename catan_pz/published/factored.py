"""Factored views of the action table: the kind of an action first, then its argument.

A learner with several heads picks a kind, then what that kind needs; a `Factored` translates
between its choices and the numbers of the flat table, and gives each head its own mask. All of it
takes NumPy arrays and torch tensors. Letters: A actions, F heads, K choices of a head; "..." any
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
"""What stands for a head that an action doesn't need."""


class Head(NamedTuple):
    """One choice that a learner makes: "kind", or what an argument numbers; and its size K."""

    name: str
    size: int


@dataclass(frozen=True, eq=False)
class Factored:
    """A flat action as one choice of each head that its kind needs.

    Choices are made in the order of the heads, and a head's mask depends on the choices before.
    """

    heads: tuple[Head, ...]  # the first picks the kind
    choices: NDArray[np.int64]  # (A, F) of each action, `UNUSED` for heads that it doesn't need

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
        """(..., F) the choices that make up actions (...)."""
        return self._choices.beside(actions)[actions]

    def join(self, choices: Array) -> Array:
        """(...) the actions of choices (..., F), -1 where there is none."""
        fits = self._fitting(choices, len(self.heads))
        found = floats(fits).argmax(-1)
        return (found + 1) * fits.any(-1) - 1

    def _fitting(self, choices: Array, count: int) -> Array:
        """(..., A) whether an action has the first choices, or doesn't need them."""
        fits = choices[..., :1] == self._columns[0].beside(choices)
        for k in range(1, count):
            own = self._columns[k].beside(choices)
            fits = fits & ((choices[..., k : k + 1] == own) | (own == UNUSED))
        return fits

    def mask(self, head: int, legal: Array, choices: Array | None = None) -> Array:
        """(..., K) what a head may choose, by its place; all False where it isn't `needed`.

        From the flat mask (..., A) and the choices of the heads before, of which the kind has none.
        """
        fits = legal != 0
        if head:
            fits = fits & self._fitting(choices, head)
        return floats(fits) @ self._members[head].beside(legal) > 0

    def needed(self, head: int, choices: Array) -> Array:
        """(...) whether a head but the first is needed, after those before it chose (..., F)."""
        own = self._columns[head].beside(choices)
        return (self._fitting(choices, head) & (own != UNUSED)).any(-1)


def factored(trading: bool = True) -> Factored:
    """The kind of an action, then its argument: one head for each thing that arguments number.

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
