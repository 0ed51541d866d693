"""An agent as a separate bot program for catanatron, through JSON lines.

Versions after 3.3.0 start such bots (`catanatron-play --bot NAME=exec:COMMAND`) and send them
one JSON object per line. "hello" is answered with {"protocol_version", "name", "observe"},
"decide" with {"action"}, one of its "playable_actions"; "before" starts a game and carries its
board, "after" ends one, and neither has an answer. Other messages are ignored. If a version
includes other players' hands and cards in its documents, only their public parts are read: their
numbers, and the cards taken by a monopoly.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from catan_pz.checks import not_possible, quoted
from catan_pz.tables.catanatron.seat import TableAgent

PROTOCOL_VERSION: Final = 1
"""The supported version of the protocol."""


class StdioBot(TableAgent):
    """An agent that answers a table's messages one by one."""

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a message, or None."""
        if not isinstance(message, Mapping) or not isinstance(message.get("type"), str):
            raise not_possible("message", message, "a JSON object with the entry 'type'")
        try:
            match message["type"]:
                case "hello":
                    version = message.get("protocol_version")
                    if version != PROTOCOL_VERSION:
                        raise ValueError(
                            f"the table uses protocol_version {quoted(version)}, this bot "
                            f"{PROTOCOL_VERSION}"
                        )
                    told = {"protocol_version": PROTOCOL_VERSION, "name": self.agent.name}
                    return told | {"observe": False}
                case "before":
                    self.begin(message["state"], message["color"])
                case "decide":
                    if self.follower is None:
                        raise ValueError("the message 'decide' came before a game")
                    state, offered = message["state"], list(message["playable_actions"])
                    chosen = self.choose(list(state["action_records"]), state, offered)
                    return {"action": offered[chosen]}
                case "after":
                    self.leave()
        except (LookupError, TypeError, AttributeError, OverflowError) as error:
            kind = quoted(message["type"])
            raise ValueError(f"the message {kind} can't be read: {error!r}") from error
        return None


def answers(bot: StdioBot, lines: Iterable[str]) -> Iterator[str]:
    """The bot's answers to a table's lines, as lines; at their end it leaves its game."""
    try:
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
                raise ValueError(f"the table sent a line that is not JSON: {error}") from None
            answer = bot.answer(message)
            if answer is not None:
                yield json.dumps(answer) + "\n"
    finally:
        bot.leave()
