"""Fits the value of the agent `value` on to what rollouts say of the positions that it compares.

    python examples/fit_siblings.py --workers 2 --out runs/siblings-4p

Games are played by the agent, the evolved and the heuristic player, in turn with trade and without.
At some of the agent's decisions the positions that it rates best, one at random and some exchanges
are played on many times in games drawn from what the seat may know, by evolved players for some
turns, with the same cards and dice for all; then the value judges. Today's network is fitted on, by
small steps, to the differences between such siblings, and to stay as it is in other positions. Each
part of the decisions is a file that is kept, so that the command goes on where it was stopped.

Letters: G decisions, K siblings of all, D games drawn, P seats, F and C features.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import torch
from fit_value import ValueNetwork, record_positions
from numpy.typing import NDArray
from parts.sibling_games import Siblings, play_siblings
from torch import nn
from torch.optim.swa_utils import AveragedModel

from catan_pz import Game, Rules
from catan_pz.actions import NO_ACTION
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.search.rollout import PLAYERS, Rollout
from catan_pz.agents.search.search_calls import Simulations
from catan_pz.agents.table import Table
from catan_pz.agents.value.agent import SETUP, ValueAgent, judged_actions, phase_of
from catan_pz.agents.value.choice import MARGIN
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.network import ValueNet, shipped, workspace
from catan_pz.agents.value.trader import Offered, all_offers
from catan_pz.arena.positions import Regret
from catan_pz.engine.state import STATE, as_games
from catan_pz.files import read_arrays, whole_file, write_bytes
from catan_pz.game.view import View
from catan_pz.terms import MAX_PLAYERS, NOBODY, NUM_RESOURCES, Phase
from catan_pz.training.console import run_program

LINE_UP = ("value", "value", "value", "value", "value", "evolved", "heuristic")
"""Players, of which each seat gets one."""
HELD_OUT = 10
"""One of this many parts is held out."""
SHARE, SETUP_SHARE = 0.12, 0.25
"""Shares of the agent's decisions at which siblings are compared."""
BEST, EXCHANGES = 5, 2
"""Most actions and exchanges taken for their value; one more of each is drawn."""
DRAWN = 2
"""D."""
DIFFERENCES, LEVEL, ANCHOR = 2000.0, 1.0, 3.0
"""Weights of the terms of the loss."""
BATCH, RATE = 256, 2e-4
"""Decisions of a minibatch, and the learning rate."""
PART, TIMES, ANCHORS = 500, 16, 12_000
"""Decisions of a part, simulations of a sibling in each game, other positions by rules."""
Sibling: TypeAlias = tuple[int, int, NDArray[np.int8]]
"""An action, or an exchange with a partner."""
TURNS, SETUP_TURNS = 4, 16
"""For which `evolved` plays on."""


class Sampler(ValueAgent):
    """Plays as `value`, and has siblings of some of its decisions played on."""

    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng()
        self.found: list[tuple[NDArray[np.float32], NDArray[np.float64]]] = []

    def act(self, view: View) -> int:
        """A legal action."""
        phase = phase_of(view)
        share = SETUP_SHARE if phase in SETUP else SHARE
        if phase not in (Phase.ANSWER, Phase.CLOSE) and self.rng.random() < share:
            self._look(view, phase)
        return super().act(view)

    def _look(self, view: View, phase: Phase) -> None:
        games, seats = as_games(view.resample_many(self.rng, DRAWN)), self.rules.num_players
        actions = judged_actions(view)
        order = np.argsort(-self._judge.worths(games, actions, int(self.rng.integers(2**62))))
        if len(order) > BEST:
            also = [int(self.rng.choice(order[BEST:]))]
            also += np.flatnonzero(actions == self._evolved.act(view)).tolist()
            order = np.unique([*order[:BEST], *also])
        nothing = np.zeros(NUM_RESOURCES, np.int8)
        siblings = [(int(a), NOBODY, nothing) for a in actions[order]]
        exchanges = []
        if phase == Phase.MAIN and self._trader is not None:
            offered = self._trader.offers(view, games)
            exchanges = self._exchanges(view, games["hand"], offered)
        if exchanges:
            siblings += [(NO_ACTION, NOBODY, nothing), *exchanges]
        if len(siblings) < 2:
            return
        run = Simulations(
            games,
            as_games(np.zeros(2, STATE)),
            np.uint64(self.rng.integers(2**62)),
            Rollout(PLAYERS["evolved"], SETUP_TURNS if phase in SETUP else TURNS),
            workspace(self._net_for(self.rules).weights, len(view.mask)),
        )
        now, targets = len(siblings) - len(exchanges) - 1, np.zeros(0)
        for k in (None, *range(now + 1, len(siblings) if exchanges else 0)):
            kept = [*range(len(siblings))] if k is None else [now, k]
            viewer, times = (self.seat, TIMES) if k is None else (siblings[k][1], 0)
            columns = zip(*(siblings[i] for i in kept), strict=True)
            given = Siblings(*(np.array(column) for column in columns))
            features = np.zeros((len(kept) * DRAWN, seats * NUM_FEATURES + NUM_SHARED), np.float32)
            results = np.zeros((len(features), MAX_PLAYERS))
            if not play_siblings(run, given, viewer, times, features, results):
                return
            if k is None:
                targets = results.reshape(len(kept), DRAWN, -1)[..., :seats]
            # An exchange is also a decision of the partner, who sees the same positions.
            by_viewer = np.roll(targets[kept], -viewer, -1)
            self.found.append((features.reshape(len(kept), DRAWN, -1), by_viewer))

    def _exchanges(self, view: View, held: np.ndarray, offered: Offered) -> list[Sibling]:
        """Exchanges that somebody can pay in all games: the most promising, and random ones."""
        swaps, found = all_offers()[0], list[Sibling]()
        swaps = swaps[(view.segments["own_hand"] >= -swaps).all(1) & (abs(swaps).sum(1) <= 3)]
        promise = np.argsort(-offered.chances * (offered.values - offered.now))
        for i, swap in enumerate([*offered.swaps[promise], *self.rng.permutation(swaps)]):
            able = np.flatnonzero((held >= swap).all((0, 2)))
            able = able[able != self.seat]
            if len(able) and (len(found) < EXCHANGES or i >= len(promise)):
                found.append((NO_ACTION, int(self.rng.choice(able)), swap))
            if len(found) > EXCHANGES:
                break
        return found


def make_part(args: argparse.Namespace, file: Path) -> None:
    """Play games until a part is full, and write it; a part that is there stays."""
    if file.exists():
        return
    number, sampler = int(file.stem), Sampler()
    sampler.rng = rng = np.random.default_rng([args.seed, number])
    rules = Rules(num_players=args.players, trading=number % 2 == 1)
    while len(sampler.found) < PART:
        drawn = rng.choice(LINE_UP, args.players)
        players = [sampler if name == "value" else name for name in drawn]
        seed = int(rng.integers(2**62))
        Table(Game(rules, seed), players, seat_seeds(seed, args.players)).play()
    features, targets = zip(*sampler.found, strict=True)
    with whole_file(file) as draft:
        np.savez(
            draft,
            counts=np.array([len(one) for one in features]),
            features=np.concatenate(features).astype(np.float16),
            targets=np.concatenate(targets).astype(np.float32),
        )


class Data(NamedTuple):
    """Siblings of G decisions."""

    groups: torch.Tensor  # (K,) the decision of each
    features: torch.Tensor  # (K, D, P * F + C) float16
    targets: torch.Tensor  # (K, D, P)

    @classmethod
    def read(cls, files: Sequence[Path]) -> "Data":
        """The data of some parts."""
        held = [read_arrays(file.read_bytes()) for file in files]
        counts, features, targets = (
            torch.from_numpy(np.concatenate([one[name] for one in held]))
            for name in ("counts", "features", "targets")
        )
        return cls(torch.repeat_interleave(counts), features, targets)

    def differences(self, values: torch.Tensor) -> torch.Tensor:
        """(K, P) the advantage of siblings over the mean of their decision."""
        worths, count = values.mean(1), int(self.groups.max()) + 1
        sums = torch.zeros(count, worths.shape[1]).index_add(0, self.groups, worths)
        sizes = torch.bincount(self.groups, minlength=count)[:, None]
        return worths - (sums / sizes)[self.groups]


def log_values(network: nn.Module, features: torch.Tensor) -> torch.Tensor:
    """Logarithms of win probabilities by features of any shape (..., P * F + C)."""
    return torch.log_softmax(network(features.flatten(0, -2)), 1).unflatten(0, features.shape[:-1])


def loss_of(network: nn.Module, data: Data) -> torch.Tensor:
    """Of siblings: squared errors of their differences, and the cross-entropy."""
    logs = log_values(network, data.features)
    errors = data.differences(logs.exp()) - data.differences(data.targets)
    return DIFFERENCES * errors.square().sum(1).mean() - LEVEL * (data.targets * logs).sum(2).mean()


def regrets(network: nn.Module, data: Data) -> NDArray[np.float64]:
    """(G,) the loss of the sibling with the highest value against the best one."""
    with torch.no_grad():
        values = log_values(network, data.features).exp().mean(1)[:, 0].numpy()
    worths, groups = data.targets.mean(1)[:, 0].numpy(), data.groups.numpy()
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    lost = [
        w.max() - w[v.argmax()]
        for v, w in zip(np.split(values, starts[1:]), np.split(worths, starts[1:]), strict=True)
    ]
    return np.array(lost, float)


def fit(network: ValueNetwork, data: Data, anchors: torch.Tensor, args: argparse.Namespace) -> None:
    """Fit to siblings and to today's values of other positions; the mean of the last half stays."""
    torch.manual_seed(args.seed)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    with torch.no_grad():
        old = log_values(network, anchors).exp()
    mean = AveragedModel(network)
    sizes = torch.bincount(data.groups)
    places = torch.arange(len(data.groups)).split(sizes.tolist())
    for epoch in range(args.epochs):
        for batch in torch.randperm(len(sizes)).split(BATCH):
            rows = torch.cat([places[k] for k in batch])
            groups = torch.repeat_interleave(sizes[batch])
            some = torch.randint(len(anchors), (2 * BATCH,))
            kept = (old[some] * log_values(network, anchors[some])).sum(1).mean()
            part = Data(groups, data.features[rows], data.targets[rows])
            loss = loss_of(network, part) - ANCHOR * kept
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if 2 * epoch >= args.epochs:
                mean.update_parameters(network)
    network.load_state_dict(mean.module.state_dict())


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--parts", type=int, default=120, help=f"of {PART} decisions, at least 2")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1, help="processes that play")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/siblings"))
    return parser.parse_args(arguments)


def main() -> None:
    """Play, fit, report."""
    args = parse_options()
    args.out.mkdir(parents=True, exist_ok=True)
    files = [args.out / f"{k:04d}.npz" for k in range(args.parts)]
    with ProcessPoolExecutor(args.workers, get_context("spawn")) as pool:
        list(pool.map(partial(make_part, args), files))
    net = shipped(args.players)
    rules = [Rules(num_players=args.players, trading=trading) for trading in (False, True)]
    others = [record_positions(one, net, MARGIN, ANCHORS, args.seed).features for one in rules]
    held = -(-args.parts // HELD_OUT)
    network = ValueNetwork.loaded(net)
    data, test = Data.read(files[:-held]), Data.read(files[-held:])
    before = regrets(network, test)
    fit(network, data, torch.from_numpy(np.concatenate(others)), args)
    after = regrets(network, test)
    for name, lost in (("before", before), ("after", after), ("gained", before - after)):
        mean, (low, high), best = Regret.of(lost.tolist())
        told = "" if name == "gained" else f", the best of all in {100 * best:.0f} % of {len(lost)}"
        print(f"{name} {100 * mean:.3f} points (95 %: {100 * low:.3f} to {100 * high:.3f}){told}")
    card = dict(net.card) | {"fitted on by": shlex.join(["python", *sys.argv])}
    fitted = ValueNet(net.rules, network.flat(), card)
    fitted.save(args.out / "model.npz")
    write_bytes(args.out / "model.md", fitted.card_text("value").encode())


if __name__ == "__main__":
    run_program(main)
