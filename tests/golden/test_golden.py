"""The golden playthroughs: whole games of each kind of rules, as they were reviewed."""

import pytest

from tests.golden.playthrough import GAMES, path_of, playthrough


@pytest.mark.parametrize("name", GAMES)
def test_playthrough(name):
    expected = path_of(name).read_text(encoding="utf-8").splitlines()
    played = playthrough(name).splitlines()
    for number, (was, now) in enumerate(zip(expected, played, strict=False), start=1):
        assert now == was, f"{path_of(name).name}, line {number}; `make golden` writes them anew"
    assert len(played) == len(expected)
