"""A game between persons and agents, as a server holds it: who may see and press what."""

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from catan_pz.agents.adviser import Adviser, Question
from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import blamed
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.events import ONLOOKER, Events
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.controls import Control, Draft, controls
from catan_pz.play.desk import desk_layers
from catan_pz.play.desk_layout import DESK, DESK_HEIGHT
from catan_pz.render.layout import HEIGHT, MARGIN, SEA_WIDTH, WIDTH, Area, Bar, Box, Disc
from catan_pz.render.log import log_line
from catan_pz.render.summary import table_words
from catan_pz.render.svg import table as table_layers
from catan_pz.render.view import TableView, table_view
from catan_pz.rules import Rules

SPLIT: Final = MARGIN + SEA_WIDTH + 4
"""Where the board ends and the panels begin, in the picture's units."""


class PressError(ValueError):
    """What was pressed can't be pressed now; says why."""


@dataclass(frozen=True)
class Frame:
    """What one viewer sees of a table at a moment.

    Attributes:
        version: number of the moment, of this viewer's own count; what is pressed names it.
        layers: the picture's layers as SVG.
        controls: what the viewer can press, and what can't be pressed now, which says why.
        log: what happened, a line a decision.
        status: everything else that the page shows, as JSON values.
    """

    version: int
    layers: list[str]
    controls: tuple[Control, ...]
    log: list[str]
    status: dict[str, Any]


@dataclass
class Seats:
    """Who sits where.

    Attributes:
        agents: by seat, None for a person.
        names: what the seats are called, one each.
        links: the secret of each person's seat, by seat, and of onlookers.
        adviser: the agent whose advice persons may see at their own decisions; None for none.
    """

    agents: Sequence[Agent | None]
    names: list[str]
    links: dict[int, str] = field(default_factory=dict)
    adviser: Agent | None = None

    def __post_init__(self) -> None:
        for viewer in (ONLOOKER, *self.persons):
            self.links.setdefault(viewer, secrets.token_urlsafe(16))

    @property
    def persons(self) -> list[int]:
        """The seats that persons play."""
        return [seat for seat, agent in enumerate(self.agents) if agent is None]

    def viewer_of(self, link: str) -> int | None:
        """The seat whose secret it is, or `ONLOOKER`; None if it is nobody's."""
        found = (viewer for viewer, secret in self.links.items() if _is_same(secret, link))
        return next(found, None)


class HostedGame:
    """A game with its record, a log for each viewer, and what each person has laid out.

    Args:
        seats: who plays.
        record: what was played so far, None for a new game.
        rules: of a new game.

    Attributes:
        seats: who plays.
        game: the game.
        record: all that was played.
        version: counts what is played, which changes everybody's picture.
        failed: the seat whose agent has raised something; None where none has.

    Raises:
        ValueError: the record isn't that of a game by the rules.
    """

    def __init__(
        self, seats: Seats, *, rules: Rules | None = None, record: GameRecord | None = None
    ) -> None:
        self.seats = seats
        # Whoever knows the seed knows what chance brings, so it is kept secret.
        seed = secrets.randbits(63)
        start = record and Game.from_snapshot(record.start)
        self.game = start or Game(rules or Rules(), seed)
        self.version = 0
        self.failed: int | None = None
        # Before agents hear of a decision, which they may fail in.
        self.record = GameRecord.of(self.game, seats.names)
        seeds = seat_seeds(seed, len(seats.agents))
        self._table = Table(self.game, seats.agents, seeds)
        self._table.guard = self._guarded
        self._advisers = {
            seat: Adviser(self.game, seat, seats.adviser, seeds[seat])
            for seat in seats.persons
            if seats.adviser is not None
        }
        self._drafts: dict[int, Draft] = {}
        self._presses: Counter[int] = Counter()
        self._frames: dict[int, Frame] = {}
        self._logs: dict[int, list[str]] = {viewer: [] for viewer in seats.links}
        self.game.listeners.append(self._listen)
        if record is not None:
            try:
                for _ in record.replay(self.game):
                    pass
            except BaseException:
                self.close()
                raise
            _draw_chance_anew(self.game, seed)

    def _listen(self, _game: Game, events: Events) -> None:
        self.version += 1
        for viewer, log in self._logs.items():
            log.append(log_line(events, self._shown_to(viewer), self.seats.names))

    def _shown_to(self, viewer: int) -> int | None:
        """Whose knowledge is shown: where nobody plays, onlookers may see everything."""
        return viewer if self.seats.persons else None

    @property
    def is_finished(self) -> bool:
        """Whether the game is over or truncated."""
        return self.game.is_over or self.game.is_truncated

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to decide."""
        return not self.is_finished and self.seats.agents[self.game.player] is None

    def decide(self) -> int:
        """The choice of the agent that is to move; the game is left as it is."""
        with self._noted(self.game.player):
            return self._table.decide()

    @contextmanager
    def _guarded(self, agent: Agent, seat: int) -> Iterator[None]:
        """What the table enters around calls of an agent."""
        with self._noted(seat), blamed(agent, seat):
            yield

    @contextmanager
    def _noted(self, seat: int) -> Iterator[None]:
        """Note the seat of an agent that raises something."""
        try:
            yield
        except BaseException:
            self.failed = seat
            raise

    def advised_decision(self, viewer: int) -> int | None:
        """The number of the decision on which a viewer can have advice now; None for none.

        There is advice on a person's own decisions among several actions.
        """
        if viewer not in self._advisers or self.is_finished or self.game.player != viewer:
            return None
        return len(self.record.decisions) if self.game.mask.sum() > 1 else None

    def question(self, viewer: int) -> Question:
        """What to ask the adviser of a viewer, who is to decide."""
        return self._advisers[viewer].question()

    def play(self, action: int) -> None:
        """Play an agent's choice."""
        self.game.step(action)
        self._end_if_finished()

    def press(self, viewer: int, name: str, version: int) -> None:
        """Do what pressing a control does: lay something out, or play it.

        Args:
            viewer: who presses it.
            name: of the control.
            version: of the frame in which it was seen.

        Raises:
            PressError: it isn't there to be pressed; nothing has changed.
        """
        if version != self.version_of(viewer):
            raise PressError("the table has changed meanwhile")
        control = next(
            (c for c in self.frame(viewer).controls if c.name == name and c.is_active), None
        )
        if control is None:
            raise PressError("that can't be pressed now")
        self._drafts[viewer] = control.draft or Draft()
        for action in control.play:
            self.game.step(action)
        self._presses[viewer] += 1
        self._end_if_finished()

    def _end_if_finished(self) -> None:
        if self.is_finished:
            self._table.close()

    def close(self) -> None:
        """Let the agents go."""
        with ExitStack() as leaving:  # all of them, also where some raise
            for adviser in self._advisers.values():
                leaving.callback(adviser.close)
            self._table.close()

    def version_of(self, viewer: int) -> int:
        """Number of a viewer's picture: it doesn't tell how often others lay something out."""
        return self.version + self._presses[viewer]

    def frame(self, viewer: int) -> Frame:
        """What a viewer sees now."""
        known = self._frames.get(viewer)
        if known is None or known.version != self.version_of(viewer):
            known = self._frames[viewer] = self._draw(viewer)
        return known

    def _draw(self, viewer: int) -> Frame:
        view = table_view(self.game.snapshot(), self._shown_to(viewer), self.seats.names)
        version, log = self.version_of(viewer), self._logs[viewer]
        line = log[-1] if log else None
        status = self._status(view)
        if viewer == ONLOOKER:
            return Frame(version, table_layers(view, line), (), log, status)
        draft = self._drafts.get(viewer, Draft())
        pressable = controls(self.game, viewer, view, draft)
        note = status["result"] or None
        layers = desk_layers(view, viewer, pressable, draft, last_action=line, note=note)
        return Frame(version, layers, pressable, log, status)

    def _status(self, view: TableView) -> dict[str, Any]:
        over = self.is_finished
        seat = self.game.player
        return {
            "names": [view.name(k) for k in range(len(view.seats))],
            "to_move": None if over else seat,
            "thinking": not over and self.seats.agents[seat] is not None,
            "over": over,
            "turn": view.turn,
            "result": self._result(view) if over else "",
            "words": table_words(view),
            "points": [s.visible_points if s.points is None else s.points for s in view.seats],
        }

    def _result(self, view: TableView) -> str:
        points = ", ".join(f"{view.name(seat)} {int(n)}" for seat, n in enumerate(self.game.points))
        ended = "Nobody won" if view.winner is None else f"{view.name(view.winner)} won"
        return f"{ended} in turn {view.turn}. Points: {points}."


def _draw_chance_anew(game: Game, seed: int) -> None:
    """Let chance bring what nobody can foretell from the start of a record: rolls, thefts, cards.

    Replaying the record doesn't need the deck's order: a card that is named changes places with
    the top one.
    """
    game.games["rng"][0] = seed
    deck, left = game.games["deck"][0], int(game.games["deck_left"][0])
    np.random.default_rng(secrets.randbits(128)).shuffle(deck[len(deck) - left :])


def layout_for(viewer: int) -> dict[str, float]:
    """Sizes of a viewer's picture and of its parts, for pages that show them apart."""
    desk = 0.0 if viewer == ONLOOKER else DESK_HEIGHT
    return {"width": WIDTH, "height": HEIGHT, "desk": desk, "split": SPLIT, "top": DESK.y - 4}


def control_json(control: Control) -> dict[str, Any]:
    """A control as the page gets it; what it plays stays here."""
    return {
        "name": control.name,
        "words": control.words,
        "key": control.key,
        "area": area_json(control.area),
        "active": control.is_active,
    }


def area_json(area: Area) -> list[float]:
    """Corner and size of a box, centre and radius of a disc, ends and reach of a bar."""
    match area:
        case Box(x, y, width, height):
            return [x, y, width, height]
        case Disc(x, y, radius):
            return [x, y, radius]
        case Bar((x1, y1), (x2, y2), reach):
            return [x1, y1, x2, y2, reach]


def _is_same(secret: str, given: str) -> bool:
    return secrets.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))
