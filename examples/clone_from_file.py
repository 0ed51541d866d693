"""Behaviour cloning from a Parquet file of recorded games, with only torch.

    catan-pz evaluate heuristic --against heuristic --games 400 --no-trading --records games
    catan-pz export games --parquet games.parquet
    python examples/clone_from_file.py games.parquet --out model.npz

The file is read in parts, so that it may be larger than memory. Decisions with a single legal
action teach nothing and are left out; so are those of other players with `--player`. Where the file
has probabilities (`--policy` of the export), they are the targets, else the actions. The model
plays like any other: `catan-pz evaluate model.npz`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import torch
import tyro
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

from catan_pz.agents.network import DenseNetwork, Model, NetworkAgent
from catan_pz.checks import check_choice
from catan_pz.datasets import DatasetCard, read_card
from catan_pz.encoders import load
from catan_pz.rules import Rules
from catan_pz.training.console import run_program, say
from catan_pz.training.evaluation import describe, evaluate
from catan_pz.training.options import Coefficient, Count, parse

Rows = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Observations (B, N), masks (B, A) and targets (B, A)."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options."""

    data: Annotated[Path, tyro.conf.Positional]
    """the Parquet file"""
    out: Path = Path("model.npz")
    """where the model is written"""
    player: str = ""
    """the player whose decisions are imitated; all of them if it isn't given"""
    epochs: Count = 2
    """times that the file is read"""
    batch_size: Count = 256
    """decisions in a minibatch"""
    width: Count = 256
    """units of each of the two hidden layers"""
    lr: Coefficient = 2e-3
    """learning rate of Adam, which falls towards 0"""
    against: str = "random"
    """agents in the other seats of the evaluation"""
    eval_games: Count = 400
    """games of the evaluation"""
    seed: int = 1
    """random seed of the network, the order of rows and the evaluation"""


class Decisions(IterableDataset[Rows]):
    """Minibatches of a file, shuffled among the rows of some row groups."""

    def __init__(self, args: Args, groups: int = 8) -> None:
        self._args, self._groups = args, groups

    def __iter__(self) -> Iterator[Rows]:
        """Read the file once."""
        file, size = pq.ParquetFile(self._args.data), self._args.batch_size
        rng = np.random.default_rng(torch.initial_seed() % 2**63)
        order = rng.permutation(file.num_row_groups)
        for first in range(0, len(order), self._groups):
            table = file.read_row_groups(order[first : first + self._groups].tolist())
            if self._args.player:
                table = table.filter(pc.equal(table["player"], self._args.player))
            if not len(table):
                continue
            rows = [torch.from_numpy(column) for column in self._arrays(table)]
            choices = rows[1].sum(dim=1) > 1
            rows = [column[choices] for column in rows]
            shuffled = torch.from_numpy(rng.permutation(len(rows[0])))
            for chosen in shuffled.split(size):
                yield tuple(column[chosen] for column in rows)  # type: ignore[misc]

    def _arrays(self, table: Any) -> Iterator[np.ndarray]:
        mask = matrix(table["mask"])
        yield matrix(table["observation"]).astype(np.float32)
        yield mask
        if table["probabilities"].null_count == 0:
            yield matrix(table["probabilities"])
        else:
            yield np.eye(mask.shape[1], dtype=np.float32)[table["action"].to_numpy()]


def matrix(column: Any) -> np.ndarray:
    """(R, n) a column of lists."""
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(column), -1)


def model_of(net: nn.Sequential, about: DatasetCard) -> Model:
    """The network as a model that plays without torch."""
    arrays = {}
    for k, layer in enumerate(net[::2]):
        arrays |= {f"weight_{k}": layer.weight.numpy(), f"bias_{k}": layer.bias.numpy()}
    rules = Rules.from_dict(about.rules).to_dict()
    card = {"algorithm": "behaviour cloning", "data": vars(about)}
    network = DenseNetwork(arrays, "tanh")
    return Model(network, "logits", "sample", rules, card, encoder=load(about.encoder))


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Imitate, write the model, and print its win rate."""
    args = parse(Args, arguments, __doc__ or "")
    torch.manual_seed(args.seed)
    about = read_card(args.data)
    if args.player:
        check_choice("player", args.player, tuple(about.players))
    rules, encoder = Rules.from_dict(about.rules), load(about.encoder)
    sizes = encoder.size, args.width, args.width, rules.num_actions
    net = nn.Sequential(
        nn.Linear(sizes[0], sizes[1]),
        nn.Tanh(),
        nn.Linear(sizes[1], sizes[2]),
        nn.Tanh(),
        nn.Linear(sizes[2], sizes[3]),
    )
    updates = args.epochs * -(-pq.read_metadata(args.data).num_rows // args.batch_size)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, updates)
    decisions = 0
    for epoch in range(1, args.epochs + 1):
        total = count = 0.0
        for seen, mask, target in DataLoader(Decisions(args), batch_size=None):
            logits = net(seen).masked_fill(~mask, -torch.inf).log_softmax(dim=1)
            expected = torch.where(target > 0, target * logits, 0).sum(dim=1)
            optimizer.zero_grad()
            (-expected.mean()).backward()
            optimizer.step()
            schedule.step()
            total, count = total + float(expected.detach().sum()), count + len(seen)
        decisions += int(count)
        say(f"epoch {epoch}: mean log-probability of what was played {total / count:.3f}")
    net.requires_grad_(False)
    model = model_of(net, about)
    model.save(args.out)
    opponents = [args.against] * (rules.num_players - 1)
    row = evaluate(NetworkAgent(model), opponents, rules, args.eval_games, args.seed)
    say(f"{describe(row | {'against': args.against})}; the model is in {args.out}")
    return row | {"decisions": decisions}


if __name__ == "__main__":
    run_program(main)
