"""Batches of games with one learner in each; opponents play the other seats inside the step."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, SeatResult, result_for
from catan_pz.agents.registry import Opponents
from catan_pz.batch import calls as batch_calls
from catan_pz.batch import seat_calls
from catan_pz.batch import steps as batch_rules
from catan_pz.batch.base import Lazy
from catan_pz.batch.reward_values import reward_values
from catan_pz.batch.threaded import ThreadedGames
from catan_pz.checks import check_choice, check_seed, quoted
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.base import check_output
from catan_pz.encoders.flat import FlatForm
from catan_pz.env.spaces import brief
from catan_pz.env.vector.seated_opponents import SeatedOpponents
from catan_pz.events import event_arrays
from catan_pz.game.arguments import (
    check_arrays,
    check_unfinished,
    sound_records,
)
from catan_pz.game.game import drawn_seed
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import (
    NUM_TERMS,
    Reward,
    is_linear,
    is_sparse,
    make_reward,
    weights_of,
)
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, Phase

_SAMPLE_SALT: Final = np.uint64(0x2545F4914F6CDD1D)
_KEPT: Final = (
    "games",
    "seats",
    "seeds",
    "observation",
    "mask",
    "reward",
    "done",
    "truncated",
    "final_observation",
    "final_won",
    "final_points",
    "final_turns",
    "final_decisions",
    "final_return",
    "_decisions",
    "_decisions_by",
    "_return",
    "_opponent_rng",
    "_sample_rng",
)
"""Arrays that hold the state of the games and the results of the last step."""


class SingleLearnerBatch(ThreadedGames):
    """B games in which a learner decides for one seat each.

    A step plays the learner's action in every game, and the others' up to its next decision.
    Where that ends the game, the next one starts at once and is played up to the learner's
    first decision: `reward`, `done`, `truncated` and `final_...` tell of the one that ended,
    observation and mask are the new one's. Letters: B games, N numbers of an observation,
    A actions, P players.

    Everything in game i is settled by the seed + i and the learner's actions, whatever the
    number of games and of threads. The random stream of an agent in a seat has its seed from
    `agents.random_stream.seat_seeds` of the game's seed.

    Args:
        num_games: B.
        rules: a `Rules`, a preset's name, or None for the base game.
        seat: the learner's seat, or "random" for one drawn in each game.
        opponents: None for random players, an `Agent` or its name for all other seats, or
            for each in turn order from the learner's left one of these. `act_batch` is called
            once a round for all games in which an opponent is to move.
        observation: the `Encoder` of what the learner sees, or its name.
        alternate: whether arrays of observation and mask take turns between two sets, so
            that those of the step before stay as they were.
        reward: a `Reward`, its name, or None for win and loss. Any but a `LinearReward` takes
            a round for each decision of random players too.
        seed: of game 0; drawn at random where None.
        threads: how many threads share a step.
        **options: replace single options of the rules.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        seats: (B,) int8, the learner's seat.
        seeds: (B,) uint64, seeds of the games that are on.
        encoder: of what the learner sees.
        observation: (B, N) int8, what the learner sees, in natural units.
        mask: (B, A) int8, 1 for each legal action.
        reward: (B,) float64, what the learner got since its decision before.
        done: (B,) bool, whether the last step ended a game.
        truncated: (B,) bool, whether it did so by the limit of turns.
        final_observation, final_won, final_points, final_turns, final_decisions, final_return:
            (B, ...) of the last game that ended: what the learner saw in the end, whether it won,
            its points with hidden ones, turns of all, its own decisions, the sum of its rewards.

    A batch is not thread-safe. After a step or a reset that raised before its end, the next call
    asks for `reset`.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        *,
        seat: int | str = 0,
        opponents: Opponents = None,
        observation: Encoder | str = "units",
        alternate: bool = False,
        reward: Reward | str | None = None,
        seed: int | None = None,
        threads: int = 1,
        **options: Any,
    ) -> None:
        super().__init__(num_games, Rules.of(SingleLearnerBatch, rules, options), threads)
        check_choice("seat", seat, (*range(self.rules.num_players), "random"))
        self._seat = -1 if seat == "random" else int(seat)
        self._reward = make_reward(reward)
        self._linear = is_linear(self._reward)
        self._dense = int(not is_sparse(self._reward))
        self._seated = SeatedOpponents(self.num_games, self.rules, self._result)
        self._opponent_rng = np.zeros(self.num_games, np.uint64)
        self.opponents = opponents
        self.encoder = as_encoder(observation)
        self._encoded: Lazy[Any] = Lazy(self._encode)
        self._make_arrays(alternate)
        self.reset(seed)
        check_output(self.encoder, self.observation)

    def __repr__(self) -> str:
        return f"SingleLearnerBatch({self.num_games} games, {brief(self.rules)})"

    @property
    def opponents(self) -> list[Agent | None]:
        """Those of each place from the learner's left, None for random ones; can be replaced."""
        return list(self._seated.agents)

    @opponents.setter
    def opponents(self, given: Opponents) -> None:
        opponents = self._seated.checked(given)
        self._seated.replace(opponents)
        self._random_places = self._seated.random_places
        # A reward that only Python knows has to see every decision.
        inside = self._random_places if self._linear else 0
        self._drawn_inside = seat_calls.Drawn(inside, self._opponent_rng)
        self._drawn = seat_calls.Drawn(self._random_places, self._opponent_rng)

    @property
    def seen(self) -> Any:
        """What the learner sees, by the encoder: (B, ...) arrays."""
        return self._encoded.get()

    def new_seen(self) -> Any:
        """`seen` in arrays that no later step writes to."""
        seen = self.seen
        if isinstance(seen, dict):
            return {name: self._lasting(array) for name, array in seen.items()}
        return self._lasting(seen)

    def _lasting(self, array: NDArray[Any]) -> NDArray[Any]:
        reused = self.observation, self._flat
        return array.copy() if any(np.may_share_memory(array, own) for own in reused) else array

    def final_seen(self, games: NDArray[np.intp]) -> list[Any]:
        """What the learner saw at the ends of some games, by the encoder, in new arrays.

        Args:
            games: (K,) their numbers.
        """
        if not len(games):
            return []
        seen = self.encoder.encode(self.final_observation[games])
        if isinstance(seen, dict):
            return [{name: array[k] for name, array in seen.items()} for k in range(len(games))]
        return list(seen)

    def global_state(self) -> NDArray[np.float32]:
        """(B, M) what `raw_env.state()` gives: for critics, never for players; new arrays.

        Seats are absolute in it; `seats` tells the learner's.
        """
        return self._full_states()

    def _make_arrays(self, alternate: bool) -> None:
        size = self.num_games
        self.seats = np.zeros(size, np.int8)
        self.reward = np.zeros(size)
        self.done = np.zeros(size, np.bool_)
        self.truncated = np.zeros(size, np.bool_)
        is_flat = isinstance(self.encoder, FlatForm)
        players = np.zeros(size, np.int8)
        self._sets = []
        for _ in range(1 + alternate):
            mask = np.zeros((size, self.rules.num_actions), np.int8)
            observation = np.zeros((size, SIZE), np.int8)
            flat = np.zeros((size if is_flat else 0, SIZE), np.float32)
            shown = batch_rules.Shown(1, players, mask, observation)
            self._sets.append((mask, observation, flat, shown))
        self._take_turns()
        self.final_observation = np.zeros((size, SIZE), np.int8)
        self.final_won = np.zeros(size, np.bool_)
        self.final_points = np.zeros(size, np.int8)
        self.final_turns = np.zeros(size, np.int64)
        self.final_decisions = np.zeros(size, np.int64)
        self.final_return = np.zeros(size)
        self._decisions = np.zeros(size, np.int64)
        self._decisions_by = self._seated.decisions
        self._return = np.zeros(size)
        self._terms = np.zeros((size, MAX_PLAYERS, NUM_TERMS), np.int8)
        self._waiting = np.zeros(size, np.bool_)
        self._actions = np.zeros(size, np.int64)
        self._sample = np.zeros(size, np.int64)
        self._sample_rng = np.zeros(size, np.uint64)
        ends = self.reward, self.done, self.truncated, self._waiting
        self._learners = seat_calls.Learners(self._seat, self.seats, *ends)
        detail = self._dense
        self._scoring = batch_rules.Scoring(self._script, detail, weights_of(self._reward))
        events = event_arrays(size if detail else 1)
        self._scratch = batch_rules.LogMemory(events, self._terms)

    def _take_turns(self) -> None:
        self._sets.reverse()
        self.mask, self.observation, self._flat, self._shown = self._sets[0]

    def _encode(self) -> Any:
        if isinstance(self.encoder, FlatForm):
            self._write_scaled(self.observation, self._flat)
            return self.encoder.of_flat(self._flat)
        return self.encoder.encode(self.observation)

    def _deal(self, where: int) -> None:
        self._share_out(
            seat_calls.deal_seats,
            where,
            self._starts,
            self._drawn_inside,
            self._scoring,
            self._scratch,
            self._learners,
            self._shown,
        )

    def reset(self, seed: int | None = None) -> None:
        """Start all games anew and play up to the learner's first decisions.

        Args:
            seed: of game 0, game i gets the seed + i (modulo 2**64). Without one, games go on
                from the seeds of those before, which are drawn the first time.
        """
        first = None if seed is None else check_seed(seed)
        self._change(self._restart_all, first)

    def _restart_all(self, first: int | None) -> None:
        where = batch_rules.EVERYWHERE
        if first is not None or not self.mask.any():
            self._seed(drawn_seed() if first is None else first)
            self._sample_rng[:] = ~self.seeds ^ _SAMPLE_SALT
            where = batch_rules.FROM_SEEDS
        self._take_turns()
        self.done[:] = False
        self._begin(np.ones(self.num_games, np.bool_), where)

    def restart(self, places: NDArray[np.bool_]) -> None:
        """Break off the games in some places, and start the next one in each of them.

        Nothing of the games that are broken off is told; the arrays of other places, and of
        the last step, stay as they are.

        Args:
            places: (B,) bool.
        """
        places = np.asarray(places)
        if places.shape != (self.num_games,) or places.dtype != np.bool_:
            raise ValueError(f"places must be ({self.num_games},) bool, got {quoted(places)}")
        self._check_whole()
        self._change(self._restart, places)

    def _restart(self, places: NDArray[np.bool_]) -> None:
        self.games["phase"][places] = Phase.OVER
        self.done[places] = True  # what is played before the first decision has no reward
        self._begin(places, batch_rules.WHERE_FINISHED)

    def _begin(self, places: NDArray[np.bool_], where: int) -> None:
        """Deal games, and play up to the learner's first decisions."""
        self._seated.forget(np.flatnonzero(places))
        self._deal(where)
        self._finish_rounds()
        self._encoded.forget()
        self.done[places] = self.truncated[places] = False
        self.reward[places] = self._return[places] = 0
        self._decisions[places] = 0

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that the future rests on, by name; opponents are no part of it."""
        if self._seated.names:
            raise ValueError(
                f"option opponents: {self._seated.names} may keep something of a game, which no "
                "state holds; allowed: stateless agents, such as BatchAgents"
            )
        self._check_whole()
        return {name: array.copy() for name, array in self._arrays(_KEPT).items()}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `get_state` gave for the same rules, learner's seat and B."""
        check_arrays(state, self._arrays(_KEPT))
        records = sound_records(state["games"], self.rules)
        check_unfinished(records)
        seats = state["seats"]
        if (seats != records["player"]).any() or (self._seat >= 0 and (seats != self._seat).any()):
            raise ValueError("state: seats aren't the learner's, to move in the games")
        self._change(self._copy_from, state, records)

    def _copy_from(self, state: Mapping[str, NDArray[Any]], records: np.ndarray) -> None:
        self._seated.leave()
        for name, array in self._arrays(_KEPT).items():
            array[...] = state[name]
        places = np.arange(self.num_games)
        self._share_out(batch_calls.place_games, records, places, self._shown)
        self._waiting[:] = False
        self._encoded.forget()

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, in the same array at each call.

        Neither the chance of the games nor the opponents' random streams are touched.
        """
        self._check_whole()
        self._share_out(batch_calls.sample_actions, self._sample_rng, self._sample)
        return self._sample

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Play the learner's action in every game, and the others' up to its next decision.

        Args:
            actions: (B,) of any integer type, legal.

        Where the reward raises, or gives what is none, the step stays unfinished, too.
        """
        self._check_whole()
        self._change(self._step, self._checked(actions))

    def _step(self, actions: NDArray[np.int64]) -> None:
        self._actions[:] = actions
        self._take_turns()
        self.reward[:] = 0
        self.done[:] = False
        self.truncated[:] = False
        self._waiting[:] = True
        self._decisions += 1
        self._play()
        self._finish_rounds()
        self._encoded.forget()
        self._return += self.reward
        if self.done.any():
            self.final_return[self.done] = self._return[self.done]
            self.final_decisions[self.done] = self._decisions[self.done]
            self._return[self.done] = 0
            self._decisions[self.done] = 0

    def close(self) -> None:
        """Let threads and opponents go; steps then run on one thread, with fresh opponents."""
        super().close()
        self._seated.leave()

    def _finish_rounds(self) -> None:
        """Play the opponents that aren't played inside compiled code, until none is to move."""
        while self._waiting.any():
            self._choose()
            self._play()

    def _play(self) -> None:
        """Play the actions chosen, reward the learner, and start the next games."""
        ended_before = self.done.copy()
        played = self._waiting & ~ended_before
        finished = self._share_out(
            seat_calls.play_seats,
            self._actions,
            self._drawn_inside,
            self._scoring,
            self._scratch,
            self._learners,
            self._shown,
        )
        if not self._linear:
            rewards = reward_values(self._reward, self._terms, self.games)
            self.reward[played] += rewards[np.arange(self.num_games), self.seats][played]
        if finished.any():
            ended = np.flatnonzero(self.done & ~ended_before)
            self._keep_ends(ended)
            self._seated.forget(ended)
            self._deal(batch_rules.WHERE_FINISHED)

    def _result(self, game: int, seat: int) -> SeatResult:
        return result_for(self.games[game], self.rules, seat)

    def _keep_ends(self, ended: NDArray[np.intp]) -> None:
        seats = self.seats[ended]
        self.final_observation[ended] = self.observation[ended]
        self.final_won[ended] = self.games["winner"][ended] == seats
        self.final_points[ended] = self.games["points"][ended, seats]
        self.final_turns[ended] = self.games["turn"][ended]

    def _choose(self) -> None:
        """Let the opponents that are to move choose."""
        if self._random_places:
            self._share_out(
                seat_calls.draw_waiting,
                self._drawn,
                self._learners,
                self._actions,
            )
        rows = np.flatnonzero(self._waiting)
        seats = self.games["player"][rows]
        arrays = self.seats, self.seeds, self.observation, self.mask
        for asked, chosen in self._seated.choices(rows, seats, *arrays):
            self._check_legal(asked, chosen)
            self._actions[asked] = chosen

    def _check_legal(self, rows: NDArray[np.intp], chosen: NDArray[np.int64]) -> None:
        num_actions = self.rules.num_actions
        exist = (chosen >= 0) & (chosen < num_actions)
        legal = exist & (self.mask[rows, np.where(exist, chosen, 0)] == 1)
        if not legal.all():
            k = int(np.argmin(legal))
            self._complain(int(rows[k]), int(chosen[k]), "opponent's action, ")
