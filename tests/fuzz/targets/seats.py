"""What seats know: beliefs, followed games, agents at a table."""

from random import Random
from typing import Any

import numpy as np

from catan_pz import Game, agents
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.belief import Belief
from catan_pz.engine.violations import Violation
from catan_pz.events import Event, as_outcome, as_seen_by
from catan_pz.game.followed import FollowedGame
from tests.fuzz.odd import odd, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.states import bent, drawn_game, drawn_state, play_on


def believed(rng: Random, tally: Tally) -> None:
    """Beliefs about accepted states: games sampled from them are sound and look the same."""
    state = bent(rng, drawn_game(rng).snapshot())
    accepted, game = tally.attempt(Game.from_snapshot, state)
    if not accepted:
        return
    viewer = rng.randrange(game.rules.num_players)
    tally.attempt(Belief, odd_or(rng, 0, 4), game.state)
    accepted, belief = tally.attempt(Belief, viewer, game.state)
    if not accepted:
        return
    game.listeners.append(belief.listen)
    source = np.random.default_rng(rng.randrange(2**32))
    for _ in range(rng.choice((1, 5, 20))):
        _check_sampled(
            game, Game.from_games(belief.resample(game.state, source), game.rules), viewer
        )
        tally["steps"] += 1
        legal = game.legal_actions().tolist()
        if not legal:
            return
        game.step(rng.choice(legal))


def _check_sampled(game: Game, sampled: Game, viewer: int) -> None:
    broken = sampled.validate()
    require(broken == Violation.NONE, f"a sampled game breaks the rules: {broken!r}")
    require(
        sampled.observe(viewer).tobytes() == game.observe(viewer).tobytes(),
        "a sampled game looks otherwise to the viewer",
    )
    again = Game.from_snapshot(sampled.snapshot())
    require(
        again.games.tobytes() == sampled.games.tobytes(), "a sampled game isn't read as written"
    )
    if game.player == viewer:
        require(sampled.mask.tobytes() == game.mask.tobytes(), "a sampled game has another mask")


def followed(rng: Random, tally: Tally) -> None:
    """`FollowedGame` with changed states and events: refused, it stays as it was."""
    game = drawn_game(rng)
    seat = rng.randrange(game.rules.num_players)
    if rng.random() < 0.3:
        tally.attempt(FollowedGame.from_snapshot, drawn_state(rng), odd_or(rng, 0, 1, 4))
        board = odd_or(rng, None, game.snapshot()["board"])
        rules = odd_or(rng, game.rules, "one_v_one", share=0.1)
        tally.attempt(FollowedGame, rules, odd_or(rng, 0), board, odd_or(rng, None, 0))
        return
    accepted, follower = tally.attempt(FollowedGame.from_snapshot, game.snapshot(), seat)
    if not accepted:
        return
    for _ in range(rng.choice((3, 15))):
        legal = game.legal_actions().tolist()
        if not legal:
            return
        events = as_seen_by(game.step_once(rng.choice(legal)), seat)
        before = follower.sampled.games.tobytes()
        wrong = _changed(rng, events)
        accepted, _ = tally.attempt(follower.follow, wrong)
        if accepted and wrong != events:
            _look(follower)
            return  # another decision than the one that was played
        if not accepted:
            require(follower.sampled.games.tobytes() == before, "a refused report was taken in")
            follower.follow(events)
        _look(follower)
        tally["steps"] += 1


def _look(follower: FollowedGame) -> None:
    follower.view()
    broken = follower.resample(np.random.default_rng(0)).validate()
    require(broken == Violation.NONE, f"a resampled game breaks the rules: {broken!r}")


def _changed(rng: Random, events: tuple[Event, ...]) -> tuple[Event, ...]:
    listed = list(events)
    if rng.random() < 0.3:
        return events
    k = rng.randrange(len(listed))
    match rng.randrange(4):
        case 0:
            del listed[k]
        case 1:
            listed.append(rng.choice(listed))
        case 2:
            listed.reverse()
        case _:
            name = rng.choice(("seat", "other", "what", "amount"))
            value = rng.choice((-1, 0, 1, 4, 5, 19, 127, 400, 10**9))
            listed[k] = listed[k]._replace(**{name: value})
    return tuple(listed)


def seated(rng: Random, tally: Tally) -> None:
    """Agents at a table, from the middle of a game; odd numbers of agents, seeds and seats."""
    game = drawn_game(rng)
    count = game.rules.num_players
    names: list[Any] = [rng.choice(("random", "weighted", "heuristic")) for _ in range(count)]
    seeds: Any = seat_seeds(rng.randrange(2**32), count)
    if rng.random() < 0.3:
        names = rng.choice((names[:-1], [*names, "random"], [odd(rng)] * count))
    if rng.random() < 0.3:
        seeds = rng.choice((seeds[:-1], [odd(rng)] * count))
    accepted, table = tally.attempt(Table, game, names, seeds)
    if not accepted:
        return
    with table:
        tally.attempt(table.seat, odd_or(rng, 0, 5), "random", 1)
        for _ in range(10):
            if not game.mask.any():
                break
            accepted, _ = tally.attempt(table.step, allowed=(RuntimeError,))
            require(accepted or None in table.agents, "an agent doesn't play")
            tally["steps"] += accepted
    play_on(rng, game, tally, 3)


def reset(rng: Random, tally: Tally) -> None:
    """Agents reset by odd seats and seeds; outcomes named by odd values."""
    game = drawn_game(rng)
    agent = agents.load(rng.choice(("random", "weighted", "heuristic")))
    tally.attempt(agent.reset, 0, game.rules, odd_or(rng, 0, 7))
    tally.attempt(as_outcome, rng.randrange(389), odd(rng))


TARGETS = {
    "beliefs": believed,
    "followed_games": followed,
    "tables": seated,
    "agents": reset,
}
