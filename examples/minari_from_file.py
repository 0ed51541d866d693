"""A Minari dataset, for offline reinforcement learning, from a Parquet file of recorded games.

    catan-pz evaluate heuristic --against random --games 400 --no-trading --records games
    catan-pz export games --parquet games.parquet --reward points_gained
    python examples/minari_from_file.py games.parquet catan/heuristic-v0 --player heuristic

An episode is a seat of a game, its steps that seat's decisions: what it saw (`observation` and
`action_mask`), what it played, the reward up to its next decision. The observation after the last
decision, which no step begins with, is the last one again. The file is read in parts.
"""

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import minari
import numpy as np
import pyarrow.parquet as pq
import tyro
from gymnasium import spaces
from minari.data_collector.episode_buffer import EpisodeBuffer

from catan_pz.checks import check_choice
from catan_pz.datasets import read_card
from catan_pz.encoders import load
from catan_pz.training.console import run_program, say
from catan_pz.training.options import parse


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options."""

    data: Annotated[Path, tyro.conf.Positional]
    """the Parquet file"""
    dataset: Annotated[str, tyro.conf.Positional]
    """the name of the dataset, such as catan/heuristic-v0"""
    player: str = ""
    """the player whose seats become episodes; all of them if it isn't given"""


def episodes(args: Args) -> Iterator[EpisodeBuffer]:
    """The episodes of a file; no game is in two of its row groups."""
    file, count = pq.ParquetFile(args.data), 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        seen, masks = matrix(table["observation"]), matrix(table["mask"]).astype(np.int8)
        columns = {name: table[name].to_numpy() for name in ("game", "seat", "action", "reward")}
        ends = [table[name].to_numpy() for name in ("terminated", "truncated")]
        players = np.array(table["player"].to_pylist())
        kept = players == args.player if args.player else np.ones(len(table), np.bool_)
        seats = 4 * columns["game"] + columns["seat"]
        for seat in np.unique(seats[kept]):
            rows = np.flatnonzero(seats == seat)
            with_last = np.append(rows, rows[-1])
            yield EpisodeBuffer(
                id=count,
                observations={"observation": seen[with_last], "action_mask": masks[with_last]},
                actions=columns["action"][rows].astype(np.int64),
                rewards=columns["reward"][rows].tolist(),
                terminations=ends[0][rows].tolist(),
                truncations=ends[1][rows].tolist(),
            )
            count += 1


def matrix(column: Any) -> np.ndarray:
    """(R, n) a column of lists."""
    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return flat.reshape(len(column), -1)


def main(arguments: Sequence[str] | None = None) -> Any:
    """Write the dataset to where Minari keeps its own."""
    args = parse(Args, arguments, __doc__ or "")
    about = read_card(args.data)
    if args.player:
        check_choice("player", args.player, tuple(about.players))
    (segment,) = load(about.encoder).segments
    actions = pq.read_schema(args.data).field("mask").type.list_size
    limits = segment.low, segment.high, (segment.size,), np.dtype(segment.dtype)
    observed = {"observation": spaces.Box(*limits), "action_mask": spaces.MultiBinary(actions)}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # it asks for an author, and a score to compare
        dataset = minari.create_dataset_from_buffers(
            args.dataset,
            episodes(args),
            action_space=spaces.Discrete(actions),
            observation_space=spaces.Dict(observed),
            algorithm_name=args.player or ", ".join(about.players),
            description=json.dumps(vars(about)),
            data_format="arrow",
            requirements=[f"catan-pz=={about.version}"],
        )
    say(f"{dataset.total_episodes:,} episodes with {dataset.total_steps:,} steps: {args.dataset}")
    return dataset


if __name__ == "__main__":
    run_program(main)
