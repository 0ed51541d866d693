"""Plays the same games in one of three ways and prints a digest of all that was seen.

`python -m tests.batch.parity compiled|python|simulator [decisions]`; the last two run
with NUMBA_DISABLE_JIT=1, the simulator with NUMBA_ENABLE_CUDASIM=1 as well.
"""

import hashlib
import sys

import numpy as np

from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.event_rows import EVENT_ROWS, NUM_FIELDS
from catan_pz.engine.state import STATE, as_games
from catan_pz.game import calls as game_calls
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import NUM_TERMS
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS
from tests.batch import shared

RULE_SETS = (
    Rules(trading=False),
    Rules(offer_form="both", num_players=3, dice="balanced", skip_forced=True),
    Rules.make("one_v_one", board="spiral", first_player="random"),
    Rules(offer_form="composed", no_adjacent_red=True, friendly_robber=True),
    Rules(board=(1, 2, 3), dice=((3, 4), (6, 6)), victory_points=5),
)


def start(rules: Rules, seeds: range) -> tuple[np.ndarray, np.ndarray]:
    """Games of some rules, one a seed, and their masks."""
    games = as_games(np.zeros(len(seeds), STATE))
    masks = np.zeros((len(seeds), rules.num_actions), np.int8)
    for i, seed in enumerate(seeds):
        game_calls.deal_game(
            games,
            i,
            np.uint64(seed),
            deal_of(rules),
            masks[i],
        )
    return games, masks


def play(way: str, rules: Rules, seeds: range, decisions: int) -> str:
    """Play each game at random and return a digest of records, masks and observations."""
    digest = hashlib.sha256()
    script = script_of(rules)
    games, masks = start(rules, seeds)
    observations = np.zeros((len(seeds), SIZE), np.int8)
    events = np.zeros((len(seeds), EVENT_ROWS, NUM_FIELDS), np.int16)
    terms = np.zeros((len(seeds), MAX_PLAYERS, NUM_TERMS), np.int8)
    for decision in range(decisions):
        viewer = decision % rules.num_players
        if way == "simulator":
            kernel = shared.simulated_kernel[1, len(seeds)]
            kernel(games, masks, observations, events, terms, viewer, script)
        else:
            for i in range(len(seeds)):
                rows = masks[i], observations[i], events[i], terms[i]
                shared.play_at_random(games, i, *rows, viewer, script)
        for part in (games, masks, observations, events, terms):
            digest.update(np.asarray(part).tobytes())
    return digest.hexdigest()


def main() -> None:
    """Print one digest a rule set."""
    np.seterr(over="ignore")  # the random generator wraps around
    way = sys.argv[1]
    decisions = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    for seed, rules in enumerate(RULE_SETS):
        print(play(way, rules, range(10 * seed, 10 * seed + 3), decisions))


if __name__ == "__main__":
    main()
