"""The file of results: JSON lines, a header and one line a game, appended as games end.

Lines are written one after the other, so that a kill can truncate the last one at most; that
line is then dropped and its game played again.
"""

import errno
import json
import os
import re
from collections.abc import Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import Any, Final

from catan_pz.arena.file_lock import FileLock, InUseError
from catan_pz.arena.results import (
    ENDS,
    FORFEIT,
    TRUNCATED,
    GameResult,
    Result,
    result_of_complete_blocks,
    result_of_drawn_seats,
)
from catan_pz.arena.schedule import Schedule, ScheduledGame
from catan_pz.checks import check_count, check_seed, not_possible, quoted
from catan_pz.files import named_errors
from catan_pz.names import shown
from catan_pz.rules import Rules

FORMAT: Final = "catan-pz-arena/1"

DRAWN_SEATS: Final = "drawn"
"""Entry "seating" of a header: line-ups and seats are drawn by somebody else."""

_MOST_NAMED: Final = 3
"""Differences between two matches that an error names."""

_MOST_DIGITS: Final = 20
"""Of a seed."""

_LONGEST: Final = 500
"""Characters that it shows of each side."""


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
    """The seed of the match in a file of results; None where there is no such file.

    Raises:
        ValueError: names the file, if its first line can't be read or has an impossible seed.
    """
    lines, _ = ([], 0) if path is None else _complete_lines(Path(path))
    if not lines:
        return None
    seed = _parse(Path(path or ""), 1, lines[0]).get("seed")
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

    Raises:
        ValueError: if the file is of another match (the error lists the differences), a line
            is wrong, another match that is being played appends to the file, or it is no
            regular file.
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
        try:
            self._lock = FileLock(self.path)
        except InUseError:
            raise ValueError(
                f"results={str(self.path)!r} is in use: a match that is being played appends to "
                f"it. Wait until that has ended, or give another file"
            ) from None
        try:
            self._file = self._open(self.path, header, schedule, names)
        except BaseException:
            self._lock.release()
            raise

    def _open(
        self,
        path: Path,
        header: dict[str, Any],
        schedule: Sequence[ScheduledGame] | None,
        names: Sequence[str],
    ) -> FileIO:
        """Read the file, drop a line that was cut, and open it."""
        lines, length = _complete_lines(path)
        if lines:
            _check_header(path, _parse(path, 1, lines[0]), header)
            self.games = _read_games(path, lines[1:])
            for game in self.games.values():
                _require_of_match(path, game, _is_scheduled(game, schedule, names))
        begun = path.read_bytes()[length:]
        if not lines and not _begins_as(header, begun):
            raise ValueError(f"{path}: this is no file of results")
        if begun:
            os.truncate(path, length)
        # Without a buffer: one that a full disk keeps from being written would be written later.
        file = path.open("ab", buffering=0)
        if not lines:
            _write(file, header)
        return file

    def add(self, game: GameResult) -> None:
        """Append a result."""
        self._append(_game_to_json(game))
        self.games[game.number] = game

    def _append(self, data: dict[str, Any]) -> None:
        if self._file is not None:
            with named_errors(Path(self._file.name)):
                _write(self._file, data)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            try:
                with named_errors(Path(self._file.name)), self._file:
                    os.fsync(self._file.fileno())
            finally:
                self._lock.release()


def _line(data: dict[str, Any]) -> str:
    return json.dumps(data) + "\n"


def _write(file: FileIO, data: dict[str, Any]) -> None:
    left = _line(data).encode()
    while left:
        left = left[file.write(left) :]


def _begins_as(header: dict[str, Any], begun: bytes) -> bool:
    """Whether a line that was cut is that of a header, but for the seed, which may be drawn."""
    seeds = re.findall(rb'"seed": (\d+)', begun)
    if seeds and len(seeds[-1]) <= _MOST_DIGITS:
        header = header | {"seed": int(seeds[-1])}
    return _line(header).encode().startswith(begun)


def _game_to_json(game: GameResult) -> dict[str, Any]:
    return vars(game) | {"seconds": [round(s, 6) for s in game.seconds]}


def _game_from_json(data: dict[str, Any]) -> GameResult:
    """A game from JSON values.

    Raises:
        ValueError: if entries are missing, unknown or of another kind.
    """
    try:
        rows = {name: tuple(data[name]) for name in ("seats", "points", "decisions", "seconds")}
        game = GameResult(**(data | rows))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no result of a game: {quoted(error)}") from error
    if game.end not in ENDS or len(set(map(len, rows.values()))) != 1:
        raise ValueError(f"no result of a game: end {quoted(game.end)}, seats {quoted(game.seats)}")
    if not _is_whole(game):
        raise ValueError(f"no result of a game: {quoted(data)}")
    return game


def _is_scheduled(
    game: GameResult, schedule: Sequence[ScheduledGame] | None, names: Sequence[str]
) -> bool:
    """Whether this is the result of a game of a match."""
    if schedule is None:
        return set(game.seats) <= set(names)
    return game.number < len(schedule) and _is_of(game, schedule[game.number], names)


def _require_of_match(path: Path, game: GameResult, found: bool) -> None:
    """Raise an error that names a game which wasn't found in the match of its file."""
    if not found:
        raise ValueError(f"{path}: game {game.number} is none of this match")


def _is_whole(game: GameResult) -> bool:
    """Whether everything in a result is of the kind that it should be, and possible together."""
    counts = (game.number, game.lineup, game.block, game.turns, *game.points, *game.decisions)
    seats = [seat for seat in (game.winner, game.offender) if seat is not None]
    return (
        all(type(n) is int and 0 <= n < 2**63 for n in counts)
        and all(type(seat) is int and 0 <= seat < len(game.seats) for seat in seats)
        and all(isinstance(text, str) for text in (*game.seats, game.reason))
        and all(type(s) in (int, float) and 0 <= s < 2**63 for s in game.seconds)
        and (game.winner is None) == (game.end == TRUNCATED)
        and (game.offender is not None) == (game.end == FORFEIT)
        and (game.offender is None or game.offender != game.winner)
    )


def _is_of(game: GameResult, scheduled: ScheduledGame, names: Sequence[str]) -> bool:
    """Whether this is the result of a scheduled game."""
    return (game.number, game.lineup, game.block, game.seats) == (
        scheduled.number,
        scheduled.lineup,
        scheduled.block,
        tuple(names[k] for k in scheduled.seats),
    )


def load_results(path: str | os.PathLike[str]) -> Result:
    """Read a file of results, whose match need not be finished.

    Games of blocks that aren't complete are left out, so that seats stay balanced.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: names the line that is wrong.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    lines, _ = _complete_lines(path)
    if not lines:
        raise ValueError(f"{path}: there are no results in it")
    header = _parse(path, 1, lines[0])
    if header.get("format") != FORMAT:
        raise ValueError(f"{path}: line 1 must be of the format {FORMAT!r}")
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


def _complete_lines(path: Path) -> tuple[list[str], int]:
    """The complete lines of a file, and their length in bytes."""
    _require_regular(path)
    content = path.read_bytes() if path.exists() else b""
    length = content.rfind(b"\n") + 1
    try:
        return content[:length].decode("utf-8").splitlines(), length
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: this is no file of results: {error}") from error


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:  # numbers of thousands of digits, too
        raise ValueError(f"{path}: line {number} is not JSON: {error}") from error
    except RecursionError:
        raise ValueError(f"{path}: line {number} is nested too deeply") from None
    if not isinstance(data, dict):
        raise ValueError(f"{path}: line {number} is not a JSON object")
    return data


def _read_games(path: Path, lines: Sequence[str]) -> dict[int, GameResult]:
    found: dict[int, GameResult] = {}
    for number, line in enumerate(lines, 2):
        try:
            game = _game_from_json(_parse(path, number, line))
        except ValueError as error:
            message = str(error)
            prefix = "" if message.startswith(f"{path}: ") else f"{path}: line {number}: "
            raise ValueError(prefix + message) from error
        if game.number in found:
            raise ValueError(f"{path}: line {number} holds game {game.number} once more")
        found[game.number] = game
    return found


def _check_header(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    if found.get("format") != FORMAT:
        raise ValueError(f"{path}: line 1 must be of the format {FORMAT!r}; it is another file")
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
