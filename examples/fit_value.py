"""Fits the value by which the agent `value` judges positions, and the search ends its rollouts.

    python examples/fit_value.py --players 4 --workers 2 --out runs/value-4p
    python examples/fit_value.py --players 4 --workers 2 --out runs/value-4p --resume

In each round games are played by the agent with the value so far, by the evolved and by the
heuristic player, seats at random, with some decisions taken at random; in the first round without
the agent, or with the value of `--start`. Positions are recorded right after decisions, as the seat
that decided knows them. The network that is shared by all seats is fitted to the positions of the
last rounds, by maximum likelihood of targets that mix who won with what the value so far made of
later positions.

Letters: N positions, P seats, F and C features of a seat and of the game.

The output folder gets the last two checkpoints, `model.npz` and its card, `positions/` (the last
rounds'), `episodes.csv` with a row for each round, `curve.csv`, `curve.png` and `result.json`.
`--resume` goes on after the last round that was finished, and computes the same numbers as a
training that never stopped.

Sources: Tesauro, "Temporal Difference Learning and TD-Gammon", 1995; Sutton and Barto,
"Reinforcement Learning", 2nd ed., sections 6.8 (afterstates) and 12.1 (lambda-returns).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from parts.value_games import Rows, Shares, play_recorded
from torch import nn

from catan_pz.agents.random import EVOLVED, HEURISTIC, VALUE
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.network import (
    HEIGHT,
    NUM_INPUTS,
    WIDTH,
    ValueNet,
    size_of,
    width_of,
    workspace,
)
from catan_pz.files import read_arrays, whole_file, write_bytes
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import NOBODY
from catan_pz.training.checkpoints import Checkpoints
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.evaluation import line_ups
from catan_pz.training.options import (
    Coefficient,
    Count,
    CountedArgs,
    Share,
    parse,
    set_up,
    training_card,
)
from catan_pz.training.run import Run


@dataclass(frozen=True, kw_only=True)
class Args(CountedArgs):
    """Options."""

    rounds: Count = 6
    """rounds to do"""
    players: int = 4
    """players of a game"""
    trading: bool = False
    """trade between players"""
    points: Count = 10
    """victory points that win"""
    positions: Count = 800_000
    """positions recorded in a round, in whole parts"""
    part: Count = 25_000
    """positions of a part, which one process records"""
    workers: Count = 1
    """processes that play"""
    margin: Share = 0.015
    """gain in win probability for which the agent deviates from the evolved player"""

    width: Count = WIDTH
    """units of the first hidden layer, a multiple of 32"""
    start: str | None = None
    """file of the value of the first round's players; none for a round without value"""
    window: Count = 4
    """rounds whose positions a fit uses"""
    epochs: Count = 2
    """passes over them"""
    batch_size: Count = 1024
    """positions in a minibatch"""
    learning_rate: Coefficient = 1e-3
    """largest learning rate of AdamW in a round"""
    decay: Share = 0.8
    """lambda of the targets: with 1 only who won counts"""

    eval_every: Count = 1
    """rounds between evaluations"""
    eval_first: bool = False
    """also evaluate before anything is learned"""
    eval_games: Count = 1000
    """games of an evaluation"""
    eval_against: str = "heuristic"
    """names of the opponents in evaluations"""
    checkpoint_every: Count = 1
    """rounds between checkpoints"""
    out: str = "runs/value"
    """output folder"""


MOST_OF_A_GAME = 500
"""Positions that a game may add."""

ODD = (0.0, 0.02, 0.05, 0.15)
"""Shares of random decisions, of which each game gets one."""

EXPLORED = 0.2
"""Share of random settlements in the set-up."""

RECORDED = 0.12
"""Share of decisions after which the position is recorded."""

PLAYERS = (VALUE, VALUE, VALUE, VALUE, VALUE, EVOLVED, HEURISTIC)
"""Players, of which each seat gets one."""


@dataclass(frozen=True)
class Positions:
    """Recorded positions, in order within each game."""

    features: np.ndarray
    """(N, P * F + C) float16, seats from the viewer on"""
    viewers: np.ndarray
    """(N,) int8, the seats that look"""
    games: np.ndarray
    """(N,) int32, the number of the game"""
    winners: np.ndarray
    """(N,) int8, the seat that won, or `NOBODY`"""

    def __len__(self) -> int:
        """N."""
        return len(self.features)

    @classmethod
    def joined(cls, parts: Sequence["Positions"]) -> "Positions":
        """All of some, in order, with the games numbered through."""
        first = np.cumsum([0, *(int(part.games[-1]) + 1 for part in parts)])
        games = [part.games + start for part, start in zip(parts, first, strict=False)]
        names = [name for name in cls.__dataclass_fields__ if name != "games"]
        joined = {name: np.concatenate([vars(part)[name] for part in parts]) for name in names}
        return cls(games=np.concatenate(games).astype(np.int32), **joined)


def record_positions(
    rules: Rules, net: ValueNet | None, margin: float, count: int, seed: int
) -> Positions:
    """Play games until N >= `count` positions are recorded; the last game is recorded whole.

    The player that judges by the value has this net and margin; without a net only others play.
    """
    rng, seats = np.random.default_rng(seed), rules.num_players
    players = PLAYERS if net is not None else (EVOLVED, HEURISTIC)
    weights = np.zeros(size_of(WIDTH), np.float32) if net is None else net.weights
    game, w = Game(rules, seed=0), workspace(weights, rules.num_actions)
    features = np.zeros((count + MOST_OF_A_GAME, seats * NUM_FEATURES + NUM_SHARED), np.float32)
    rows = Rows(features, np.zeros(len(features), np.int64))
    numbers: list[int] = []
    winners: list[int] = []
    k = 0
    while len(winners) < count:
        game.reset(int(rng.integers(2**62)))
        recorded = play_recorded(
            game.games,
            rng.choice(players, seats),
            Shares(float(rng.choice(ODD)), EXPLORED, RECORDED, margin),
            np.uint64(rng.integers(2**63)),
            w,
            rows,
            len(winners),
        )
        numbers += [k] * recorded
        winners += [int(game.games["winner"][0])] * recorded
        k += 1
    found = len(winners)
    return Positions(
        features[:found].astype(np.float16),
        rows.viewers[:found].astype(np.int8),
        np.array(numbers, np.int32),
        np.array(winners, np.int8),
    )


def record(play: Callable[[int], Positions], seeds: Sequence[int], workers: int) -> Positions:
    """The positions that `play` gives for each seed, the same for any number of processes."""
    if workers == 1:
        return Positions.joined([play(seed) for seed in seeds])
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return Positions.joined(list(pool.map(play, seeds)))


def win_targets(positions: Positions, estimates: np.ndarray, decay: float) -> np.ndarray:
    """(N, P) targets of each seat's win probability, seats from the viewer on.

    These are lambda-returns over the positions of a game: the estimate (N, P) of the next one, and
    its own target, mixed by `decay`. The last one's target is who won; zeros where nobody did.
    """
    count, seats = estimates.shape
    by_seat = (np.arange(seats) - positions.viewers[:, None]) % seats
    estimated = np.take_along_axis(estimates, by_seat, 1)
    targets = (positions.winners[:, None] == np.arange(seats)).astype(np.float32)
    last = np.r_[positions.games[1:] != positions.games[:-1], True]
    ends = np.flatnonzero(last)
    distance = ends[np.searchsorted(ends, np.arange(count))] - np.arange(count)
    won = positions.winners != NOBODY
    for k in range(1, int(distance.max()) + 1):
        rows = np.flatnonzero((distance == k) & won)
        targets[rows] = (1 - decay) * estimated[rows + 1] + decay * targets[rows + 1]
    from_viewer = (np.arange(seats) + positions.viewers[:, None]) % seats
    return np.take_along_axis(targets, from_viewer, 1)


class ValueNetwork(nn.Module):
    """The network in torch: a logit for each seat."""

    def __init__(self, players: int, width: int = WIDTH) -> None:
        super().__init__()
        self.players = players
        self.first = nn.Linear(NUM_INPUTS, width)
        self.second = nn.Linear(width, HEIGHT)
        self.output = nn.Linear(HEIGHT, 1, bias=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(K, P) logits of features (K, P * F + C)."""
        features, count = features.float(), self.players * NUM_FEATURES
        own = features[:, :count].unflatten(1, (self.players, NUM_FEATURES))
        shared = features[:, None, count:].expand(-1, self.players, -1)
        others = own.sum(1, keepdim=True) - own
        units = torch.relu(self.first(torch.cat([own, others, shared], 2)))
        return self.output(torch.relu(self.second(units)))[..., 0]

    @classmethod
    def loaded(cls, net: ValueNet) -> "ValueNetwork":
        """A stored network in torch."""
        network, place = cls(net.rules.num_players, width_of(net.weights.size)), 0
        with torch.no_grad():
            for part in network.parts():
                numbers = net.weights[place : place + part.numel()]
                part.copy_(torch.from_numpy(numbers).view(part.shape))
                place += part.numel()
        return network

    def parts(self) -> list[torch.Tensor]:
        """The weights in the order in which the compiled rules read them."""
        layers = self.first, self.second
        parts = [part for layer in layers for part in (layer.weight.T, layer.bias)]
        return [*parts, self.output.weight.T]

    def flat(self) -> np.ndarray:
        """The same in the format of a stored network, concatenated."""
        return torch.cat([part.detach().reshape(-1) for part in self.parts()]).cpu().numpy()


class Learner:
    """The value so far, and the rounds that the next one is fitted to."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.rules = Rules(
            num_players=args.players, trading=args.trading, victory_points=args.points
        )
        torch.manual_seed(args.seed)
        self.network = ValueNetwork(args.players, args.width).to(args.device)
        self.start = None if args.start is None else ValueNet.read(Path(args.start))
        self.window: dict[int, Positions] = {}

    def play(self, episode: int) -> dict[str, Any]:
        """A round: games, and a fit."""
        args = self.args
        parts = -(-args.positions // args.part)
        seeds = np.random.SeedSequence([args.seed, episode]).generate_state(parts, np.uint64)
        net = self.net() if episode else self.start
        play = partial(record_positions, self.rules, net, args.margin, args.part)
        played = record(play, seeds.tolist(), args.workers)
        self._keep(episode, played)
        return {"positions": len(played), "nats": self.fit(episode)}

    def _keep(self, episode: int, played: Positions) -> None:
        """Add a round to the window, and its file to the folder; drop the oldest."""
        with whole_file(self._file(episode)) as draft:
            np.savez(draft, **vars(played))
        self.window[episode] = played
        for old in [k for k in self.window if k <= episode - self.args.window]:
            del self.window[old]

    def _file(self, episode: int) -> Path:
        return Path(self.args.out) / "positions" / f"{episode:03d}.npz"

    def fit(self, number: int) -> float:
        """Fit to the window; the mean loss of the last pass, in nats."""
        args, device = self.args, self.args.device
        data = Positions.joined(list(self.window.values()))
        features = torch.from_numpy(data.features)
        judge, decay = self.network, args.decay
        if number == 0:
            if self.start is None:
                decay = 1.0  # nothing judges yet
            else:
                judge = ValueNetwork.loaded(self.start).to(device)
        targets = torch.from_numpy(win_targets(data, self.estimates(judge, features), decay))
        rows = torch.from_numpy(np.flatnonzero(data.winners >= 0))
        optimizer = torch.optim.AdamW(
            self.network.parameters(), args.learning_rate, weight_decay=1e-3
        )
        steps = args.epochs * -(-len(rows) // args.batch_size)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer,
            args.learning_rate,
            total_steps=steps,
            pct_start=0.1 if steps > 10 else 0.3,  # torch divides by a rise of one step less one
        )
        random = torch.Generator().manual_seed(args.seed * 1_000_003 + number)
        total = 0.0
        for _ in range(args.epochs):
            total = 0.0
            order = rows[torch.randperm(len(rows), generator=random)]
            for batch in order.split(args.batch_size):
                log_probabilities = torch.log_softmax(self.network(features[batch].to(device)), 1)
                loss = -(targets[batch].to(device) * log_probabilities).sum(1).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
                total += loss.item() * len(batch)
        return total / len(rows)

    @torch.no_grad()
    def estimates(self, network: ValueNetwork, features: torch.Tensor) -> np.ndarray:
        """(N, P) win probabilities, seats from the viewer on."""
        parts = [network(part.to(self.args.device)) for part in features.split(8192)]
        return torch.softmax(torch.cat(parts), 1).cpu().numpy()

    def net(self, card: dict[str, Any] | None = None) -> ValueNet:
        """The value so far."""
        return ValueNet(self.rules, self.network.flat(), card or {})

    def agent(self) -> ValueAgent:
        """The player that goes by it."""
        return ValueAgent(net=self.net())

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz` and its card; remove positions that no fit will use."""
        net = self.net(card)
        net.save(folder / "model.npz")
        write_bytes(folder / "model.md", net.card_text("value").encode())
        # Each checkpoint that is kept may be gone back to.
        rounds = [entry["frames"] for entry in Checkpoints(folder).entries()]
        windows = [range(max(0, end - self.args.window), end) for end in rounds]
        used = {self._file(episode) for window in (self.window, *windows) for episode in window}
        for file in (folder / "positions").glob("[0-9]*.npz"):
            if file not in used:
                file.unlink()

    def parameters(self) -> Any:
        """What training must leave finite."""
        return self.network.state_dict()

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on, beside the files of positions."""
        return {"network": self.network.state_dict(), "window": list(self.window)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.network.load_state_dict(state["network"])
        self.window = {episode: self._read(episode) for episode in state["window"]}

    def _read(self, episode: int) -> Positions:
        """The positions of a round."""
        path = self._file(episode)
        try:
            return Positions(**read_arrays(path.read_bytes()))
        except (ValueError, TypeError) as error:  # of arrays with other names
            raise ValueError(f"{path} is damaged: {error}") from error


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Fit; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    set_up(args)
    card = training_card(args, "lambda-returns of games won", "examples/fit_value.py")
    learner = Learner(args)
    run = Run(
        args,
        learner,
        title=f"Value, {args.players} players",
        card=card,
        evaluations=line_ups(args.eval_against, learner.rules),
        option="rounds",
        unit="rounds",
    )
    return run.train()


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
