"""Games of two players side by side, each an episode of a learner."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.random_stream import one_way_seed
from catan_pz.batch.cpu import CpuBatch
from catan_pz.rules import Rules


class EpisodeGames:
    """Games side by side; a game that is over is followed by another in its place.

    Letters: K games, D of them.

    Args:
        rules: of the games, for two players.
        count: K.
        seed: of a training; the games' seeds follow from it.
        both_seats: whether the learner has the first seat and the second in turn, and not the first
            alone.
        curve_turn: turn at which the learner's points are taken.

    Attributes:
        batch: the games.
        episodes: (K,) number of each, in the order in which they began.
        finished: figures of games that are over, oldest first: `points_at_turn`, `points`, `won`,
            `turns`.
    """

    def __init__(
        self, rules: Rules, count: int, seed: int, *, both_seats: bool, curve_turn: int
    ) -> None:
        seed = one_way_seed(seed, 0, "catan-pz games")
        self.batch = CpuBatch(count, rules, seed=seed, auto_reset=False)
        self.both_seats, self.curve_turn = both_seats, curve_turn
        self.episodes = np.arange(count)
        self.points_at_turn = np.full(count, -1)
        self.finished: list[dict[str, int]] = []

    @property
    def learner(self) -> NDArray[np.int64]:
        """(K,) the learner's seat."""
        return np.asarray(self.episodes % 2 * self.both_seats)

    def seen_by(
        self, rows: NDArray[Any], seats: NDArray[Any]
    ) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Observations (D, N) of one seat in each of some games, and its masks (D, A).

        A seat that isn't to move, or whose game is over, has no legal action.
        """
        batch = self.batch
        units = batch.units[rows]  # type: ignore[index]
        to_move = (batch.player[rows] == seats) & ~batch.done[rows]
        for k in np.flatnonzero(~to_move).tolist():
            units[k] = batch.game(int(rows[k])).observe(int(seats[k]))
        return units, batch.mask[rows] * to_move[:, None]

    def measured(self, field: str) -> NDArray[np.int8]:
        """(K, 2) a number that the state has for each seat: "points", "road_length"."""
        return np.array(self.batch.games[field][:, :2])

    def over(self) -> NDArray[np.intp]:
        """(D,) games that the last step ended."""
        return np.flatnonzero(self.batch.done)

    def count(self) -> None:
        """Note figures after a step, and begin other games where one is over."""
        games, learner, over = self.batch.games, self.learner, self.over()
        points = games["points"][np.arange(len(learner)), learner]
        due = (self.points_at_turn < 0) & ((games["turn"] >= self.curve_turn) | self.batch.done)
        self.points_at_turn[due] = points[due]
        for i in over.tolist():
            self.finished.append(
                {
                    "points_at_turn": int(self.points_at_turn[i]),
                    "points": int(points[i]),
                    "won": int(games["winner"][i] == learner[i]),
                    "turns": int(games["turn"][i]),
                }
            )
        self.episodes[over] = self.episodes.max() + 1 + np.arange(len(over))
        self.points_at_turn[over] = -1
        if len(over):
            self.batch.reset_finished()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """The arrays that the rest of the games depends on, beside `finished`."""
        own = {"episodes": self.episodes, "points_at_turn": self.points_at_turn}
        return {**self.batch.get_state(), **own}

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from what `get_state` gave."""
        self.episodes, self.points_at_turn = state.pop("episodes"), state.pop("points_at_turn")
        self.batch.set_state(state)
