"""A server's game between people and agents: each viewer's information and controls."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from catan_pz import agents
from catan_pz.actions import ACCEPT, REJECT, describe_action
from catan_pz.agents.base import Agent
from catan_pz.events import ONLOOKER, EventKind
from catan_pz.play.controls import Control, Draft, controls
from catan_pz.play.ending import ending_json
from catan_pz.play.session import PlayedGame
from catan_pz.play.story import Story
from catan_pz.render.view import TableView, table_view
from catan_pz.render.words import table_words
from catan_pz.terms import Phase
from catan_pz.web.drawn import board_layers, prompt, view_json

_REVEALING: Final = frozenset(
    {EventKind.ROLLED, EventKind.STOLEN, EventKind.CARD_BOUGHT, EventKind.OFFER_GIVES}
)
"""Events after which a decision can't be undone."""

_LASTING: Final = frozenset({"accept", "reject", "close_with", "play_monopoly", "compose_give"})
"""Further kinds of actions that can't be undone: others have answered or shown something."""


class PressError(ValueError):
    """A control can't be used now, for the reason given."""


class Picture(NamedTuple):
    """One viewer's picture of a table.

    Attributes:
        version: number of the picture, counted for this viewer; messages name it.
        layers: the board's layers as SVG.
        controls: the viewer's controls; disabled ones have a reason.
        log: the events in words, from `story`.
        view: the viewer's knowledge of seats, bank, dice and offer, as JSON values.
        status: the page's other content, as JSON values.
    """

    version: int
    layers: list[str]
    controls: tuple[Control, ...]
    log: list[dict[str, Any]]
    view: dict[str, Any]
    status: dict[str, Any]


class HostedGame:
    """A server's game: links, pictures, and the cards that each person has laid out.

    Args:
        session: the game with its agents.
        links: the secret of each person's seat and of onlookers; None to draw them.

    Attributes:
        here: the people whose page is open.
        claimed: the people whose page was ever open, or who have made a decision.
    """

    def __init__(self, session: PlayedGame, links: Mapping[int, str] | None = None) -> None:
        self.session = session
        self.links = dict(links or {v: secrets.token_urlsafe(16) for v in session.viewers})
        self.here: set[int] = set()
        decided = {decision.player for decision in session.record.decisions}
        self.claimed = decided & {*session.persons}
        self._drafts: dict[int, Draft] = {}
        self._early: dict[int, int] = {}  # answers of seats that are still to be asked
        self._refusing: set[int] = set()  # seats that reject all offers until their own turn
        self._changes = dict.fromkeys(session.viewers, 0)
        self._pictures: dict[int, Picture] = {}
        self._stories = {viewer: Story(viewer) for viewer in session.viewers}

    @property
    def invitation(self) -> str:
        """The secret for taking free seats, derived from the links of the seats."""
        secrets_of_all = "".join(self.links[viewer] for viewer in sorted(self.links))
        return hashlib.sha256(secrets_of_all.encode()).hexdigest()[:22]

    @property
    def free_seats(self) -> list[int]:
        """Seats of people who never opened the page."""
        return [seat for seat in self.session.persons if seat not in self.claimed]

    def viewer_of(self, link: str) -> int | None:
        """The seat of a link, or `ONLOOKER`; None for a wrong link."""
        given = link.encode("utf-8", "surrogatepass")
        for viewer, secret in self.links.items():
            if secrets.compare_digest(secret.encode(), given):
                return viewer
        return None

    def again(self) -> "HostedGame":
        """Another game with the same links; people who returned after the last one play again."""
        playing = [None if s in self.here else one for s, one in enumerate(self.session.agents)]
        session = self.session.again(playing)
        session.draw_chance_anew(secrets.randbits(63))
        game = HostedGame(session, self.links)
        game.here, game.claimed = self.here, self.claimed
        return game

    def advised_decision(self, viewer: int) -> int | None:
        """The number of the decision on which a viewer can get advice now, or None.

        Advice is for a person's own decisions with several legal actions.
        """
        session = self.session
        if viewer not in session.advisers or session.is_finished or session.game.player != viewer:
            return None
        return len(session.record.decisions) if session.game.mask.sum() > 1 else None

    def press(self, viewer: int, name: str, version: int) -> None:
        """Apply a control, if it is in the newest version of the picture."""
        if version != self.version_of(viewer):
            raise PressError("the table has changed meanwhile")
        control = next(
            (c for c in self.picture(viewer).controls if c.name == name and c.is_active), None
        )
        if control is None:
            raise PressError("that can't be pressed now")
        self._drafts[viewer] = control.draft or Draft()
        self._changes[viewer] += 1
        game = self.session.game
        if name == "undo":
            self._renew(len(self.session.record.decisions) - 1, self.session.agents)
        elif name.startswith("agent "):  # it plays for a person who has left
            others = (agent for agent in self.session.agents if agent is not None)
            self._reseat(int(name.split()[1]), next(others, None) or agents.load("heuristic"))
        elif control.play and game.player != viewer:
            self._early[viewer] = control.play[0]
        else:
            for action in control.play:
                self.session.play(action)
        if name == "reject all":
            self._refusing.add(viewer)
        self._answer()

    def play(self, action: int) -> None:
        """Play an agent's action, and the answers that people have given in advance."""
        self.session.play(action)
        self._answer()

    def _answer(self) -> None:
        """Answer an offer for people who have answered in advance, or reject all offers.

        An agent's offer that a person can't pay is rejected for them.
        """
        session = self.session
        while session.waits_for_person and session.game.phase == Phase.ANSWER:
            game, seat = session.game, session.game.player
            is_agents = session.agents[game.turn_player] is not None
            hopeless = is_agents and not game.mask[ACCEPT]
            if seat not in self._early and seat not in self._refusing and not hopeless:
                return
            session.play(self._early.pop(seat, REJECT))
        if session.game.phase not in (Phase.ANSWER, Phase.COMPOSE):
            self._early.clear()
        self._refusing.discard(session.game.turn_player)

    def arrive(self, seat: int) -> None:
        """A person has opened the page, and takes the seat back from an agent."""
        self.claimed.add(seat)
        self.here.add(seat)
        self._change()
        if self.session.agents[seat] is not None and not self.session.is_finished:
            self._reseat(seat, None)

    def leave(self, seat: int) -> None:
        """A person has closed the last page."""
        self.here.discard(seat)
        self._change()

    def _change(self) -> None:
        for viewer in self._changes:
            self._changes[viewer] += 1

    def _reseat(self, seat: int, agent: Agent | None) -> None:
        """Let an agent play in a seat, or its person if None."""
        playing = list(self.session.agents)
        playing[seat] = agent
        self._renew(len(self.session.record.decisions), playing)

    def _renew(self, decisions: int, playing: Sequence[Agent | None]) -> None:
        before, self.session = self.session, self.session.renewed(decisions, playing)
        before.close()
        self._change()  # the version grows, although there are fewer decisions
        self._change()
        self._early.clear()

    def version_of(self, viewer: int) -> int:
        """Number of a viewer's picture; it doesn't reveal how often others lay something out."""
        return len(self.session.record.decisions) + self._changes[viewer]

    def picture(self, viewer: int) -> Picture:
        """A viewer's current picture."""
        known = self._pictures.get(viewer)
        if known is None or known.version != self.version_of(viewer):
            known = self._pictures[viewer] = self._draw(viewer)
        return known

    def view(self, viewer: int) -> TableView:
        """The table as a viewer knows it; all cards are open once the game is over."""
        session = self.session
        shown_to = None if session.is_finished else session.shown_to(viewer)
        return table_view(session.snapshot(), shown_to, session.names)

    def _draw(self, viewer: int) -> Picture:
        view = self.view(viewer)
        draft = self._drafts.get(viewer, Draft())
        pressable = tuple(self._controls(viewer, view, draft)) if viewer != ONLOOKER else ()
        status = self._status(view) | {
            "advised": self.advised_decision(viewer),
            "prompt": prompt(view, viewer, pressable, draft),
            "draft": [draft.give, draft.get, draft.card],
            "refusing": viewer in self._refusing,
        }
        return Picture(
            self.version_of(viewer),
            board_layers(view),
            pressable,
            self._stories[viewer].entries(self.session),
            view_json(view),
            status,
        )

    def _controls(self, viewer: int, view: TableView, draft: Draft) -> list[Control]:
        session = self.session
        answered = viewer in self._early
        found = [] if answered else [*controls(session.game, viewer, view, draft)]
        if self._can_undo(viewer):
            last = self._stories[viewer].entries(session)[-1]["words"]
            found.append(Control("undo", f"take back: {last}", (), Draft(), "u", "Undo"))
        for seat in () if session.is_finished else session.persons:
            if seat not in (viewer, *self.here) and session.agents[seat] is None:
                words = f"{view.name(seat)} isn't here: let an agent play until they come back"
                label = "Seat an agent"
                found.append(Control(f"agent {seat}", words, (), draft, label=label))
        return found

    def _can_undo(self, viewer: int) -> bool:
        """Whether the last decision was the viewer's, and nothing was revealed since."""
        session, decisions = self.session, self.session.record.decisions
        if not decisions or decisions[-1].player != viewer or not session.waits_for_person:
            return False
        kind = describe_action(decisions[-1].action)["kind"]
        brought = {event.kind for event in session.heard[-1]}
        return kind not in _LASTING and not brought & _REVEALING

    def _status(self, view: TableView) -> dict[str, Any]:
        session = self.session
        over, seat = session.is_finished, session.game.player
        return {
            "to_move": None if over else seat,
            "thinking": not over and session.agents[seat] is not None,
            "away": [k for k in session.persons if k not in self.here],
            "agents": [k for k, agent in enumerate(session.agents) if agent is not None],
            "over": over,
            "result": session.result() if over else "",
            "ending": ending_json(session, view) if over else None,
            "words": table_words(view),
        }
