"""Rewards of a step from a user's reward, checked before anything is made of them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.game.arguments import are_finite
from catan_pz.rewards import NUM_TERMS, Reward, dependencies, is_linear
from catan_pz.terms import MAX_PLAYERS


def reward_values(
    reward: Reward, terms: NDArray[np.int8], games: np.ndarray
) -> NDArray[np.floating[Any]]:
    """(B, 4) the rewards of every seat for a step, zero where its terms are zero.

    Args:
        reward: the reward; it gets views or copies that can't be written to, without the games
            in which all terms that it depends on are zero.
        terms: (B, 4, F) int8, what was counted.
        games: (B,) records of `engine.state.STATE`, after the step.
    """
    if is_linear(reward):
        return reward(terms, games)
    depends_on = dependencies(reward)
    if depends_on == -1:
        return _called(reward, terms, games)
    chosen = [term for term in range(NUM_TERMS) if depends_on >> term & 1]
    counts = terms[:, :, chosen].any(axis=(1, 2))
    values = np.zeros((len(games), MAX_PLAYERS))
    if counts.any():
        values[counts] = _called(reward, terms[counts], games[counts])
    return values


def _called(
    reward: Reward, terms: NDArray[np.int8], games: np.ndarray
) -> NDArray[np.floating[Any]]:
    """What a reward that only Python knows gives, checked."""
    values = np.asarray(reward(_sealed(terms), _sealed(games)))
    if values.dtype.kind not in "biuf":
        raise ValueError(f"reward {reward!r} gave {values.dtype}, must give real numbers")
    expected = (len(games), MAX_PLAYERS)
    if values.shape != expected:
        raise ValueError(
            f"reward {reward!r} gave shape {values.shape}, must give (B, {MAX_PLAYERS}), "
            f"here {expected}"
        )
    if not are_finite(values):
        raise ValueError(f"reward {reward!r} gave numbers that aren't finite in float32")
    return values


def _sealed(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
