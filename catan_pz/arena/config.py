"""What all games of a match have in common."""

from dataclasses import dataclass
from pathlib import Path

from catan_pz.arena.schedule import ScheduledGame, block_seed
from catan_pz.rules import Rules


@dataclass(frozen=True)
class MatchConfig:
    """Settings of a match, the same for every game and every process that plays one.

    Attributes:
        names: of the entrants.
        rules: the rules.
        seed: of the match.
        seconds_per_decision: a longer decision forfeits the game; None for no limit.
        records: folder for recorded games, or None.
        recorded: numbers of the games that are recorded; None for all.
        true_state: indices of the entrants that are shown the true state of games.
    """

    names: tuple[str, ...]
    rules: Rules
    seed: int
    seconds_per_decision: float | None = None
    records: Path | None = None
    true_state: tuple[int, ...] = ()
    recorded: frozenset[int] | None = None

    def records_game(self, number: int) -> bool:
        """Whether the game with a number is recorded."""
        return self.records is not None and (self.recorded is None or number in self.recorded)

    def seed_of(self, scheduled: ScheduledGame) -> int:
        """The seed of a game, from 0 to 2**64 - 1."""
        return block_seed(self.seed, scheduled.block)
