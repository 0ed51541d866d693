"""The protocol of catanatron's newer versions: recorded messages, and broken ones."""

import json

import pytest
from click.testing import CliRunner

from catan_pz.agents.base import Agent
from catan_pz.cli.app import app
from catan_pz.tables.catanatron.stdio import StdioBot, answers
from tests.tables.catanatron.recorded import NAMES, messages


@pytest.mark.parametrize("hides", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_answered_from_its_start_to_its_end(name, hides) -> None:
    bot = StdioBot("heuristic", 3)
    asked = 0
    for message in messages(name, 1, hides=hides):
        answer = bot.answer(message)
        if message["type"] == "decide":
            assert answer["action"] in message["playable_actions"]
            asked += 1
        elif message["type"] == "hello":
            assert answer == {"protocol_version": 1, "name": "heuristic", "observe": False}
        else:
            assert answer is None
    assert asked > 20
    assert bot.follower is None


def test_games_follow_each_other_and_choices_repeat() -> None:
    def play(seed):
        bot = StdioBot("random", seed)
        return [
            bot.answer(message)
            for _ in range(2)
            for message in messages("two_players", 0, hides=False)
        ]

    first = play(1)
    assert first == play(1)
    assert first != play(2)
    half = len(first) // 2
    assert first[:half] != first[half:]


class Ender(Agent):
    ends: list[str] = []  # noqa: RUF012 (all copies add to it)

    def act(self, view) -> int:
        return int(view.mask.nonzero()[0][0])

    def close(self) -> None:
        self.ends.append("closed")


def test_the_agent_leaves_a_game_that_is_over_or_broken_off() -> None:
    Ender.ends.clear()
    bot = StdioBot(Ender())
    hello, before, *_, after = messages("two_players", 0, hides=False)
    bot.answer(hello)
    bot.answer(before)
    bot.answer(before)
    assert len(Ender.ends) == 1
    bot.answer(after)
    bot.answer(after)
    assert len(Ender.ends) == 2
    assert len(list(answers(bot, [json.dumps(hello), json.dumps(before)]))) == 1
    assert len(Ender.ends) == 3  # the table's lines are over


class Refuser(Ender):
    def reset(self, seat, rules, seed) -> None:
        raise RuntimeError("not today")


def test_an_agent_that_does_not_begin_has_nothing_to_leave() -> None:
    bot = StdioBot(Refuser())
    hello, before, *_ = messages("two_players", 0, hides=False)
    bot.answer(hello)
    with pytest.raises(RuntimeError, match="not today"):
        bot.answer(before)
    bot.leave()


def test_messages_that_it_does_not_know_are_left_aside() -> None:
    assert list(answers(StdioBot("random"), ["\n", '{"type": "weather"}\n'])) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "not JSON"),
        ("[]", "message must be"),
        ('{"type": ["before"]}', "message must be"),
        ('{"type": "hello", "protocol_version": 2}', "protocol_version 2, this bot 1"),
        ('{"type": "decide", "state": {}, "playable_actions": []}', "before a game"),
        ('{"type": "before", "state": {}}', "'before' can't be read: KeyError"),
        ('{"type": "before", "color": "RED", "state": 5}', "'before' can't be read: TypeError"),
    ],
)
def test_broken_messages_are_named(line, told) -> None:
    with pytest.raises(ValueError, match=told):
        list(answers(StdioBot("random"), [line]))


@pytest.mark.parametrize(
    ("kind", "changes", "told"),
    [
        ("before", {"color": ["RED"]}, "color must be"),
        ("before", {"state": {"game": []}}, "can't be read"),
        ("decide", {"playable_actions": 5}, "can't be read"),
        ("decide", {"playable_actions": []}, "asks for a move but offers none"),
        ("decide", {"state": {"action_records": [True]}}, "the record of a move must be"),
        ("decide", {"state": {"action_records": [[["RED", "ROLL", []], 5]]}}, "no two dice"),
        ("decide", {"state": {"resource_freqdeck": [10**30] * 5}}, "can't be read"),
        ("decide", {"state": {"buildings_by_color": {"RED": []}}}, "document of the game"),
    ],
)
def test_entries_of_another_kind_are_named(kind, changes, told) -> None:
    bot = StdioBot("random")
    for message in messages("two_players", 0, hides=False):
        if message["type"] == kind:
            break
        bot.answer(message)
    if isinstance(changes.get("state"), dict):
        changes = {"state": message["state"] | changes["state"]}
    with pytest.raises(ValueError, match=told):
        bot.answer(message | changes)


def test_the_command_is_such_a_bot() -> None:
    """Whose agent, a model for two players, takes the rules from the game."""
    lines = [json.dumps(message) for message in messages("two_players", 0, hides=True)][:8]
    done = CliRunner().invoke(
        app, ["bot", "--agent", "ppo-2p", "--seed", "1"], input="\n".join(lines) + "\n"
    )
    assert done.exit_code == 0, done.output
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert told[0]["name"] == "ppo-2p"
    assert [list(one) for one in told[1:]] == [["action"]] * 6
