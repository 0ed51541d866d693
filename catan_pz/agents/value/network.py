"""The value network for each seat's win probability, as stored and as compiled rules.

The same layers compute a logit of each seat, from its features, the sum of the others' features and
those of the game. The softmax of the logits is the value. Letters: F features of a seat, C of the
game, W and H units of the two hidden layers, P seats.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import refuse_others
from catan_pz.agents.model_files import Stored, StoredModel
from catan_pz.agents.tiles import STRIP, Matrix, add_rows, copy_numbers, multiply
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED, write_position
from catan_pz.encoders import load
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.state import STATE, State, States, as_games
from catan_pz.files import resource
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import (
    Float32Array,
    Float64Array,
    Int8Array,
    Int8Matrix,
    Int64Array,
)
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY, Phase

NUM_INPUTS = 2 * NUM_FEATURES + NUM_SHARED
"""Inputs of a logit: own features, the sum of the others', those of the game."""

WIDTH, HEIGHT = 64, 32
"""The default W, and H."""

BLOCK = 8
"""Features per block in the check for changes."""

FEATURES_SIZE = MAX_PLAYERS * NUM_FEATURES + NUM_SHARED

LARGEST: Final = float(np.finfo(np.float16).max)
"""Largest weight with which no win probability can overflow."""


def sizes_of(width: int) -> tuple[int, ...]:
    """Sizes of a network's parts.

    Weights (F, W) of a seat's features, (F + C, W) of the others' and of the game, offsets (W,),
    weights (W, H), offsets (H,), and the weights of the output (H,).
    """
    own, rest = NUM_FEATURES * width, (NUM_FEATURES + NUM_SHARED) * width
    return own, rest, width, width * HEIGHT, HEIGHT, HEIGHT


def size_of(width: int) -> int:
    """Number of parameters of a network."""
    return sum(sizes_of(width))


def width_of(size: int) -> int:
    """W of a network with a given number of parameters."""
    return (size - size_of(0)) // (size_of(1) - size_of(0))


@dataclass(frozen=True, eq=False)
class ValueNet(StoredModel):
    """A network that estimates each seat's win probability."""

    kinds = ("value",)
    rules: Rules  # rules of the games that it was fitted to
    weights: NDArray[np.float32]  # its parts, flat and concatenated
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        width = width_of(self.weights.size)
        if width == 0 or width % STRIP or self.weights.shape != (size_of(width),):
            raise ValueError(
                f"value: weights {self.weights.shape}, must be ({size_of(WIDTH)},), or as many as "
                f"another multiple of {STRIP} units have"
            )
        if not (abs(self.weights) <= LARGEST).all():
            raise ValueError(f"value: weights must be numbers from {-LARGEST:g} to {LARGEST:g}")

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of another number of players."""
        refuse_others("value", rules, players=self.rules.num_players)

    def stored(self) -> Stored:
        """The content of its file."""
        network, header = {"kind": self.kinds[0]}, {"rules": self.rules.to_dict()}
        return Stored(network, {"weights": self.weights}, load("units"), header)

    @classmethod
    def restored(cls, stored: Stored) -> "ValueNet":
        """The network of a file's content."""
        header = stored.header
        return cls(Rules.from_dict(header["rules"]), stored.arrays["weights"], header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Players and layers."""
        return [
            ("value of", f"positions of {self.rules.num_players} players"),
            ("layers", f"{NUM_INPUTS} - {width_of(self.weights.size)} - {HEIGHT}"),
        ]


@cache
def shipped(num_players: int) -> ValueNet:
    """The shipped network for a number of players."""
    return ValueNet.read(resource(__package__, f"{num_players}p.npz"))


class Workspace(NamedTuple):
    """A network, and the scratch memory of one thread that evaluates positions with it.

    The first layer is computed from the changes to a base whose units are known: all zeros, or the
    position of `set_base`.
    """

    width: int  # W
    own: Float32Array  # (F * W,) weights of a seat's features minus those of the others'; in strips
    others: Float32Array  # ((F + C) * W,) weights of all seats' features and of the game; in strips
    offsets: Float32Array  # (W,)
    second: Float32Array  # (W * H,)
    output: Float32Array  # (H,)
    work: Float32Array  # features
    work_bits: Int64Array  # the same, two per number
    base: Float32Array  # features of the base
    base_bits: Int64Array
    base_units: Float32Array  # ((1 + P) * W,) of the first layer: from all seats, and from each
    units: Float32Array  # the same of the position
    seconds: Float32Array  # ((1 + P) * H,) the second layer's offsets, and units of each seat
    changes: Float32Array  # nonzero changes of features
    rows: Int64Array  # starts of their rows of weights in each strip
    noted: Int64Array  # (1 + P,) number of changes before those of each seat
    values: Float64Array  # (P,) latest win probabilities, by seat
    spare: States  # (2,) positions after an action, and after another one before it
    script: Int8Matrix  # no dice are scripted
    obs: Int8Array  # (N,) observation of a seat
    mask: Int8Array  # (A,) its legal actions
    policy: Float64Array  # (A,) probabilities of actions


def in_strips(rows: np.ndarray, width: int) -> np.ndarray:
    """Rows of weights, strip by strip, so that numbers read together are adjacent."""
    return np.ascontiguousarray(rows.reshape(-1, width // STRIP, STRIP).swapaxes(0, 1)).ravel()


def workspace(net: np.ndarray, num_actions: int) -> Workspace:
    """A workspace for a network's weights, in games of A actions."""
    width = width_of(net.size)
    parts = np.split(net, np.cumsum(sizes_of(width))[:-1])
    own, others, offsets, second, second_offsets, output = (part.copy() for part in parts)
    own -= others[: len(own)]
    work, base = np.zeros((2, FEATURES_SIZE), np.float32)
    w = Workspace(
        width=width,
        own=in_strips(own, width),
        others=in_strips(others, width),
        offsets=offsets,
        second=second,
        output=output,
        work=work,
        work_bits=work.view(np.int64),
        base=base,
        base_bits=base.view(np.int64),
        base_units=np.zeros((1 + MAX_PLAYERS) * width, np.float32),
        units=np.zeros((1 + MAX_PLAYERS) * width, np.float32),
        seconds=np.zeros((1 + MAX_PLAYERS) * HEIGHT, np.float32),
        changes=np.zeros(FEATURES_SIZE + 1, np.float32),
        rows=np.zeros(FEATURES_SIZE + 1, np.int64),
        noted=np.zeros(1 + MAX_PLAYERS, np.int64),
        values=np.zeros(MAX_PLAYERS),
        spare=as_games(np.zeros(2, STATE)),
        script=NO_SCRIPT,
        obs=np.zeros(SIZE, np.int8),
        mask=np.zeros(num_actions, np.int8),
        policy=np.zeros(num_actions),
    )
    w.base_units[:width], w.seconds[:HEIGHT] = offsets, second_offsets
    return w


@kernel
def differs(at: int, w: Workspace) -> bool:
    """Whether a block of features differs from the base's."""
    differing = 0
    for i in range(at // 2, (at + BLOCK) // 2):
        differing |= w.work_bits[i] ^ w.base_bits[i]
    return differing != 0


@kernel
def note_change(at: int, row: int, n: int, w: Workspace) -> int:
    """Record a feature's change, if any, as the n-th; returns the number recorded."""
    w.changes[n] = w.work[at] - w.base[at]
    w.rows[n] = row * STRIP
    return n + int(w.changes[n] != 0)


@kernel
def write_units(seats: int, w: Workspace) -> None:
    """Write the first layer's units: the part from all seats, and the rest for each seat."""
    n = 0
    copy_numbers(w.base_units[: (1 + seats) * w.width], w.units)
    for k in range(seats):
        for at in range(NUM_FEATURES * k, NUM_FEATURES * (k + 1), BLOCK):
            if differs(at, w):
                for i in range(BLOCK):
                    n = note_change(at + i, at + i - NUM_FEATURES * k, n, w)
        w.noted[k + 1] = n
    for k in range(NUM_SHARED):
        n = note_change(NUM_FEATURES * seats + k, NUM_FEATURES + k, n, w)
    for j in range(0, w.width, STRIP):
        for k in range(seats):
            first = w.noted[k]
            changes, rows = w.changes[first:], w.rows[first:]
            to = (1 + k) * w.width + j
            add_rows(changes, rows, w.noted[k + 1] - first, w.own, NUM_FEATURES * j, w.units, to)
        at = (NUM_FEATURES + NUM_SHARED) * j
        add_rows(w.changes, w.rows, n, w.others, at, w.units, j)


@kernel
def write_values_of_features(s: State, viewer: int, w: Workspace) -> None:
    """Like `write_values`, from features already written, in an unfinished game."""
    seats, values, width = int(s.num_players), w.values, w.width
    write_units(seats, w)
    for at in range(width, (1 + seats) * width, width):
        for j in range(width):
            w.units[at + j] = max(w.units[at + j] + w.units[j], np.float32(0))
    first, second = Matrix(w.units, width, width, 1), Matrix(w.second, 0, HEIGHT, 1)
    multiply(first, second, Matrix(w.seconds, HEIGHT, HEIGHT, 1), 0, 0, seats, HEIGHT, width)
    most = -1e30
    for k in range(seats):
        logit = 0.0
        for j in range(HEIGHT):
            logit += max(w.seconds[(1 + k) * HEIGHT + j], 0) * w.output[j]
        values[(viewer + k) % seats] = logit
        most = max(most, logit)
    total = 0.0
    for p in range(seats):
        values[p] = math.exp(values[p] - most)
        total += values[p]
    for p in range(seats):
        values[p] /= total


@kernel
def clear_base(w: Workspace) -> None:
    """Evaluate positions without a base again."""
    for k in range(w.base.shape[0]):
        w.base[k] = 0
    for k in range(w.base_units.shape[0]):
        w.base_units[k] = 0
    copy_numbers(w.offsets, w.base_units)


@kernel
def set_base(s: State, viewer: int, w: Workspace) -> None:
    """Make a position, by the viewer's knowledge, the base of later ones, until `clear_base`."""
    clear_base(w)
    write_position(s, viewer, w.work)
    write_units(int(s.num_players), w)
    copy_numbers(w.units, w.base_units)
    copy_numbers(w.work, w.base)


@kernel
def write_values(s: State, viewer: int, w: Workspace) -> None:
    """Write each seat's win probability, by the viewer's knowledge, into `values`.

    It is 1 or 0 if the game is finished; all are 0 if it is truncated.
    """
    for p in range(MAX_PLAYERS):
        w.values[p] = 0.0
    if s.phase == Phase.OVER:
        w.values[int(s.winner)] = 1.0
        return
    if s.max_turns > 0 and s.turn >= s.max_turns:
        return
    write_position(s, viewer, w.work)
    write_values_of_features(s, viewer, w)


@kernel
def leader_but(p: int, seats: int, values: Float64Array) -> int:
    """The seat other than p that is most likely to win."""
    leader = NOBODY
    for q in range(seats):
        if q != p and (leader == NOBODY or values[q] > values[leader]):
            leader = q
    return leader
