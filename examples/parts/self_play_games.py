"""Rounds of self-play for a learner: observations, actions and rewards of it and its rivals.

Letters: T steps, B games, K decisions, P players, A actions, H numbers that only critics see.
Everything stays on the device of the network: games on a GPU are shown, decided and recorded
there.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from parts.rivals import Rivals, sampled
from parts.starts import Starts
from torch import nn

from catan_pz.agents.base import Agent, Views
from catan_pz.agents.random_stream import SeatSeeds
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from catan_pz.observation.global_state import GLOBAL_PLACES
from catan_pz.observation.symmetries import ACTION_ORDERS, OBSERVATION_ORDERS
from catan_pz.terms import MAX_PLAYERS
from catan_pz.training.self_play_network import (
    BASES_CHOICE,
    SEEN_BY_CRITICS,
    SelfPlayNetwork,
)

Network = Any
"""Called with observations, masks and hidden parts; gives log-probabilities and values."""


_GOES_ON: Final = -1
_NOBODY: Final = -2
"""In place of the seat that won in a step: no game ended in it, or one was truncated."""


@dataclass(frozen=True)
class Decisions:
    """The learner's decisions of a round, as tensors (K, ...).

    Attributes:
        units: int8 observations, each in its game's frame.
        mask: int8, likewise; `BASES_CHOICE` for the choice of the base, where there is one.
        hidden: (K, H) float32.
        action: int64, in the frame.
        log_probability: of the action, when it was played.
        advantage: float32.
        targets: (K, P) float32, of the values; seats count from the one that decides.
        has_target: (K, P) bool.
        won: (K,) float32, 1 if the seat won the game, 0 if it didn't, NaN where the game goes on
            after the round or was truncated.
    """

    units: torch.Tensor
    mask: torch.Tensor
    hidden: torch.Tensor
    action: torch.Tensor
    log_probability: torch.Tensor
    advantage: torch.Tensor
    targets: torch.Tensor
    has_target: torch.Tensor
    won: torch.Tensor

    def __len__(self) -> int:
        """K."""
        return len(self.action)

    def __getitem__(self, rows: torch.Tensor) -> "Decisions":
        """Some of them."""
        return Decisions(**{name: values[rows] for name, values in vars(self).items()})


class SelfPlayGames:
    """Games that a learner plays against itself and its rivals.

    Each game is shown in a frame of its own: on the board as it is, turned or reflected.

    Args:
        games: the games, with the encoder "units"; with `global_state` where the critic sees
            hidden cards.
        rivals: who plays beside the learner.
        num_steps: T.
        symmetries: whether frames differ from the board.
        seed: of the learner's choices.
        starts: positions from which some games start instead of an empty board.
        starts_share: share of the games that do so, from 0 to 1.

    Attributes:
        finished: games that came to an end.
    """

    def __init__(
        self,
        games: SelfPlayBatch,
        rivals: Rivals,
        num_steps: int,
        *,
        symmetries: bool = True,
        seed: int = 0,
        starts: Starts | None = None,
        starts_share: float = 0.0,
    ) -> None:
        self.games, self.rivals = games, rivals
        self._base = None if rivals.base is None else rivals.base.load()
        self.device = rivals.seat.device
        self.finished = 0
        self._seed, self._num_steps = seed, num_steps
        self._starts, self._starts_share = starts, starts_share
        self._seat_seeds = SeatSeeds(games.num_games, games.num_players)
        self._rollout = SelfPlayRollout(games, num_steps)
        # Rivals give each game's learner the seat `game % P`: every seat meets every frame.
        every = np.arange(games.num_games) // games.num_players
        frames = every % (len(OBSERVATION_ORDERS) if symmetries else 1)
        actions = ACTION_ORDERS[:, : games.rules.num_actions][frames]
        self._number_order = torch.tensor(OBSERVATION_ORDERS[frames], device=self.device)
        self._action_order = torch.tensor(actions, device=self.device)
        self._shown_action = self._action_order.argsort(1)

    def _see(self, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Observations and masks of the seats to move, in their frames, and hidden parts."""
        games = self.games
        units = torch.as_tensor(games.observation).gather(1, self._number_order)
        mask = torch.as_tensor(games.mask).gather(1, self._action_order)
        if self._base is not None:
            mask.scatter_(1, self._ask(self._base, seed)[:, None], BASES_CHOICE)
        state = games.batch.global_state
        if state is None:
            return units, mask, torch.zeros((len(mask), 0), device=self.device)
        players = torch.as_tensor(games.player)
        return units, mask, hidden_part(torch.as_tensor(state), players, games.num_players)

    @torch.no_grad()
    def play(
        self,
        network: Network,
        number: int,
        *,
        gamma: float,
        gae_lambda: float,
        expert: Agent | None = None,
    ) -> Decisions:
        """Play a round of T steps.

        Args:
            network: the learner's.
            number: of the round; what is drawn in it follows from that.
            gamma: discount from one decision of a seat to its next.
            gae_lambda: lambda of generalized advantage estimation.
            expert: plays all seats, to be imitated.
        """
        self.rivals.begin(number)
        random = torch.Generator(self.device).manual_seed(_seed(self._seed, number))
        learns, ends = [], []
        for t in range(self._num_steps):
            seed = _seed(self._seed, number, t)
            units, mask, hidden = self._see(seed)
            log_probabilities, values = network(units, mask, hidden)
            players = torch.as_tensor(self.games.player)
            if expert is not None:
                learns.append(torch.ones(len(mask), dtype=torch.bool, device=self.device))
                actions = self._ask(expert, seed)
            else:
                learns.append(self.rivals.learns(players))
                own = sampled(log_probabilities, random)
                others = self.rivals.act(units, mask, ~learns[-1], self._seeds_of)
                actions = torch.where(learns[-1], own, others)
            self._step(actions, log_probabilities, values, hidden, mask)
            done, truncated = (torch.as_tensor(x) for x in (self.games.done, self.games.truncated))
            winners = torch.as_tensor(self.games.winner)
            ends.append(torch.where(done, winners.masked_fill(truncated, _NOBODY), _GOES_ON))
            if expert is None:
                self.rivals.count(winners, done & ~truncated)
            if self._starts is not None:
                self._start_in_the_middle(self._starts, done, seed)
        self.finished += int((torch.stack(ends) != _GOES_ON).sum())
        last = self._see(_seed(self._seed, number, self._num_steps))
        last_values = self._given(network(*last)[1][:, 0].float())
        data = self._rollout.finish(last_values, gamma=gamma, gae_lambda=gae_lambda)
        return self._decisions(data, torch.stack(learns), torch.stack(ends))

    def _start_in_the_middle(self, starts: Starts, done: torch.Tensor, seed: int) -> None:
        """Let a share of the games that have just begun begin with a position of the pool."""
        ended = done.cpu().numpy().nonzero()[0]
        rng = np.random.default_rng([seed, 0x57A27])
        chosen = ended[rng.random(len(ended)) < self._starts_share]
        if len(chosen):
            self.games.place_games(chosen, starts.draw(len(chosen), rng))

    def _step(
        self, actions: Any, log_probabilities: Any, values: Any, hidden: Any, mask: Any
    ) -> None:
        """Record a step and play it."""
        places = actions[:, None]
        recorded = {
            "shown_action": self._given(actions),
            "log_probability": self._given(log_probabilities.gather(1, places)[:, 0]),
            "hidden": self._given(hidden),
            "shown_mask": self._given(mask),
        }
        played = self._action_order.gather(1, places)[:, 0]
        self._rollout.step(self._given(played), self._given(values[:, 0].float()), **recorded)

    def _ask(self, expert: Agent, seed: int) -> torch.Tensor:
        """(B,) an expert's choices for the seats to move, in the games' frames."""
        games = self.games
        observation, mask = (
            torch.as_tensor(x).cpu().numpy() for x in (games.observation, games.mask)
        )
        bits = np.random.default_rng(seed).integers(2**64, size=games.num_games, dtype=np.uint64)
        seeds = self._seeds_of(np.arange(games.num_games))
        actions = torch.as_tensor(
            expert.act_batch(Views(observation, mask, seeds, bits)), device=self.device
        )
        return self._shown_action.gather(1, actions.long()[:, None])[:, 0]

    def _seeds_of(self, rows: NDArray[np.intp]) -> NDArray[np.uint64]:
        """(K,) seeds of the streams of the seats to move in some games (K,)."""
        players = torch.as_tensor(self.games.player).cpu().numpy()
        return self._seat_seeds.of(self.games.batch.seeds, rows, players[rows])

    def _decisions(self, data: Any, learns: torch.Tensor, ends: torch.Tensor) -> Decisions:
        complete = torch.as_tensor(data.is_complete)
        rows = (learns & complete).flatten().nonzero()[:, 0]
        games = rows % self.games.num_games

        def of(values: Any) -> torch.Tensor:
            return torch.as_tensor(values).flatten(0, 1)[rows]

        recorded = data.recorded
        players = of(recorded["player"])
        return Decisions(
            units=of(recorded["observation"]).gather(1, self._number_order[games]),
            mask=of(recorded["shown_mask"]),
            hidden=of(recorded["hidden"]),
            action=of(recorded["shown_action"]),
            log_probability=of(recorded["log_probability"]),
            advantage=of(data.advantage),
            targets=from_the_seat_to_move(of(data.targets), players),
            has_target=from_the_seat_to_move(of(data.has_target), players),
            won=of(_won(torch.as_tensor(recorded["player"]), ends)),
        )

    def _given(self, array: torch.Tensor) -> Any:
        """An array of the kind that the games take."""
        return array.numpy() if self.device.type == "cpu" else array


def _won(players: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """(T, B) whether the seats to move (T, B) won in the end, by `ends` (T, B); NaN if unknown."""
    won = torch.empty(ends.shape, device=ends.device)
    winner = torch.full_like(ends[0], _NOBODY)
    for t in reversed(range(len(ends))):
        winner = torch.where(ends[t] == _GOES_ON, winner, ends[t])
        won[t] = (winner == players[t]).float().masked_fill(winner == _NOBODY, torch.nan)
    return won


def _seed(*numbers: int) -> int:
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> np.uint64(1))


SAMPLE: Final = 2048
"""Decisions of an update that the policy's figures are taken from."""


def divergence(log_probabilities: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """The mean Kullback-Leibler divergence of policies from others, by log-probabilities (K, A)."""
    return (log_probabilities.exp() * (log_probabilities - others)).sum(-1).mean()


@torch.no_grad()
def update_figures(
    network: SelfPlayNetwork, start: Any, played: Decisions
) -> dict[str, float | None]:
    """Figures of an update; None for unknown ones.

    Args:
        network: as it is after the update.
        start: the policy that self-play began with; None before it has begun.
        played: the decisions of the update.

    Returns:
        `explained_variance` (of the returns, by the values during play), `explained_outcomes` (of
        who won, by any linear scale of these), and of at most `SAMPLE` decisions after the update:
        `approx_kl` (divergence from the policy that played), `kl_from_start`, `entropy` and
        `value_loss`.
    """
    returns = played.targets[:, 0]
    values, known = returns - played.advantage, ~played.won.isnan()
    random = torch.Generator(returns.device).manual_seed(0)
    order = torch.randperm(len(played), generator=random, device=returns.device)
    batch = played[order[:SAMPLE]]
    log_probabilities, new_values = network(batch.units, batch.mask, batch.hidden)
    log_ratio = log_probabilities.gather(1, batch.action[:, None])[:, 0] - batch.log_probability
    moved = None
    if start is not None:
        started = network.log_probabilities(batch.units, batch.mask, start)
        moved = float(divergence(log_probabilities, started))
    errors = (new_values - batch.targets).square() * batch.has_target
    variance = float(returns.var(correction=0))
    unexplained = float(played.advantage.var(correction=0))
    return {
        "approx_kl": float((log_ratio.exp() - 1 - log_ratio).mean()),
        "kl_from_start": moved,
        "entropy": float(-(log_probabilities.exp() * log_probabilities).sum(-1).mean()),
        "value_loss": float(errors.mean()),
        "explained_variance": 1 - unexplained / variance if variance > 0 else None,
        "explained_outcomes": _squared_correlation(values[known], played.won[known]),
    }


def _squared_correlation(one: torch.Tensor, other: torch.Tensor) -> float | None:
    both = torch.stack([one, other])
    if both.shape[1] < 2 or not bool((both.var(1, correction=0) > 0).all()):
        return None
    return float(both.corrcoef()[0, 1].square())


def hidden_part(global_state: torch.Tensor, players: torch.Tensor, num_players: int) -> Any:
    """(K, H) hands and development cards of all, from the seat to move on.

    `global_state` (K, M) is in absolute seats, `players` (K,) are the seats to move.
    """
    order = torch.arange(num_players, device=players.device)
    seats = (players.long()[:, None] + order) % num_players
    parts = []
    for name in SEEN_BY_CRITICS:
        all_seats = global_state[:, GLOBAL_PLACES[name]].reshape(len(players), MAX_PLAYERS, -1)
        own_first = all_seats.gather(1, seats[..., None].expand(-1, -1, all_seats.shape[-1]))
        parts.append(nn.functional.pad(own_first, (0, 0, 0, MAX_PLAYERS - num_players)).flatten(1))
    return torch.cat(parts, 1)


def from_the_seat_to_move(values: torch.Tensor, players: torch.Tensor) -> torch.Tensor:
    """(K, P) numbers of absolute seats, from the seat (K,) to move on."""
    count = values.shape[1]
    seats = (players.long()[:, None] + torch.arange(count, device=players.device)) % count
    return values.gather(1, seats)
