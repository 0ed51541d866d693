"""Hidden hands, step by step: what one seat knows of the others before and after thefts.

python examples/gallery/hidden_hands.py [seed]
"""

import sys

import numpy as np

from catan_pz import Game
from catan_pz.belief import Belief

VIEWER = 0


def main(seed: int = 5) -> None:
    """Follow a random game from one seat and tell where its knowledge changes."""
    game = Game(num_players=3, trading=False, seed=seed)
    belief = Belief(VIEWER, game.state)
    game.listeners.append(belief.listen)
    rng = np.random.default_rng(seed)
    count, told = 1, 0
    while told < 8 and not game.is_over:
        game.step(int(rng.choice(game.legal_actions())))
        hands = belief.hands
        if len(hands) != count:
            count, told = len(hands), told + 1
            print(f"turn {game.turn}: {count} ways that the hands can lie")
            for seat in (1, 2):
                least, most = hands.least[seat].tolist(), hands.most[seat].tolist()
                print(f"  seat {seat}: at least {least}, at most {most}, ", end="")
                print(f"on average {hands.mean[seat].round(2).tolist()}")
    drawn = Game.from_games(belief.resample(game.state, rng), game.rules)
    same = (drawn.observe(VIEWER) == game.observe(VIEWER)).all()
    print("a game drawn from the belief looks the same to the viewer:", bool(same))
    print("hands there:", drawn.state["hand"][:3].tolist())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
