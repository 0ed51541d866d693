"""Fits the value network with which the search estimates win probabilities.

    python examples/fit_value.py --games 60000 --out catan_pz/agents/search/value.npy

A player of rollouts plays itself under several rules. At the start of some turns the features of
all seats are recorded, with the later winner as the label; some turns are played at random for
variety. One small network, shared by all seats, gives a logit for each seat; it is fitted by
maximum likelihood of the winner under the softmax over the seats. A tenth of the games is held
out for validation.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from catan_pz import Game
from catan_pz.actions import NUM_ACTIONS_WITHOUT_TRADE
from catan_pz.agents.search import search_calls
from catan_pz.agents.search.rollout import PLAYERS, RANDOM
from catan_pz.agents.search.simulator import Scratch
from catan_pz.agents.search.value import NUM_FEATURES, NUM_HIDDEN
from catan_pz.engine.options import NO_SCRIPT
from catan_pz.files import whole_file
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS
from catan_pz.training.hardware import set_up_torch
from catan_pz.training.options import Count, parse

RULE_SETS = (
    *[Rules(trading=False)] * 5,
    Rules(trading=False, num_players=3),
    Rules(trading=False, num_players=2),
    Rules.preset("one_v_one"),
)
POSITIONS = 8
"""Positions recorded of a game, on average."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options."""

    games: Count = 60_000
    """games to play"""
    seed: int = 1
    """random seed of games and fit"""
    epochs: Count = 12
    """passes over all positions"""
    player: Literal["random", "greedy", "heuristic"] = "heuristic"
    """player of rollouts that plays"""
    random_turns: float = 0.03
    """share of turns played at random"""
    out: Path = Path("value.npy")
    """file for the network"""


def play_on(game: Game, player: int, seed: int, last_turn: int, scratch: Scratch) -> None:
    """Play a game on until a turn begins."""
    parts = NO_SCRIPT, scratch.obs, scratch.mask
    search_calls.play_out(game.games, 0, player, np.uint64(seed), last_turn, *parts)


def play(args: Args) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features (N, P, F), winners (N,) and the number of each position's game (N,)."""
    rng = np.random.default_rng(args.seed)
    features, winners, numbers = [], [], []
    player, scratch = PLAYERS[args.player], Scratch(NUM_ACTIONS_WITHOUT_TRADE)
    games = [Game(rules, seed=0) for rules in RULE_SETS]
    for k in range(args.games):
        game = games[k % len(games)]
        game.reset(int(rng.integers(2**63)))
        recorded = []
        play_on(game, player, int(rng.integers(2**63)), 1, scratch)
        while not game.is_over and game.turn < 1000:
            if rng.random() < POSITIONS / 80:
                of_seats = np.full((MAX_PLAYERS, NUM_FEATURES), np.nan, np.float32)
                for p in range(game.rules.num_players):
                    search_calls.describe(game.games, 0, p, scratch.features)
                    of_seats[p] = scratch.features[:NUM_FEATURES]
                recorded.append(of_seats)
            one = RANDOM if rng.random() < args.random_turns else player
            play_on(game, one, int(rng.integers(2**63)), game.turn + 1, scratch)
        if game.winner is not None:
            features += recorded
            winners += [game.winner] * len(recorded)
            numbers += [k] * len(recorded)
    return np.array(features), np.array(winners), np.array(numbers)


class Net(torch.nn.Module):
    """A logit for the features of each seat."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(NUM_FEATURES, NUM_HIDDEN)
        self.out = torch.nn.Linear(NUM_HIDDEN, 1, bias=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """(N, P) logits; absent seats can't win."""
        absent = features[..., 0].isnan()
        logits = self.out(torch.relu(self.hidden(features.nan_to_num())))[..., 0]
        return logits.masked_fill(absent, -1e9)

    def flat(self) -> np.ndarray:
        """The weights in the order in which the search reads them."""
        parts = self.hidden.weight.T, self.hidden.bias, self.out.weight
        return torch.cat([part.detach().reshape(-1) for part in parts]).numpy()


def fit(args: Args, features: np.ndarray, winners: np.ndarray, numbers: np.ndarray) -> Net:
    """Fit by maximum likelihood."""
    torch.manual_seed(args.seed)
    x, y = torch.from_numpy(features), torch.from_numpy(winners)
    held_out = torch.from_numpy(numbers % 10 == 9)
    train = (~held_out).nonzero()[:, 0]
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
            logits = net(x[held_out])
            loss = torch.nn.functional.cross_entropy(logits, y[held_out])
            right = (logits.argmax(1) == y[held_out]).float().mean()
        print(f"epoch {epoch + 1}: {loss:.4f} nats, {100 * right:.1f} % of winners predicted")
    return net


def main() -> None:
    """Play, fit, write."""
    args = parse(Args, None, __doc__ or "")
    set_up_torch(1)
    features, winners, numbers = play(args)
    print(f"{len(winners)} positions of {numbers.max() + 1} games")
    net = fit(args, features, winners, numbers)
    with whole_file(args.out) as draft, draft.open("wb") as file:
        np.save(file, net.flat())


if __name__ == "__main__":
    main()
