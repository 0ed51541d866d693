"""Matches of models that come with the package."""

import pytest

from catan_pz.arena import play_match
from catan_pz.arena.entrants import as_entrant


def test_a_model_plays_in_batches() -> None:
    assert as_entrant("ppo-2p").is_batched


def test_games_that_a_model_cannot_play_are_refused_before_the_first() -> None:
    with pytest.raises(ValueError, match="'ppo-2p' plays games of 2 players with 252 actions"):
        play_match(["ppo-2p", "random"], 2, trading=True)
    with pytest.raises(ValueError, match="this one has 3 players"):
        play_match(["ppo-2p", "random", "random"], 2, trading=False, progress=False)


def test_a_model_plays_the_same_games_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the last bits of its numbers, which tip no choice in these games."""
    together = play_match(["ppo-2p", "heuristic"], 20, seed=0, trading=False, progress=False)
    monkeypatch.setattr("catan_pz.arena.entrants._is_batched", lambda agent: False)
    singly = play_match(["ppo-2p", "heuristic"], 20, seed=0, trading=False, progress=False)
    for one, other in zip(together.games, singly.games, strict=True):
        assert (one.winner, one.turns, one.points) == (other.winner, other.turns, other.points)
