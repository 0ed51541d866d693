"""What commands tell of a match or tournament: its forfeits, and replays of its games."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from catan_pz.arena.forfeits import ForfeitWarning
from catan_pz.arena.results import FORFEIT, GameResult, Result
from catan_pz.arena.schedule import spread
from catan_pz.arena.single_game import RecordsError, record_path
from catan_pz.cli.console import progress
from catan_pz.cli.options import record_errors
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_record
from catan_pz.web.replay import make_replay


def check_replays(records: Path | None, html: Path | None) -> None:
    """Refuse a folder with replays of another match, which would be written over.

    Recorded games of another match are refused by the match itself.

    Args:
        records: where games are recorded; None where that is beside the replays.
        html: folder for the replays; None for none of them.

    Raises:
        click.UsageError: names a replay without a record.
    """
    if html is None:
        return
    for path in sorted(html.glob("game-[0-9]*.html")):
        record = (records or html) / path.with_suffix(".jsonl").name
        if not record.exists():
            raise click.UsageError(
                f"--html {html} is not possible: {path.name} there is a replay of a game that has "
                f"no record in {record.parent}; allowed: a folder without replays, or with those "
                "of this match"
            )


@contextmanager
def naming_folder(records: Path | None, html: Path | None) -> Iterator[None]:
    """Let the error for a folder that can't take recorded games name the option that was given.

    Args:
        records: the option `--records`.
        html: the option `--html`, whose folder has the records where there is no other.

    Raises:
        click.UsageError: for a `RecordsError`.
    """
    try:
        yield
    except RecordsError as error:
        named = f"--html {html}" if records is None else f"--records {records}"
        raise click.UsageError(f"{named} is not possible: {error.reason}") from error


def write_replays(result: Result, records: Path | None, html: Path | None, most: int) -> None:
    """Write recorded games of a match as HTML files, and say where they are.

    Games that have no record are told: they were played by an earlier call, which kept none.

    Args:
        result: of the match.
        records: where its games are recorded; None where those drawn are, beside the replays.
        html: folder for the replays, created if need be; None for none of them.
        most: how many replays at most, evenly spread over the games.
    """
    folder = records or html
    if folder is None:
        return
    drawn = [result.games[k] for k in spread(range(len(result.games)), most)]
    kept = drawn if records is None else result.games
    missing = sum(not record_path(folder, game.number).exists() for game in kept)
    if missing:
        click.echo(
            f"{missing:,} of the games have no record in {folder}: they were played before, and "
            "are known by their results alone.",
            err=True,
        )
    if html is not None:
        _draw(drawn, folder, html)


def _draw(games: Sequence[GameResult], records: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with progress("replays") as bar:
        for game in bar.track(games, description="Drawing"):
            path = record_path(records, game.number)
            if not path.exists():
                continue
            with record_errors(path):
                record = GameRecord.load(path)
                if not _is_record_of(record, game):
                    continue
                replay = make_replay(frames_of_record(record), names=record.names)
            replay.save(record_path(folder, game.number).with_suffix(".html"))
            count += 1
    click.echo(f"{folder} has the replays of {count} games.", err=True)


def _is_record_of(record: GameRecord, game: GameResult) -> bool:
    """Whether a record is of a game: one that was played again may have gone another way."""
    found = record.names, record.result.get("turns"), record.result.get("points")
    return found == (list(game.seats), game.turns, list(game.points))


@contextmanager
def telling_forfeits() -> Iterator[None]:
    """Keep the warning of forfeits back, as the command tells of them itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForfeitWarning)
        yield


def all_forfeited(result: Result) -> bool:
    """Whether no game was played to an end, so that the result tells nothing of strength."""
    return bool(result.games) and result.ends()[FORFEIT] == len(result.games)
