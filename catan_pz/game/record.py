"""Whole games as JSON lines, replayed without the random generator.

The first line is the state at the start of the record, each further line a decision (forced
ones included) with its chance outcome, and the last line the result.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct

from catan_pz.actions import action_id, describe_action
from catan_pz.checks import quoted, shaped
from catan_pz.events import Decision, Events, Outcome, as_outcome, outcome_of
from catan_pz.files import read_json, read_text, text_lines, whole_file
from catan_pz.game.game import Game
from catan_pz.terms import Card, Resource

FORMAT: Final = "catan-pz-game/1"

TABLE_FORMAT: Final = "catan-pz-table/1"
"""Format of an optional first line: the table of a server that hosted the game."""

UNFINISHED: Final = "unfinished"
RESIGNED: Final = "resigned"
"""Ends of games that were abandoned, and of games that the others conceded to the winner."""

_NO_GAME: Final = (
    f"a recorded game begins with the format {FORMAT!r} and ends with the result: this one "
    "doesn't, or is cut short"
)


class _Start(Struct):
    players: list[Any]
    rules: dict[str, Any]


class _Header(Struct):
    state: _Start


class _Row(Struct):
    player: int
    action: dict[str, Any]
    outcome: Any
    marks: tuple[str, ...] = ()


@dataclass
class GameRecord:
    """A recorded game.

    Attributes:
        start: the state at the start of the record, in its JSON form.
        result: "winner" (a seat or None), "turns", "points" of each seat, and "end": "won",
            "truncated", `UNFINISHED` or `RESIGNED`.
        names: names of the players, one per seat; None if they have no names.
        agents: the players, one per seat, in the form of `catan_pz.agents.load` with options,
            None for people; None if they are unknown.
        header_line: line number of the header in the source: 2 in the file of a table.
    """

    start: dict[str, Any]
    decisions: list[Decision] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    names: list[str] | None = None
    agents: list[str | None] | None = None
    header_line: int = field(default=1, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        game: Game,
        names: Sequence[str] | None = None,
        agents: Sequence[str | None] | None = None,
    ) -> Self:
        """Record a game from now on, until it is reset or restored."""
        start = game.snapshot()
        called = _one_a_seat("names", names, start, str)
        playing = _one_a_seat("agents", agents, start, str | None)
        record = cls(start, [], result_of(game), called, playing)
        # Recorders of earlier games have nothing more to record.
        listeners = [x for x in game.listeners if getattr(x, "origin", game.origin) is game.origin]
        game.listeners = [*listeners, _Recorder(record, game.origin)]
        return record

    def lines(self) -> Iterator[str]:
        """The JSON lines, without line ends."""
        seats = {"names": self.names, "agents": self.agents}
        known = {what: listed for what, listed in seats.items() if listed is not None}
        yield json.dumps({"format": FORMAT} | known | {"state": self.start})
        for decision in self.decisions:
            row = {
                "player": decision.player,
                "action": describe_action(decision.action),
                "outcome": outcome_to_json(decision.outcome),
            }
            yield json.dumps(row | {"marks": decision.marks} if decision.marks else row)
        yield json.dumps({"result": self.result})

    def text(self) -> str:
        """The JSON lines as one text."""
        return "".join(f"{line}\n" for line in self.lines())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lines to a file atomically."""
        with whole_file(Path(path)) as draft:
            draft.write_text(self.text(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a recorded game from a file."""
        return cls.from_lines(read_text(Path(path)))

    @classmethod
    def from_lines(cls, text: str | Iterable[str]) -> Self:
        """Read a recorded game from its JSON lines, as one text or one by one."""
        lines = text if isinstance(text, str) else "\n".join(line.rstrip("\n") for line in text)
        rows = [_parse(number, line) for number, line in enumerate(text_lines(lines), 1)]
        number = 2 if rows[0].get("format") == TABLE_FORMAT and rows[1:] else 1
        header, played = rows[number - 1], rows[number:]
        if header.get("format") != FORMAT or not played or "result" not in played[-1]:
            raise ValueError(_NO_GAME)
        shaped(header, _Header, f"line {number}")
        result = played.pop()["result"]
        if not isinstance(result, dict):
            raise ValueError(f"line {len(rows)}: {quoted(result)} is no result of a game")
        return cls(
            header["state"],
            [_decision(at, row) for at, row in enumerate(played, number + 1)],
            result,
            _one_a_seat("names", header.get("names"), header["state"], str),
            _one_a_seat("agents", header.get("agents"), header["state"], str | None),
            number,
        )

    def replay(self, game: Game | None = None) -> Iterator[Game]:
        """Replay the game, yielding it at the start and after each decision; it is one object.

        Args:
            game: the game to play on, in the state `start`; a new one if None.
        """
        for again, _ in self.replay_with_events(game):
            yield again

    def replay_with_events(self, game: Game | None = None) -> Iterator[tuple[Game, Events | None]]:
        """Like `replay`, with the events of each decision beside the game, None at the start."""
        game = Game.from_snapshot(self.start) if game is None else game
        yield game, None
        for number, decision in enumerate(self.decisions, self.header_line + 1):
            if decision.player != game.player:
                raise ValueError(
                    f"line {number}: player {decision.player} can't move, {game.player} is to move"
                )
            try:
                events = game.step_once(decision.action, decision.outcome)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
            if decision.outcome is None and outcome_of(events) is not None:
                raise ValueError(f"line {number}: the chance outcome is missing")
            yield game, events
        result, winner = result_of(game), self.result.get("winner")
        resigned = self.result.get("end") == RESIGNED and result["end"] == UNFINISHED
        if resigned and winner in range(len(game.points)):
            result |= {"winner": winner, "end": RESIGNED}
        if self.result != result:
            raise ValueError(f"the result is {result}, recorded as {quoted(self.result)}")


@dataclass(eq=False)
class _Recorder:
    """Adds decisions to a record until another game begins, with another `origin`."""

    record: GameRecord
    origin: object

    def __call__(self, game: Game, events: Events) -> None:
        if game.origin is self.origin:
            self.record.decisions.append(Decision.of(events))
            self.record.result = result_of(game)


def _one_a_seat(what: str, given: Any, start: Mapping[str, Any], kind: Any) -> list[Any] | None:
    if given is None:
        return None
    seats = len(start["players"])
    listed = isinstance(given, Sequence) and not isinstance(given, str) and len(given) == seats
    if not listed or not all(isinstance(one, kind) for one in given):
        raise ValueError(f"{what} must be {seats} names, one a seat, got {quoted(given)}")
    return list(given)


def result_of(game: Game) -> dict[str, Any]:
    """The result of a game in the form of records."""
    end = "won" if game.is_over else "truncated" if game.is_truncated else UNFINISHED
    points = [int(n) for n in game.points]
    return {"winner": game.winner, "turns": game.turn, "points": points, "end": end}


def outcome_to_json(outcome: Outcome) -> Any:
    """A chance outcome as JSON values."""
    if isinstance(outcome, Resource | Card):
        return outcome.name.lower()
    return list(outcome) if outcome is not None else None


def _parse(number: int, line: str) -> dict[str, Any]:
    try:
        row = read_json(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"line {number} is not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError(f"line {number} is not a JSON object")
    return row


def _decision(number: int, row: Mapping[str, Any]) -> Decision:
    try:
        read = shaped(row, _Row, "decision")
        action = action_id(**read.action)
        outcome = None if read.outcome is None else as_outcome(action, read.outcome)
        if outcome is None is not read.outcome:
            raise ValueError(f"outcome {read.outcome!r} is impossible for the action")
        return Decision(read.player, action, outcome, read.marks)
    except (TypeError, ValueError) as error:
        raise ValueError(f"line {number} is not a decision: {error}") from error
