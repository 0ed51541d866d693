"""An agent as a bot of catanatron that is a program of its own, by JSON lines.

Versions after 3.3.0 start such bots (`catanatron-play --bot NAME=exec:COMMAND`) and send them
one JSON object a line. "hello" is answered with {"protocol_version", "name", "observe"},
"decide" with {"action"}, one of its "playable_actions"; "before" begins a game and carries
its board, "after" ends one, and neither has an answer. Other messages are left aside.
Where a version shows others' hands and cards in its documents, they are not read, but for
what is public of them: how many there are, and what a monopoly took.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from catan_pz.agents.base import Agent
from catan_pz.checks import not_possible, quoted
from catan_pz.rules import Board, Rules
from catan_pz.tables.catanatron.facts import board_from_map
from catan_pz.tables.catanatron.seat import AgentSeat

PROTOCOL_VERSION: Final = 1
"""The version of the protocol that is spoken."""


class StdioBot:
    """Answers the messages of a table, one after the other.

    Args:
        agent: who plays.
        seed: of its random choices; each further game has another.

    Attributes:
        seat: the `AgentSeat` of the present game, None outside of one.
    """

    def __init__(self, agent: Agent, seed: int = 0) -> None:
        self.seat: AgentSeat | None = None
        self._agent = agent
        self._seed = seed

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a message, None for none."""
        if not isinstance(message, Mapping) or not isinstance(message.get("type"), str):
            raise not_possible("message", message, "a JSON object with the entry 'type'")
        try:
            match message["type"]:
                case "hello":
                    return self._hello(message)
                case "before":
                    self._before(message)
                case "decide":
                    return self._decide(message)
                case "after":
                    self.leave()
        except (LookupError, TypeError, AttributeError, OverflowError) as error:
            kind = quoted(message["type"])
            raise ValueError(f"the message {kind} can't be read: {error!r}") from error
        return None

    def _hello(self, message: Mapping[str, Any]) -> dict[str, Any]:
        version = message.get("protocol_version")
        if version != PROTOCOL_VERSION:
            raise ValueError(
                f"the table speaks protocol_version {quoted(version)}, this bot {PROTOCOL_VERSION}"
            )
        return {
            "protocol_version": PROTOCOL_VERSION,
            "name": self._agent.name,
            "observe": False,
        }

    def _before(self, message: Mapping[str, Any]) -> None:
        state = message["state"]
        board, colors = board_from_map(state["map"]), list(state["colors"])
        if message["color"] not in colors:
            raise not_possible("color", message["color"], f"one of {colors}")
        self.leave()
        self.seat = AgentSeat(
            self._agent,
            _rules_of(state, board),
            board,
            colors,
            colors.index(message["color"]),
            self._seed,
        )
        self._seed = (self._seed + 1) % 2**64

    def _decide(self, message: Mapping[str, Any]) -> dict[str, Any]:
        if self.seat is None:
            raise ValueError("the message 'decide' came before a game")
        state, offered = message["state"], list(message["playable_actions"])
        chosen = self.seat.choose(list(state["action_records"]), state, offered)
        return {"action": offered[chosen]}

    def leave(self) -> None:
        """Leave the present game, if there is one."""
        seat, self.seat = self.seat, None
        if seat is not None:
            seat.abort()


def _rules_of(state: Mapping[str, Any], board: Board) -> Rules:
    options = state["game"]
    return Rules(
        num_players=len(state["colors"]),
        trading=False,
        victory_points=options["vps_to_win"],
        discard_limit=options["discard_limit"],
        friendly_robber=options["friendly_robber"],
        board=board,
        max_turns=None,
    )


def answers(bot: StdioBot, lines: Iterable[str]) -> Iterator[str]:
    """The bot's answers to a table's lines, as lines; at their end it leaves its game."""
    try:
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:  # numbers of thousands of digits, too
                raise ValueError(f"the table sent a line that is not JSON: {error}") from None
            answer = bot.answer(message)
            if answer is not None:
                yield json.dumps(answer) + "\n"
    finally:
        bot.leave()
