"""PettingZoo's own tests, over configurations of the environment."""

import importlib.util

import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

from catan_pz import catan_v0

pytestmark = pytest.mark.filterwarnings(
    # The mask of an agent whose game is over is all zeros.
    "ignore:Action mask numpy array is all zeros:UserWarning",
)

CONFIGURATIONS = {
    "base": {},
    "without_trade": {"trading": False},
    "three": {"num_players": 3},
    "one_v_one": {"rules": "one_v_one"},
    "dict": {"observation": "dict", "trading": False},
    "skip_forced": {"skip_forced": True, "trading": False},
    "composed": {"offer_form": "composed", "num_players": 3, "counter_offers": False},
    "terms": {"reward": "win_and_terms", "trading": False, "victory_points": 4},
    "short": {"max_turns": 3},
    "mask_in_info": {"mask_in_info": True, "trading": False},
}

configurations = pytest.mark.parametrize("options", CONFIGURATIONS.values(), ids=CONFIGURATIONS)


@configurations
def test_api(options, capsys):
    api_test(catan_v0.env(**options), num_cycles=200)
    assert "Passed" in capsys.readouterr().out


def test_api_of_the_raw_environment(capsys):
    api_test(catan_v0.raw_env(trading=False), num_cycles=200)
    assert "Passed" in capsys.readouterr().out


@configurations
def test_seed(options):
    seed_test(lambda: catan_v0.env(**options), num_cycles=100)


@pytest.mark.parametrize("name", ["base", "one_v_one", "dict", "short", "mask_in_info"])
def test_parallel(name):
    options = CONFIGURATIONS[name]
    # The agents play at random without masks, and an illegal action ends a game.
    parallel_api_test(catan_v0.parallel_env(**options), num_cycles=100)


def test_parallel_play_with_masks():
    env = catan_v0.parallel_env(trading=False, victory_points=3)
    observations, _ = env.reset(seed=1)
    while env.agents:
        actions = {a: env.action_space(a).sample(o["action_mask"]) for a, o in observations.items()}
        movers = [a for a, o in observations.items() if o["action_mask"].any()]
        assert len(movers) == 1
        observations, rewards, terminations, _, _ = env.step(actions)
    assert sorted(rewards.values()) == [-1, -1, -1, 1]
    assert all(terminations.values())


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("pygame", "resvg_py")),
    reason="drawing takes the extra `render`",
)
def test_render(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    render_test(catan_v0.env)
