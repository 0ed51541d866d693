"""Many games with one learner each: the same as single games, replayed decision by decision."""

import numpy as np
import pytest

from catan_pz import Agent, Game, IllegalActionError, LinearReward, RandomAgent
from catan_pz.agents.base import BatchAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.batch import base
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.observation.segments import SIZE

GAMMA, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
ALL = 2**64 - 1


def scramble(seed):
    z = (seed ^ (seed >> 30)) * MIX_1 & ALL
    z = (z ^ (z >> 27)) * MIX_2 & ALL
    return z ^ (z >> 31)


class Replay:
    """One game of a batch again, by `Game` and in plain Python."""

    def __init__(self, rules, seed, reward, choose=None):
        self.game = Game(rules, seed=seed)
        self.sampler = ~seed & ALL
        self.seat = (scramble(self.sampler) >> 32) * rules.num_players >> 32
        self.reward = reward
        self.choose = choose or self.draw
        self.opponents()

    def draw(self, legal):
        self.sampler = self.sampler + GAMMA & ALL
        return legal[(scramble(self.sampler) >> 32) * len(legal) >> 32]

    def play(self, action):
        before = self.game.points
        self.game.step(int(action))
        gained = self.game.points[self.seat] - before[self.seat]
        won = 0 if self.game.winner is None else 1 if self.game.winner == self.seat else -1
        return {"win_loss": won, "points_gained": gained}[self.reward]

    @property
    def finished(self):
        return self.game.is_over or self.game.is_truncated

    def opponents(self):
        total = 0
        while not self.finished and self.game.player != self.seat:
            total += self.play(self.choose(self.game.legal_actions()))
        return total

    def step(self, action):
        return self.play(action) + self.opponents()


class Last(BatchAgent):
    def act_batch(self, views):
        assert views.random_bits.shape == (len(views),)
        assert views.observations.shape == (len(views), SIZE)
        assert views.masks.any(axis=1).all()
        return views.masks.shape[1] - 1 - views.masks[:, ::-1].argmax(axis=1)


def last(legal):
    return legal[-1]


@pytest.mark.parametrize(
    ("options", "reward", "opponents", "choose"),
    [
        ({"num_players": 3, "victory_points": 3, "skip_forced": True}, "win_loss", None, None),
        ({"num_players": 2, "trading": False, "victory_points": 5}, "points_gained", None, None),
        ({"trading": False, "victory_points": 4, "max_turns": 80}, "win_loss", Last(), last),
        ({"num_players": 3, "trading": False, "max_turns": 30}, "points_gained", Last(), last),
    ],
)
def test_each_game_is_that_of_its_seed(options, reward, opponents, choose):
    batch = SingleLearnerBatch(
        6, seed=9, seat="random", reward=reward, opponents=opponents, observation="flat", **options
    )
    games = [Replay(batch.rules, int(seed), reward, choose) for seed in batch.seeds]
    ended = {True: 0, False: 0}
    so_far = {name: np.zeros(6) for name in ("decisions", "return")}
    for _ in range(250):
        for i, replay in enumerate(games):
            assert batch.seats[i] == replay.seat == replay.game.player
            assert (batch.observation[i] == replay.game.observe(replay.seat)).all()
            assert (batch.seen[i] == replay.game.observe_scaled(replay.seat)).all()
            assert (batch.mask[i] == replay.game.mask).all()
        actions = batch.sample().copy()
        batch.step(actions)
        so_far["decisions"] += 1
        for i, replay in enumerate(games):
            assert batch.reward[i] == replay.step(actions[i])
            assert batch.done[i] == replay.finished
            assert batch.truncated[i] == replay.game.is_truncated
            so_far["return"][i] += batch.reward[i]
            if batch.done[i]:
                ended[bool(batch.truncated[i])] += 1
                game, seat = replay.game, replay.seat
                assert (batch.final_observation[i] == game.observe(seat)).all()
                told = {"won": game.winner == seat, "points": game.points[seat], "turns": game.turn}
                for name, total in so_far.items():
                    told[name], total[i] = float(total[i]), 0
                assert {name: values[i] for name, values in batch.ends.items()} == told
                games[i] = Replay(batch.rules, int(batch.seeds[i]), reward, choose)
    assert sum(ended.values()) > 5


@pytest.mark.parametrize("options", [{}, {"skip_forced": True, "num_players": 3}])
def test_a_reward_that_only_python_knows_pays_the_same(options):
    linear = LinearReward(won=1.0, lost=-0.5, points_gained=0.25, card_played=0.125)
    options = {"trading": False, "victory_points": 4, "seed": 4, "seat": "random"} | options
    one = SingleLearnerBatch(8, reward=linear, **options)
    other = SingleLearnerBatch(8, reward=lambda terms, games: terms @ linear.weights, **options)
    for _ in range(150):
        actions = one.sample().copy()
        one.step(actions)
        other.step(actions)
        assert (one.reward == other.reward).all()
        assert (one.observation == other.observation).all()
        assert (one.done == other.done).all()


def test_threads_and_batch_size_change_nothing(monkeypatch):
    monkeypatch.setattr(base, "FEWEST_GAMES_AT_ONCE", 4)
    options = {"trading": False, "seed": 7, "seat": "random", "max_turns": 40}
    batches = [SingleLearnerBatch(12, threads=threads, **options) for threads in (1, 3)]
    small = SingleLearnerBatch(5, **options)
    assert len(batches[1]._pool) == 3
    for _ in range(60):
        actions = batches[0].sample().copy()
        for batch in (*batches, small):
            batch.step(actions[: batch.num_games])
            for name in ("seen", "mask", "reward", "done", "seats", "final_observation"):
                mine = getattr(batch, name)
                assert (mine == getattr(batches[0], name)[: batch.num_games]).all()
    for batch in batches:
        batch.close()
        batch.step(batch.sample())


class Stateful(Agent):
    """Plays by chance and by what it has seen of the game so far."""

    def reset(self, seat, rules, seed):
        super().reset(seat, rules, seed)
        self.decisions = 0

    def act(self, view):
        self.decisions += 1
        legal = view.mask.nonzero()[0]
        return int(legal[(self.decisions + self.seat + self.random.below(2)) % len(legal)])


class First(Agent):
    def act(self, view):
        return int(view.mask.argmax())


@pytest.mark.parametrize("opponent", [Stateful(), "random"])
def test_opponents_play_as_they_do_at_a_table(opponent):
    """The games of a batch are those between the same agents one by one, whatever its size."""
    options = {"trading": False, "max_turns": 12, "victory_points": 3, "seat": 1}
    batches = [SingleLearnerBatch(size, seed=7, opponents=opponent, **options) for size in (2, 5)]
    agent = RandomAgent() if opponent == "random" else opponent
    seeds = [int(seed) for seed in batches[0].seeds]
    for _ in range(150):
        for batch in batches:
            batch.step(batch.mask.argmax(axis=1))
        assert (batches[0].observation == batches[1].observation[:2]).all()
        for i in batches[0].done.nonzero()[0]:
            game = Game(batches[0].rules, seed=seeds[i])
            agents = [agent, First(), agent, agent]
            winner = Table(game, agents, seat_seeds(seeds[i], 4)).play()
            assert batches[0].ends["won"][i] == (winner == 1)
            assert (batches[0].final_observation[i] == game.observe(1)).all()
            seeds[i] = int(batches[0].seeds[i])
    assert seeds[0] not in (7, 8)


@pytest.mark.parametrize("opponents", [None, [None, RandomAgent(), Last()]])
def test_a_state_holds_the_whole_future(opponents):
    options = {"trading": False, "max_turns": 12, "seat": "random", "reward": "points_gained"}
    options |= {"opponents": opponents, "alternate": True}
    batch, again = (SingleLearnerBatch(5, seed=seed, **options) for seed in (1, 9))
    for _ in range(50):
        batch.step(batch.sample())
    state = batch.get_state()
    again.step(again.sample())
    again.set_state(state)
    for key in state:
        assert state[key].tobytes() == again.get_state()[key].tobytes(), key
    assert (again.seen == batch.seen).all()
    ended = 0
    for _ in range(60):
        actions = batch.sample()
        assert (actions == again.sample()).all()
        batch.step(actions)
        again.step(actions)
        ended += batch.done.sum()
        for name in ("seen", "mask", "reward", "done", "seats"):
            assert (getattr(again, name) == getattr(batch, name)).all(), name
    assert ended > 5
    less = {name: state[name] for name in state if name != "games"}
    with pytest.raises(ValueError, match="state: games is missing"):
        again.set_state(less)
    with pytest.raises(ValueError, match=r"games must be .* \(5,\) of STATE, got \(4,\) of STATE$"):
        again.set_state(less | {"games": state["games"][:4]})
    batch = SingleLearnerBatch(2, seed=1, seat=3, opponents=Stateful(), trading=False)
    with pytest.raises(ValueError, match="Stateful"):  # what that keeps is in no state
        batch.get_state()


@pytest.mark.parametrize(
    ("opponents", "reward"),
    [
        (None, LinearReward(points_gained=0.25)),
        ([None, Stateful(), Last()], lambda terms, games: terms[:, :, 2] * 0.5),
    ],
)
def test_some_games_broken_off_start_anew_and_the_others_go_on(opponents, reward):
    options = {"seat": "random", "trading": False, "victory_points": 4}
    options |= {"reward": reward, "opponents": opponents}
    batch, other = (SingleLearnerBatch(6, seed=5, **options) for _ in range(2))
    places = np.array([True, False, False, True, True, False])
    for _ in range(25):
        actions = batch.sample().copy()
        batch.step(actions)
        other.step(actions)
    batch.restart(places)
    # As where a game ends: the next one's seed is a hash of the last one's.
    for i in range(6):
        last_seed = int(other.seeds[i])
        assert batch.seeds[i] == (scramble(last_seed + GAMMA & ALL) if places[i] else last_seed)
    assert not batch.done[places].any()
    assert not batch.reward[places].any()
    seeds = {i: int(batch.seeds[i]) for i in np.flatnonzero(places)}
    new = {i: SingleLearnerBatch(1, seed=seed, **options) for i, seed in seeds.items()}
    while not all(one.done[0] for one in new.values()):
        actions = batch.sample().copy()
        batch.step(actions)
        other.step(np.where(places, other.sample(), actions))
        for i, one in new.items():
            if not one.done[0]:
                one.step(actions[[i]])
                for seen in ("seen", "mask", "reward", "seats", "done"):
                    assert (getattr(batch, seen)[i] == getattr(one, seen)[0]).all()
                if one.done[0]:
                    assert all(batch.ends[name][i] == ends[0] for name, ends in one.ends.items())
        for seen in ("seen", "mask", "reward", "seats", "done"):
            assert (getattr(batch, seen)[~places] == getattr(other, seen)[~places]).all()


@pytest.mark.parametrize("wrong", [-1, 1, 10**6])
def test_an_opponents_illegal_action_names_the_game(wrong):
    class Wrong(Agent):
        def act(self, view):
            return wrong

    with pytest.raises(IllegalActionError, match="game 0: opponent's action"):
        SingleLearnerBatch(2, seat=1, seed=1, opponents=Wrong())
