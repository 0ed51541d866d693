"""The recorded games of a match: one file of JSON lines per game, in a folder."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.files import held
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord


def record_of(config: MatchConfig, scheduled: ScheduledGame, game: Game) -> GameRecord | None:
    """A record of a game from its current position, if the match records it."""
    if not config.records_game(scheduled.number):
        return None
    return GameRecord.of(game, config.names_of(scheduled))


def record_path(folder: Path, number: int) -> Path:
    """The file of a recorded game."""
    return folder / f"game-{number:06d}.jsonl"


def save_record(config: MatchConfig, scheduled: ScheduledGame, record: GameRecord | None) -> None:
    """Write the record of a game, if there is one."""
    if record is not None and config.records is not None:
        record.save(record_path(config.records, scheduled.number))


@contextmanager
def recording(config: MatchConfig, scheduled: Iterable[ScheduledGame]) -> Iterator[None]:
    """Reserve the folder for records, which must not hold games of another match."""
    folder = config.records
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / "recording") as is_free:
        if not is_free:
            reason = "another match records its games there; wait until that has ended"
            raise _refused(folder, f"{reason}, or give another folder")
        games = {record_path(folder, game.number): game for game in scheduled}
        for path in sorted(folder.glob("game-[0-9]*.jsonl")):
            if path not in games or not _begins(config, games[path], path):
                raise _refused(
                    folder,
                    f"{path.name} there is a game of another match; take a folder without "
                    "recorded games, or with those of this match",
                )
        yield


def _refused(folder: Path, reason: str) -> ValueError:
    return ValueError(f"records: {str(folder)!r} can't be used: {reason}")


def _begins(config: MatchConfig, scheduled: ScheduledGame, path: Path) -> bool:
    """Whether a file begins like the record of a game, with its players and its state."""
    game = Game(config.rules, config.seed_of(scheduled))
    line = next(GameRecord.of(game, config.names_of(scheduled)).lines()) + "\n"
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(len(line)) == line
