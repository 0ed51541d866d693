import pytest

from catan_pz.checks import check_choice, did_you_mean


def test_a_hint_names_the_closest_word() -> None:
    assert did_you_mean("balancd", ("random", "balanced")) == " (did you mean 'balanced'?)"
    assert did_you_mean("loaded", ("random", "balanced")) == ""
    assert did_you_mean(3, ("random", "balanced")) == ""
    with pytest.raises(ValueError, match=r"is not possible \(did you mean 'ansi'\?\); allowed"):
        check_choice("render_mode", "ansy", (None, "human", "ansi"))
