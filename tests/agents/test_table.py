"""One game between agents."""

import numpy as np
import pytest

from catan_pz import Agent, Game, IllegalActionError, RandomAgent
from catan_pz.agents.draws import seat_seeds
from catan_pz.agents.table import Table

pytestmark = pytest.mark.purepython

QUICK = {"trading": False, "max_turns": 25}


class First(Agent):
    """Plays the legal action of the lowest id."""

    def act(self, view, mask):
        return int(mask.argmax())


class Believer(Agent):
    """Plays by chance and looks whether drawn games look like the present one."""

    needs_belief = True

    def act(self, view, mask):
        game = view.resample(np.random.default_rng(self.draws.next()))
        assert not game.validate()
        np.testing.assert_array_equal(game.observe(self.seat), view.observation)
        np.testing.assert_array_equal(game.mask, mask)
        legal = mask.nonzero()[0]
        return int(legal[self.draws.below(len(legal))])


def test_play_goes_to_the_end():
    ends = set()
    for seed in range(6):
        game = Game(seed=seed, trading=False, victory_points=4, max_turns=90)
        winner = Table(game, [RandomAgent()] * 4, seat_seeds(seed, 4)).play()
        assert winner == game.winner
        assert game.is_over or game.is_truncated
        ends.add(game.is_over)
    assert ends == {True, False}


def test_the_seeds_settle_the_game():
    played = []
    for seeds in ([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 5]):
        table = Table(Game(seed=1, **QUICK), [RandomAgent()] * 4, seeds)
        played.append([table.step() for _ in range(60)])
    assert played[0] == played[1] != played[2]


def test_deciding_leaves_the_game_as_it_is():
    game = Game(seed=1)
    table = Table(game, [First()] * 4, [0] * 4)
    before = game.games.tobytes()
    action = table.decide()
    assert game.games.tobytes() == before
    assert table.step() == action
    assert game.games.tobytes() != before


def test_copies_of_the_agents_sit_down():
    given = [RandomAgent(), First()]
    table = Table(Game(seed=1), [*given, *given], [5, 6, 7, 8])
    assert [agent.seat for agent in table.agents] == [0, 1, 2, 3]
    assert [agent.draws.seed for agent in table.agents] == [5, 6, 7, 8]
    assert len({id(agent) for agent in [*table.agents, *given]}) == 6


def test_beliefs_are_followed_for_those_who_need_one():
    game = Game(seed=2, num_players=3, max_turns=15)
    table = Table(game, [Believer(), RandomAgent(), Believer()], [1, 2, 3])
    assert len(game.listeners) == 2
    table.play()
    assert game.turn == 15
    with pytest.raises(RuntimeError, match="needs_belief"):
        table.view(1).resample(np.random.default_rng(0))
    theirs = game.listeners[0]
    game.listeners.append(print)
    table.leave()
    assert game.listeners == [print]
    assert theirs != print
    with pytest.raises(RuntimeError, match="needs_belief"):
        table.view(0).resample(np.random.default_rng(0))


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


def test_a_finished_game_is_told():
    game = Game(seed=1, **QUICK)
    table = Table(game, [First()] * 4, [0] * 4)
    table.play()
    with pytest.raises(RuntimeError, match="finished"):
        table.step()


def test_an_illegal_choice_names_agent_and_seat():
    class Wrong(Agent):
        answer = 1

        def act(self, view, mask):
            return self.answer

    game = Game(seed=1)
    table = Table(game, [Wrong()] * 4, [0] * 4)
    before = game.games.tobytes()
    with pytest.raises(IllegalActionError, match=r"agent 'Wrong' in seat 0: phase 'setup_sett"):
        table.step()
    table.agents[0].answer = "roll"
    with pytest.raises(TypeError, match="integers"):
        table.step()
    assert game.games.tobytes() == before


@pytest.mark.parametrize(
    ("agents", "seeds", "message"),
    [
        ([First()] * 3, [0] * 4, "there are 3 agents; allowed: 4"),
        ([First()] * 4, [0] * 2, "there are 2 seeds; allowed: 4"),
        ([First()] * 4, [0, 0, 0, 2**64], "seed=18446744073709551616"),
    ],
)
def test_wrong_numbers_are_refused(agents, seeds, message):
    with pytest.raises(ValueError, match=message):
        Table(Game(seed=1), agents, seeds)
