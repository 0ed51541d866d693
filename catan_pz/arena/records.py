"""The recorded games of a match: one file of JSON lines a game, in a folder."""

from collections.abc import Iterable
from pathlib import Path

from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord


def seated_names(config: MatchConfig, scheduled: ScheduledGame) -> tuple[str, ...]:
    """Names of the players, by seat."""
    return tuple(config.names[k] for k in scheduled.seats)


def record_of(config: MatchConfig, scheduled: ScheduledGame, game: Game) -> GameRecord | None:
    """A record of a game from here on, if the match keeps records."""
    if not config.records_game(scheduled.number):
        return None
    return GameRecord.of(game, seated_names(config, scheduled))


def record_path(folder: Path, number: int) -> Path:
    """The file of a recorded game."""
    return folder / f"game-{number:06d}.jsonl"


class RecordsError(ValueError):
    """A folder that can't take the recorded games of a match.

    Attributes:
        reason: what stands in the way and what is allowed, in words.
    """

    def __init__(self, folder: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(f"option records={str(folder)!r} is not possible: {reason}")


def check_records(config: MatchConfig, scheduled: Iterable[ScheduledGame]) -> None:
    """Refuse a folder that holds recorded games of another match; `RecordsError` names one."""
    if config.records is None:
        return
    games = {record_path(config.records, game.number): game for game in scheduled}
    for path in sorted(config.records.glob("game-[0-9]*.jsonl")):
        if path not in games or not _begins(config, games[path], path):
            raise RecordsError(
                config.records,
                f"{path.name} there is a game of another match; allowed: a folder without "
                "recorded games, or with those of this match",
            )


def _begins(config: MatchConfig, scheduled: ScheduledGame, path: Path) -> bool:
    """Whether a file begins as the record of a game does: with its players and its state."""
    names, game = seated_names(config, scheduled), Game(config.rules, config.seed_of(scheduled))
    line = next(GameRecord.of(game, names).lines()) + "\n"
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(len(line)) == line


def save_record(config: MatchConfig, scheduled: ScheduledGame, record: GameRecord) -> None:
    """Write the record of a game."""
    assert config.records is not None
    record.save(record_path(config.records, scheduled.number))
