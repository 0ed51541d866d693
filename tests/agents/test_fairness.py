"""What agents are given tells them nothing of what is hidden: neither seeds nor views do."""

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from catan_pz import arena
from catan_pz.agents.base import Agent, BatchAgent
from catan_pz.agents.random import RandomAgent
from catan_pz.agents.random_stream import scramble, seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.schedule import block_seed
from catan_pz.belief import Belief
from catan_pz.engine import chance
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.game import Game
from catan_pz.rules import Rules

ALL = 2**64 - 1
SEAT_STEP = 0xD1342543DE82EF95
BLOCK_STEP = 0xDA942042E4DD58B5
STEPS = (0, int(chance.GAMMA), SEAT_STEP, BLOCK_STEP)
QUICK: dict[str, Any] = {"num_players": 2, "trading": False, "max_turns": 6}


def unscrambled(number: int) -> int:
    """The inverse of `scramble`."""
    z = number ^ (number >> 31) ^ (number >> 62)
    z = z * pow(int(chance.MIX_2), -1, 2**64) & ALL
    z ^= (z >> 27) ^ (z >> 54)
    z = z * pow(int(chance.MIX_1), -1, 2**64) & ALL
    return z ^ (z >> 30) ^ (z >> 60)


def guesses(seed: int) -> Iterator[int]:
    """Seeds of the game that a seed of a seat's stream may have been made from."""
    for start in (seed, unscrambled(seed)):
        for step in STEPS:
            for k in range(-4, 5):
                found = (start - k * step) & ALL
                yield from (found, found ^ ALL, unscrambled(found))


def hidden(game: Game) -> tuple[bytes, int]:
    return game.state["deck"].tobytes(), int(game.state["rng"])


class Oracle(Agent):
    """Works out its game from the seed that it is given, by all that can be inverted."""

    predicted: set[tuple[bytes, int]] = set()  # noqa: RUF012 (all copies add to it)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.predicted.update(hidden(Game(rules, guess)) for guess in guesses(seed))

    def act(self, view: Any) -> int:
        legal = view.mask.nonzero()[0]
        return int(legal[self.random.below(len(legal))])


class BatchOracle(BatchAgent):
    def __init__(self) -> None:
        self.seeds: set[int] = set()

    def act_batch(self, views: Any) -> np.ndarray:
        self.seeds.update(guess for seed in views.seeds.tolist() for guess in guesses(seed))
        return RandomAgent().act_batch(views)


def test_scramble_can_be_inverted() -> None:
    for seed in (0, 1, 12345, ALL):
        assert unscrambled(int(scramble(seed))) == seed


@pytest.mark.parametrize("seed", [7, 2**63 + 11])
def test_the_attack_works_where_seeds_can_be_inverted(seed: int) -> None:
    for seat in range(4):
        assert seed in guesses(scramble((seed ^ ALL) + (seat + 1) * SEAT_STEP & ALL))
    for block in range(3):
        assert seed in guesses(scramble(scramble(seed) + (block + 1) * BLOCK_STEP & ALL))


@pytest.mark.parametrize("seed", [7, 2**63 + 11])
def test_games_cannot_be_predicted_from_the_seeds_that_agents_get(seed: int) -> None:
    Oracle.predicted.clear()
    game = Game(seed=seed, **QUICK)
    truth = hidden(game)
    Table(game, [Oracle(), Oracle()], seat_seeds(seed, 2)).play()
    assert len(Oracle.predicted) > 100
    assert truth not in Oracle.predicted


def test_games_of_a_match_cannot_be_predicted() -> None:
    Oracle.predicted.clear()
    arena.play_match([Oracle(), "random"], 4, seed=5, progress=False, **QUICK)
    truths = {hidden(Game(seed=block_seed(5, block), **QUICK)) for block in range(2)}
    assert len(Oracle.predicted) > 100
    assert not truths & Oracle.predicted


def test_games_of_a_batch_and_those_that_follow_cannot_be_predicted() -> None:
    oracle = BatchOracle()
    batch = SingleLearnerBatch(4, opponents=oracle, seed=3, **QUICK)
    seeds = set(batch.seeds.tolist())
    for _ in range(30):
        batch.step(batch.sample())
        seeds.update(batch.seeds.tolist())
    assert len(seeds) > 8
    assert len(oracle.seeds) > 100
    assert not seeds & oracle.seeds


def test_the_seed_of_a_block_tells_nothing_of_other_blocks() -> None:
    """One who replays a game that is over can't work out those that come."""
    others = {1, *(block_seed(1, block) for block in range(1, 5))}
    assert not others & set(guesses(block_seed(1, 0)))


class Believer(Agent):
    needs_belief = True

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.views: list[Any] = []

    def act(self, view: Any) -> int:
        self.views.append(view)
        legal = view.mask.nonzero()[0]
        return int(legal[self.random.below(len(legal))])


def within_reach(start: Any) -> list[Any]:
    """All objects to which some object leads, other than by modules, classes and functions."""
    found, waiting = {}, [start]
    while waiting:
        one = waiting.pop()
        if id(one) in found or isinstance(one, type | type(np)):
            continue
        found[id(one)] = one
        if callable(one) and hasattr(one, "__globals__"):
            waiting += [cell.cell_contents for cell in one.__closure__ or ()]
            continue
        waiting += gc.get_referents(one)
        base = getattr(one, "base", None)
        if isinstance(one, np.ndarray) and base is not None:
            waiting.append(base)
    return list(found.values())


def test_no_game_and_no_hidden_number_is_within_reach_of_a_view() -> None:
    game = Game(num_players=3, seed=8, max_turns=40)
    table = Table(game, [Believer() for _ in range(3)], seat_seeds(8, 3))
    while not game.is_truncated:
        seat = game.player
        record = game.games.tobytes()
        reached = within_reach(table.view(seat))
        assert not any(isinstance(one, Game | Table) for one in reached)
        arrays = [one for one in reached if isinstance(one, np.ndarray)]
        assert len(arrays) > 2
        assert not any(np.may_share_memory(one, game.games) for one in arrays)
        assert not any(one.tobytes() == record for one in arrays)
        table.step()


def test_a_batch_is_not_within_reach_of_views() -> None:
    seen = []

    class Looking(RandomAgent):
        def act_batch(self, views: Any) -> Any:
            seen.append(within_reach(views))
            return super().act_batch(views)

    batch = SingleLearnerBatch(3, opponents=Looking(), seed=3, **QUICK)
    for _ in range(3):
        batch.step(batch.sample())
    assert seen
    for reached in seen:
        assert not any(isinstance(one, Game | SingleLearnerBatch) for one in reached)
        arrays = [one for one in reached if isinstance(one, np.ndarray)]
        assert not any(np.may_share_memory(one, batch.games) for one in arrays)


def test_views_stay_as_they_were() -> None:
    """A view that is kept goes on drawing games of its own moment."""
    game = Game(num_players=2, seed=2, trading=False, max_turns=30)
    table = Table(game, [Believer(), Believer()], seat_seeds(2, 2))
    table.play()
    for player in table.agents:
        for view in player.views:
            drawn = view.resample(np.random.default_rng(1))
            assert drawn.player == player.seat
            assert (drawn.observe(player.seat) == view.observation).all()


def test_what_a_view_holds_is_the_same_whatever_is_hidden() -> None:
    game = Game(num_players=3, seed=4, offer_form="both", max_turns=20)
    beliefs = [Belief(seat, game.state) for seat in range(3)]
    game.listeners += [belief.listen for belief in beliefs]
    rng = np.random.default_rng(1)
    while not game.is_truncated:
        for belief in beliefs:
            known = belief.known_part(game.state)
            other = belief.resample(game.state, np.random.default_rng(5))
            assert belief.known_part(other[0]).tobytes() == known.tobytes()
            again = belief.resample(known[0], np.random.default_rng(5))
            assert again.tobytes() == other.tobytes()
        game.step(int(rng.choice(game.legal_actions())))
