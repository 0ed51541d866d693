"""Positions from the middle of recorded games, from which games of a training start.

Letters: N positions, K of them drawn, B games.
"""

from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import Final, Self

import numpy as np

from catan_pz.agents.search.rollout import begin_simulation
from catan_pz.checks import check_count, not_possible, quoted
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.game.arguments import sound_records
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.kernels.rule import entry
from catan_pz.rules import Rules
from catan_pz.terms import Phase

POSITIONS_A_GAME: Final = 8
"""Positions that are taken from a recorded game."""

_MAY_DIFFER: Final = ("board", "no_adjacent_red", "first_player", "skip_forced", "max_turns")
"""Options of the rules in which recorded games may differ: the training's count."""
_SETUP: Final = (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)


@entry
def begin(games: States, i: int, seed: np.uint64) -> None:
    """Draw the future chance of game i again."""
    begin_simulation(games[i], seed)


class Starts:
    """A pool of positions.

    A position is a decision with a choice, after the set-up. When it is drawn, what lies ahead is
    drawn anew: the order of the deck, dice and thefts.

    Args:
        positions: (N,) records of `engine.state.STATE`, unfinished games.
    """

    def __init__(self, positions: np.ndarray) -> None:
        self._positions = positions

    def __len__(self) -> int:
        """N."""
        return len(self._positions)

    @classmethod
    def read(
        cls, folder: str | Path, rules: Rules, *, each: int = POSITIONS_A_GAME, seed: int = 0
    ) -> Self:
        """Positions of the recorded games (`.jsonl`) in a folder, some of each game.

        Args:
            folder: where `catan-pz tournament --records` has written games, for example.
            rules: of the training.
            each: positions of a game, fewer where it has fewer.
            seed: of the choice among its positions.

        Raises:
            ValueError: names the file that holds no game, or one of other rules; or if there
                is no position.
            OSError: if a file can't be read.
        """
        check_count("each", each)
        paths = sorted(Path(folder).glob("*.jsonl"))
        rng = np.random.default_rng([seed, 0x57A27])
        parts = [_positions_of(path, rules, each, rng) for path in paths]
        if sum(map(len, parts)) == 0:
            raise not_possible("starts", str(folder), "a folder of recorded games (.jsonl)")
        return cls(sound_records(np.concatenate(parts), rules))

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """(K,) records, drawn uniformly from the pool, with future chance drawn again."""
        drawn = self._positions[rng.integers(len(self), size=count)]
        for i, seed in enumerate(rng.integers(2**64, size=count, dtype=np.uint64)):
            begin(as_games(drawn), i, seed)
        return drawn


def _positions_of(path: Path, rules: Rules, each: int, rng: np.random.Generator) -> np.ndarray:
    """Positions of one recorded game, as games of the training's rules."""
    found = []
    try:
        record = GameRecord.load(path)
        _check_rules(Rules.from_dict(record.start["rules"]), rules)
        played = replace(rules, board="random", no_adjacent_red=False)
        game = Game.from_snapshot(record.start | {"rules": played.to_dict()})
        # Left after the last decision, before results are compared: `max_turns` may differ.
        for _ in islice(record.replay(game), 1 + len(record.decisions)):
            choices = len(game.legal_actions())
            if choices == 0:  # the record continues if the training's games are truncated earlier
                break
            if choices > 1 and game.phase not in _SETUP:
                found.append(game.games.copy())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    chosen = np.sort(rng.permutation(len(found))[:each])
    return np.concatenate([np.zeros(0, STATE), *(found[k] for k in chosen)])


def _check_rules(recorded: Rules, rules: Rules) -> None:
    for option in fields(Rules):
        given, needed = getattr(recorded, option.name), getattr(rules, option.name)
        if option.name not in _MAY_DIFFER and given != needed:
            raise ValueError(
                f"the game was played by {option.name}={quoted(given)}, "
                f"the training's is {quoted(needed)}"
            )
