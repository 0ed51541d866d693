"""A first game: four random players in PettingZoo's loop.

python examples/gallery/first_game.py [seed]
"""

import sys

import numpy as np

from catan_pz import catan_v0


def main(seed: int = 1) -> None:
    """Play a game at random; tell how it stands every 50 turns, and how it ends."""
    env = catan_v0.env(num_players=4, trading=False)
    env.reset(seed=seed)
    game = env.unwrapped.game
    rng = np.random.default_rng(seed)
    told = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        action = None
        if not (terminated or truncated):
            # The observation is this player's view, the mask marks its legal actions.
            action = int(rng.choice(observation["action_mask"].nonzero()[0]))
        env.step(action)
        if game.turn >= told + 50:
            told = game.turn
            print(f"turn {told}: points {game.points.tolist()}")
    who = "nobody" if game.winner is None else f"seat {game.winner}"  # truncated after 1,000 turns
    print(f"turn {game.turn}: {who} has won, points {game.points.tolist()}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
