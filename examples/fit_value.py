"""Fits the network with which the search estimates who will win.

    python examples/fit_value.py --games 60000 --out catan_pz/agents/search/value.npy

A player of rollouts plays itself under several rules. Of each game the standing of all
seats is noted at the start of some turns, with who won in the end; now and then a turn is
played at random, so that the network sees more than well-played games. One small network for
every seat is then fitted by maximum likelihood: the winner is drawn from the softmax of its
output over the seats. A tenth of the games is kept apart, to see how well it does.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from catan_pz import Game
from catan_pz.actions import NUM_ACTIONS_WITHOUT_TRADE
from catan_pz.agents.search import search_calls
from catan_pz.agents.search.rollout import PLAYERS, RANDOM
from catan_pz.agents.search.simulator import Scratch
from catan_pz.agents.search.value import NUM_FEATURES, NUM_HIDDEN
from catan_pz.engine.options import NO_SCRIPT
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

RULE_SETS = (
    *[Rules(trading=False)] * 5,
    Rules(trading=False, num_players=3),
    Rules(trading=False, num_players=2),
    Rules.preset("one_v_one"),
)
NOTED = 8
"""Positions noted of a game."""


@dataclass
class Args:
    """Options."""

    games: int = 60_000
    """games to play"""
    seed: int = 1
    """seed of games and fit"""
    epochs: int = 12
    """rounds through all positions"""
    player: str = "heuristic"
    """player of rollouts who plays"""
    disorder: float = 0.03
    """share of turns played at random"""
    out: Path = Path("value.npy")
    """where the network goes"""


def parse() -> Args:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in vars(Args()).items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    return Args(**vars(parser.parse_args()))


def play_on(game: Game, player: int, seed: int, last_turn: int, scratch: Scratch) -> None:
    """Play a game on until a turn begins."""
    parts = NO_SCRIPT, scratch.obs, scratch.mask
    search_calls.play_out(game.games, 0, player, np.uint64(seed), last_turn, *parts)


def play(args: Args) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standings (N, P, F), winners (N,) and the number of each position's game (N,)."""
    rng = np.random.default_rng(args.seed)
    standings, winners, places = [], [], []
    player, scratch = PLAYERS[args.player], Scratch(NUM_ACTIONS_WITHOUT_TRADE)
    games = [Game(rules, seed=0) for rules in RULE_SETS]
    for k in range(args.games):
        game = games[k % len(games)]
        game.reset(int(rng.integers(2**63)))
        seen = []
        play_on(game, player, int(rng.integers(2**63)), 1, scratch)
        while not game.is_over and game.turn < 1000:
            if rng.random() < NOTED / 80:
                standing = np.full((MAX_PLAYERS, NUM_FEATURES), np.nan, np.float32)
                for p in range(game.rules.num_players):
                    search_calls.describe(game.games, 0, p, scratch.features)
                    standing[p] = scratch.features[:NUM_FEATURES]
                seen.append(standing)
            one = RANDOM if rng.random() < args.disorder else player
            play_on(game, one, int(rng.integers(2**63)), game.turn + 1, scratch)
        if game.winner is not None:
            standings += seen
            winners += [game.winner] * len(seen)
            places += [k] * len(seen)
    return np.array(standings), np.array(winners), np.array(places)


class Net(torch.nn.Module):
    """One number for each seat's standing."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(NUM_FEATURES, NUM_HIDDEN)
        self.out = torch.nn.Linear(NUM_HIDDEN, 1, bias=False)

    def forward(self, standings: torch.Tensor) -> torch.Tensor:
        """(N, P) logits; absent seats can't win."""
        absent = standings[..., 0].isnan()
        numbers = self.out(torch.relu(self.hidden(standings.nan_to_num())))[..., 0]
        return numbers.masked_fill(absent, -1e9)

    def flat(self) -> np.ndarray:
        """The weights in the order in which the search reads them."""
        parts = self.hidden.weight.T, self.hidden.bias, self.out.weight
        return torch.cat([part.detach().reshape(-1) for part in parts]).numpy()


def fit(args: Args, standings: np.ndarray, winners: np.ndarray, places: np.ndarray) -> Net:
    """Fit by maximum likelihood."""
    torch.manual_seed(args.seed)
    x, y = torch.from_numpy(standings), torch.from_numpy(winners)
    kept = torch.from_numpy(places % 10 == 9)
    train = (~kept).nonzero()[:, 0]
    net = Net()
    steps = args.epochs * (len(train) // 1024 + 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-5)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps)
    for epoch in range(args.epochs):
        for rows in train[torch.randperm(len(train))].split(1024):
            loss = torch.nn.functional.cross_entropy(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            logits = net(x[kept])
            loss = torch.nn.functional.cross_entropy(logits, y[kept])
            right = (logits.argmax(1) == y[kept]).float().mean()
        print(f"epoch {epoch + 1}: {loss:.4f} nats, {100 * right:.1f} % of winners named")
    return net


def main() -> None:
    """Play, fit, write."""
    args = parse()
    torch.set_num_threads(1)
    standings, winners, places = play(args)
    print(f"{len(winners)} positions of {places.max() + 1} games")
    net = fit(args, standings, winners, places)
    with args.out.open("wb") as file:
        np.save(file, net.flat())


if __name__ == "__main__":
    main()
