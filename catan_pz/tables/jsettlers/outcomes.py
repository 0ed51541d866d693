"""What a match at JSettlers tables brings: results of games, and what went wrong."""

from dataclasses import dataclass, field
from typing import Final

from catan_pz.arena.results import VICTORY, GameResult, Result
from catan_pz.tables.jsettlers.playing import SeatedAgent
from catan_pz.tables.jsettlers.server import kind_of

THIRD_PARTY: Final = "third party"
"""What robots are called that are not the server's own."""

_OWN_PREFIXES: Final = ("robot ", "droid ", "extrabot ")


@dataclass
class Match:
    """A match as it was played.

    Attributes:
        name: of the agent.
        result: the games played to their end. Seat 0 is the one that goes first.
        refusals: commands that the server refused, in the games played now.
        refused: the first of them in each game, in words.
        late: commands that were refused because their offer or turn was over already.
        broken: why games of now were broken off; they are played again.
        agent_failed: how many of them because the agent failed.
        gave_up: why the match ended before all games were played; empty where it didn't.
        others: games of other players or rules that the robot was invited to, which don't count.
        reconnects: connections that were lost and opened anew.
    """

    name: str
    result: Result
    refusals: int = 0
    refused: list[str] = field(default_factory=list)
    late: int = 0
    broken: list[str] = field(default_factory=list)
    agent_failed: int = 0
    gave_up: str = ""
    others: list[str] = field(default_factory=list)
    reconnects: int = 0


def seat_weighted_rate(result: Result, name: str) -> float | None:
    """The win rate as it would be with each seat drawn equally often; None if one never was."""
    rates = [rate for rate in result.win_rates_by_seat(name) if rate is not None]
    whole = len(rates) == result.rules.num_players
    return sum(rates) / len(rates) if whole else None


def robot_name(robot: str) -> str:
    """What one of the others is called in results."""
    return kind_of(robot) if robot.startswith(_OWN_PREFIXES) else THIRD_PARTY


def game_result(name: str, number: int, seated: SeatedAgent) -> GameResult:
    """The result of a game; its seats go round from the one that went first.

    Args:
        name: of the agent.
        number: of the game.
        seated: the agent as it played.
    """
    reader = seated.reader
    count, first = len(reader.numbers), reader.first
    order = [(first + k) % count for k in range(count)]
    who = [name if s == reader.seat else robot_name(reader.names[reader.numbers[s]]) for s in order]
    assert reader.points is not None
    assert reader.winner is not None
    refused = seated.refused
    return GameResult(
        number=number,
        lineup=0,
        block=number,
        seats=tuple(who),
        winner=order.index(reader.winner),
        end=VICTORY,
        offender=None,
        reason=f"{seated.refusals} commands refused: {refused[0]}" if refused else "",
        turns=reader.game.turn,
        points=tuple(reader.points[s] for s in order),
        decisions=tuple(seated.decisions if s == reader.seat else 0 for s in order),
        seconds=tuple(seated.seconds if s == reader.seat else 0.0 for s in order),
    )
