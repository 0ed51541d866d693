"""Factored views of the action table: the kind of an action first, then its argument.

The environment's actions stay numbers of one flat table. A learner with several heads picks a kind,
then what that kind needs; a `Factored` translates its choices, and gives each head its own mask.
Letters: A actions, F heads, K choices of a head; "..." any leading axes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import (
    ACTION_KINDS,
    MARITIME_SWAPS,
    NUM_ACTIONS,
    NUM_ACTIONS_WITHOUT_TRADE,
    PLENTY_PAIRS,
    ActionKind,
)
from catan_pz.checks import not_possible
from catan_pz.encoders.arrays import Array, Constant, floats
from catan_pz.terms import NUM_RESOURCES

UNUSED: Final = -1
"""What stands for a head that an action doesn't need."""


@dataclass(frozen=True)
class Head:
    """One choice that a learner makes.

    Attributes:
        name: "kind", or what an argument numbers.
        size: K.
    """

    name: str
    size: int


@dataclass(frozen=True, eq=False)
class Factored:
    """A flat action as one choice of each head that its kind needs.

    Choices are made in the order of the heads, and a head's mask depends on the choices before.

    Args:
        heads: the heads; the first picks the kind.
        choices: (A, F) int64, the choices that make up each action, `UNUSED` for heads that it
            doesn't need.

    Raises:
        ValueError: if two actions have the same choices, or a choice isn't one of its head's.
    """

    heads: tuple[Head, ...]
    choices: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.choices.shape[1:] != (len(self.heads),):
            raise ValueError(
                f"choices have the shape {self.choices.shape}, must be (A, {len(self.heads)})"
            )
        sizes = [head.size for head in self.heads]
        if (self.choices < UNUSED).any() or (self.choices >= sizes).any():
            raise ValueError(f"choices must lie in -1 to the size of their head less 1, {sizes}")
        if len(np.unique(self.choices, axis=0)) < len(self.choices):
            raise ValueError("two actions have the same choices")

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
        """The choices that make up actions.

        Args:
            actions: (...) int64, flat ids, NumPy or torch. Tensors aren't checked, since that
                would wait for the device.

        Returns:
            (..., F) int64, `UNUSED` for heads that an action doesn't need.

        Raises:
            TypeError: for NumPy arrays of anything but integers.
            ValueError: for ids in them that aren't from 0 to A - 1.
        """
        if isinstance(actions, np.ndarray | np.generic):
            self._check_ids(actions)
        return self._choices.beside(actions)[actions]

    def _check_ids(self, actions: Any) -> None:
        if actions.dtype.kind not in "iu":
            raise TypeError(f"actions are {actions.dtype}, must be integers")
        if actions.size and not (actions.min() >= 0 and actions.max() < self.num_actions):
            ids = np.ravel(actions)
            wrong = ids[(ids < 0) | (ids >= self.num_actions)][0]
            raise not_possible("action", int(wrong), f"an int from 0 to {self.num_actions - 1}")

    def _check_head(self, head: int, least: int) -> None:
        if not least <= head < len(self.heads):
            allowed = f"an int from {least} to {len(self.heads) - 1}"
            raise not_possible("head", head, allowed)

    def join(self, choices: Array) -> Array:
        """The flat ids of choices.

        Args:
            choices: (..., F) integers, NumPy or torch; what stands for a head that the kind and
                the choices before don't need doesn't matter.

        Returns:
            (...) int64; -1 where there is no such action.
        """
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
        """What a head may choose.

        Args:
            head: its place in `heads`.
            legal: (..., A) the flat mask: integers or bool, NumPy or torch.
            choices: (..., at least `head`) integers, the choices of the heads before; the head of
                the kind needs none.

        Returns:
            (..., K) bool. All False where the head isn't needed, see `needed`.

        Raises:
            ValueError: if there is no such head, or it needs choices and there are none.
        """
        self._check_head(head, least=0)
        fits = legal != 0
        if head:
            if choices is None:
                raise ValueError(f"the mask of head {self.heads[head].name!r} needs choices")
            fits = fits & self._fitting(choices, head)
        return floats(fits) @ self._members[head].beside(legal) > 0

    def needed(self, head: int, choices: Array) -> Array:
        """Whether a head is needed after the choices of the heads before, (...) bool.

        Args:
            head: its place in `heads`, from 1: that of the kind always is.
            choices: (..., at least `head`) integers.

        Raises:
            ValueError: if there is no such head.
        """
        self._check_head(head, least=1)
        own = self._columns[head].beside(choices)
        return (self._fitting(choices, head) & (own != UNUSED)).any(-1)


def factored(trading: bool = True, *, split_pairs: bool = False) -> Factored:
    """The kind of an action, then its argument: one head for each thing that arguments number.

    Args:
        trading: whether actions of trade between players are there.
        split_pairs: whether the two resources of a year of plenty or a maritime trade are two
            choices: of the heads "resource" and "second_resource".

    Returns:
        The heads "kind", "edge", "vertex", "pair", "resource", "hex", "seat", "swap" and, with
        trade, "bundles"; with `split_pairs` "second_resource" instead of "pair" and "swap".
    """
    kinds = [kind for kind in ACTION_KINDS if trading or not kind.trading]
    sizes: dict[str, int] = {"kind": len(kinds)}
    for kind in kinds:
        for name, size in _parts(kind, split_pairs):
            sizes[name] = size
    names = list(sizes)
    choices = np.full((NUM_ACTIONS if trading else NUM_ACTIONS_WITHOUT_TRADE, len(names)), UNUSED)
    for k, kind in enumerate(kinds):
        rows = slice(kind.first, kind.first + kind.count)
        choices[rows, 0] = k
        columns = [names.index(name) for name, _ in _parts(kind, split_pairs)]
        choices[rows, columns] = _arguments(kind, split_pairs)
    return Factored(tuple(Head(name, size) for name, size in sizes.items()), choices)


_PAIRS: Final = {"pair": PLENTY_PAIRS, "swap": MARITIME_SWAPS}


def _parts(kind: ActionKind, split_pairs: bool) -> Sequence[tuple[str, int]]:
    """Heads of a kind's argument, with their sizes."""
    if not kind.argument:
        return ()
    if split_pairs and kind.argument in _PAIRS:
        return ("resource", NUM_RESOURCES), ("second_resource", NUM_RESOURCES)
    return ((kind.argument, kind.count),)


def _arguments(kind: ActionKind, split_pairs: bool) -> Any:
    """(count, heads) choices of those heads for each action of a kind."""
    if not kind.argument:
        return np.empty((kind.count, 0), np.int64)
    if split_pairs and kind.argument in _PAIRS:
        return _PAIRS[kind.argument]
    return np.arange(kind.count)[:, None]
