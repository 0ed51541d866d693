from fractions import Fraction

import numpy as np
import pytest

from catan_pz.checks import check_choice, check_number, did_you_mean


def test_a_hint_names_the_closest_word() -> None:
    assert did_you_mean("balancd", ("random", "balanced")) == " (did you mean 'balanced'?)"
    assert did_you_mean("loaded", ("random", "balanced")) == ""
    assert did_you_mean(3, ("random", "balanced")) == ""
    with pytest.raises(ValueError, match=r"is not possible \(did you mean 'ansi'\?\); allowed"):
        check_choice("render_mode", "ansy", (None, "human", "ansi"))


@pytest.mark.parametrize("number", [2, 0.5, -1e300, Fraction(1, 4), np.float32(0.5), np.int8(-3)])
def test_a_finite_number_of_any_kind_becomes_a_float(number: object) -> None:
    checked = check_number("weight", number)
    assert type(checked) is float
    assert checked == number


@pytest.mark.parametrize(
    "wrong", [True, np.bool_(True), None, "1", float("nan"), float("inf"), 10**400, 1j, np.ones(1)]
)
def test_what_is_no_finite_number_is_named(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"weight=.* is not possible; allowed: a finite number"):
        check_number("weight", wrong)
