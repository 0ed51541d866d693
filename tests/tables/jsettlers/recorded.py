"""Recorded exchanges of real games: `<` marks the server's messages, `>` the robot's."""

from collections import deque
from pathlib import Path

import numpy as np

from catan_pz.actions import ACCEPT, COMPOSE_GIVE, DISCARD, OFFER, REJECT, WITHDRAW
from catan_pz.agents.base import Agent
from catan_pz.game.view import View
from catan_pz.tables.jsettlers.messages import Kind, Message
from catan_pz.tables.jsettlers.player import TablePlayer

FOLDER = Path(__file__).parent / "games"
GAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
JOINING = (Kind.JOIN_GAME, Kind.SIT_DOWN)


def exchange(name: str) -> list[tuple[str, str]]:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(line[0], line[2:]) for line in lines]


def received(name: str) -> list[str]:
    return [text for sign, text in exchange(name) if sign == "<"]


def sent(name: str) -> list[str]:
    """The robot's messages in the game, once seated."""
    texts = [text for sign, text in exchange(name) if sign == ">"]
    return [text for text in texts if Message.parse(text).kind not in JOINING]


class Recorded(Agent):
    """Repeats a recorded robot's choices: the action whose command comes next."""

    def __init__(self, name: str) -> None:
        self.coming = deque(sent(name))
        self.seated: TablePlayer | None = None
        self.discards: list[int] = []

    def act(self, view: View) -> int:
        legal = np.flatnonzero(view.mask).tolist()
        following = Message.parse(self.coming[0]).kind
        if legal[0] >= DISCARD and legal[-1] < DISCARD + 5:
            return self.discard()
        if legal[0] in (ACCEPT, REJECT) or REJECT in legal:
            return self.answer(legal, following)
        if WITHDRAW in legal:
            return legal[0] if following == Kind.ACCEPT_OFFER else WITHDRAW
        # An offer that nobody took is cleared first.
        cleared = (Kind.REJECT_OFFER, Kind.CLEAR_OFFER)
        texts = (text for text in self.coming if Message.parse(text).kind not in cleared)
        wanted = next(texts)
        return next(action for action in legal if self.spoken(action) == wanted)

    def discard(self) -> int:
        if not self.discards:
            counts = Message.parse(self.coming[0]).integers(1, 6)
            order = (0, 4, 2, 3, 1)
            self.discards = [r for r, n in zip(order, counts, strict=True) for _ in range(n)]
        return DISCARD + self.discards.pop()

    def answer(self, legal: list[int], following: int) -> int:
        if following == Kind.ACCEPT_OFFER:
            return ACCEPT
        if following == Kind.REJECT_OFFER:
            return REJECT
        return next(a for a in legal if a >= OFFER and self.spoken(a) == self.coming[0])

    def spoken(self, action: int) -> str:
        assert self.seated is not None
        reader = self.seated.reader
        if OFFER <= action < COMPOSE_GIVE:
            bundles = self.seated._composed(reader.followed, action)
            assert bundles is not None
            seats = set(range(len(reader.numbers))) - {reader.seat}
            if not reader.is_own_turn:
                seats = {reader.game.turn_player}
            return self.seated._offer_command(seats, bundles)
        return "" if action >= COMPOSE_GIVE else self.seated._spoken(action)


def seat(name: str, agent: Agent | None = None) -> TablePlayer:
    """An agent in the recorded robot's seat, by default one that repeats its choices."""
    invitation = Message.parse(received(name)[0])
    player = Recorded(name) if agent is None else agent
    seated = TablePlayer(player, "g", invitation.integer(1), "NT=t" not in invitation.fields, 1)
    if isinstance(player, Recorded):
        player.seated = seated
    return seated


def tell(seated: TablePlayer, *texts: str) -> None:
    """Send it messages; its commands must equal the recorded robot's."""
    for text in texts:
        for given in seated.take(Message.parse(text)):
            assert given == seated._agent.coming.popleft()  # type: ignore[attr-defined]
