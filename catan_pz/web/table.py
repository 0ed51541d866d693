"""A game between persons and agents, as a server holds it: who may see and press what."""

import secrets
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from catan_pz.agents.adviser import Question
from catan_pz.events import ONLOOKER
from catan_pz.play.controls import DESK, DESK_HEIGHT, PLACES, Control, Draft, controls
from catan_pz.play.desk import desk_layers
from catan_pz.play.session import PlayedGame
from catan_pz.render.layout import HEIGHT, MARGIN, SEA_WIDTH, WIDTH, Area, Bar
from catan_pz.render.svg import table as table_layers
from catan_pz.render.view import TableView, table_view
from catan_pz.render.words import table_words

SPLIT: Final = MARGIN + SEA_WIDTH + 4
"""Where the board ends and the panels begin, in the picture's units."""


class PressError(ValueError):
    """What was pressed can't be pressed now; says why."""


class Picture(NamedTuple):
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


class HostedGame:
    """A game as a server holds it: links, pictures, and what each person has laid out.

    Args:
        session: the game with its agents.
        links: the secret of each person's seat and of onlookers; drawn where None.
    """

    def __init__(self, session: PlayedGame, links: Mapping[int, str] | None = None) -> None:
        self.session = session
        self.links = dict(links or {v: secrets.token_urlsafe(16) for v in session.logs})
        self._drafts: dict[int, Draft] = {}
        self._presses: Counter[int] = Counter()
        self._pictures: dict[int, Picture] = {}

    def viewer_of(self, link: str) -> int | None:
        """The seat whose secret it is, or `ONLOOKER`; None if it is nobody's."""
        given = link.encode("utf-8", "surrogatepass")
        for viewer, secret in self.links.items():
            if secrets.compare_digest(secret.encode(), given):
                return viewer
        return None

    def again(self) -> "HostedGame":
        """Another game at the same links."""
        session = self.session.again()
        session.draw_chance_anew(secrets.randbits(63))
        return HostedGame(session, self.links)

    def advised_decision(self, viewer: int) -> int | None:
        """The number of the decision on which a viewer can have advice now; None for none.

        There is advice on a person's own decisions among several actions.
        """
        session = self.session
        if viewer not in session.advisers or session.is_finished or session.game.player != viewer:
            return None
        return len(session.record.decisions) if session.game.mask.sum() > 1 else None

    def question(self, viewer: int) -> Question:
        """What to ask the adviser of a viewer, who is to decide."""
        return self.session.advisers[viewer].question()

    def press(self, viewer: int, name: str, version: int) -> None:
        """Lay out or play what a control does, if it is in the newest version of the picture."""
        if version != self.version_of(viewer):
            raise PressError("the table has changed meanwhile")
        control = next(
            (c for c in self.picture(viewer).controls if c.name == name and c.is_active), None
        )
        if control is None:
            raise PressError("that can't be pressed now")
        self._drafts[viewer] = control.draft or Draft()
        for action in control.play:
            self.session.play(action)
        self._presses[viewer] += 1

    def version_of(self, viewer: int) -> int:
        """Number of a viewer's picture: it doesn't tell how often others lay something out."""
        return len(self.session.record.decisions) + self._presses[viewer]

    def picture(self, viewer: int) -> Picture:
        """What a viewer sees now."""
        known = self._pictures.get(viewer)
        if known is None or known.version != self.version_of(viewer):
            known = self._pictures[viewer] = self._draw(viewer)
        return known

    def _draw(self, viewer: int) -> Picture:
        session = self.session
        view = table_view(session.snapshot(), session.shown_to(viewer), session.names)
        version, log = self.version_of(viewer), session.logs[viewer]
        line = log[-1] if log else None
        status = self._status(view) | {"advised": self.advised_decision(viewer)}
        if viewer == ONLOOKER:
            return Picture(version, table_layers(view, line), (), log, status)
        draft = self._drafts.get(viewer, Draft())
        pressable = controls(session.game, viewer, view, draft)
        note = status["result"] or None
        layers = desk_layers(view, viewer, pressable, draft, last_action=line, note=note)
        return Picture(version, layers, pressable, log, status)

    def _status(self, view: TableView) -> dict[str, Any]:
        session = self.session
        over, seat = session.is_finished, session.game.player
        return {
            "names": [view.name(k) for k in range(len(view.seats))],
            "to_move": None if over else seat,
            "thinking": not over and session.agents[seat] is not None,
            "over": over,
            "turn": view.turn,
            "result": session.result() if over else "",
            "words": table_words(view),
            "points": [s.visible_points if s.points is None else s.points for s in view.seats],
        }


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
    return [*area.start, *area.end, area.reach] if isinstance(area, Bar) else [*area]


def places_json(view: TableView) -> list[dict[str, Any]]:
    """All vertices, edges and hexes with their areas and words, upper things first."""
    return [
        {"name": f"{kind} {k}", "area": area_json(area(k)), "words": words(view, k)}
        for kind, (count, area, words) in PLACES.items()
        for k in range(count)
    ]
