"""The game in words: python -m tests.benchmarks text

Tokens of what a model reads, by four characters a token, and text steps on one core.
"""

import numpy as np

from catan_pz import Game
from catan_pz.agents.table import Table
from catan_pz.env.text import TextEnv
from catan_pz.game.view import view_of
from catan_pz.text import describe, legal_actions
from tests.benchmarks.measuring import REPEATS, SECONDS, options, print_table, rates

RULE_SETS = {
    "trade by templates": {},
    "composed offers": {"offer_form": "composed"},
    "no trade between players": {"trading": False},
}
CHARACTERS_A_TOKEN = 4


def sizes(games: int, rules: dict) -> np.ndarray:
    """(D, 3) tokens of description, legal actions and both, in decisions of heuristic players."""
    found = []
    for seed in range(games):
        game = Game(seed=seed, **rules)
        with Table(game, ["heuristic"] * 4, range(4)) as table:
            while not game.is_over:
                if game.mask.sum() > 1:
                    view = view_of(game, game.player)
                    said = [len(describe(view)), len(legal_actions(view))]
                    found.append([*said, sum(said)])
                table.step()
    return np.array(found) / CHARACTERS_A_TOKEN


def steps(rules: dict) -> int:
    env, rng = TextEnv(**rules), np.random.default_rng(0)
    _, info = env.reset(seed=0)
    done, count = False, 0
    while not done:
        number = rng.integers(1, info["action_mask"].sum() + 1)
        _, _, terminated, truncated, info = env.step(str(number))
        done, count = terminated or truncated, count + 1
    return count


def main() -> None:
    given = options(
        __doc__, games=(50, "games counted"), seconds=(1.0, SECONDS), repeats=(3, REPEATS)
    )
    rows = []
    for name, rules in RULE_SETS.items():
        counted = sizes(given.games, rules)
        middle, most = np.quantile(counted, (0.5, 1.0), axis=0).round().astype(int)
        rows.append(
            [name, f"{len(counted):,}", *(f"{a} / {b}" for a, b in zip(middle, most, strict=True))]
        )
    header = ("rules", "decisions", "description: median / most", "legal actions", "together")
    print_table(header, rows)
    speeds = rates(
        {name: lambda rules=rules: steps(rules) for name, rules in RULE_SETS.items()},
        given.seconds,
        given.repeats,
    )
    print_table(("rules", "text steps/s"), [[k, f"{v:,.0f}"] for k, v in speeds.items()])
