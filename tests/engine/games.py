"""Random games for tests."""

from collections.abc import Iterator

import numpy as np

from catan_pz import Game, Rules, describe_action
from catan_pz.actions import NUM_ACTIONS

ACTIONS = [describe_action(a) for a in range(NUM_ACTIONS)]
KIND_OF = [action["kind"] for action in ACTIONS]


def choose(rng: np.random.Generator, actions: np.ndarray) -> int:
    """A legal action: each kind equally likely, then each action of the kind.

    Such games make progress: offers and roads don't crowd out everything else.
    """
    by_kind: dict[str, list[int]] = {}
    for a in actions:
        by_kind.setdefault(KIND_OF[a], []).append(int(a))
    if len(by_kind) > 1 and "end_turn" in by_kind and rng.random() < 0.7:
        del by_kind["end_turn"]
    kinds = sorted(by_kind)
    return int(rng.choice(by_kind[kinds[rng.integers(len(kinds))]]))


def random_game(rules: Rules, seed: int, most: int = 10**9) -> Iterator[tuple[Game, int]]:
    game = Game(rules, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(most):
        actions = game.legal_actions()
        if len(actions) == 0:
            return
        action = choose(rng, actions)
        yield game, action
        game.step(action)
