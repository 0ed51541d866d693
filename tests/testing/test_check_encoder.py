"""Broken encoders fail the check with a message that says what is wrong."""

import numpy as np
import pytest

from catan_pz.encoders import Encoder, Segment
from catan_pz.encoders.arrays import scaled
from catan_pz.observation.segments import PLACES
from catan_pz.testing import EncoderError, check_encoder

HAND = PLACES["own_hand"]


class Sound(Encoder):
    """Own hand and points, as they should be."""

    name = "sound"
    segments = (Segment("hand", (5,), "(R)"), Segment("points", (1,), "points"))

    def encode(self, units):
        flat = scaled(units)
        return {"hand": flat[..., HAND], "points": flat[..., PLACES["own_points"]]}


class Empty(Sound):
    segments = ()


class NoDict(Sound):
    def encode(self, units):
        return scaled(units)[..., HAND]


class Lists(Sound):
    def encode(self, units):
        return {name: array.tolist() for name, array in super().encode(units).items()}


class Wide(Sound):
    segments = (Segment("hand", (6,), ""), Segment("points", (1,), ""))


class Doubles(Sound):
    def encode(self, units):
        made = super().encode(units)
        return made | {"hand": made["hand"] * np.float64([2])}


class Large(Sound):
    def encode(self, units):
        return {name: array + 3 for name, array in super().encode(units).items()}


class Writing(Sound):
    def encode(self, units):
        units[..., 0] = 1
        return super().encode(units)


class Counting(Sound):
    """Changes with each call."""

    def __init__(self):
        self.calls = 0

    def encode(self, units):
        self.calls += 1
        made = super().encode(units)
        return made | {"points": made["points"] * (self.calls % 2)}


class Normalized(Sound):
    """Looks at the other rows."""

    def encode(self, units):
        made = super().encode(units)
        return made | {"hand": made["hand"] / (made["hand"].max() + 1)}


class BatchesAlone(Sound):
    def encode(self, units):
        return {
            name: array.reshape(len(units), -1) for name, array in super().encode(units).items()
        }


class NumpyAlone(Sound):
    def encode(self, units):
        return super().encode(np.asarray(units))


class OtherInTorch(Sound):
    def encode(self, units):
        made = super().encode(units)
        return made if isinstance(units, np.ndarray) else made | {"hand": made["hand"] * 0.5}


class FoldedInTorch(Sound):
    def encode(self, units):
        made = super().encode(units)
        if isinstance(units, np.ndarray) or units.ndim < 3:
            return made
        return {name: part.flatten(0, 1) for name, part in made.items()}


class Nameless(Sound):
    name = None


def test_a_sound_encoder_passes():
    check_encoder(Sound())


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Empty, "segments are empty"),
        (NoDict, "a batch: gave ndarray, must give a dict"),
        (Lists, "'hand' is of list, must be of ndarray"),
        (Wide, r"'hand' has the shape \(144, 5\) for 144 observations, must have \(144, 6\)"),
        (Doubles, "'hand' is float64 for 144 observations, must be float32"),
        (Large, r"'hand' has values from 3.0 to .*, must lie in \[0.0, 1.0\]"),
        (Writing, "wrote to what it was given"),
        (Counting, "'points' is .* when asked again. It must depend on each observation alone"),
        (Normalized, "'hand' is .* in a part of the rows. It must depend on each"),
        (BatchesAlone, r"one observation \(N,\): raised an error: ValueError"),
        (NumpyAlone, "a tensor: 'hand' is of ndarray, must be of Tensor"),
        (OtherInTorch, "for a tensor. NumPy and torch must give the same"),
        (FoldedInTorch, r"has the shape \(144, .* for a tensor with two leading axes"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_broken_encoder_is_named_with_its_fault(broken, message):
    if "torch" in broken.__name__.lower() or broken is NumpyAlone:
        pytest.importorskip("torch")
    with pytest.raises(EncoderError, match=f"<encoder 'sound'>.*{message}"):
        check_encoder(broken())


def test_an_encoder_may_learn():
    torch = pytest.importorskip("torch")

    class Learning(Sound):
        """Multiplies tensors by a weight, which is 1 before it has learned."""

        def encode(self, units):
            made = super().encode(units)
            if isinstance(units, np.ndarray):
                return made
            weight = torch.ones((), requires_grad=True)
            return made | {"hand": made["hand"] * weight}

    check_encoder(Learning())


def test_an_encoder_needs_a_name():
    with pytest.raises(EncoderError, match="Nameless: its attribute `name` is None, must be a str"):
        check_encoder(Nameless())


def test_anything_but_an_encoder_is_refused():
    with pytest.raises(ValueError, match="option encoder='pictures' is not possible"):
        check_encoder("pictures")
    with pytest.raises(ValueError, match="option encoder=7 is not possible"):
        check_encoder(7)
