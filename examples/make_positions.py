"""Makes the set of positions that `catan-pz positions` asks agents about.

    python examples/make_positions.py catan_pz/arena/positions.npz

Games between four `value` players, without trade between players, are stopped at a decision with
at least three legal actions, so many for each phase. A long search looks at every legal action
there, by what the seat may know; its mean win probability after each is kept.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from catan_pz import Game, agents
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.arena.positions import RULES, Position
from catan_pz.files import whole_file
from catan_pz.progress import progress_bar
from catan_pz.terms import Phase

PHASES = {
    Phase.SETUP_SETTLEMENT: 30,
    Phase.MAIN: 120,
    Phase.MOVE_ROBBER: 25,
    Phase.DISCARD: 15,
    Phase.ROLL: 10,
}
"""How many of each phase, of 200."""
FEWEST = 3


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--simulations", type=int, default=150_000, help="of a decision's search")
    parser.add_argument("--share", type=float, default=1.0, help="of the 200 positions")
    return parser.parse_args(arguments)


def stop(seed: int, left: Counter[Phase], rng: np.random.Generator) -> tuple[Phase, list[int]]:
    """The phase of a decision in a game, one that is still wanted, and the actions before it."""
    game, played = Game(RULES, seed), []
    found: dict[Phase, list[int]] = {}
    with Table(game, ["value"] * 4, seat_seeds(seed, 4)) as table:
        while not game.is_over:
            fewest = 2 if game.phase == Phase.ROLL else FEWEST
            if left[game.phase] > 0 and game.mask.sum() >= fewest:
                found.setdefault(game.phase, []).append(len(played))
            played.append(table.step())
    weights = np.array([left[phase] for phase in found], float)
    phase = list(found)[int(rng.choice(len(found), p=weights / weights.sum()))]
    return phase, played[: int(rng.choice(found[phase]))]


def main() -> None:
    """Make the set."""
    options = parse_options()
    left = Counter({phase: round(options.share * n) for phase, n in PHASES.items()})
    rng = np.random.default_rng(1)
    rows, total, seed = [], sum(left.values()), 0
    with progress_bar() as bar:
        task = bar.add_task("positions", total=total, note="")
        while sum(left.values()) > 0:
            seed += 1
            phase, played = stop(seed, left, rng)
            found = values(seed, played, options)
            if found is not None:
                rows.append((seed, played, *found))
                left[phase] -= 1
                bar.update(task, advance=1)
    with whole_file(options.file) as draft, draft.open("wb") as file:
        np.savez_compressed(
            file,
            seeds=np.array([row[0] for row in rows], np.int64),
            num_played=np.array([len(row[1]) for row in rows], np.int64),
            played=np.concatenate([row[1] for row in rows]).astype(np.int16),
            num_legal=np.array([len(row[2]) for row in rows], np.int64),
            actions=np.concatenate([row[2] for row in rows]).astype(np.int16),
            values=np.concatenate([row[3] for row in rows]).astype(np.float32),
        )


def values(
    seed: int, played: list[int], options: argparse.Namespace
) -> tuple[np.ndarray, np.ndarray] | None:
    """(K,) the legal actions of a decision, and (K,) the win probability after each.

    None where the search doesn't search, as it sees a win.
    """
    at, game = Position(seed, np.array(played), {}).game, Game(RULES, seed)
    legal = at.legal_actions()
    long = agents.load("search", simulations=options.simulations, considered=len(legal) + 2)
    with Table(game, [None] * 4, seat_seeds(seed, 4)) as table:
        table.seat(at.player, long, seed)
        for action in played:
            game.step(action)
        seated = table.agents[game.player]
        assert seated is not None
        advice = seated.advise(table.view(game.player))
    if advice.win_probabilities is None:
        return None
    worth = dict(zip(advice.actions.tolist(), advice.win_probabilities.tolist(), strict=True))
    return legal, np.array([worth[action] for action in legal.tolist()])


if __name__ == "__main__":
    main()
