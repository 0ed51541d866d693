from fractions import Fraction

import numpy as np
import pytest

from catan_pz.checks import (
    as_action,
    callable_at,
    check_choice,
    check_count,
    check_flag,
    check_game_number,
    check_generator,
    check_home,
    check_number,
    check_reset_options,
    check_seat,
    check_seed,
    check_text,
    did_you_mean,
    quoted,
)
from catan_pz.rewards import PointsGained, make_reward


def test_a_hint_names_the_closest_word() -> None:
    assert did_you_mean("balancd", ("random", "balanced")) == " (did you mean 'balanced'?)"
    assert did_you_mean("loaded", ("random", "balanced")) == ""
    assert did_you_mean(3, ("random", "balanced")) == ""
    with pytest.raises(ValueError, match=r"got 'ansy' \(did you mean 'ansi'\?\)"):
        check_choice("render_mode", "ansy", (None, "human", "ansi"))


def test_a_hint_makes_an_object_of_a_class() -> None:
    with pytest.raises(ValueError, match=r"'> \(did you mean PointsGained\(\)\?\)"):
        make_reward(PointsGained)


ODD = [None, True, np.bool_(True), 1.5, "1", [], np.ones(1), 10**400, -1]
"""What is no whole number from 0, or not in range."""


@pytest.mark.parametrize(
    ("check", "wrong", "error", "message"),
    [
        (lambda v: check_flag("x", v), [None, 0, 1, "yes", np.int8(1)], ValueError,
         "x must be True or False, got {}"),
        (lambda v: check_text("x", v), [None, 1, b"a"], ValueError,
         "x must be a str, got {}"),
        (lambda v: check_count("x", v, 0, 9), ODD, ValueError,
         "x must be an int from 0 to 9, got {}"),
        (lambda v: check_count("x", v), [0, -1, "1", True], ValueError,
         "x must be an int from 1, got {}"),
        (check_seed, [*ODD, 2**64], ValueError,
         "seed must be an int from 0 to 2**64 - 1, got {}"),
        (lambda v: check_choice("x", v, (0, "a")), [False, 0.0, "b", None, np.zeros(1)], ValueError,
         "x must be one of (0, 'a'), got {}"),
        (lambda v: check_number("x", v, least=0, most=2), [-1, 3, float("nan"), "1", True],
         ValueError, "x must be a finite number from 0 to 2, got {}"),
        (lambda v: check_number("x", v, above=0), [0, None], ValueError,
         "x must be a finite number above 0, got {}"),
        (lambda v: check_number("x", v), [np.bool_(True), float("inf"), 10**400, 1j, np.ones(1)],
         ValueError, "x must be a finite number, got {}"),
        (lambda v: check_seat(v, 4), [4, -1], ValueError,
         "seat must be an int from 0 to 3, got {}"),
        (lambda v: check_game_number(v, 4), [4, -1], IndexError,
         "there is no game {}; games go from 0 to 3"),
        (check_generator, [None, 3], ValueError,
         "rng must be a numpy.random.Generator, got {}"),
        (check_reset_options, [3, "x"], ValueError,
         "reset: options must be a dict or None, got {}"),
        (check_home, ["RandomAgent", "a:b:c", ":b", "a:", ".a:b", "", None, 5], ValueError,
         "home must be 'module:thing', got {}"),
    ],
)  # fmt: skip
def test_each_checker_names_what_was_given_and_what_is_allowed(check, wrong, error, message):
    for value in wrong:
        with pytest.raises(error) as raised:
            check(value)
        assert str(raised.value) == message.format(quoted(value))


@pytest.mark.parametrize("wrong", [None, True, np.bool_(True), 1.5, "1", [], np.ones(2)])
def test_actions_seats_and_games_are_integers(wrong):
    for check in (as_action, lambda v: check_seat(v, 4), lambda v: check_game_number(v, 4)):
        with pytest.raises(TypeError, match=f"got .* of type {type(wrong).__name__}"):
            check(wrong)


def test_integers_and_bools_of_numpy_become_plain_ones():
    for made in (check_count("x", np.int8(3)), check_seed(np.uint64(3)), as_action(np.int16(3))):
        assert type(made) is int
        assert made == 3
    assert check_flag("x", np.bool_(True)) is True
    assert check_seat(np.int8(3), 4) == 3


@pytest.mark.parametrize("number", [2, 0.5, -1e300, Fraction(1, 4), np.float32(0.5), np.int8(-3)])
def test_a_finite_number_of_any_kind_becomes_a_float(number: object) -> None:
    checked = check_number("weight", number)
    assert type(checked) is float
    assert checked == number


@pytest.mark.parametrize(
    ("home", "match"),
    [
        ("no_such_module:thing", "agent 'x': home .*No module named 'no_such_module'"),
        ("catan_pz.no_such:thing", "agent 'x': home .*No module named 'catan_pz.no_such'"),
        ("catan_pz.rules:nothing", "agent 'x': home .* has no such class or function"),
        ("catan_pz.terms:NUM_HEXES", "agent 'x': home .* has no such class or function"),
    ],
)
def test_a_wrong_home_is_named(home, match):
    with pytest.raises(ValueError, match=match):
        callable_at("agent 'x'", home)


def test_what_a_module_lacks_is_its_own_error(tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text("import not_installed_at_all\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_installed_at_all"):
        callable_at("agent 'x'", "needs_more:thing")
