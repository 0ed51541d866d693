"""Charlesworth's network, for NumPy arrays and torch tensors: attention over tiles, trunk, heads.

With NumPy layers work in place, as allocations cost more time than the arithmetic. Letters: K
decisions, H hexes, J units of the trunk, C kinds of development card, F features, T tokens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_choice, check_flag
from catan_pz.encoders.arrays import Array, Constant, affine, floats, join, merge
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.choices import COLUMN, STOP, picked
from catan_pz.published.charlesworth.encoder import FEATURES
from catan_pz.terms import MAX_PLAYERS, NUM_CARD_KINDS, NUM_HEXES, NUM_RESOURCES, YEAR_OF_PLENTY

SIZES: Final = {
    "full": {"tile": 64, "feed": 128, "tile_out": 25, "player": 256, "player_out": 128}
    | {"trunk": 512, "head": 128, "value": 256},
    "small": {"tile": 32, "feed": 64, "tile_out": 12, "player": 96, "player_out": 48}
    | {"trunk": 192, "head": 64, "value": 96},
}
"""Layer sizes: those of the source, and of a smaller network."""

ATTENTION_HEADS: Final = 4
LAYERS: Final = 2
CARD_EMBEDDING: Final = 16
NO_CARD: Final = NUM_CARD_KINDS
"""The embedding of an empty list."""
CARD_OUT: Final = 25
OFFER_OUT: Final = 32

CONDITIONS: Final = {
    "corner": 2,
    "accept": OFFER_OUT,
    "player": 2,
    "give": FEATURES["hand"] + STOP + 1,
    "get": 2 * (STOP + 1),
    "first": 4,
    "second": 4 + NUM_RESOURCES,
}
"""Inputs of heads besides the trunk: earlier choices, the offer, the hand."""

CONDITIONS_SEEN: Final = ("hand", "offer")
"""Parts of an observation that heads take besides the trunk."""

_EPSILON: Final = 1e-5
_SQRT2: Final = 2**0.5
_HEAD_GAIN: Final = 0.01
_FIRSTS: Final = Constant(np.arange(NUM_RESOURCES))

Weights = Mapping[str, Array]
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class CharlesworthNetwork:
    """The network without its weights, of `size` "full", as in the source, or "small".

    With `additions` it takes roads, harbors and phase, and conditions the head of an offer's giving
    side on the own hand; the source omits all of these.
    """

    size: str = "full"
    additions: bool = True

    def __post_init__(self) -> None:
        check_choice("size", self.size, tuple(SIZES))
        check_flag("additions", self.additions)

    @property
    def shapes(self) -> Shapes:
        """Shapes of all weights, by name: "tiles.weight", "tiles.bias", "tiles_norm.scale"."""
        n = SIZES[self.size]
        added, phase = FEATURES["roads"] + FEATURES["harbors"], FEATURES["phase"]
        if not self.additions:
            added = phase = 0
        shapes = _normed("tiles", FEATURES["tiles"] + added, n["tile"])
        for k in range(LAYERS):
            shapes |= _norm(f"attend_{k}_norm", n["tile"]) | _norm(f"feed_{k}_norm", n["tile"])
            shapes |= _attending(f"attend_{k}", n["tile"])
            shapes |= _linear(f"feed_{k}_in", n["tile"], n["feed"])
            shapes |= _linear(f"feed_{k}_out", n["feed"], n["tile"])
        shapes |= _normed("tiles_out", n["tile"], n["tile_out"])
        shapes["cards"] = (NO_CARD + 1, CARD_EMBEDDING)
        shapes |= _attending("held", CARD_EMBEDDING) | _attending("played", CARD_EMBEDDING)
        for name, features, lists in (
            ("player", FEATURES["player"] + phase, ("held", "played")),
            ("opponent", FEATURES["opponents"], ("played",)),
        ):
            shapes |= _norm(f"{name}_cards_norm", CARD_EMBEDDING)
            for cards in lists:
                shapes |= _normed(f"{name}_{cards}", CARD_EMBEDDING, CARD_OUT)
            shapes |= _normed(name, features, n["player"])
            joined = n["player"] + len(lists) * CARD_OUT
            shapes |= _normed(f"{name}_out", joined, n["player_out"])
        joined = NUM_HEXES * n["tile_out"] + MAX_PLAYERS * n["player_out"]
        shapes |= _normed("trunk", joined, n["trunk"])
        shapes |= _normed("offer", FEATURES["offer"], OFFER_OUT)
        for head, outputs in ch.HEADS.items():
            inputs = n["trunk"] + CONDITIONS.get(head, 0)
            if head == "give" and not self.additions:
                inputs -= FEATURES["hand"]
            shapes |= _normed(f"{head}_in", inputs, n["head"])
            shapes |= _linear(f"{head}_hidden", n["head"], n["head"])
            shapes |= _linear(f"{head}_logits", n["head"], outputs)
        shapes |= _normed("value_0", n["trunk"], n["value"])
        shapes |= _normed("value_1", n["value"], n["value"] // 2)
        return shapes | _linear("value", n["value"] // 2, 1)

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(map(prod, self.shapes.values()))

    def initial(self, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Initial weights: orthogonal with gain sqrt 2, those of logits with gain 0.01."""
        weights = {}
        for name, shape in self.shapes.items():
            if len(shape) == 1:
                array = np.full(shape, float(name.endswith(".scale")))
            elif name == "cards":
                array = rng.normal(size=shape)
            else:
                gain = _HEAD_GAIN if name.endswith("_logits.weight") else _SQRT2
                array = gain * _orthogonal(shape, rng)
            weights[name] = array.astype(np.float32)
        return weights

    def trunk(self, weights: Weights, seen: Mapping[str, Array]) -> Array:
        """(K, J) for encoded observations, by names of segments."""
        tiles, player, cards = seen["tiles"], seen["player"], seen["cards"]
        if self.additions:
            tiles = join([tiles, seen["roads"], seen["harbors"]])
            player = join([player, seen["phase"]])
        own = [
            _layer("player", weights, player),
            _cards("player", "held", weights, cards[..., 0, :]),
            _cards("player", "played", weights, cards[..., 1, :]),
        ]
        others = [
            _layer("opponent", weights, seen["opponents"]),
            _cards("opponent", "played", weights, cards[..., 2:, :]),
        ]
        parts = [
            merge(_tiles(weights, tiles)),
            _layer("player_out", weights, join(own)),
            merge(_layer("opponent_out", weights, join(others))),
        ]
        return _layer("trunk", weights, join(parts))

    def logits(self, weights: Weights, head: str, trunk: Array, condition: Array | None) -> Array:
        """(K, outputs) of a head, with its condition, (K, n), if any."""
        if condition is None:
            x = trunk
        else:
            if head == "accept":
                condition = _layer("offer", weights, condition)
            elif head == "give" and not self.additions:
                condition = condition[..., FEATURES["hand"] :]
            x = join([trunk, condition])
        x = _dense(f"{head}_hidden", weights, _layer(f"{head}_in", weights, x))
        return _dense(f"{head}_logits", weights, x)

    def value(self, weights: Weights, trunk: Array) -> Array:
        """(K,) normalised values."""
        x = _layer("value_1", weights, _layer("value_0", weights, trunk))
        return _dense("value", weights, x)[..., 0]


def condition_of(slot: str, choices: Array, seen: Mapping[str, Array]) -> Array | None:
    """(K, n) the condition of a slot's head, from choices (K, S) and `CONDITIONS_SEEN`."""
    kind, card, before = choices[:, COLUMN["kind"]], choices[:, COLUMN["card"]], COLUMN[slot]
    if slot == "accept":
        return seen["offer"]
    if slot == "corner":
        return _flags(kind == ch.SETTLEMENT, kind == ch.CITY)
    if slot == "player":
        return _flags(kind == ch.PROPOSE, kind == ch.STEAL)
    if slot.startswith("give"):
        return join([seen["hand"], picked(choices, slice(ch.GIVE.start, before))])
    if slot.startswith("get"):
        return join([picked(choices, ch.GIVE), picked(choices, slice(ch.GET.start, before))])
    if slot not in ("first", "second"):
        return None
    plays, plenty = kind == ch.PLAY, card == YEAR_OF_PLENTY
    flags = _flags(plays, kind == ch.EXCHANGE, plenty, plays & ~plenty)
    if slot == "first":
        return flags
    first = choices[:, COLUMN["first"], None]
    return join([flags, floats(first == _FIRSTS.beside(first))])


def log_probabilities(logits: Array, mask: Array) -> Array:
    """Log-softmax over a mask's options; very low elsewhere, so that entropies are finite."""
    if isinstance(logits, np.ndarray):
        masked: Any = np.where(mask, logits, -1e8)
        masked = masked - masked.max(-1, keepdims=True)
        return masked - np.log(np.exp(masked).sum(-1, keepdims=True))
    return logits.masked_fill(~mask, -1e8).log_softmax(-1)


def _flags(*conditions: Array) -> Array:
    return floats(join([one[:, None] for one in conditions]))


def _linear(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (inputs, outputs), f"{name}.bias": (outputs,)}


def _norm(name: str, size: int) -> Shapes:
    return {f"{name}.scale": (size,), f"{name}.offset": (size,)}


def _normed(name: str, inputs: int, outputs: int) -> Shapes:
    return _linear(name, inputs, outputs) | _norm(f"{name}_norm", outputs)


def _attending(name: str, size: int) -> Shapes:
    return _linear(f"{name}_in", size, 3 * size) | _linear(f"{name}_out_heads", size, size)


def _dense(name: str, weights: Weights, x: Array) -> Array:
    """(..., F') from (..., F)."""
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    if isinstance(x, np.ndarray):
        rows = affine(x.reshape(-1, x.shape[-1]), weight, bias)
        return rows.reshape(*x.shape[:-1], weight.shape[1])
    from torch.nn.functional import linear

    return linear(x, weight.t(), bias)


def _normalised(name: str, weights: Weights, x: Array) -> Array:
    """Layer normalisation: the last axis with mean 0 and variance 1, then scaled and shifted."""
    scale, offset = weights[f"{name}.scale"], weights[f"{name}.offset"]
    if isinstance(x, np.ndarray):
        share = np.float32(1 / x.shape[-1])
        y = x - np.einsum("...f->...", x)[..., None] * share
        variance = np.einsum("...f,...f->...", y, y)[..., None] * share
        y /= np.sqrt(variance + np.float32(_EPSILON))
        y *= scale
        y += offset
        return y
    from torch.nn.functional import layer_norm

    return layer_norm(x, scale.shape, scale, offset, _EPSILON)


def _rectified(x: Array) -> Array:
    """The larger of each number and 0; in place with NumPy."""
    return np.maximum(x, 0, out=x) if isinstance(x, np.ndarray) else x.clip(0)


def _layer(name: str, weights: Weights, x: Array) -> Array:
    """A dense layer, layer norm, ReLU."""
    return _rectified(_normalised(f"{name}_norm", weights, _dense(name, weights, x)))


def _tiles(weights: Weights, tiles: Array) -> Array:
    """(..., H, out) two pre-norm transformer layers over the tiles."""
    x = _layer("tiles", weights, tiles)
    for k in range(LAYERS):
        name = f"attend_{k}"
        heads = _heads(name, weights, _normalised(f"{name}_norm", weights, x))
        x = x + _dense(f"{name}_out_heads", weights, merge(_attention(*heads).swapaxes(-2, -3)))
        hidden = _dense(f"feed_{k}_in", weights, _normalised(f"feed_{k}_norm", weights, x))
        x = x + _dense(f"feed_{k}_out", weights, _rectified(hidden))
    return _layer("tiles_out", weights, x)


def _heads(name: str, weights: Weights, x: Array) -> tuple[Array, Array, Array]:
    """Queries, keys and values (..., attention heads, T, F)."""
    projected, size = _dense(f"{name}_in", weights, x), x.shape[-1]
    shape = *x.shape[:-1], ATTENTION_HEADS, size // ATTENTION_HEADS
    queries, keys, values = (
        projected[..., k * size : (k + 1) * size].reshape(shape).swapaxes(-2, -3) for k in range(3)
    )
    return queries, keys, values


def _attention(queries: Array, keys: Array, values: Array) -> Array:
    """(..., T, F) scaled dot-product attention over the tokens (..., T, F)."""
    scale = queries.shape[-1] ** -0.5
    if not isinstance(queries, np.ndarray):
        scores = queries @ keys.swapaxes(-1, -2) * scale
        return scores.softmax(-1) @ values  # faster here than torch's fused attention
    # One column per query, so that maxima and sums run over whole rows.
    columns = np.ascontiguousarray(queries.swapaxes(-1, -2))
    scores = np.ascontiguousarray(keys) @ columns
    scores *= np.float32(scale)
    scores -= scores.max(-2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-2, keepdims=True)
    return (np.ascontiguousarray(values.swapaxes(-1, -2)) @ scores).swapaxes(-1, -2)


def _cards(player: str, cards: str, weights: Weights, counts: Array) -> Array:
    """(..., 25) sums of attention over lists of cards, given by counts (..., C).

    Cards of a kind are identical: each kind is evaluated once and weighted by its count. An empty
    list is one card of a kind of its own.
    """
    queries, keys, values = _heads(cards, weights, weights["cards"])
    scores = queries @ keys.swapaxes(-1, -2) * queries.shape[-1] ** -0.5
    # By attended kind: the weight that each kind gives it, (C, C, heads), and its value.
    weighing = np.exp(scores) if isinstance(scores, np.ndarray) else scores.exp()
    weighing = weighing.swapaxes(0, 2)
    sees = weighing[..., None] * values.swapaxes(0, 1)[:, None]
    n = join([counts, floats(counts.sum(-1) == 0)[..., None]])
    shape = *n.shape, ATTENTION_HEADS
    totals = (n @ weighing.reshape(len(weighing), -1)).reshape(*shape, 1)
    together = (n @ sees.reshape(len(sees), -1)).reshape(*shape, values.shape[-1]) / totals
    looked_at = _dense(f"{cards}_out_heads", weights, merge(together))
    looked_at = _normalised(f"{player}_cards_norm", weights, looked_at)
    return _layer(f"{player}_{cards}", weights, (n[..., None] * looked_at).sum(-2))


def _orthogonal(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """A matrix with orthonormal rows or columns, whichever are fewer."""
    tall = rng.normal(size=(max(shape), min(shape)))
    q, r = np.linalg.qr(tall)
    q = q * np.sign(np.diag(r))
    return np.asarray(q if shape[0] >= shape[1] else q.T)
