"""The file of results: JSON lines, a header and one line per game, appended as games end.

Lines are written one by one, so a kill can only truncate the last one; that line is then dropped
and its game played again.
"""

import json
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any, Final

import msgspec

from catan_pz import __version__
from catan_pz.arena.results import (
    GameResult,
    Result,
    result_of_complete_blocks,
    result_of_drawn_seats,
)
from catan_pz.arena.schedule import MatchConfig, Schedule, ScheduledGame
from catan_pz.checks import check_seed, quoted, shaped
from catan_pz.files import held, named_errors, read_file
from catan_pz.names import shown
from catan_pz.rules import Rules

FORMAT: Final = "catan-pz-arena/1"

DRAWN_SEATS: Final = "drawn"
"""Entry "seating" of a header: line-ups and seats are drawn externally."""

_BEGINNING: Final = f'{{"format": "{FORMAT}"'.encode()
"""Format of every such file."""

_MOST_NAMED: Final = 3
"""Most differences between two matches in an error."""

_LONGEST: Final = 500
"""Most characters that it shows of each side."""

_GAMES: Final = msgspec.json.Decoder(GameResult)


def header_of(
    config: MatchConfig, schedule: Schedule, agents: Collection[dict[str, Any]]
) -> dict[str, Any]:
    """The definition of a match as JSON values: matches with equal headers are the same."""
    header = {
        "format": FORMAT,
        "version": __version__,
        "agents": list(agents),
        "lineups": [[config.names[k] for k in lineup] for lineup in schedule.lineups],
        "games": schedule.games_per_lineup,
        "seed": config.seed,
        "seconds_per_decision": config.seconds_per_decision,
        "rules": config.rules.to_dict(),
    }
    if schedule.apart:
        header["seeds"] = "apart"
    # As read from a file, where tuples are lists.
    return json.loads(json.dumps(header))


def found_seed(path: str | os.PathLike[str] | None) -> int | None:
    """The seed of the match in a file of results; None without the file."""
    header = None if path is None else _read(Path(path))[0]
    try:
        return None if header is None else check_seed(header.get("seed"))
    except ValueError as error:
        raise ValueError(f"{path}: line 1: {error}") from error


def found_lineups(path: Path) -> list[list[str]] | None:
    """The line-ups of the match in a file of results; None without the file.

    At an external table they are the requested agent and opponents.
    """
    header = _read(path)[0]
    if header is None:
        return None
    match = shaped(header, _Match, f"{path}: line 1")
    if match.seating == DRAWN_SEATS and match.agents:
        return [[match.agents[0].get("name", ""), f"{match.table.lower()}:{match.against}"]]
    return match.lineups


class ResultsFile:
    """The results of a match, appended to a file as its games end; see `results_file`.

    Attributes:
        path: path of the file; None to keep results in memory only.
        games: results so far, those of the file included, by number.
    """

    def __init__(self, path: Path | None, games: dict[int, GameResult], file: FileIO | None):
        self.path, self.games, self._file = path, games, file

    def add(self, game: GameResult) -> None:
        """Append a result; seconds are rounded as in the file."""
        game = replace(game, seconds=tuple(round(s, 6) for s in game.seconds))
        if self.path is not None and self._file is not None:
            with named_errors(self.path):
                _write(self._file, msgspec.json.encode(game))
        self.games[game.number] = game


@contextmanager
def results_file(
    path: str | os.PathLike[str] | None,
    header: dict[str, Any],
    schedule: Sequence[ScheduledGame] | None,
) -> Iterator[ResultsFile]:
    """Open a file of results for appending, exclusively.

    Args:
        path: path of the file, which is created if missing; None to keep results in memory.
        header: header of the match.
        schedule: (G,) the games of the match; None if line-ups and seats are drawn externally.
    """
    if path is None:
        yield ResultsFile(None, {}, None)
        return
    path = Path(path)
    with held(path) as is_free:
        if not is_free:
            raise ValueError(
                f"results={str(path)!r} is in use: a match that is being played appends to it. "
                "Wait until that has ended, or give another file"
            )
        games = _games_of(path, header, schedule)
        # Unbuffered, so that a full disk raises an error now and not later.
        with path.open("ab", buffering=0) as file:
            if file.tell() == 0:
                _write(file, json.dumps(header).encode())
            try:
                yield ResultsFile(path, games, file)
            finally:
                with named_errors(path):
                    os.fsync(file.fileno())


def _games_of(
    path: Path, header: dict[str, Any], schedule: Sequence[ScheduledGame] | None
) -> dict[int, GameResult]:
    """The results in a file of this match, if it exists; a truncated line is dropped."""
    found, games, cut = _read(path)
    if found is not None:
        _check_header(path, found, header)
        names = [agent["name"] for agent in header["agents"]]
        for game in games.values():
            if not _is_scheduled(game, schedule, names):
                raise _foreign(path, game)
    elif not (cut.startswith(_BEGINNING) or _BEGINNING.startswith(cut)):
        raise ValueError(f"{path}: this is no file of results")
    if cut:
        os.truncate(path, path.stat().st_size - len(cut))
    return games


def _write(file: FileIO, line: bytes) -> None:
    left = line + b"\n"
    while left:
        left = left[file.write(left) :]


def _is_scheduled(
    game: GameResult, schedule: Sequence[ScheduledGame] | None, names: Sequence[str]
) -> bool:
    """Whether this is the result of a game of a match."""
    if schedule is None:
        return set(game.seats) <= set(names)
    if game.number >= len(schedule):
        return False
    scheduled = schedule[game.number]
    seats = tuple(names[k] for k in scheduled.seats)
    return (game.lineup, game.block, game.seats) == (scheduled.lineup, scheduled.block, seats)


def _foreign(path: Path, game: GameResult) -> ValueError:
    return ValueError(f"{path}: game {game.number} is none of this match")


def load_results(path: str | os.PathLike[str]) -> Result:
    """Read a file of results, whose match need not be finished.

    Games of incomplete blocks are omitted, so that seats stay balanced.
    """
    path = Path(path)
    path.stat()  # the error names a missing file
    header, games, _ = _read(path)
    if header is None:
        raise ValueError(f"{path}: there are no results in it")
    try:
        match = shaped(header, _Match, "header")
        names = tuple(agent["name"] for agent in match.agents)
        rules = Rules.from_dict(match.rules)
        lineups = tuple(tuple(map(names.index, lineup)) for lineup in match.lineups)
        if len(set(names)) < len(names) or any(len(x) != rules.num_players for x in lineups):
            raise ValueError(f"its agents are {names}, its line-ups {lineups}")
        seed = check_seed(match.seed)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: these are no results of a match: {quoted(error)}") from error
    if match.seating == DRAWN_SEATS:
        for game in games.values():
            if not _is_scheduled(game, None, names):
                raise _foreign(path, game)
        return result_of_drawn_seats(names, rules, seed, games.values())
    for game in games.values():
        wanted = [sorted(names[k] for k in one) for one in lineups[game.lineup : game.lineup + 1]]
        if wanted != [sorted(game.seats)]:
            raise _foreign(path, game)
    return result_of_complete_blocks(names, lineups, rules, seed, games.values())


class _Match(msgspec.Struct):
    """The header's entries for reading."""

    agents: list[dict[str, Any]]
    rules: dict[str, Any]
    seed: int
    seating: str = ""
    table: str = ""
    against: str = ""
    lineups: list[list[str]] = []


def _read(path: Path) -> tuple[dict[str, Any] | None, dict[int, GameResult], bytes]:
    """Header and games of a file, if any, and the start of a truncated line."""
    try:
        content = read_file(path, is_long=True) if path.exists() else b""
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    *lines, cut = content.split(b"\n")
    if not lines:
        return None, {}, cut
    try:
        header = json.loads(lines[0])
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: line 1 is not JSON: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(f"{path}: line 1 must be of the format {FORMAT!r}; it is another file")
    found: dict[int, GameResult] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            game = _GAMES.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise ValueError(f"{path}: line {number}: no result of a game: {error}") from error
        if game.number in found:
            raise ValueError(f"{path}: line {number} holds game {game.number} once more")
        found[game.number] = game
    return header, found, cut


def _check_header(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse a file whose header differs, and name the differences."""
    there, here = _flat(found), _flat(wanted)
    differences = [
        f"{shown(name)} is {quoted(there.get(name), _LONGEST)} there, "
        f"{quoted(here.get(name), _LONGEST)} here"
        for name in sorted(there.keys() | here.keys())
        if there.get(name) != here.get(name)
    ]
    if differences:
        raise ValueError(
            f"results={str(path)!r} holds another match, which can't go on with other settings: "
            f"{'; '.join(differences[:_MOST_NAMED])}. Give the same settings, or another file"
        )


def _flat(header: dict[str, Any]) -> dict[str, Any]:
    """A header with an entry for each option of the rules."""
    rules = header.get("rules")
    parts = rules if isinstance(rules, dict) else {}
    return header | {"rules": ""} | {f"rules.{name}": value for name, value in parts.items()}
