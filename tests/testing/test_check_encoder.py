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


def other(**attributes):
    return type("Other", (Sound,), attributes)()


WIDE = (Segment("hand", (6,), ""), Segment("points", (1,), ""))


class Changed(Sound):
    """Gives what a function makes of the sound arrays and of the observations."""

    def __init__(self, change):
        self.change = change

    def encode(self, units):
        return self.change(super().encode(units), units)


class Counting(Sound):
    calls = 0

    def encode(self, units):
        self.calls += 1
        made = super().encode(units)
        return made | {"points": made["points"] * (self.calls % 2)}


class NumpyAlone(Sound):
    def encode(self, units):
        return super().encode(np.asarray(units))


def doubled(made, units):
    return made | {"hand": made["hand"] * np.float64([2])}


def written(made, units):
    units[..., 0] = 1
    return made


def normalized(made, units):
    return made | {"hand": made["hand"] / (made["hand"].max() + 1)}


def of_batches(made, units):
    return {name: array.reshape(len(units), -1) for name, array in made.items()}


def other_in_torch(made, units):
    return made if isinstance(units, np.ndarray) else made | {"hand": made["hand"] * 0.5}


def test_a_sound_encoder_passes():
    check_encoder(Sound())


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (other(segments=()), "segments are empty"),
        (other(name=None), "Other: its attribute `name` is None, must be a str"),
        (Changed(lambda made, _: made["hand"]), "a batch: gave ndarray, must give a dict"),
        (other(segments=WIDE), r"'hand' has the shape \(144, 5\) for .*, must have \(144, 6\)"),
        (Changed(doubled), "'hand' is float64 for 144 observations, must be float32"),
        (
            Changed(lambda made, _: {name: array + 3 for name, array in made.items()}),
            r"'hand' has values from 3.0 to .*, must lie in \[0.0, 1.0\]",
        ),
        (Changed(written), "wrote to its input"),
        (Counting(), "'points' is .* when asked again. It must depend on each observation only"),
        (Changed(normalized), "'hand' is .* in a part of the rows. It must depend on each"),
        (Changed(of_batches), r"\(0, N\): raised an error: ValueError"),
        (NumpyAlone(), "a tensor, one obs.*: 'hand' is of ndarray, must be of Tensor"),
        (Changed(other_in_torch), "for a tensor, .* NumPy and torch must give the same"),
    ],
)
def test_a_broken_encoder_is_named_with_its_fault(broken, message):
    if "tensor" in message:
        pytest.importorskip("torch")
    with pytest.raises(EncoderError, match=message):
        check_encoder(broken)


def test_a_shape_without_its_comma_is_refused():
    with pytest.raises(ValueError, match="segment 'hand': shape must be a tuple of ints, got 5"):
        Segment("hand", (5), "(R)")


def test_an_encoder_may_learn():
    torch = pytest.importorskip("torch")

    def learning(made, units):  # by a weight that is 1 before it has learned
        if isinstance(units, np.ndarray):
            return made
        return made | {"hand": made["hand"] * torch.ones((), requires_grad=True)}

    check_encoder(Changed(learning))
