"""Reading an observation: its named segments, in the middle of a game.

python examples/gallery/read_an_observation.py [seed]
"""

import sys

import numpy as np

from catan_pz import Game, describe_action
from catan_pz.observation.segments import named_views
from catan_pz.terms import Phase, Resource


def main(seed: int = 3) -> None:
    """Play 400 random decisions, or until a win, and print the observation of the next player."""
    game = Game(num_players=3, trading=False, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(400):
        if game.is_over:
            break
        game.step(int(rng.choice(game.legal_actions())))
    seen = named_views(game.observe(game.player))
    resources = [resource.name.lower() for resource in Resource]

    print("phase:", Phase(seen["phase"].argmax()).name.lower())
    print("own hand:", dict(zip(resources, seen["own_hand"].tolist(), strict=True)))
    print("own points:", int(seen["own_points"][0]), "of", int(seen["points_to_win"][0]))
    for seat in (1, 2):  # places clockwise from the viewer
        least, most = seen["hand_min"][seat].tolist(), seen["hand_max"][seat].tolist()
        bounds = zip(least, most, strict=True)
        counts = [f"{low}" if low == high else f"{low}-{high}" for low, high in bounds]
        held = ", ".join(f"{n} {name}" for n, name in zip(counts, resources, strict=True))
        print(f"player {seat} to the left: {int(seen['hand_size'][seat])} cards ({held})")
    print("own settlements:", np.flatnonzero(seen["vertex_building"][:, 0] == 1).tolist())
    print("own cities:", np.flatnonzero(seen["vertex_building"][:, 0] == 2).tolist())
    print("may:", [describe_action(int(action)) for action in game.legal_actions()[:4]])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
