"""Win rates of a model during its training, played by the arena."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from catan_pz.agents.base import Agent
from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.agents.registry import load
from catan_pz.agents.specs import split_specs
from catan_pz.arena import play_match
from catan_pz.names import shown
from catan_pz.rules import Rules
from catan_pz.training.console import say
from catan_pz.training.options import TrainingArgs

SEED_OFFSET: Final = 1_000_003
"""Distance between the seed of a training and that of its evaluations: other boards and dice."""

_LEARNER: Final = "learner"


def line_up(against: str, rules: Rules) -> list[str]:
    """The same agent for all other seats."""
    return [against] * (rules.num_players - 1)


def check_opponents(names: Iterable[str], rules: Rules) -> None:
    """Refuse opponents that no evaluation could be played against, before a training begins.

    Args:
        names: of the agents.
        rules: of the games.

    Raises:
        ValueError: for an agent that isn't known, or that isn't for these rules.
        OSError: if the file of a model can't be read.
    """
    for name in names:
        load(name).check_rules(rules)


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


def evaluate_model(
    model: Model, rules: Rules, args: TrainingArgs, *, frames: int, seconds: float
) -> list[dict[str, Any]]:
    """Rows of a curve, one for each name in `args.eval_against`; says what they are.

    Args:
        model: what is evaluated.
        rules: of the games.
        args: `eval_against`, `eval_games` and `seed` are looked at.
        frames: frames trained so far.
        seconds: seconds trained so far.
    """
    rows = []
    for name in split_specs(args.eval_against):
        others, seed = line_up(name, rules), args.seed + SEED_OFFSET
        row = {"frames": frames, "seconds": round(seconds, 1), "against": name}
        rows.append(row | evaluate(NetworkAgent(model), others, rules, args.eval_games, seed))
        say(f"{frames:>11,} frames, {describe(rows[-1])}")
    return rows


def describe(row: dict[str, Any]) -> str:
    """One line for the terminal: the win rate and its interval."""
    low, high = row["interval"]
    return (
        f"against {shown(row['against'])}: won {row['won']} of {row['games']} games = "
        f"{100 * row['win_rate']:.1f} % (95 % interval {100 * low:.1f} to "
        f"{100 * high:.1f} %), {row['points']:.1f} points"
    )
