"""One-step A2C with a cross-dimensional network, against frozen past selves.

    python examples/published/gendre.py --help
    python examples/published/gendre.py --network xdim_res --layers 8 --out runs/gendre
    python examples/published/gendre.py --network xdim_res --layers 8 --out runs/gendre --resume

Games of two without trade, as in the paper; `--players` and `--trading` go beyond it. The
games lie in groups, each with a frozen past self of the learner as opponent; every 50
trainings (of 64,000 decisions of the learner) the group with the oldest takes the newest weights.
The learner decides in all games at once. Once 64 decisions are complete, from one of its
own decisions to the next or to the end of the game, they are one update.

The output folder holds the last two checkpoints, `model.npz` (an agent of the name
`gendre:model=runs/gendre/model.npz`) with its card `model.md`, `episodes.csv` with a row for each
training, `curve.csv`, `curve.png`, and `result.json`. `--resume` continues from the last
checkpoint and computes the same numbers as a training that never stopped.

Source: Q. Gendre and T. Kaneko, "Playing Catan with Cross-dimensional Neural Network", 2020. What
differs from it: docs/published/gendre.md.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# Products this small gain nothing from threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from gendre_transitions import OneStepTransitions

from catan_pz import encoders, make_batch
from catan_pz.agents.network import sample_actions
from catan_pz.agents.random_stream import one_way_seed
from catan_pz.checks import check_count
from catan_pz.files import write_bytes
from catan_pz.published.gendre.agent import GendreAgent, GendreModel
from catan_pz.published.gendre.choices import LEAST_LIMIT, Choose, decide, legal_logits, undecided
from catan_pz.published.gendre.networks import GendreNetwork
from catan_pz.rewards import WinAndLead
from catan_pz.rules import Rules
from catan_pz.training.checkpoints import pack_arrays, unpack_arrays
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.evaluation import line_ups
from catan_pz.training.options import (
    Coefficient,
    Count,
    CountedArgs,
    Share,
    Whole,
    parse,
    set_up,
    training_card,
)
from catan_pz.training.run import Run
from catan_pz.training.self_play_network import legal_log_softmax

LEARNER = 0
"""The learner's seat; the others are opponents. The first player is drawn in each game."""

Weights = dict[str, torch.Tensor]


@dataclass(frozen=True, kw_only=True)
class Args(CountedArgs):
    """Options; the defaults are the paper's where it states them."""

    network: Literal["xdim", "xdim_res", "cnn_res"] = "xdim_res"
    """cross-dimensional, with residual connections, or convolutions only"""
    layers: Count = 8
    """layers before the heads; the paper has 6, 8 and 10"""
    planes: Whole = 0
    """planes of a layer; 0 for the paper's 15, 40 for cnn_res"""
    scalars: Count = 40
    """scalars of a layer; none in cnn_res"""

    trainings: Count = 15_000
    """trainings to do"""
    decisions: Count = 64_000
    """decisions of the learner in a training"""
    groups: Count = 16
    """groups of games, each with a past self as opponent"""
    group_size: Count = 8
    """games of a group"""
    renew_every: Count = 50
    """trainings after which the oldest past self is replaced"""
    freeze_after: Whole = 0
    """trainings after which all opponents are the learner of that moment for good; 0 for never"""
    players: int = 2
    """players of a game, 2 to 4; the paper has two"""
    trading: bool = False
    """trade between players, which the paper leaves out"""
    board: Literal["spiral", "random", "beginner"] = "spiral"
    """how boards are made"""
    discard_limit: Count = 7
    """cards in hand above which a 7 costs half; from 6, as a choice is four cards to keep"""
    forced: bool = True
    """decisions with a single legal action are played and learned from, too"""
    max_turns: Count = 1000
    """turns after which a game is broken off, with no reward"""

    batch_size: Count = 64
    """decisions in an update"""
    gamma: Share = 1.0
    """discount of a decision"""
    optimizer: Literal["sgd", "adam", "adamw"] = "sgd"
    """optimizer; adamw takes the squares of weights apart from the loss, the others in it"""
    learning_rate: Coefficient = 3e-3
    """learning rate; the paper has 3e-3 and 2e-3, and doesn't say of what; Adam needs less"""
    value_coef: Coefficient = 1.0
    """coefficient of the squared error of values"""
    entropy_coef: Coefficient = 1e-4
    """coefficient of the entropy of legal choices"""
    logit_penalty: Coefficient = 1e-8
    """coefficient of the squares of all logits; 0 is the paper's first ablation"""
    weight_penalty: Coefficient = 1e-4
    """coefficient of the squares of all weights"""
    win: float = 0.75
    """reward of a win, and its negative for a loss"""
    point: float = 0.02
    """reward of a point of difference at the end"""

    eval_every: Count = 10
    """trainings between evaluations"""
    eval_against: str = "random,heuristic"
    """names of the opponents in evaluations"""
    checkpoint_every: Count = 1
    """trainings between checkpoints"""
    out: str = "runs/gendre"
    """output folder"""

    @property
    def encoder(self) -> str:
        """Name of the encoder of the network's input."""
        return "gendre_table" if self.players > 2 or self.trading else "gendre"

    def make_rules(self) -> Rules:
        """The rules of the games."""
        return Rules(
            num_players=self.players,
            trading=self.trading,
            board=self.board,
            discard_limit=self.discard_limit,
            first_player="random",
            skip_forced=not self.forced,
            max_turns=self.max_turns,
        )


class Learner:
    """The network, its past selves, and the games that they play."""

    def __init__(self, args: Args) -> None:
        check_count("discard_limit", args.discard_limit, least=LEAST_LIMIT)
        self.args, self.rules = args, args.make_rules()
        self.rng = np.random.default_rng([args.seed, 0x6E2D2E])
        options = ("network", "layers", "planes", "scalars", "encoder")
        self.architecture = GendreNetwork(**{name: getattr(args, name) for name in options})
        initial = self.architecture.initial(self.rng).items()
        self.weights = {
            n: torch.tensor(w, device=args.device, requires_grad=True) for n, w in initial
        }
        self.optimizer = self.make_optimizer()
        self.batch = make_batch(
            args.groups * args.group_size,
            self.rules,
            reward=WinAndLead(win=args.win, point=args.point),
            seed=one_way_seed(args.seed, 0, "catan-pz games"),
            threads=args.threads,
        )
        self.past = [self.snapshot()]
        self.past_of = np.zeros(args.groups, np.int64)  # which past self each group meets
        self.keeping = undecided(args.players * self.batch.num_games).reshape(args.players, -1, 5)
        segments = encoders.load(args.encoder).segments
        self.transitions = OneStepTransitions(
            self.batch.num_games,
            **{segment.name: (segment.shape, "int8") for segment in segments},
            legal=((self.architecture.num_choices,), "bool"),
            choice=((), "int64"),
        )
        self.figures: Counter[str] = Counter()

    def make_optimizer(self) -> torch.optim.Optimizer:
        """The optimizer; L2 of weights, not of biases, is c w**2, whose gradient is 2 c w.

        The gradients are small, and the coefficients of the penalties are made for steps as small.
        Adam makes steps as long for small gradients as for large ones, so that in its loss the L2
        would rule; `adamw` shrinks weights by the learning rate times 2 c, as `sgd` does.
        """
        args, trained = self.args, self.weights.values()
        decay = 2 * args.weight_penalty
        parameters = [
            {"params": [w for w in trained if w.ndim > 1], "weight_decay": decay},
            {"params": [w for w in trained if w.ndim == 1], "weight_decay": 0.0},
        ]
        kinds = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
        return kinds[args.optimizer](parameters, lr=args.learning_rate)

    def play(self, training: int) -> dict[str, Any]:
        """A training: its losses, and how the games went that ended in it."""
        self.renew_opponents(training)
        self.figures.clear()
        while self.figures["updates"] < max(1, self.args.decisions // self.args.batch_size):
            self.step()
            while (decided := self.transitions.take(self.args.batch_size)) is not None:
                self.update(decided)
        f = self.figures
        means = {name: f[name] / f["updates"] for name in ("value_loss", "entropy", "logit_square")}
        shares = {name: f[name] / max(1, f["games"]) for name in ("won", "truncated")}
        return {"updates": f["updates"], "games": f["games"], **means, **shares}

    def renew_opponents(self, training: int) -> None:
        """The group with the oldest past self takes the newest weights, where it is time."""
        args = self.args
        if 0 < args.freeze_after <= training:
            if training == args.freeze_after:
                self.past, self.past_of[:] = [self.snapshot()], 0
        elif training and training % args.renew_every == 0:
            self.past.append(self.snapshot())
            self.past_of[self.past_of.argmin()] = len(self.past) - 1
            used = np.unique(self.past_of)
            self.past = [self.past[k] for k in used]
            self.past_of = np.searchsorted(used, self.past_of)

    def step(self) -> None:
        """A decision in every game."""
        batch, games = self.batch, np.arange(self.batch.num_games)
        actions = np.zeros(len(games), np.int64)
        bits = self.rng.integers(0, 2**64, len(games), np.uint64)

        def play(rows: np.ndarray, choose: Choose) -> None:
            if len(rows):
                keeping = self.keeping[batch.player[rows], rows]
                given = batch.units[rows], batch.mask[rows], keeping, bits[rows], choose
                skip_forced, encoder = self.rules.skip_forced, self.args.encoder
                actions[rows] = decide(*given, skip_forced=skip_forced, encoder=encoder)
                self.keeping[batch.player[rows], rows] = keeping

        own = np.flatnonzero(batch.player == LEARNER)
        play(own, self.learn_and_choose(own))
        met = np.where(batch.player == LEARNER, -1, np.repeat(self.past_of, self.args.group_size))
        for k, past in enumerate(self.past):
            play(np.flatnonzero(met == k), self.chooser(past))
        batch.step(actions)
        ended = np.flatnonzero(batch.done)
        if len(ended):
            rewards = batch.reward[ended, LEARNER]
            self.transitions.finish(ended, rewards)
            truncated = int(batch.truncated[ended].sum())
            self.figures.update(games=len(ended), won=int((rewards > 0).sum()), truncated=truncated)

    def chooser(self, weights: Weights) -> Choose:
        """Choices sampled from a past policy."""

        def choose(rows: np.ndarray, seen: dict, legal: np.ndarray) -> np.ndarray:
            logits = legal_logits(lambda asked: self.evaluated(weights, asked)[0], seen, legal)
            return self.sampled(logits)

        return choose

    def learn_and_choose(self, games: np.ndarray) -> Choose:
        """The learner's choices; the values there complete its decisions before."""

        def choose(rows: np.ndarray, seen: dict, legal: np.ndarray) -> np.ndarray:
            logits, values = self.evaluated(self.weights, seen)
            choices = self.sampled(np.where(legal, logits, -np.inf))
            self.transitions.finish(games[rows], self.args.gamma * values)
            self.transitions.begin(games[rows], **seen, legal=legal, choice=choices)
            return choices

        return choose

    @torch.no_grad()
    def evaluated(self, weights: Weights, seen: dict) -> tuple[np.ndarray, np.ndarray]:
        """Logits (k, C) and values (k,)."""
        logits, values = self.architecture.evaluate(weights, *self.tensors(seen))
        return logits.numpy(force=True), values.numpy(force=True)

    def tensors(self, seen: dict) -> list[torch.Tensor]:
        """Planes and scalars as float32 on the device."""
        arrays = (seen["planes"], seen["scalars"])
        return [torch.as_tensor(array).to(self.args.device).float() for array in arrays]

    def sampled(self, logits: np.ndarray) -> np.ndarray:
        """(k,) choices sampled by logits (k, C), which are -inf where a choice isn't legal."""
        bits = self.rng.integers(0, 2**64, len(logits), np.uint64)
        return sample_actions(np.exp(logits - logits.max(axis=1, keepdims=True)), bits)

    def update(self, decided: dict[str, np.ndarray]) -> None:
        """One step of the optimizer on the sum of losses."""
        args, device = self.args, self.args.device
        seen = self.tensors(decided)
        legal, choice, target = (
            torch.as_tensor(decided[name]).to(device) for name in ("legal", "choice", "target")
        )
        logits, values = self.architecture.evaluate(self.weights, *seen)
        log_policy = legal_log_softmax(logits, legal)
        chosen = log_policy.gather(1, choice[:, None])[:, 0]
        advantage = target - values.detach()
        policy_loss = -(chosen * advantage).mean()
        value_loss = (target - values).square().mean()
        entropy = -(log_policy.exp() * log_policy).sum(-1).mean()
        logit_square = logits.square().sum(-1).mean()
        loss = (
            policy_loss
            + args.value_coef * value_loss
            - args.entropy_coef * entropy
            + args.logit_penalty * logit_square
        )
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        parts = {"value_loss": value_loss, "entropy": entropy, "logit_square": logit_square}
        self.figures.update({name: part.item() for name, part in parts.items()}, updates=1)

    def snapshot(self) -> Weights:
        """The weights as they are now."""
        return {name: w.detach().clone() for name, w in self.weights.items()}

    def model(self, card: dict[str, Any] | None = None) -> GendreModel:
        """The network as it is now."""
        arrays = {name: w.numpy(force=True) for name, w in self.snapshot().items()}
        return GendreModel(self.architecture, arrays, self.rules, card or {})

    def agent(self) -> GendreAgent:
        """The player as it is now."""
        return GendreAgent(self.model())

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz` and its card."""
        model = self.model(card)
        model.save(folder / "model.npz")
        write_bytes(folder / "model.md", model.card_text("gendre").encode())

    def parameters(self) -> Any:
        """What training must leave finite."""
        return self.snapshot()

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        return {
            "weights": self.snapshot(),
            "optimizer": self.optimizer.state_dict(),
            "past": self.past,
            "past_of": self.past_of.tolist(),
            "batch": pack_arrays(self.batch.get_state()),
            "keeping": torch.tensor(self.keeping),
            "transitions": pack_arrays(self.transitions.get_state()),
            "rng": json.dumps(self.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        for name, values in state["weights"].items():
            self.weights[name].data.copy_(values)
        self.optimizer.load_state_dict(state["optimizer"])
        device = self.args.device
        self.past = [{name: w.to(device) for name, w in past.items()} for past in state["past"]]
        self.past_of = np.array(state["past_of"])
        self.batch.set_state(unpack_arrays(state["batch"]))
        self.keeping = state["keeping"].numpy()
        self.transitions.set_state(unpack_arrays(state["transitions"]))
        self.rng.bit_generator.state = json.loads(state["rng"])


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    set_up(args)
    learner = Learner(args)
    name = f"{args.network} with {args.layers} layers"
    card = training_card(args, "one-step A2C against past selves", "examples/published/gendre.py")
    run = Run(
        args,
        learner,
        title=f"One-step A2C, {name}",
        card=card,
        evaluations=line_ups(args.eval_against, learner.rules),
        option="trainings",
        unit="trainings",
    )
    return run.train()


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
