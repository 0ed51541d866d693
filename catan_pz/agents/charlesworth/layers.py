"""Layers of networks for NumPy arrays and torch tensors alike.

Letters: F features; "..." any leading axes.
"""

from typing import Any, Final

import numpy as np

from catan_pz.encoders.arrays import Array

_EPSILON: Final = 1e-5


def dense(x: Array, weight: Array, bias: Array) -> Array:
    """(..., F') x @ weight + bias, for a weight (F, F')."""
    if isinstance(x, np.ndarray):
        return x @ weight + bias
    from torch.nn.functional import linear

    return linear(x, weight.t(), bias)


def layer_norm(x: Array, scale: Array, offset: Array) -> Array:
    """The last axis with mean 0 and variance 1, then scaled and moved."""
    if isinstance(x, np.ndarray):
        centered = x - x.mean(-1, keepdims=True)
        variance = np.square(centered).mean(-1, keepdims=True)
        return centered / np.sqrt(variance + _EPSILON) * scale + offset
    from torch.nn import functional

    return functional.layer_norm(x, scale.shape, scale, offset, _EPSILON)


def attention(queries: Array, keys: Array, values: Array) -> Array:
    """Scaled dot-product attention over the last axis but one.

    Source: Vaswani et al., "Attention Is All You Need", 2017.
    """
    scores = queries @ keys.swapaxes(-1, -2) * queries.shape[-1] ** -0.5
    if isinstance(scores, np.ndarray):
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        return scores / scores.sum(-1, keepdims=True) @ values
    return scores.softmax(-1) @ values  # faster here than torch's fused attention


def exponential(x: Array) -> Array:
    """E to the power of each number."""
    return np.exp(x) if isinstance(x, np.ndarray) else x.exp()


def log_probabilities(logits: Array, mask: Array) -> Array:
    """Log-softmax over what a mask allows; very low elsewhere, so that entropies are finite."""
    if isinstance(logits, np.ndarray):
        masked: Any = np.where(mask, logits, -1e8)
        masked = masked - masked.max(-1, keepdims=True)
        return masked - np.log(np.exp(masked).sum(-1, keepdims=True))
    return logits.masked_fill(~mask, -1e8).log_softmax(-1)
