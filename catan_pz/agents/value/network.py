"""The network of the value: each seat's win probability, as it is stored and as compiled rules.

The same layers make a logit of what each seat has, of the sum of what the others have and of the
game as a whole; the softmax of the logits is the value. Letters: F features of a seat, C of the
game, W and H units of the two hidden layers, P seats.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.model_files import Stored, StoredModel
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED, write_position
from catan_pz.encoders import load
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.state import STATE, State, States, as_games
from catan_pz.files import resource
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Float64Array, Int8Array, Int8Matrix
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NOBODY, Phase

NUM_INPUTS = 2 * NUM_FEATURES + NUM_SHARED
"""Numbers that make a logit: own features, the sum of the others', those of the game."""

WIDTH, HEIGHT = 64, 32
"""W and H."""

SHARED_PLACE = 2 * NUM_FEATURES * WIDTH
OFFSETS_PLACE = NUM_INPUTS * WIDTH
SECOND_PLACE = OFFSETS_PLACE + WIDTH
SECOND_OFFSETS_PLACE = SECOND_PLACE + WIDTH * HEIGHT
OUTPUT_PLACE = SECOND_OFFSETS_PLACE + HEIGHT
NET_SIZE = OUTPUT_PLACE + HEIGHT
"""Numbers of a network: weights (2 F + C, W), offsets (W,), weights (W, H), offsets (H,), and the
weights of the output (H,)."""

FEATURES_SIZE = MAX_PLAYERS * NUM_FEATURES + NUM_SHARED

LARGEST: Final = float(np.finfo(np.float16).max)
"""Largest weight: with those within it no win probability overflows."""


@dataclass(frozen=True, eq=False)
class ValueNet(StoredModel):
    """A network that estimates each seat's win probability."""

    kinds = ("value",)
    rules: Rules  # those that it was fitted for
    weights: NDArray[np.float32]  # (NET_SIZE,)
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.weights.shape != (NET_SIZE,):
            raise ValueError(f"value: weights {self.weights.shape}, must be ({NET_SIZE},)")
        if not (abs(self.weights) <= LARGEST).all():
            raise ValueError(f"value: weights must be numbers from {-LARGEST:g} to {LARGEST:g}")

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of another number of players."""
        fitted = self.rules.num_players
        if rules.num_players != fitted:
            raise ValueError(f"value: it is for {fitted} players, the game has {rules.num_players}")

    def stored(self) -> Stored:
        """What its file keeps."""
        network, header = {"kind": self.kinds[0]}, {"rules": self.rules.to_dict()}
        return Stored(network, {"weights": self.weights}, load("units"), header)

    @classmethod
    def restored(cls, stored: Stored) -> "ValueNet":
        """The network of what a file keeps."""
        header = stored.header
        return cls(Rules.from_dict(header["rules"]), stored.arrays["weights"], header["card"])

    def card_rows(self) -> list[tuple[str, Any]]:
        """Players and layers."""
        return [
            ("value of", f"positions of {self.rules.num_players} players"),
            ("layers", f"{NUM_INPUTS} - {WIDTH} - {HEIGHT}"),
        ]


@cache
def shipped(num_players: int) -> ValueNet:
    """The network that comes with the package for a number of players."""
    return ValueNet.read(resource(__package__, f"{num_players}p.npz"))


class Workspace(NamedTuple):
    """A network, and what one thread that judges positions by it writes to."""

    net: Float32Array  # (NET_SIZE,)
    work: Float32Array  # features and hidden units
    base: Float32Array  # features of the position from which exchanges are made
    values: Float64Array  # (P,) win probabilities judged last, by seat
    spare: States  # (2,) positions that an action, and another before it, lead to
    script: Int8Matrix  # no dice are scripted
    obs: Int8Array  # (N,) what a seat sees
    mask: Int8Array  # (A,) what it may do
    policy: Float64Array  # (A,) probabilities of actions


def workspace(net: np.ndarray, num_actions: int) -> Workspace:
    """A workspace for a network, in games of A actions."""
    return Workspace(
        net=net,
        work=np.zeros(FEATURES_SIZE + 2 * WIDTH + HEIGHT, np.float32),
        base=np.zeros(FEATURES_SIZE, np.float32),
        values=np.zeros(MAX_PLAYERS),
        spare=as_games(np.zeros(2, STATE)),
        script=NO_SCRIPT,
        obs=np.zeros(SIZE, np.int8),
        mask=np.zeros(num_actions, np.int8),
        policy=np.zeros(num_actions),
    )


@kernel
def write_shared_part(
    seats: int, net: Float32Array, work: Float32Array, part: Float32Array
) -> None:
    """What the first layer's units get from the game and from all seats alike, (W,)."""
    for j in range(WIDTH):
        part[j] = net[OFFSETS_PLACE + j]
    for k in range(NUM_SHARED):
        x = work[NUM_FEATURES * seats + k]
        row = net[SHARED_PLACE + k * WIDTH : SHARED_PLACE + (k + 1) * WIDTH]
        for j in range(WIDTH):
            part[j] += x * row[j]
    for k in range(NUM_FEATURES):
        x = work[k]
        for seat in range(1, seats):
            x += work[NUM_FEATURES * seat + k]
        if x != 0:
            row = net[(NUM_FEATURES + k) * WIDTH : (NUM_FEATURES + k + 1) * WIDTH]
            for j in range(WIDTH):
                part[j] += x * row[j]


@kernel
def logit_of(own: Float32Array, part: Float32Array, net: Float32Array, work: Float32Array) -> float:
    """The logit of a seat with some features, (F,); `work` has room for W + H numbers."""
    first, second = work[:WIDTH], work[WIDTH : WIDTH + HEIGHT]
    for j in range(WIDTH):
        first[j] = part[j]
    for k in range(NUM_FEATURES):
        x = own[k]
        if x != 0:
            # The shared part counts the seat among the others.
            row = net[k * WIDTH : (k + 1) * WIDTH]
            of_others = net[(NUM_FEATURES + k) * WIDTH : (NUM_FEATURES + k + 1) * WIDTH]
            for j in range(WIDTH):
                first[j] += x * (row[j] - of_others[j])
    for j in range(HEIGHT):
        second[j] = net[SECOND_OFFSETS_PLACE + j]
    for k in range(WIDTH):
        x = first[k]
        if x > 0:
            row = net[SECOND_PLACE + k * HEIGHT : SECOND_PLACE + (k + 1) * HEIGHT]
            for j in range(HEIGHT):
                second[j] += x * row[j]
    total = 0.0
    for j in range(HEIGHT):
        total += max(second[j], 0) * net[OUTPUT_PLACE + j]
    return total


@kernel
def write_values_of_features(s: State, viewer: int, w: Workspace) -> None:
    """The same by features that are written already."""
    seats, values, work = int(s.num_players), w.values, w.work
    part = work[FEATURES_SIZE : FEATURES_SIZE + WIDTH]
    rest = work[FEATURES_SIZE + WIDTH :]
    write_shared_part(seats, w.net, work, part)
    most = -1e30
    for k in range(seats):
        p = (viewer + k) % seats
        own = work[NUM_FEATURES * k : NUM_FEATURES * (k + 1)]
        values[p] = logit_of(own, part, w.net, rest)
        most = max(most, values[p])
    total = 0.0
    for p in range(seats):
        values[p] = math.exp(values[p] - most)
        total += values[p]
    for p in range(seats):
        values[p] /= total


@kernel
def write_values(s: State, viewer: int, w: Workspace) -> None:
    """Each seat's win probability as a viewer knows the position, into `values`, by seat.

    It is certain when the game is finished; all are zero when it is truncated.
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
    """Of the seats other than p that which is likeliest to win."""
    leader = NOBODY
    for q in range(seats):
        if q != p and (leader == NOBODY or values[q] > values[leader]):
            leader = q
    return leader
