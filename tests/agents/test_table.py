"""One game between agents."""

import numpy as np
import pytest

from catan_pz import Agent, Game, IllegalActionError, RandomAgent, SingleSeatEnv
from catan_pz.agents.table import Table
from catan_pz.events import as_seen_by

pytestmark = pytest.mark.purepython

QUICK = {"trading": False, "max_turns": 25}


class First(Agent):
    def act(self, view):
        return int(view.mask.argmax())


class Believer(Agent):
    needs_belief = True

    def act(self, view):
        game = view.resample(np.random.default_rng(self.random.next()))
        assert not game.validate()
        np.testing.assert_array_equal(game.observe(self.seat), view.observation)
        np.testing.assert_array_equal(game.mask, view.mask)
        legal = view.mask.nonzero()[0]
        return int(legal[self.random.below(len(legal))])


def test_beliefs_are_followed_for_those_who_need_one():
    game = Game(seed=2, num_players=3, max_turns=15)
    table = Table(game, [Believer(), RandomAgent(), Believer()], [1, 2, 3])
    assert len(game.listeners) == 2
    for _ in range(40):
        table.step()
    with pytest.raises(RuntimeError, match="needs_belief"):
        table.view(1).resample(np.random.default_rng(0))
    game.listeners.append(print)
    table.close()
    assert game.listeners == [print]


def test_nothing_hidden_has_a_part_in_a_drawn_game():
    """Two games that differ in what seat 0 can't see give it the same draws."""
    game = Game(seed=4, trading=False)
    table = Table(game, [Believer()] + [RandomAgent()] * 3, [1, 2, 3, 4])
    while game.turn < 40 and not (game.player == 0 and game.turn > 30):
        table.step()
    state = game.state["hand"].copy()
    one = table.view(0).resample(np.random.default_rng(9))
    game.games[0] = table.view(0).resample(np.random.default_rng(3)).games[0]
    other = table.view(0).resample(np.random.default_rng(9))
    assert (one.games == other.games).all()
    many = table.view(0).resample_many(np.random.default_rng(9), 5)
    assert len({games["rng"] for games in many}) == 5
    for games in np.split(many, 5):
        drawn = Game.from_games(games, game.rules)
        assert (drawn.observe(0) == table.view(0).observation).all()
    assert (game.state["deck"] != one.state["deck"]).any() or (state != one.state["hand"]).any()


def test_a_seat_can_be_played_from_outside():
    game = Game(seed=1, num_players=2, trading=False)
    table = Table(game, [None, First()], [0, 0])
    with pytest.raises(RuntimeError, match="no agent"):
        table.decide()
    while game.player == 0:
        game.step(int(game.legal_actions()[0]))
    table.step()
    assert table.agents[0] is None
    with pytest.raises(ValueError, match="seat 1 is taken"):
        table.seat(1, First(), 7)
    table.seat(0, First(), 7)
    table.step()
    assert table.agents[0].random.seed == 7


def test_an_illegal_choice_names_agent_and_seat():
    class Wrong(Agent):
        answer = 1

        def act(self, view):
            return self.answer

    game = Game(seed=1)
    table = Table(game, [Wrong()] * 4, [0] * 4)
    before = game.games.tobytes()
    with pytest.raises(IllegalActionError, match=r"agent 'Wrong' in seat 0: phase 'setup_sett"):
        table.step()
    table.agents[0].answer = "roll"
    with pytest.raises(TypeError, match="must be an integer"):
        table.step()
    assert game.games.tobytes() == before


class Diary(First):
    def __init__(self, fails_in=""):
        self.calls = []
        self.fails_in = fails_in

    def reset(self, seat, rules, seed):
        super().reset(seat, rules, seed)
        self.note("reset")

    def act(self, view):
        self.note("act")
        return super().act(view)

    def end(self, result):
        self.result = result
        self.note("end")

    def close(self):
        self.note("close")

    def note(self, call):
        self.calls.append((self.seat, call))  # one list for all copies
        if call == self.fails_in and self.seat == 1:
            raise OSError(f"broken in {call}")


def hooks_of(diary, seat):
    return [call for own, call in diary.calls if own == seat and call != "act"]


def test_agents_are_told_how_the_game_ended_and_closed_once():
    diary, game = Diary(), Game(seed=1, **QUICK)
    table = Table(game, [diary] * 4, [0] * 4)
    table.play()
    table.close()
    for seat, agent in enumerate(table.agents):
        assert hooks_of(diary, seat) == ["reset", "end", "close"]
        result = agent.result
        assert (result.seat, result.winner, result.reason) == (seat, None, "truncated")
        assert (result.points, result.turns) == (tuple(game.points), 25)
        assert not result.won
    assert diary.calls.count((0, "act")) > 5


@pytest.mark.parametrize("call", ["reset", "act", "end", "close"])
def test_an_error_names_the_agent_and_leaves_no_other_behind(call):
    diary = Diary(fails_in=call)
    with pytest.raises(OSError, match=f"broken in {call}") as caught:
        Table(Game(seed=1, **QUICK), [diary] * 4, [0] * 4).play()
    assert caught.value.__notes__ == ["raised by agent 'Diary' in seat 1"]
    assert hooks_of(diary, 0) == ["reset", "end", "close"]
    if call != "reset":  # those after the one that failed never sat down
        assert hooks_of(diary, 1) == hooks_of(diary, 3) == ["reset", "end", "close"]


def test_what_ends_a_program_leaves_no_agent_behind_either():
    fault = SystemExit(3)

    class Leaving(First):
        def end(self, result):
            raise fault

    class Sore(First):
        def close(self):
            raise ValueError("not fair")

    diary = Diary()
    table = Table(Game(seed=1), [Sore(), Leaving(), diary, None], [0] * 4)
    with pytest.raises(SystemExit) as caught, table:
        table.step()
    assert caught.value is fault
    assert hooks_of(diary, 2) == ["reset", "end", "close"]
    assert table.agents[2].result.reason == "aborted"
    with pytest.raises(RuntimeError, match="the table is closed"):
        table.decide()


class Listener(First):
    def observe(self, events):
        self.heard = [*getattr(self, "heard", []), events]


def test_agents_hear_what_their_seats_may_know_of_each_decision():
    game, told = Game(seed=5, trading=False, max_turns=90), []
    table = Table(game, [Listener(), RandomAgent(), Listener(), RandomAgent()], [1, 2, 3, 4])
    game.listeners.append(lambda game, events: told.append(events))
    table.play()
    assert len(told) > 100
    for seat in (0, 2):
        assert table.agents[seat].heard == [as_seen_by(events, seat) for events in told]
    assert table.agents[0].heard != table.agents[2].heard  # stolen and bought cards
    assert len(game.listeners) == 1


def test_opponents_in_an_environment_of_one_seat_hear_every_decision():
    heard = []

    class Hearing(First):
        def observe(self, events):
            heard.append(events[0].seat)

    env = SingleSeatEnv(num_players=2, opponents=Hearing(), skip_forced=True, trading=False)
    env.reset(seed=1)
    played = list(heard)
    env.game.listeners.append(lambda _game, events: played.append(events[0].seat))
    for _ in range(30):
        env.step(int(env.action_masks().argmax()))
    assert heard == played
    assert {0, 1} <= set(played)
