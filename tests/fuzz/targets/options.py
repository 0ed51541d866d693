"""Rules, boards, positions, rewards, encoders, agents' options, names."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

import numpy as np

from catan_pz import Game, Rules, agents, encoders
from catan_pz.agents.registry import as_agent
from catan_pz.game import position
from catan_pz.observation.segments import SIZE
from catan_pz.published.factored import UNUSED, factored
from catan_pz.rewards import REWARDS, make_reward
from catan_pz.rules import Board
from tests.fuzz.odd import chosen_options, mutated, odd, odd_array, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.states import drawn_game, play_on
from tests.helpers import RULE_SETS

RULE_OPTIONS: Final[dict[str, tuple[Any, ...]]] = {
    "num_players": (2, 3, 4),
    "trading": (True, False),
    "counter_offers": (True, False),
    "offer_form": ("templates", "composed", "both"),
    "max_offers_per_turn": (0, 1, 100),
    "victory_points": (3, 10, 22),
    "discard_limit": (1, 7, 95),
    "friendly_robber": (True, False),
    "dice": ("random", "balanced", ((1, 1),), [[6, 6], [1, 2]]),
    "board": ("random", "spiral", "beginner", (1, 2), [2**64 - 1]),
    "no_adjacent_red": (True, False),
    "first_player": (0, "random"),
    "skip_forced": (True, False),
    "max_turns": (None, 1, 2**31 - 1),
}


def drawn_rules(rng: Random) -> dict[str, Any]:
    """Keywords for rules: mostly possible ones."""
    chosen = chosen_options(rng, RULE_OPTIONS)
    if rng.random() < 0.05:
        chosen["num_plyers"] = 3
    return chosen


def try_batch(
    rng: Random,
    tally: Tally,
    make: Callable[..., Any],
    sizes: tuple[int, ...],
    usual: dict[str, tuple[Any, ...]],
    play: Callable[[Random, Tally, Any], None],
) -> None:
    """Make a batch with odd options, play what is made, and close it.

    Sizes that memory may or may not have room for are left out, and so is play with an odd
    function as the reward: what it gives is refused in steps.
    """
    options = drawn_rules(rng) | chosen_options(rng, usual)
    size = odd_or(rng, *sizes, share=0.1)
    if isinstance(size, int | np.integer) and 100 < size < 2**40:
        return
    allowed = (ValueError, TypeError, MemoryError)
    accepted, batch = tally.attempt(make, size, allowed=allowed, **options)
    if not accepted:
        return
    try:
        if not callable(options.get("reward")):
            play(rng, tally, batch)
    finally:
        batch.close()


def rules(rng: Random, tally: Tally) -> None:
    """`Rules.make`, `Rules.from_dict`, `Board.from_dict`, and games of what is accepted."""
    accepted, made = tally.attempt(
        Rules.make, odd_or(rng, None, "base", "one_v_one", Rules(), share=0.1), **drawn_rules(rng)
    )
    if accepted:
        game = Game(made, rng.randrange(2**64))
        require(Rules.from_dict(made.to_dict()) == made, "rules aren't read as written")
        play_on(rng, game, tally, rng.choice((0, 10, 60)))
    tally.attempt(Rules.from_dict, mutated(rng, RULE_SETS[rng.choice(list(RULE_SETS))].to_dict()))
    tally.attempt(Rules.preset, odd(rng))
    board = mutated(rng, drawn_game(rng).snapshot()["board"])
    tally.attempt(Board.from_dict, board)
    tally.attempt(Rules, board=board)
    tally.attempt(Board, odd(rng), odd(rng), odd(rng))


def positions(rng: Random, tally: Tally) -> None:
    """`position` of odd players and entries."""
    players = [
        {
            "hand": {"ore": 2},
            "cards": {"knight": 1},
            "roads": [rng.randrange(72)],
            "settlements": [rng.randrange(54)],
        },
        {"cities": [rng.randrange(54)], "cards_played": {"monopoly": 1}},
    ]
    entries = chosen_options(
        rng,
        {
            "phase": ("main", "roll", "discard", "over"),
            "deck": (["knight"], ()),
            "seed": (0, 5),
            "robber": (0, 18),
            "turn": (0, 5),
            "winner": (None, 0),
        },
    )
    given = mutated(rng, players) if rng.random() < 0.7 else players
    accepted, game = tally.attempt(position, given, rules=Rules(num_players=2), **entries)
    if accepted:
        play_on(rng, game, tally, 20)


def named(rng: Random, tally: Tally) -> None:
    """Rewards, encoders and agents by odd names, with odd options."""
    tally.attempt(make_reward, odd_or(rng, None, *REWARDS))
    tally.attempt(encoders.load, odd_or(rng, "flat"))
    tally.attempt(encoders.as_encoder, odd_or(rng, "planes"))
    tally.attempt(agents.load, odd_or(rng, "random"))
    tally.attempt(as_agent, odd_or(rng, "weighted"))
    usual = {
        "simulations": (8, 64),
        "worlds": (1, 4),
        "candidates": (2, 8),
        "exploration": (1.0,),
        "rollout": ("random",),
        "wrong": (1,),
    }
    tally.attempt(agents.load, "search", **chosen_options(rng, usual))
    tally.attempt(agents.load, rng.choice(("heuristic", "ppo-2p")), **chosen_options(rng, usual))


def encoded(rng: Random, tally: Tally) -> None:
    """Encoders on observations of legal games, whose shapes and values must be as told."""
    game = drawn_game(rng)
    encoder = encoders.load(rng.choice(encoders.names()))
    units = np.stack([game.observe(seat) for seat in range(game.rules.num_players)])
    seen = encoder.encode(units)
    for segment in encoder.segments:
        array = seen[segment.name] if encoder.is_dict else seen
        tally["inputs"] += 1
        require(array.shape == (len(units), *segment.shape), f"shape of {segment.name}")
        require(str(array.dtype) == segment.dtype, f"dtype of {segment.name}")
        inside = (array >= segment.low) & (array <= segment.high)
        require(bool(inside.all()), f"{encoder}: {segment.name} leaves its range")
    require(units.shape[1] == SIZE, "observations of another size")


def split(rng: Random, tally: Tally) -> None:
    """Factored actions: whatever is joined is an action or none."""
    view = factored(rng.random() < 0.5, split_pairs=rng.random() < 0.5)
    choices = np.array(
        [rng.choice((UNUSED, rng.randrange(head.size), head.size, 10**6)) for head in view.heads]
    )
    tally["inputs"] += 1
    action = int(view.join(choices))
    require(-1 <= action < view.num_actions, f"factored action {action}")
    chosen = rng.randrange(view.num_actions)
    require(int(view.join(view.split(np.array(chosen)))) == chosen, "an action isn't joined again")
    odd_array(rng)


TARGETS = {
    "rules": rules,
    "positions": positions,
    "names": named,
    "encoders": encoded,
    "factored": split,
}
