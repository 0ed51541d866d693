"""What all stored networks check."""

import numpy as np
import pytest

from catan_pz.agents.model_files import check_weights, model_file, write_model
from catan_pz.encoders import load
from catan_pz.files import read_arrays


def test_weights_of_other_types_are_named(tmp_path):
    """As one byte each they would take four times as much once they are read."""
    path = tmp_path / "odd.npz"
    write_model(path, {}, {"a": np.zeros(3)}, load("flat"), "float16")
    arrays = read_arrays(path.read_bytes())
    np.savez(path, **{**arrays, "a": arrays["a"].astype(np.bool_)})
    with (
        pytest.raises(ValueError, match=r"odd\.npz is no model .* array 'a' is bool, must be one"),
        model_file(path),
    ):
        pass


@pytest.mark.parametrize(
    ("weights", "match"),
    [
        ({"a": np.zeros(3)}, r"model: array 'b' has the shape None, must have \(1, 2\)"),
        ({"a": np.zeros(3), "b": np.zeros((2, 1))}, r"'b' has the shape \(2, 1\), must have"),
        ({"a": np.zeros(3), "b": np.zeros((1, 2)), "c": np.zeros(1)}, r"'c' .* must have None"),
        ({"a": np.zeros(3), "b": np.array([[0, np.inf]])}, "'b' has weights that aren't finite"),
    ],
)
def test_weights_of_other_shapes_or_not_finite_are_named(weights, match):
    check_weights({"a": np.zeros(3), "b": np.zeros((1, 2))}, {"a": (3,), "b": (1, 2)})
    with pytest.raises(ValueError, match=match):
        check_weights(weights, {"a": (3,), "b": (1, 2)})
