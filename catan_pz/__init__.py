"""Settlers of Catan for machines that learn: rules engine, PettingZoo environment, observations."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Agent": "catan_pz.agents.base",
    "Board": "catan_pz.rules",
    "ContradictionError": "catan_pz.game.followed",
    "FollowedGame": "catan_pz.game.followed",
    "Game": "catan_pz.game.game",
    "IllegalActionError": "catan_pz.game.game",
    "LinearReward": "catan_pz.rewards",
    "PointsGained": "catan_pz.rewards",
    "RandomAgent": "catan_pz.agents.random",
    "Reward": "catan_pz.rewards",
    "Rules": "catan_pz.rules",
    "SelfPlayBatch": "catan_pz.env.self_play",
    "SelfPlayEnv": "catan_pz.env.self_play",
    "SelfPlayRollout": "catan_pz.env.self_play_rollout",
    "SingleSeatEnv": "catan_pz.env.single_seat",
    "View": "catan_pz.game.view",
    "WinLoss": "catan_pz.rewards",
    "action_id": "catan_pz.actions",
    "describe_action": "catan_pz.actions",
    "make_batch": "catan_pz.batch.make",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    # Resolved on first use, so that `import catan_pz` stays fast.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
