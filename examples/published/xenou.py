"""On-line recurrent Q-learning of trades (Xenou, Chalkiadakis, Afantenos, 2018), game after game.

    python examples/published/xenou.py --help
    python examples/published/xenou.py --games 2000 --out runs/xenou
    python examples/published/xenou.py --games 1980 --keep 30 --out runs/xenou-kept
    python examples/published/xenou.py --games 200 --network lstm --out runs/xenou-lstm
    python examples/published/xenou.py --games 200 --network lstm --out runs/xenou-lstm --resume

A base player decides everything but trades. Whenever an offer is to be answered, and once in each
own turn, the learner sees the state s (161 whole numbers) and takes one of 72 actions: 70 offers,
accept, reject (in its own turn: no offer). One step of learning for each decision:

    Q(s', .)  <- network of the next decision's state s', and for an LSTM or GRU of the last Q-hat
    a'        <- the legal action with the largest Q(s', .); there is no exploration
    Q-hat     <- Q(s', a')
    r         <- 0.01 x points gained since the decision before, or -0.01 x points held if none
    e_i       <- r + 0.9 Q-hat - Q_i(s)   for all actions i, or for the chosen one alone
    weights_i <- weights_i + 0.0023 e_i dQ_i(s) / dweights_i

`catan_pz/published/xenou/learner.py` has these lines as code, `networks.py` beside it the two
readings of the network. Here games follow each other: weights are fresh in
each, or kept over a series of `--keep` games. The learner's seat moves on with each game.

The output folder holds `checkpoint.json` with the last two checkpoints, `games.csv` with a row for
each game, `decisions.csv` with the squared error by decision of a game, `curve.png` of both,
`model.npz` (the weights after the last game, if they are kept) and `result.json`. `--resume`
continues from the last checkpoint and gives the same games as a run that never stopped.

Source: "Deep Reinforcement Learning in Strategic Board Game Environments", EUMAS 2018.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

# Matrices as small as these are slower on several threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from rich.console import Console
from rich.progress import track

from catan_pz import Game, agents, describe_action
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import specs_by_seat
from catan_pz.agents.table import Table
from catan_pz.arena.report import save_plot
from catan_pz.arena.statistics import LEVEL, normal_quantile, wilson
from catan_pz.events import EventKind, Events
from catan_pz.files import write_bytes
from catan_pz.published.xenou.agent import XenouAgent, XenouModel
from catan_pz.published.xenou.networks import XenouOptions, fresh_weights
from catan_pz.rules import Rules
from catan_pz.training.checkpoints import Checkpoints, pack_arrays, unpack_arrays
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.evaluation import as_csv
from catan_pz.training.options import (
    MAY_DIFFER,
    Coefficient,
    Count,
    Positive,
    Seed,
    Share,
    check_same_training,
    command_line,
    hardware,
    parse,
)

console = Console()
MOST_DECISIONS = 200
"""Decisions of a game of which errors are kept apart."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options; the defaults of the algorithm are the paper's where it gives any."""

    games: Count = 2_000
    """games to play"""
    keep: Count = 1
    """games over which weights are kept; 1 for fresh weights in each"""
    against: str = "heuristic"
    """agents in the other seats; the last one named takes the rest: search:simulations=50"""
    base: str = "heuristic"
    """agent that decides everything but trades"""
    network: Literal["formula", "lstm", "gru"] = "formula"
    """the printed formula, or an LSTM or GRU for each action"""
    hidden: Count = 161
    """units of each LSTM or GRU"""
    layers: Count = 1
    """layers of each LSTM or GRU; 2 or more are stacked"""
    squash: Literal["sigmoid", "softmax", "none"] = "sigmoid"
    """what keeps Q-values in [0, 1]"""
    update: Literal["all", "chosen"] = "all"
    """whose weights a step moves"""
    gamma: Share = 0.9
    """discount of a decision"""
    rate: Coefficient = 0.0023
    """learning rate"""
    k: float = 0.01
    """factor of the reward"""
    deviation: Positive = 0.1
    """standard deviation of weights at the start"""
    mask: bool = True
    """choose legal actions only; otherwise an illegal choice counts as a rejection"""
    seed: Seed = 1
    """seed of the first game; the others follow"""
    out: str = "runs/xenou"
    """output folder"""
    checkpoint_every: Count = 50
    """games between checkpoints"""
    resume: bool = False
    """continue from the last checkpoint in the output folder"""
    progress: bool = True
    """show a progress bar"""

    def options(self) -> XenouOptions:
        """Those of the player."""
        return XenouOptions(**{f.name: getattr(self, f.name) for f in fields(XenouOptions)})


class Trades:
    """Counts the trades of one seat while a game is played."""

    def __init__(self, game: Game, seat: int) -> None:
        self.seat = seat
        self.counts: Counter[str] = Counter(
            dict.fromkeys(["offers", "closed", "asked", "accepted", "countered", "given", "got"], 0)
        )
        game.listeners.append(self.listen)

    def listen(self, _game: Game, events: Events) -> None:
        """Count a decision of anyone."""
        decision, counts = events[0], self.counts
        kind = describe_action(decision.what)["kind"]
        if decision.seat == self.seat and decision.other != self.seat:
            counts["asked"] += kind in ("accept", "reject", "offer")
            counts["accepted"] += kind == "accept"
            counts["countered"] += kind == "offer"
        elif decision.seat == self.seat:
            counts["offers"] += kind == "offer"
            counts["closed"] += kind == "close_with"
        for event in events:
            if event.kind == EventKind.GIVEN and kind == "close_with":
                counts["given"] += event.amount * (event.seat == self.seat)
                counts["got"] += event.amount * (event.other == self.seat)


class Series:
    """Successive games of the learner, with the state for checkpoints."""

    def __init__(self, args: Args) -> None:
        self.args, self.options, self.rules = args, args.options(), Rules()
        seats = self.rules.num_players - 1
        self.base = agents.load(args.base)
        others = specs_by_seat("against", args.against, seats)
        self.others = [agents.load(spec) for spec in others]
        for agent in (self.base, *self.others):
            agent.check_rules(self.rules)
        self.weights: dict[str, np.ndarray] = {}
        self.rows: list[dict[str, float]] = []
        self.errors, self.counts = np.zeros(MOST_DECISIONS), np.zeros(MOST_DECISIONS, np.int64)
        self.seconds = 0.0

    def play(self) -> None:
        """Play the next game, and learn in it."""
        args, number = self.args, len(self.rows)
        start, seed, place = time.perf_counter(), args.seed + number, number % args.keep
        if place == 0:
            self.weights = fresh_weights(self.options, np.random.default_rng([args.seed, number]))
        model = XenouModel(self.options, self.weights)
        game, seat = Game(self.rules, seed), number % self.rules.num_players
        players: list[Any] = self.others.copy()
        players.insert(seat, XenouAgent(model, self.base))
        table, trades = Table(game, players, seat_seeds(seed, len(players))), Trades(game, seat)
        winner = table.play()
        player = table.agents[seat]
        assert isinstance(player, XenouAgent)
        self.weights, history = player.learner.weights, player.learner.history
        errors = np.array(history.errors[:MOST_DECISIONS])
        self.errors[: len(errors)] += errors
        self.counts[: len(errors)] += 1
        row = {"game": number, "place": place, "seat": seat, "won": int(winner == seat)}
        row |= {"points": int(game.points[seat]), "turns": game.turn}
        row |= {"decisions": len(history.actions), **trades.counts}
        row |= {"error": float(np.mean(errors)) if len(errors) else 0.0}
        row |= {"reward": float(np.sum(history.rewards))}
        self.rows.append(row)
        self.seconds += time.perf_counter() - start

    def get_state(self) -> dict[str, Any]:
        """Everything that the games to come depend on, and the results."""
        return {
            "options": asdict(self.args),
            "weights": pack_arrays(self.weights) if self.args.keep > 1 else None,
            "rows": self.rows,
            "errors": torch.as_tensor(self.errors),
            "counts": torch.as_tensor(self.counts),
            "seconds": self.seconds,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        check_same_training(state["options"], self.args, may_differ=MAY_DIFFER | {"games"})
        self.rows, self.seconds = state["rows"], state["seconds"]
        self.errors, self.counts = state["errors"].numpy(), state["counts"].numpy()
        if state["weights"] is not None:
            self.weights = unpack_arrays(state["weights"])

    def result(self) -> dict[str, Any]:
        """Results of the games; with kept weights also of the second halves of series."""
        rows = self.rows
        late = [row for row in rows if self.args.keep > 1 and 2 * row["place"] >= self.args.keep]
        names = [name for name in rows[0] if name not in ("game", "place", "seat", "won")]
        return {
            **win_rate(rows),
            "second_half_of_series": win_rate(late) if late else None,
            "means": {name: float(np.mean([row[name] for row in rows])) for name in names},
            "seconds": self.seconds,
            "hardware": hardware(torch.device("cpu")),
            "options": asdict(self.args),
        }


def win_rate(rows: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Games, wins, win rate and its 95 % interval (Wilson)."""
    games, won = len(rows), int(sum(row["won"] for row in rows))
    interval = wilson(won, games, normal_quantile(LEVEL))
    return {"games": games, "won": won, "win_rate": won / games, "interval": list(interval)}


def write_results(series: Series, folder: Path) -> None:
    """Write the tables, the curves and the model."""
    args, seen = series.args, series.counts > 0
    means = series.errors[seen] / series.counts[seen]
    decisions = [
        {"decision": k + 1, "games": int(series.counts[k]), "error": float(means[k])}
        for k in range(len(means))
    ]
    write_bytes(folder / "games.csv", as_csv(series.rows))
    if decisions:
        write_bytes(folder / "decisions.csv", as_csv(decisions))
    save_plot(folder / "curve.png", 9, 4, lambda figure: draw(figure, series, means))
    if args.keep > 1:
        results = [{"against": args.against, "seed": args.seed, **win_rate(series.rows)}]
        card = {
            "base player": args.base,
            "algorithm": "on-line recurrent Q-learning of trades (Xenou et al., 2018)",
            "command": command_line(replace(args, out=Args.out), "examples/published/xenou.py"),
            "games_learned": (len(series.rows) - 1) % args.keep + 1,
            "note": "the results are those of all games, from fresh weights on",
            "hardware": hardware(torch.device("cpu")),
            "results": results,
        }
        model = XenouModel(series.options, series.weights, card)
        model.save(folder / "model.npz", "float32")
        write_bytes(folder / "model.md", model.card_text("xenou_kept").encode())


def draw(figure: Any, series: Series, means: np.ndarray) -> None:
    """Draw the squared error by decision, and the games won: by place in a series, or so far."""
    left, right = figure.subplots(1, 2)
    left.plot(np.arange(1, len(means) + 1), means)
    left.set(title="learning within a game", xlabel="decision", ylabel="mean squared error of Q")
    rows, keep = series.rows, series.args.keep
    if keep > 1:
        groups = [rows[place::keep] for place in range(min(keep, len(rows)))]
        right.set(xlabel="game of a series")
    else:
        ends = np.unique(np.linspace(1, len(rows), min(50, len(rows))).astype(int))
        groups = [rows[:end] for end in ends]
        right.set(xlabel="games")
    x = range(1, keep + 1)[: len(groups)] if keep > 1 else [len(group) for group in groups]
    found = [win_rate(group) for group in groups]
    right.plot(x, [100 * one["win_rate"] for one in found], marker=".")
    low, high = ([100 * one["interval"][k] for one in found] for k in (0, 1))
    right.fill_between(x, low, high, alpha=0.2)
    right.axhline(25, color="gray", linestyle="--")
    right.set(title=f"against {series.args.against}", ylabel="games won, %")


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Play; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    torch.set_num_threads(1)
    folder, series = Path(args.out), Series(args)
    checkpoints = Checkpoints(folder)
    saved = checkpoints.open(resume=args.resume)
    if saved is not None:
        series.set_state(saved)
    left = range(len(series.rows), args.games)
    for number in track(left, "games", console=console, disable=not args.progress):
        series.play()
        if (number + 1) % args.checkpoint_every == 0 or number + 1 == args.games:
            checkpoints.save(number + 1, series.get_state())
    write_results(series, folder)
    result = series.result()
    write_bytes(folder / "result.json", (json.dumps(result, indent=2) + "\n").encode())
    low, high = result["interval"]
    console.print(
        f"won {result['won']} of {result['games']} games against {args.against} = "
        f"{100 * result['win_rate']:.1f} % (95 % interval {100 * low:.1f} to {100 * high:.1f} %)"
    )
    for name, mean in result["means"].items():
        console.print(f"  {name:<10} {mean:10.4f} a game", highlight=False)
    return result


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
