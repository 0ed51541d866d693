"""What is known by "module:thing"."""

import sys

import pytest

from catan_pz.homes import callable_at, check_home


@pytest.mark.parametrize("home", ["RandomAgent", "a:b:c", ":b", "a:", ".a:b", "", None, 5])
def test_homes_of_another_form_are_refused(home):
    with pytest.raises(ValueError, match=r"home=.* is not possible; allowed: 'module:thing'"):
        check_home(home)
    assert check_home("a.b:c") == "a.b:c"


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
    sys.modules.pop("needs_more", None)


def test_classes_and_functions_are_found():
    from catan_pz.rules import Rules

    assert callable_at("rules", "catan_pz.rules:Rules") is Rules
