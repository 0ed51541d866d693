"""Layers of networks for NumPy arrays and torch tensors alike.

With NumPy they work in place on arrays of their own, as memory that is asked for anew costs more
time than the arithmetic. Letters: F features, T tokens; "..." any leading axes.
"""

from typing import Any, Final

import numpy as np

from catan_pz.encoders.arrays import Array, affine

_EPSILON: Final = 1e-5


def dense(x: Array, weight: Array, bias: Array) -> Array:
    """(..., F') x @ weight + bias, for a weight (F, F')."""
    if isinstance(x, np.ndarray):
        rows = affine(x.reshape(-1, x.shape[-1]), weight, bias)
        return rows.reshape(*x.shape[:-1], weight.shape[1])
    from torch.nn.functional import linear

    return linear(x, weight.t(), bias)


def layer_norm(x: Array, scale: Array, offset: Array) -> Array:
    """The last axis with mean 0 and variance 1, then scaled and moved."""
    if isinstance(x, np.ndarray):
        share = np.float32(1 / x.shape[-1])
        y = x - np.einsum("...f->...", x)[..., None] * share
        variance = np.einsum("...f,...f->...", y, y)[..., None] * share
        y /= np.sqrt(variance + np.float32(_EPSILON))
        y *= scale
        y += offset
        return y
    from torch.nn import functional

    return functional.layer_norm(x, scale.shape, scale, offset, _EPSILON)


def rectified(x: Array) -> Array:
    """The larger of each number and 0, in the same array with NumPy."""
    return np.maximum(x, 0, out=x) if isinstance(x, np.ndarray) else x.clip(0)


def attention(queries: Array, keys: Array, values: Array) -> Array:
    """(..., T, F) scaled dot-product attention over the tokens (..., T, F).

    Source: Vaswani et al., "Attention Is All You Need", 2017.
    """
    scale = queries.shape[-1] ** -0.5
    if not isinstance(queries, np.ndarray):
        scores = queries @ keys.swapaxes(-1, -2) * scale
        return scores.softmax(-1) @ values  # faster here than torch's fused attention
    # A column for each query, so that maxima and sums go over whole rows at a time.
    columns = np.ascontiguousarray(queries.swapaxes(-1, -2))
    scores = np.ascontiguousarray(keys) @ columns
    scores *= np.float32(scale)
    scores -= scores.max(-2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-2, keepdims=True)
    return (np.ascontiguousarray(values.swapaxes(-1, -2)) @ scores).swapaxes(-1, -2)


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
