"""What a game at a table asks of a person: `python -m tests.web.evening --games 3`.

A heuristic plays the person's seat by presses against three heuristics. Prints presses a turn, the
share of them that answer offers of others ("Reject all until my turn" after the first that is
rejected), seconds that agents' moves are shown between own turns, and bytes that were sent.
"""

import argparse
import asyncio
import json
import socket
from types import SimpleNamespace
from typing import Any
from unittest import mock

from websockets.sync.client import connect

from catan_pz.actions import COMPOSE_GIVE, COMPOSE_SEND, END_TURN, REJECT, ROLL
from catan_pz.agents.adviser import Adviser
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from catan_pz.web import live_table, responses
from catan_pz.web.server import make_app
from tests.play.presses import names_for
from tests.web.tables import hosted, running


class Counted(socket.socket):
    """A connection that counts what it receives."""

    received = 0

    def recv(self, *given: Any) -> bytes:
        """Receive."""
        data = super().recv(*given)
        self.received += len(data)
        return data


def connected(port: int) -> Counted:
    """A connection to this machine."""
    made = Counted(socket.AF_INET, socket.SOCK_STREAM)
    made.connect(("127.0.0.1", port))
    return made


def heard(browser: Any) -> dict[str, Any]:
    """The next picture; what else is told is passed over."""
    while "version" not in (message := json.loads(browser.recv(600))):
        pass
    return dict(message)


def play(seed: int, shown: list[float]) -> str:
    """Play a game; a line of what it took. `shown` gets the seconds that moves are shown."""
    game = hosted([None, *["heuristic"] * 3], Rules(num_players=4, offer_form="both"), seed=seed)
    session = game.session
    adviser = Adviser(session.game, 0, "heuristic", 7)
    app = make_app([live_table.LiveTable(game, pause=0.6)])
    path = f"/socket/{game.links[0]}"
    turns, presses, answers, acted = 0, 0, 0, -1
    between, ended = [], None
    with (
        running(app) as port,
        connected(port) as sock,
        connect(f"ws://127.0.0.1:{port}{path}", sock=sock, max_size=None) as browser,
    ):
        while not (news := heard(browser))["over"]:
            is_new = news["version"] == game.version_of(0) > acted
            if news["to_move"] != 0 or not is_new:
                continue
            acted = news["version"]
            question, phase = adviser.question(), session.game.phase
            if phase != Phase.COMPOSE:
                question.view.mask[COMPOSE_GIVE : COMPOSE_SEND + 1] = 0
            action = adviser.ask(adviser.agent.act, question.view, question.heard)
            names = ["reject all"] if action == REJECT else names_for(session.game, action)
            if action == ROLL:
                turns += 1
                between += [] if ended is None else [sum(shown) - ended]
            for k, name in enumerate(names, 1):
                last = k == len(names)
                browser.send(json.dumps({"press": name, "version": news["version"]}))
                presses += 1
                answers += phase == Phase.ANSWER
                while not last and (news := heard(browser))["version"] <= acted:
                    pass
                acted = news["version"]
            if action == END_TURN:
                ended = sum(shown)
    return (
        f"| {seed} | {turns} | {presses / turns:.1f} | {answers / presses:.0%} "
        f"| {sum(between) / len(between):.1f} | {sock.received / 1000:.0f} |"
    )


def main() -> None:
    """Play some games, without waiting between moves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=3)
    shown: list[float] = []

    async def pass_over(seconds: float) -> None:
        shown.append(seconds)
        await asyncio.sleep(0)

    quick = SimpleNamespace(**vars(asyncio) | {"sleep": pass_over})
    print("| seed | own turns | presses a turn | for others' offers | seconds between | kB |")
    print("|---|---|---|---|---|---|")
    with (
        mock.patch.object(live_table, "asyncio", quick),
        mock.patch.object(responses, "MESSAGES_A_SECOND", 1e9),
    ):
        for seed in range(1, parser.parse_args().games + 1):
            print(play(seed, shown), flush=True)


if __name__ == "__main__":
    main()
