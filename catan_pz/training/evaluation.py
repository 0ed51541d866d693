"""Win rates of a learner, played by the arena."""

from collections.abc import Sequence
from typing import Any, Final

from catan_pz.agents.base import Agent
from catan_pz.agents.registry import load
from catan_pz.agents.specs import split_specs
from catan_pz.arena import play_match
from catan_pz.names import shown
from catan_pz.rules import Rules

SEED_OFFSET: Final = 1_000_003
"""Distance between the seed of a training and that of its evaluations: other boards and dice."""

_LEARNER: Final = "learner"


def line_ups(against: str, rules: Rules) -> dict[str, list[str]]:
    """Evaluations by name, each with the same agent in all other seats.

    Args:
        against: names of the agents, separated by commas.
        rules: of the games.

    Raises:
        ValueError: for an agent that isn't known, or that isn't for these rules.
        OSError: if the file of a model can't be read.
    """
    names = split_specs(against)
    for name in names:
        load(name).check_rules(rules)
    return {name: [name] * (rules.num_players - 1) for name in names}


def evaluate(
    agent: Agent, opponents: Sequence[Agent | str], rules: Rules, games: int, seed: int
) -> dict[str, Any]:
    """Play games with each seed in every seating, and count wins.

    Args:
        agent: who is evaluated.
        opponents: (P - 1,) agents or their names.
        rules: of the games.
        games: at least this many; the last block of seatings is completed.
        seed: of the match; the same seed gives the same boards and dice.

    Returns:
        JSON values: `games`, `won`, `win_rate`, `interval` (95 %), `points` (mean), `seed`.
    """
    result = play_match([(_LEARNER, agent), *opponents], games, rules, seed, progress=False)
    tally = result.tally(_LEARNER)
    return {
        "games": tally.seats,
        "won": tally.won,
        "win_rate": result.win_rate(_LEARNER),
        "interval": list(result.interval(_LEARNER)),
        "points": tally.points,
        "seed": seed,
    }


def describe(row: dict[str, Any]) -> str:
    """One line for the terminal: the win rate and its interval."""
    low, high = row["interval"]
    return (
        f"against {shown(row['against'])}: won {row['won']} of {row['games']} games = "
        f"{100 * row['win_rate']:.1f} % (95 % interval {100 * low:.1f} to "
        f"{100 * high:.1f} %), {row['points']:.1f} points"
    )
