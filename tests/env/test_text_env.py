"""The environment in words plays the games of the environment below it."""

import numpy as np

from catan_pz import SingleSeatEnv
from catan_pz.env.text import TextEnv
from tests.text.offers import composed


def test_numbers_play_the_same_game_as_actions() -> None:
    options = {"opponents": "heuristic", "reward": "points_gained", "seat": 2, "max_turns": 60}
    below, env = SingleSeatEnv(**options), TextEnv(**options)
    _, expected = below.reset(seed=5)
    text, info = env.reset(seed=5)
    rng = np.random.default_rng(0)
    done = False
    while not done:
        assert text in env.observation_space
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        legal = np.flatnonzero(info["action_mask"])
        k = int(rng.integers(len(legal)))
        _, reward, *ended, expected = below.step(legal[k])
        text, got, *done_here, info = env.step(str(k + 1))
        assert (got, done_here) == (reward, ended)
        done = any(ended)
    assert text.endswith("The game is over.")
    assert info["won"] == expected["won"]
    assert info["error"] == ""


def test_what_happened_is_told_once() -> None:
    env = TextEnv(trading=False)
    text, _ = env.reset(seed=1, options=None)
    for _ in range(8):
        text, *_ = env.step("1")
    assert "\n- P1 " in text
    assert "Since your last decision:" not in env.step("nonsense")[0]
    later, *_ = env.step("1")
    shared = set(_news(text)) & set(_news(later))
    assert not {line for line in shared if "builds" in line}


def _news(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def test_wrong_answers_are_repaired_and_then_replaced() -> None:
    env = TextEnv(repairs=1)
    before, info = env.reset(seed=3)
    said, reward, terminated, truncated, info = env.step("settlement 54")
    assert said.startswith("settlement takes one of: V0, V1")
    assert said.endswith(before[before.index("Your legal actions:") :])
    assert (reward, terminated, truncated, info["fallbacks"]) == (0, False, False, 0)
    text, *_, info = env.step("settlement 54")
    assert "road" in text
    assert info["error"] == said.splitlines()[0]
    assert info["fallbacks"] == 1


def test_a_composed_offer_is_one_answer() -> None:
    env = TextEnv(offer_form="composed", seat=0)
    text, _ = env.reset(seed=4)
    while (offered := composed(text)) is None:
        text, *_ = env.step("roll" if "roll the dice" in text else "1")
    give, get = offered
    text, *_ = env.step(f"offer {give} for {get}")
    assert f"- you offer 1 {give} for 1 {get}" in text
