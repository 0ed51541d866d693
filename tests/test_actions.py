import pytest

from catan_pz.actions import (
    ACTION_KINDS,
    NUM_ACTIONS,
    NUM_ACTIONS_WITHOUT_TRADE,
    action_id,
    describe_action,
)


def test_kinds_cover_the_table_without_gaps() -> None:
    ids = [a for kind in ACTION_KINDS for a in kind.ids]
    assert ids == list(range(NUM_ACTIONS))
    without = [a for kind in ACTION_KINDS if not kind.trading for a in kind.ids]
    assert without == list(range(NUM_ACTIONS_WITHOUT_TRADE))


def test_kinds_are_those_of_the_descriptions() -> None:
    for kind in ACTION_KINDS:
        assert {describe_action(a)["kind"] for a in kind.ids} == {kind.name}


@pytest.mark.parametrize(
    ("kind", "arguments", "hint"),
    [
        ("discard", {"resource": "wheat"}, "grain"),
        ("maritime_trade", {"give": "Sheep", "get": "ore"}, "wool"),
        ("offer", {"give": {"wood": 1}, "get": {"ore": 1}}, "lumber"),
        ("play_year_of_plenty", {"pair": ["clay", "ore"]}, "brick"),
        ("discard", {"resource": "grian"}, "grain"),
    ],
)
def test_players_words_for_resources_are_answered_with_the_rulebooks(kind, arguments, hint):
    with pytest.raises(ValueError, match=rf"did you mean '{hint}'\?"):
        action_id(kind, **arguments)
