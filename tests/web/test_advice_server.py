"""Advice from the server: to whom it is given, and when."""

import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.events import ONLOOKER
from catan_pz.game.view import View
from catan_pz.render.words import decision_words
from tests.web.tables import hosted, next_of, serving, socket_of

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("httpx2", reason="httpx2 is not installed")


def test_advice_comes_at_each_own_decision_while_it_is_on() -> None:
    with (
        serving(hosted(adviser=agents.load("weighted"))) as (client, table),
        client.websocket_connect(socket_of(table, 0)) as first,
        client.websocket_connect(socket_of(table, 1)) as second,
    ):
        sockets = first, second
        heard: list[list[dict[str, Any]]] = [[], []]

        def hear(seat: int, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
            """The message of a seat that is wanted: advice and pictures come in any order."""
            while not (found := [message for message in heard[seat] if wanted(message)]):
                heard[seat].append(sockets[seat].receive_json())
            return found[0]

        for seat, socket in enumerate(sockets):
            assert hear(seat, lambda message: "adviser" in message)["adviser"] == "weighted"
            socket.send_json({"advise": True})
        given = []
        for _ in range(12):
            game = table.hosted.session.game
            mover, decision = game.player, len(table.hosted.session.record.decisions)
            if game.mask.sum() > 1:
                found = hear(
                    mover, lambda m, at=decision: m.get("advice", {}).get("decision") == at
                )
                view = table.hosted.view(mover)
                legal = {decision_words(int(action), view) for action in game.legal_actions()}
                assert {row[0] for row in found["advice"]["rows"]} <= legal
                assert found["advice"]["drawn"].startswith("<g")
                given.append((mover, decision))
            control = next(c for c in table.hosted.picture(mover).controls if c.play)
            version = table.hosted.version_of(mover)
            sockets[mover].send_json({"press": control.name, "version": version})
            hear(mover, lambda message, seen=version: message.get("version", 0) > seen)
        assert {mover for mover, _ in given} == {0, 1}
        assert all(one < other for (_, one), (_, other) in pairwise(given))


def test_advice_is_given_to_nobody_else() -> None:
    for adviser, viewer in ((None, 0), (agents.load("weighted"), ONLOOKER)):
        with (
            serving(hosted((None, "random"), adviser=adviser)) as (client, table),
            client.websocket_connect(socket_of(table, viewer)) as socket,
        ):
            assert socket.receive_json()["adviser"] is None
            socket.send_json({"advise": True})
            assert next_of(socket, "refused") == "there is no advice here"
    with (
        serving(hosted((None, "random"), adviser=agents.load("weighted"))) as (client, table),
        client.websocket_connect(socket_of(table, 0)) as socket,
    ):
        socket.send_json({"advise": "yes"})
        assert next_of(socket, "refused") == "advice is true or false"
        socket.send_json({"advise": False})
        socket.send_json({"press": "vertex 3", "version": 7})
        assert "changed meanwhile" in next_of(socket, "refused")


class Broken(Agent):
    """Fails at its first decision."""

    def act(self, view: View) -> int:
        raise ZeroDivisionError("no idea")


def test_who_has_advice_on_hears_that_the_table_has_failed() -> None:
    with (
        serving(hosted((None, Broken()), adviser=agents.load("weighted"))) as (client, table),
        client.websocket_connect(socket_of(table, 0)) as socket,
    ):
        socket.send_json({"advise": True})
        for _ in range(2):  # a settlement and its road
            place = next_of(socket, "advice")["rows"][0][1]
            version = table.hosted.version_of(0)
            socket.send_json({"press": place, "version": version})
        assert next_of(socket, "failure") == "the table stopped: the agent in seat 1 failed"


class Slow(Agent):
    """Thinks until it may go on."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.may_go_on = threading.Event()
        self.calls = 0

    def act(self, view: View) -> int:
        self.calls += 1
        self.asked.set()
        assert self.may_go_on.wait(60)
        raise ZeroDivisionError("no idea")


def test_a_slow_adviser_that_fails_holds_up_nothing_and_is_asked_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    slow = Slow()
    game = hosted(adviser=slow)
    while game.session.game.player != 0:
        game.session.play(int(game.session.game.legal_actions()[0]))
    with (
        serving(game) as (client, table),
        client.websocket_connect(socket_of(table, 0)) as socket,
        client.websocket_connect(socket_of(table, 0)) as again,
    ):
        adviser = table.hosted.session.advisers[0].agent
        for one in (socket, again):
            one.send_json({"advise": True})
        assert slow.asked.wait(60)
        socket.send_json({"press": "nothing", "version": table.hosted.version_of(0)})
        assert "can't be pressed" in next_of(socket, "refused")
        slow.may_go_on.set()
        for one in (socket, again):
            assert next_of(one, "advice")["failure"] == "no advice: the adviser failed"
        (told,) = caplog.messages
        assert told.startswith("The adviser of seat 0 failed.\n")
        assert "ZeroDivisionError: no idea" in told
        assert adviser.calls == 1  # type: ignore[attr-defined]
        assert table.failure is None
