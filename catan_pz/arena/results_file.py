"""The file of results: JSON lines, a header and one line a game, appended as games end.

Lines are written one after the other, so that a kill can truncate the last one at most; that
line is then dropped and its game played again.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import Any, Final

import msgspec

from catan_pz.arena.results import (
    FORFEIT,
    TRUNCATED,
    GameResult,
    Result,
    result_of_complete_blocks,
    result_of_drawn_seats,
)
from catan_pz.arena.schedule import Schedule, ScheduledGame
from catan_pz.checks import check_count, check_seed, not_possible, quoted
from catan_pz.files import held, named_errors, release
from catan_pz.names import shown
from catan_pz.rules import Rules

FORMAT: Final = "catan-pz-arena/1"

DRAWN_SEATS: Final = "drawn"
"""Entry "seating" of a header: line-ups and seats are drawn by somebody else."""

_BEGINNING: Final = f'{{"format": "{FORMAT}"'.encode()
"""Of every such file."""

_MOST_NAMED: Final = 3
"""Differences between two matches that an error names."""

_LONGEST: Final = 500
"""Characters that it shows of each side."""

_GAMES: Final = msgspec.json.Decoder(GameResult)


def header_of(
    *,
    agents: Sequence[dict[str, Any]],
    schedule: Schedule,
    rules: Rules,
    seed: int,
    seconds_per_decision: float | None,
    version: str,
) -> dict[str, Any]:
    """All that defines a match, as JSON values: matches with equal headers are the same."""
    header = {
        "format": FORMAT,
        "version": version,
        "agents": list(agents),
        "lineups": [[agents[k]["name"] for k in lineup] for lineup in schedule.lineups],
        "games": schedule.games_per_lineup,
        "seed": seed,
        "seconds_per_decision": seconds_per_decision,
        "rules": rules.to_dict(),
    }
    # As it is read from a file, where tuples are lists.
    parsed: dict[str, Any] = json.loads(json.dumps(header))
    return parsed


def found_seed(path: str | os.PathLike[str] | None) -> int | None:
    """The seed of the match in a file of results; None where there is no such file."""
    lines, _ = ([], b"") if path is None else _complete_lines(Path(path))
    if not lines:
        return None
    seed = _header_in(Path(path or ""), lines[0]).get("seed")
    try:
        return None if seed is None else check_seed(seed)
    except ValueError as error:
        raise ValueError(f"{path}: line 1: {error}") from error


class ResultsFile:
    """A file of results, open for appending; without a path, results are kept in memory only.

    Until it is closed nobody else can open it for appending.

    Args:
        path: of the file, which is created if there is none.
        header: of the match.
        schedule: (G,) the games of the match; None where line-ups and seats are drawn by
            somebody else.
        names: of the entrants.

    Attributes:
        path: of the file, or None.
        games: results so far, those of the file included, by number.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        header: dict[str, Any],
        schedule: Sequence[ScheduledGame] | None,
        names: Sequence[str],
    ) -> None:
        self.path = None if path is None else Path(path)
        self.games: dict[int, GameResult] = {}
        self._file: FileIO | None = None
        if self.path is None:
            return
        _require_regular(self.path)
        self._lock = held(self.path)
        if self._lock is None:
            raise ValueError(
                f"results={str(self.path)!r} is in use: a match that is being played appends to "
                f"it. Wait until that has ended, or give another file"
            )
        try:
            self._file = self._open(self.path, header, schedule, names)
        except BaseException:
            release(self._lock)
            raise

    def _open(
        self,
        path: Path,
        header: dict[str, Any],
        schedule: Sequence[ScheduledGame] | None,
        names: Sequence[str],
    ) -> FileIO:
        """Read the file, drop a line that was cut, and open it."""
        lines, cut = _complete_lines(path)
        if lines:
            _check_header(path, _header_in(path, lines[0]), header)
            self.games = _read_games(path, lines[1:])
            for game in self.games.values():
                _require_of_match(path, game, _is_scheduled(game, schedule, names))
        elif not (cut.startswith(_BEGINNING) or _BEGINNING.startswith(cut)):
            raise ValueError(f"{path}: this is no file of results")
        if cut:
            os.truncate(path, path.stat().st_size - len(cut))
        # Without a buffer: one that a full disk keeps from being written would be written later.
        file = path.open("ab", buffering=0)
        if not lines:
            _write(file, json.dumps(header).encode())
        return file

    def add(self, game: GameResult) -> None:
        """Append a result."""
        if self._file is not None:
            with named_errors(Path(self._file.name)):
                seconds = tuple(round(s, 6) for s in game.seconds)
                _write(self._file, msgspec.json.encode(replace(game, seconds=seconds)))
        self.games[game.number] = game

    def close(self) -> None:
        """Close the file."""
        if self._file is not None and self._lock is not None:
            try:
                with named_errors(Path(self._file.name)), self._file:
                    os.fsync(self._file.fileno())
            finally:
                release(self._lock)


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


def _require_of_match(path: Path, game: GameResult, found: bool) -> None:
    """Raise an error that names a game which wasn't found in the match of its file."""
    if not found:
        raise ValueError(f"{path}: game {game.number} is none of this match")


def load_results(path: str | os.PathLike[str]) -> Result:
    """Read a file of results, whose match need not be finished.

    Games of blocks that aren't complete are left out, so that seats stay balanced.
    """
    path = Path(path)
    path.stat()  # names a file that isn't there
    lines, _ = _complete_lines(path)
    if not lines:
        raise ValueError(f"{path}: there are no results in it")
    header = _header_in(path, lines[0])
    games = _read_games(path, lines[1:])
    try:
        names, schedule, rules = _match_in(header)
        seed = check_seed(header["seed"])
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: these are no results of a match: {quoted(error)}") from error
    if schedule is None:
        for game in games.values():
            _require_of_match(path, game, _is_scheduled(game, None, names))
        return result_of_drawn_seats(names, rules, seed, games.values())
    for game in games.values():
        lineups = schedule.lineups[game.lineup : game.lineup + 1]
        wanted = [sorted(names[k] for k in lineup) for lineup in lineups]
        _require_of_match(path, game, wanted == [sorted(game.seats)])
    return result_of_complete_blocks(names, schedule, rules, seed, games.values())


def _match_in(header: Mapping[str, Any]) -> tuple[tuple[str, ...], Schedule | None, Rules]:
    """The names, the schedule and the rules of a match, from its header.

    There is no schedule where the table drew the seats.
    """
    names = tuple(agent["name"] for agent in header["agents"])
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"its agents are called {names}")
    rules = Rules.from_dict(header["rules"])
    if header.get("seating") == DRAWN_SEATS:
        return names, None, rules
    lineups = tuple(tuple(map(names.index, lineup)) for lineup in header["lineups"])
    if any(len(lineup) != rules.num_players for lineup in lineups):
        raise ValueError(f"its line-ups are {lineups}, of {rules.num_players} players each")
    return names, Schedule(lineups, check_count("games", header["games"])), rules


def _require_regular(path: Path) -> None:
    """Refuse what can't be read and then appended to, such as a device or a pipe."""
    if path.exists() and not path.is_file():
        raise not_possible("results", str(path), "a regular file, or the name of a new one")


def _complete_lines(path: Path) -> tuple[list[bytes], bytes]:
    """The complete lines of a file, and the beginning of one that was cut."""
    _require_regular(path)
    *lines, cut = path.read_bytes().split(b"\n") if path.exists() else [b""]
    return lines, cut


def _header_in(path: Path, line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: line 1 is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"{path}: line 1 must be of the format {FORMAT!r}; it is another file")
    return data


def _read_games(path: Path, lines: Sequence[bytes]) -> dict[int, GameResult]:
    found: dict[int, GameResult] = {}
    for number, line in enumerate(lines, 2):
        try:
            game = _GAMES.decode(line)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            message = f"{path}: line {number}: no result of a game: {quoted(str(error))}"
            raise ValueError(message) from error
        if not _is_possible(game):
            raise ValueError(f"{path}: line {number}: no result of a game: {quoted(game)}")
        if game.number in found:
            raise ValueError(f"{path}: line {number} holds game {game.number} once more")
        found[game.number] = game
    return found


def _is_possible(game: GameResult) -> bool:
    """Whether what a result holds goes together."""
    by_seat = (game.seats, game.points, game.decisions, game.seconds)
    counts = (game.number, game.lineup, game.block, game.turns, *game.points, *game.decisions)
    seats = [seat for seat in (game.winner, game.offender) if seat is not None]
    return (
        len(set(map(len, by_seat))) == 1
        and all(n >= 0 for n in (*counts, *game.seconds))
        and all(0 <= seat < len(game.seats) for seat in seats)
        and (game.winner is None) == (game.end == TRUNCATED)
        and (game.offender is not None) == (game.end == FORFEIT)
        and (game.offender is None or game.offender != game.winner)
    )


def _check_header(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    differences: list[str] = []
    for name in sorted(found.keys() | wanted.keys()):
        there, here = found.get(name), wanted.get(name)
        if there == here:
            continue
        if isinstance(there, dict) and isinstance(here, dict):
            differences += [
                _difference(f"{name}.{key}", there.get(key), here.get(key))
                for key in sorted(there.keys() | here.keys())
                if there.get(key) != here.get(key)
            ]
        else:
            differences.append(_difference(name, there, here))
    if differences:
        raise ValueError(
            f"results={str(path)!r} holds another match, which can't go on with other settings: "
            f"{'; '.join(differences[:_MOST_NAMED])}. Give the same settings, or another file"
        )


def _difference(name: str, there: object, here: object) -> str:
    return f"{shown(name)} is {quoted(there, _LONGEST)} there, {quoted(here, _LONGEST)} here"
