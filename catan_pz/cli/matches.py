"""What commands tell of a match or tournament: its forfeits, and replays of its games."""

from pathlib import Path

import click

from catan_pz.arena.results import FORFEIT, Result
from catan_pz.arena.schedule import spread
from catan_pz.arena.single_game import record_path
from catan_pz.cli.console import progress
from catan_pz.runtime.record import GameRecord
from catan_pz.ui.frames import frames_of_record
from catan_pz.web.replay import make_replay


def write_replays(result: Result, records: Path, folder: Path, most: int) -> None:
    """Write recorded games of a match as HTML files, and say where they are.

    Args:
        result: of the match.
        records: where its games are recorded.
        folder: for the replays, created if need be.
        most: how many at most, evenly spread over the games that are recorded.
    """
    recorded = [k.number for k in result.games if record_path(records, k.number).exists()]
    numbers = spread(recorded, most)
    folder.mkdir(parents=True, exist_ok=True)
    with progress("replays") as bar:
        for number in bar.track(numbers, description="Drawing"):
            record = GameRecord.load(record_path(records, number))
            target = record_path(folder, number).with_suffix(".html")
            make_replay(frames_of_record(record), names=record.names).save(target)
    click.echo(f"{folder} has the replays of {len(numbers)} games.", err=True)


def forfeit_lines(result: Result) -> list[str]:
    """Who forfeited how many games and why the first of them, a line for each entrant."""
    labelled = result.labelled()
    first: dict[str, str] = {}
    for game in labelled.games:
        if game.offender is not None:
            first.setdefault(game.seats[game.offender], game.reason)
    return [
        f"{name} forfeited {labelled.tally(name).forfeits:,} of {_games_of(labelled, name):,} "
        f"games, the first because: {reason}"
        for name, reason in first.items()
    ]


def _games_of(result: Result, name: str) -> int:
    return sum(name in game.seats for game in result.games)


def all_forfeited(result: Result) -> bool:
    """Whether no game was played to an end, so that the result tells nothing of strength."""
    return bool(result.games) and result.ends()[FORFEIT] == len(result.games)
