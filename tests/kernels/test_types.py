from typing import NamedTuple

import numpy as np
import pytest
from numba import types

from catan_pz.engine.state import State, States
from catan_pz.kernels.types import Int8Matrix, signature_of


def test_annotations_name_numba_types() -> None:
    def rule(s: State, games: States, k: int, w: float, b: bool, seed: np.uint64, m: Int8Matrix):
        pass

    game, games, *rest = signature_of(rule)
    assert isinstance(game, types.Record)
    assert games == types.Array(game, 1, "C")
    scalars = [types.int64, types.float64, types.boolean, types.uint64]
    assert rest == [*scalars, types.int8[:, ::1]]


class Sides(NamedTuple):
    board: Int8Matrix
    seat: int


class Bundle(NamedTuple):
    sides: Sides
    w: float


def test_a_named_tuple_is_the_bundle_of_its_fields() -> None:
    def rule(given: Bundle):
        pass

    (bundle,) = signature_of(rule)
    assert bundle.instance_class is Bundle
    sides, w = bundle.types
    assert w == types.float64
    assert (sides.fields, sides.types) == (("board", "seat"), (types.int8[:, ::1], types.int64))


def test_a_parameter_without_a_type_is_named() -> None:
    class Odd(NamedTuple):
        things: list

    def odd(s: State, p: Odd):
        pass

    def without(s: State, p):
        pass

    with pytest.raises(TypeError, match=r"odd: parameter 'p': field 'things' needs .* <class 'li"):
        signature_of(odd)
    with pytest.raises(TypeError, match=r"without: parameter 'p' needs an annotation"):
        signature_of(without)
