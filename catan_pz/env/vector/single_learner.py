"""Batches of games with one learner in each; opponents play the other seats inside the step."""

from collections.abc import Collection, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, Views, result_for
from catan_pz.agents.hosting import SeatedCopies, blamed
from catan_pz.agents.random_stream import SeatSeeds, nth_numbers
from catan_pz.agents.registry import Opponents, as_opponents
from catan_pz.batch import calls as batch_calls
from catan_pz.batch import seat_calls
from catan_pz.batch import steps as batch_rules
from catan_pz.batch.base import ThreadedGames, seeds_from
from catan_pz.checks import check_choice, check_seed
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.arrays import each
from catan_pz.encoders.base import check_output
from catan_pz.encoders.flat import FlatForm
from catan_pz.events import event_arrays
from catan_pz.game.arguments import check_arrays, check_unfinished, integers, sound_records
from catan_pz.game.game import drawn_seed
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import (
    NUM_TERMS,
    Reward,
    is_linear,
    is_sparse,
    make_reward,
    reward_values,
    weights_of,
)
from catan_pz.rules import RuleOptions, Rules
from catan_pz.terms import MAX_PLAYERS, Phase

_ENDS: Final = ("won", "points", "turns", "decisions", "return")
_SAMPLE_SALT: Final = np.uint64(0x2545F4914F6CDD1D)


class LearnerOptions(RuleOptions, total=False):
    """Keywords of `SingleLearnerBatch` that the environments around it accept."""

    seat: int | str
    opponents: Opponents
    observation: Encoder | str
    reward: Reward | str | None
    seed: int | None
    threads: int


def check_served(agent: Agent, given: object) -> None:
    """Refuse an opponent that batches can't serve; `given` is the option."""
    for asks, what in (
        (agent.needs_belief, "needs a belief, which batches don't keep"),
        (agent.needs_events, "observes events, which batches don't write"),
    ):
        if asks:
            raise ValueError(f"opponents={given!r}: agent {agent.name!r} {what}")


class SingleLearnerBatch(ThreadedGames):
    """B games in which a learner decides for one seat each.

    A step plays the learner's action in every game, and the opponents' up to its next decision.
    If that ends the game, the next one starts at once and is played up to the learner's first
    decision: `reward`, `done`, `truncated`, `ends` and `final_observation` describe the old game,
    observation and mask the new one. Letters: B games, N numbers of an observation, A actions.

    Game i depends only on seed + i and the learner's actions, not on the number of games or
    threads.


    Args:
        num_games: B.
        seat, opponents, rules, observation, reward, options: as for `SingleSeatEnv`. An
            opponent's `act_batch` is called once a round for all games in which it is to move;
            any reward but a `LinearReward` takes a round for each decision of random players too.
        alternate: whether the arrays of observation and mask alternate between two sets, so that
            those of the previous step stay valid.
        seed: of game 0; drawn at random if None.
        threads: number of threads that share a step.

    Attributes:
        games: (B,) records of `engine.state.STATE`.
        seats: (B,) int8, the learner's seat.
        seeds: (B,) uint64, seeds of the current games.
        encoder: of the learner's observations.
        observation: (B, N) int8, the learner's observation, in natural units.
        mask: (B, A) int8, 1 for each legal action.
        reward: (B,) float64, the learner's reward since its previous decision.
        done: (B,) bool, whether the last step ended a game.
        truncated: (B,) bool, whether it did so at the turn limit.
        final_observation: (B, N) int8, the learner's observation at the end of the last game.
        ends: (B,) of the last game that ended, by name: "won" (0 or 1), "points" (own), "turns",
            "decisions" (own) and "return" (sum of rewards).

    A batch is not thread-safe. After an interrupted step or reset the next call asks for
    `reset`.
    """

    _KEPT = (
        *("games", "seats", "seeds", "reward", "done", "truncated"),
        *("final_observation", "_decisions_by", "_opponent_rng", "_sample_rng"),
    )

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        *,
        seat: int | str = 0,
        opponents: Opponents = None,
        observation: Encoder | str = "flat",
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
        self._opponent_rng = np.zeros(self.num_games, np.uint64)
        self._seat_seeds = SeatSeeds(self.num_games, self.rules.num_players)
        self._copies = SeatedCopies(self.rules)
        self.opponents = opponents
        self.encoder = as_encoder(observation)
        self._make_arrays(alternate)
        self.reset(seed)
        check_output(self.encoder, self.observation)

    @property
    def opponents(self) -> list[Agent | None]:
        """The opponents by place from the learner's left, None for random ones; can be replaced."""
        return list(self._opponents)

    @opponents.setter
    def opponents(self, given: Opponents) -> None:
        agents = as_opponents(given, self.rules.num_players - 1)
        for agent in agents:
            if agent is not None:
                check_served(agent, given)
                agent.check_rules(self.rules)
        self._dismiss(range(self.num_games))
        self._opponents = agents
        # A set of places, one bit each; the learner has bit 0.
        places = sum(1 << place for place, agent in enumerate(agents, 1) if agent is None)
        self._drawn = seat_calls.Drawn(places, self._opponent_rng)
        # A reward in Python has to see every decision.
        self._drawn_inside = self._drawn if self._linear else self._drawn._replace(places=0)

    @cached_property
    def seen(self) -> Any:
        """The learner's encoded observations: (B, ...) arrays."""
        if isinstance(self.encoder, FlatForm):
            self._write_scaled(self.observation, self._flat)
            return self.encoder.of_flat(self._flat)
        return self.encoder.encode(self.observation)

    def final_seen(self, games: NDArray[np.intp]) -> list[Any]:
        """The learner's final encoded observations in some games (K,), in new arrays."""
        if not len(games):
            return []
        seen = self.encoder.encode(self.final_observation[games])
        return [each(seen, itemgetter(k)) for k in range(len(games))]

    def global_state(self) -> NDArray[np.float32]:
        """(B, M) as `raw_env.state()`, seats absolute, for critics, never for players."""
        return self._full_states()

    def _make_arrays(self, alternate: bool) -> None:
        size = self.num_games
        self.seats, players = np.zeros((2, size), np.int8)
        self.reward = np.zeros(size)
        self.done, self.truncated, self._waiting = np.zeros((3, size), np.bool_)
        self.ends: dict[str, NDArray[Any]] = {
            name: np.zeros(size, np.float64 if name == "return" else np.int64) for name in _ENDS
        }
        # Decisions and rewards of the current games.
        self._so_far = {name: np.zeros_like(self.ends[name]) for name in ("decisions", "return")}
        self._sets = []
        for _ in range(1 + alternate):
            mask = np.zeros((size, self.rules.num_actions), np.int8)
            observation = np.zeros((size, SIZE), np.int8)
            flat = np.zeros((size if isinstance(self.encoder, FlatForm) else 0, SIZE), np.float32)
            shown = batch_rules.Shown(1, players, mask, observation)
            self._sets.append((mask, observation, flat, shown))
        self._take_turns()
        self.final_observation = np.zeros((size, SIZE), np.int8)
        self._actions, self._sample = np.zeros((2, size), np.int64)
        # The number of decisions of each seat in its game.
        self._decisions_by = np.zeros((size, self.rules.num_players), np.int64)
        self._sample_rng = np.zeros(size, np.uint64)
        ends = self.reward, self.done, self.truncated, self._waiting
        self._learners = seat_calls.Learners(self._seat, self.seats, *ends)
        detail = int(not is_sparse(self._reward))
        self._scoring = batch_rules.Scoring(self._script, detail, weights_of(self._reward))
        self._terms = np.zeros((size, MAX_PLAYERS, NUM_TERMS), np.int8)
        self._scratch = batch_rules.LogMemory(event_arrays(size if detail else 1), self._terms)

    def _take_turns(self) -> None:
        self._sets.reverse()
        self.mask, self.observation, self._flat, self._shown = self._sets[0]

    def _kept(self) -> dict[str, NDArray[Any]]:
        ends = {f"final_{name}": values for name, values in self.ends.items()}
        return super()._kept() | ends | self._so_far

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
        """Restart all games and play up to the learner's first decisions.

        Game i gets seed + i (modulo 2**64). Without a seed, games continue from the seeds of the
        previous ones, which are drawn the first time.
        """
        self._change(self._restart_all, None if seed is None else check_seed(seed))

    def _restart_all(self, first: int | None) -> None:
        where = batch_rules.EVERYWHERE
        if first is not None or not self.mask.any():
            self.seeds[:] = seeds_from(drawn_seed() if first is None else first, self.num_games)
            self._sample_rng[:] = ~self.seeds ^ _SAMPLE_SALT
            where = batch_rules.FROM_SEEDS
        self._take_turns()
        self.done[:] = False
        self._begin(np.ones(self.num_games, np.bool_), where)

    def restart(self, places: NDArray[np.bool_]) -> None:
        """Abandon the games in some places (B,), and start the next one in each of them."""
        self._check_whole()
        self._change(self._restart, places)

    def _restart(self, places: NDArray[np.bool_]) -> None:
        self.games["phase"][places] = Phase.OVER
        self.done[places] = True  # moves before the first decision have no reward
        self._begin(places, batch_rules.WHERE_FINISHED)

    def _begin(self, places: NDArray[np.bool_], where: int) -> None:
        """Deal games, and play up to the learner's first decisions."""
        self._forget(np.flatnonzero(places))
        self._deal(where)
        self._finish_rounds()
        self.done[places] = self.truncated[places] = False
        for numbers in (self.reward, *self._so_far.values()):
            numbers[places] = 0

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Copies of all arrays that determine the future, by name, without opponents."""
        if self._copies.names:
            raise ValueError(
                "opponents must be stateless, such as BatchAgents, as a state can't hold what "
                f"they remember of a game; got {self._copies.names}"
            )
        return super().get_state()

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a result of `get_state` for the same rules, learner's seat and B."""
        check_arrays(state, self._kept())
        records = sound_records(state["games"], self.rules)
        check_unfinished(records)
        seats = state["seats"]
        if (seats != records["player"]).any() or (self._seat >= 0 and (seats != self._seat).any()):
            raise ValueError("state: seats must be the learner's, and to move in the games")
        self._change(self._copy_from, state, records)

    def _copy_from(self, state: Mapping[str, NDArray[Any]], records: np.ndarray) -> None:
        self._dismiss(range(self.num_games))
        super()._copy_from(state, records)
        places = np.arange(self.num_games)
        self._share_out(batch_calls.place_games, records, places, self._shown)
        self._waiting[:] = False
        self.__dict__.pop("seen", None)

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, in the same array at each call."""
        self._check_whole()
        self._share_out(batch_calls.sample_actions, self._sample_rng, self._sample)
        return self._sample

    def step(self, actions: NDArray[np.integer[Any]]) -> None:
        """Play the learner's actions (B,), any integers, then the opponents' up to its next one."""
        self._check_whole()
        self._change(self._step, self._checked(actions))

    def _step(self, actions: NDArray[np.int64]) -> None:
        self._actions[:] = actions
        self._take_turns()
        self.reward[:] = self.done[:] = self.truncated[:] = 0
        self._waiting[:] = True
        self._play()
        self._finish_rounds()
        self._so_far["decisions"] += 1
        self._so_far["return"] += self.reward
        if self.done.any():
            for name, numbers in self._so_far.items():
                self.ends[name][self.done] = numbers[self.done]
                numbers[self.done] = 0

    def close(self) -> None:
        """Release threads and opponents; later steps run on one thread with fresh opponents."""
        super().close()
        self._dismiss(range(self.num_games))

    def _finish_rounds(self) -> None:
        """Play the opponents that run outside compiled code until none is to move."""
        while self._waiting.any():
            self._choose()
            self._play()
        self.__dict__.pop("seen", None)

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
            seats = self.seats[ended]
            self.final_observation[ended] = self.observation[ended]
            self.ends["won"][ended] = self.games["winner"][ended] == seats
            self.ends["points"][ended] = self.games["points"][ended, seats]
            self.ends["turns"][ended] = self.games["turn"][ended]
            self._forget(ended)
            self._deal(batch_rules.WHERE_FINISHED)

    def _dismiss(self, games: Collection[int]) -> None:
        """Release the copies of opponents in some games."""
        self._copies.leave(games, lambda i, seat: result_for(self.games[i], self.rules, seat))

    def _forget(self, games: NDArray[np.intp]) -> None:
        """Restart the opponents' random streams in finished games."""
        self._decisions_by[games] = 0
        self._dismiss(set(games.tolist()))

    def _choose(self) -> None:
        """Let the opponents to move choose, with one call per agent for all games."""
        if self._drawn.places:
            self._share_out(seat_calls.draw_waiting, self._drawn, self._learners, self._actions)
        rows = np.flatnonzero(self._waiting)
        seats = self.games["player"][rows]
        places = (seats - self.seats[rows]) % self.rules.num_players
        for agent in {id(agent): agent for agent in self._opponents if agent is not None}.values():
            own = np.isin(places, [k for k, one in enumerate(self._opponents, 1) if one is agent])
            if own.any():
                asked = rows[own]
                self._actions[asked] = self._choices(agent, asked, seats[own])

    def _choices(
        self, agent: Agent, asked: NDArray[np.intp], seats: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An agent's choices in the games (K,) in which its seats (K,) are to move."""
        streams = self._seat_seeds.of(self.seeds, asked, seats)
        random_bits = nth_numbers(streams, self._decisions_by[asked, seats])
        self._decisions_by[asked, seats] += 1
        seated = self._copies.rows(asked, seats, streams)
        views = Views(self.observation[asked], self.mask[asked], streams, random_bits, seated)
        with blamed(agent):
            given = agent.act_batch(views)
        chosen = integers(given, len(asked), f"actions of opponent {agent!r}")
        exist = (chosen >= 0) & (chosen < self.rules.num_actions)
        legal = exist & (self.mask[asked, np.where(exist, chosen, 0)] == 1)
        if not legal.all():
            k = int(np.argmin(legal))
            self._complain(int(asked[k]), int(chosen[k]), "opponent's action, ")
        return chosen
