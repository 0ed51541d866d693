"""Hierarchical DQN on two-player Catan: an orchestrator picks a kind of action, executors pick how.

    python examples/published/rocco.py --help
    python examples/published/rocco.py --sub-goal --out runs/rocco
    python examples/published/rocco.py --sub-goal --out runs/rocco --resume

After each decision of a part (orchestrator, settlement, road or trade executor) its Q-network
takes one minibatch from its own replay memory, and its target network moves a little towards it.
The reward is the number of points held after the move, not the points gained. With `--sub-goal`
the road executor is rewarded with the length of its longest road.

The output folder holds the last two checkpoints, `model.npz` (an agent of the name
`rocco:model=runs/rocco/model.npz`) with its card `model.md`, `episodes.csv`, `curve.csv` and
`curve.png`, and `result.json`. `--resume` continues from the last checkpoint, replay memories
included, and computes the same numbers as a training that never stopped.

Source: G. E. Rocco, "DQN-based approaches for complex board games", master thesis, University of
Trieste, 2023. What differs from it: docs/published/rocco.md.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# Networks this small gain nothing from threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from torch.nn.functional import smooth_l1_loss

from catan_pz import Game, encoders
from catan_pz.agents.rocco import choices
from catan_pz.agents.rocco.agent import RoccoAgent
from catan_pz.agents.rocco.choices import draw, draw_way
from catan_pz.agents.rocco.model import OUTPUTS, RoccoModel
from catan_pz.agents.rocco.networks import Architecture
from catan_pz.rules import Rules
from catan_pz.training.checkpoints import write_bytes
from catan_pz.training.episodes import EpisodeRun
from catan_pz.training.hardware import hardware
from catan_pz.training.options import Count, command_line, parse
from catan_pz.training.replay import ReplayMemory

Network = Literal["ff", "gcn", "rgcn", "ran"]


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options; the defaults are the thesis' where it states them."""

    orchestrator: Network = "ff"
    """network of the orchestrator: ff (dense), gcn, rgcn; ran chooses at random"""
    executors: Network = "ff"
    """networks of the settlement, road and trade executors"""
    sub_goal: bool = False
    """reward the road executor with the length of its longest road"""
    opponent: Literal["random", "self"] = "random"
    """who plays the other seat: a random kind and way, or the learner itself"""
    seat: Literal["first", "both"] = "first"
    """the learner's seat: the first, or each in turn"""
    episodes: Count = 1000
    """games to train on"""
    boards: str = "0,1,2,3"
    """seeds of the boards"""
    dice: str = "random"
    """random, balanced, or pairs of dice rolled first: 34,61,25"""
    max_turns: Count = 1000
    """turns after which a game is broken off"""

    reward: Literal["points", "gain"] = "points"
    """points held after the move, or gained by it"""
    mask_bootstrap: bool = True
    """bootstrap from legal choices only"""
    cut_terminal: bool = False
    """no bootstrap from the end of a game"""
    executor_next: Literal["move", "asked"] = "move"
    """an executor bootstraps from the state after its move, or where it is asked next"""
    forced: bool = True
    """the orchestrator learns from decisions with a single legal kind, too"""
    one_way: bool = False
    """graph networks pass messages along 72 directed edges, not 144"""
    edge_weight: Literal["none", "own"] = "none"
    """weights of the GCN's messages: all alike, or the ownership of the edge"""
    cities: bool = False
    """ownership tells cities from settlements"""

    memory: Count = 1000
    """decisions that each replay memory keeps"""
    batch_size: Count = 64
    """decisions in a minibatch"""
    gamma: float = 0.99
    """discount of a decision"""
    learning_rate: float = 1e-3
    """learning rate of AdamW"""
    tau: float = 0.005
    """share of the network that the target network takes over at each update"""
    decay: float = 0.996
    """factor of the orchestrator's epsilon from game to game, from 1"""
    executor_decay: float = 0.997
    """factor of the executors' epsilon from game to game, from 1"""

    seed: int = 1
    """random seed of games, networks and learning"""
    curve_turn: Count = 120
    """turn at which the learner's points are taken for the curve"""
    eval_every: Count = 100
    """games between evaluations against rocco_random"""
    eval_games: Count = 400
    """games of an evaluation"""
    checkpoint_every: Count = 25
    """games between checkpoints"""
    device: Literal["cpu", "cuda"] = "cpu"
    """device of the networks"""
    threads: Count = 1
    """CPU threads of torch"""
    out: str = "runs/rocco"
    """output folder"""
    resume: bool = False
    """continue from the last checkpoint in the output folder"""

    def make_rules(self) -> Rules:
        """The rules of the games."""
        dice: Any = self.dice
        if dice[:1].isdigit():
            dice = tuple((int(pair[:1]), int(pair[1:])) for pair in dice.split(","))
        boards = tuple(int(seed) for seed in self.boards.split(","))
        return Rules.make("rocco", board=boards, dice=dice, max_turns=self.max_turns)


class DQN:
    """A part that learns: Q-network, target network, optimizer and replay memory."""

    def __init__(self, part: str, args: Args, rng: np.random.Generator) -> None:
        first = part == "orchestrator"
        network = args.orchestrator if first else args.executors
        self.args, self.rng = args, rng
        self.decay = args.decay if first else args.executor_decay
        self.architecture = Architecture(network, OUTPUTS[part], args.one_way, args.edge_weight)
        initial = [weights.ravel() for weights in self.architecture.initial(rng).values()]
        # All weights lie in one vector: an update is one operation.
        self.online = torch.tensor(np.concatenate(initial), device=args.device, requires_grad=True)
        self.target = self.online.detach().clone()
        self.optimizer = torch.optim.AdamW([self.online], lr=args.learning_rate, fused=True)
        self.memory = ReplayMemory(args.memory, encoders.load("rocco").size, OUTPUTS[part])
        self.losses: list[float] = []
        self.q_means: list[float] = []

    def weights(self, vector: torch.Tensor) -> dict[str, torch.Tensor]:
        """The weights in a vector by name."""
        shapes = self.architecture.shapes
        parts = vector.split([int(np.prod(shape)) for shape in shapes.values()])
        return {name: w.view(shapes[name]) for name, w in zip(shapes, parts, strict=True)}

    def q_values(self, vector: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """(B, Q) by the weights in a vector, for states (B, 675)."""
        return self.architecture.q_values(self.weights(vector), states.float())

    @torch.no_grad()
    def choose(self, state: np.ndarray, legal: np.ndarray, episode: int) -> int:
        """A random legal choice with probability epsilon, else the one of largest Q-value."""
        if self.rng.random() < self.decay**episode:
            return draw(legal, self.rng)
        states = torch.as_tensor(state[None], device=self.args.device)
        q_values = self.q_values(self.online, states)[0].cpu().numpy()
        return int(np.where(legal, q_values, -np.inf).argmax())

    def learn(self) -> None:
        """Update by one minibatch, once the memory holds one."""
        if self.memory.added < self.args.batch_size:
            return
        batch = self.memory.sample(self.args.batch_size, self.rng, self.args.device)
        q_values = self.q_values(self.online, batch["state"])
        q_chosen = q_values.gather(1, batch["choice"][:, None])[:, 0]
        loss = smooth_l1_loss(q_chosen, self.targets(batch))
        self.losses.append(loss.item())
        self.q_means.append(q_chosen.mean().item())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.target.lerp_(self.online.detach(), self.args.tau)

    @torch.no_grad()
    def targets(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """(B,) reward plus the discounted largest Q-value of the target network."""
        following = self.q_values(self.target, batch["next_state"])
        ended = batch["ended"]
        if self.args.mask_bootstrap:  # the end of a game has no legal choices to mask by
            legal = batch["next_legal"] | ended[:, None]
            following = following.masked_fill(~legal, -torch.inf)
        best = following.amax(1)
        best = best.masked_fill(best == -torch.inf, 0)  # the part has nothing to choose there
        if self.args.cut_terminal:
            best = best.masked_fill(ended, 0)
        return batch["reward"] + self.args.gamma * best

    def figures(self, part: str) -> dict[str, float]:
        """Updates since the last call, and the means of their losses and Q-values."""
        figures = {
            f"{part}_updates": len(self.losses),
            f"{part}_loss": float(np.mean(self.losses or [0.0])),
            f"{part}_q": float(np.mean(self.q_means or [0.0])),
        }
        self.losses.clear()
        self.q_means.clear()
        return figures

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        return {
            "online": self.online.detach(),
            "target": self.target,
            "optimizer": self.optimizer.state_dict(),
            "memory": self.memory.get_state(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.online.data.copy_(state["online"])
        self.target.copy_(state["target"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.memory.set_state(state["memory"])


class Learner:
    """Plays one game at a time, and learns after each decision."""

    def __init__(self, args: Args) -> None:
        self.args, self.rules = args, args.make_rules()
        self.rng = np.random.default_rng([args.seed, 0x20CC0])
        networks = dict.fromkeys(OUTPUTS, args.executors) | {"orchestrator": args.orchestrator}
        parts = [part for part, network in networks.items() if network != "ran"]
        self.dqns = {part: DQN(part, args, self.rng) for part in parts}
        self.encoder = encoders.load("rocco_cities" if args.cities else "rocco")
        self.pending: dict[tuple[str, int], dict[str, Any]] = {}

    def play(self, episode: int) -> dict[str, Any]:
        """Play a game and learn from it; its figures."""
        args, points = self.args, None
        seat = episode % 2 if args.seat == "both" else 0
        learning = (0, 1) if args.opponent == "self" else (seat,)
        game = Game(self.rules, seed=args.seed * 1_000_000 + episode)
        while not (game.is_over or game.is_truncated):
            if points is None and game.turn >= args.curve_turn:
                points = int(game.points[seat])
            if game.player in learning:
                self.decide(game, game.player, episode)
            else:
                kind = draw(choices.legal_kinds(game.mask), self.rng)
                game.step(draw_way(game.mask, kind, self.rng))
        for part, learner in list(self.pending):
            self.learn(part, learner, game)
        final = int(game.points[seat])
        at_turn = final if points is None else points
        won = int(game.winner == seat)
        figures = {"points_at_turn": at_turn, "points": final, "won": won, "turns": game.turn}
        for part, dqn in self.dqns.items():
            figures |= dqn.figures(part)
        return figures

    def decide(self, game: Game, seat: int, episode: int) -> None:
        """Choose a kind of action and a way, play it, and learn."""
        units, legal = game.observe(seat), game.mask.copy()
        state = self.encoder.encode(units).astype(np.int8)
        chosen: dict[str, int] = {}

        def ask(part: str, possible: np.ndarray) -> None:
            if part in self.dqns:
                self.learn(part, seat, game, state)  # from the decision before
                chosen[part] = self.dqns[part].choose(state, possible, episode)

        if choices.orchestrated(legal):
            kinds = choices.kinds_to_choose(legal)
            if self.args.forced or kinds.sum() > 1:
                ask("orchestrator", kinds)
            kind = chosen.get("orchestrator", draw(kinds, self.rng))
        else:
            kind = draw(choices.legal_kinds(legal), self.rng)
        part = choices.EXECUTOR_OF.get(kind, "")
        if part and not (kind == choices.ROAD and choices.places_free_road(units)):
            ask(part, choices.legal_ways(legal, part))
        action = draw_way(legal, kind, self.rng)
        if part in chosen:
            action = int(choices.EXECUTORS[part][chosen[part]])
        game.step(action)
        for one, choice in chosen.items():
            reward = self.reward(one, units, game.observe(seat))
            self.pending[one, seat] = {"state": state, "choice": choice, "reward": reward}
            if one == part and self.args.executor_next == "move":
                self.learn(part, seat, game)

    def reward(self, part: str, before: np.ndarray, after: np.ndarray) -> float:
        """Points, or the length of the longest road, after a move."""
        sub_goal = part == "road" and self.args.sub_goal
        measure = choices.road_length if sub_goal else choices.points
        gained = self.args.reward == "gain"
        return float(measure(after)) - (float(measure(before)) if gained else 0.0)

    def learn(self, part: str, seat: int, game: Game, next_state: np.ndarray | None = None) -> None:
        """Add the last decision of a part, if there is one, to its memory, and update."""
        decision = self.pending.pop((part, seat), None)
        if decision is None:
            return
        legal = game.mask * (game.player == seat and not game.is_over)
        if part == "orchestrator":
            next_legal = choices.kinds_to_choose(legal)
        else:
            next_legal = choices.legal_ways(legal, part)
        if next_state is None:
            next_state = self.encoder.encode(game.observe(seat))
        dqn = self.dqns[part]
        dqn.memory.add(**decision, next_state=next_state, next_legal=next_legal, ended=game.is_over)
        dqn.learn()

    def model(self, card: dict[str, Any] | None = None) -> RoccoModel:
        """The networks as they are now."""
        networks = {}
        for part, dqn in self.dqns.items():
            weights = dqn.weights(dqn.online.detach().clone())
            arrays = {name: w.numpy(force=True) for name, w in weights.items()}
            networks[part] = (dqn.architecture, arrays)
        return RoccoModel(networks, self.rules, card or {}, self.encoder)

    def agent(self) -> RoccoAgent:
        """The player as it is now, without exploration."""
        return RoccoAgent(self.model())

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz` and its card."""
        model = self.model(card)
        model.save(folder / "model.npz")
        write_bytes(folder / "model.md", model.card_text("rocco").encode())

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on."""
        parts = {part: dqn.get_state() for part, dqn in self.dqns.items()}
        return {"parts": parts, "rng": json.dumps(self.rng.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        for part, dqn in self.dqns.items():
            dqn.set_state(state["parts"][part])
        self.rng.bit_generator.state = json.loads(state["rng"])


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; returns what is also written to `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    torch.set_num_threads(args.threads)
    name = f"{args.orchestrator}/{args.executors}".upper() + "*" * args.sub_goal
    card = {
        "algorithm": f"hierarchical DQN, {name}",
        "command": command_line(args, "examples/published/rocco.py"),
        "seed": args.seed,
        "hardware": hardware(torch.device(args.device)),
    }
    title = f"Hierarchical DQN, {name}"
    return EpisodeRun(args, Learner(args), against="rocco_random", title=title, card=card).train()


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
