"""PPO by self-play in plain torch: every seat learns from its own decisions, on a CPU or a GPU.

    python examples/train_selfplay.py --help
    python examples/train_selfplay.py --players 4 --expert heuristic --out runs/selfplay
    python examples/train_selfplay.py --players 4 --expert heuristic --out runs/selfplay --resume
    python examples/train_selfplay.py --device cuda --num-envs 16384 --n-steps 32 --bf16 --compile

Games are stepped in a batch; in each step one seat of a game decides, and what it gets until its
own next decision is that decision's reward. In a share of the games one seat learns and a rival
plays the others: a past self, or an agent such as `heuristic`, matched by win rate. The critic
gives a value for each player, and sees all hands; the policy sees what its seat may know. Points
gained are rewarded less and less, until only win and loss are left. `--critic-first` lets the
critic learn before the policy, `--kl-coef` holds the policy near the one that self-play began with.

`--expert` begins with games that an agent plays in all seats, and imitates it; `--init` begins
with the policy of a model file; `--base` learns where to play otherwise than an agent. The output
folder gets `model.npz`, `curve.csv`, `curve.png`, the league's past selves, `result.json` and the
last two checkpoints. `--resume` continues from a checkpoint and, on a CPU, computes the same
numbers as a training that never stopped.

Source: Schulman et al., "Proximal Policy Optimization Algorithms", 2017.
"""

import os
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's idle threads give way

import torch
from parts.rivals import Rivals
from parts.self_play_games import (
    Decisions,
    SelfPlayGames,
    divergence,
    update_figures,
)
from parts.starts import Starts
from torch import nn

from catan_pz.agents.network import Base, NetworkAgent
from catan_pz.agents.registry import split_specs
from catan_pz.checks import check_count, not_possible
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.rewards import PointsGained
from catan_pz.training.checkpoints import check_finite, keep, pack_arrays, unpack_arrays
from catan_pz.training.console import RESUMABLE, run_program, say
from catan_pz.training.evaluation import line_ups
from catan_pz.training.league import PastSelves, load_stateless
from catan_pz.training.options import (
    Coefficient,
    Count,
    Positive,
    Share,
    TrainingArgs,
    Whole,
    parse,
    set_up,
    training_card,
)
from catan_pz.training.run import Run
from catan_pz.training.self_play_network import Critic, SelfPlayNetwork, model_named


@dataclass(frozen=True, kw_only=True)
class Args(TrainingArgs):
    """Options; `frames` are decisions that are learned from, of all seats."""

    out: str = "runs/selfplay"
    """output folder"""
    num_envs: Count = 512
    """games played side by side"""
    opponents: str = "heuristic"
    """agents that are rivals beside past selves, separated by commas; "" for none"""
    rivals_share: Share = 0.3
    """share of the games in which one seat learns and a rival plays the others"""
    eval_against: str = "random,heuristic"
    """names of the opponents in evaluations"""

    expert: str = ""
    """agent to imitate first; "" for none"""
    demonstrations: Count = 1_000_000
    """decisions of the expert to imitate"""
    init: str = ""
    """model file, or name of a model, with the same base and sizes, to start the policy from"""
    base: str = ""
    """agent that the policy rests on: heuristic or evolved; "" for none"""
    base_bonus: float = 5.0
    """added to the logit of the base's action"""

    n_steps: Count = 64
    """decisions of each game between two updates"""
    n_epochs: Count = 2
    """passes over the decisions of an update"""
    batch_size: Count = 2048
    """decisions in a minibatch"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam at the start; it falls linearly to a tenth"""
    gamma: Share = 0.999
    """discount from one decision of a seat to its next"""
    gae_lambda: Share = 0.95
    """lambda of generalized advantage estimation"""
    clip_range: Positive = 0.2
    """clipping of the probability ratio"""
    target_kl: Positive = 0.03
    """divergence from the policy that played, beyond which an update ends"""
    ent_coef: Coefficient = 0.01
    """coefficient of the entropy bonus at the start; it falls linearly to a tenth"""
    vf_coef: Coefficient = 0.5
    """coefficient of the value loss"""
    max_grad_norm: Positive = 0.5
    """largest norm of the gradient"""
    kl_coef: Coefficient = 0.0
    """coefficient of the divergence from the policy that self-play began with"""
    critic_first: Whole = 0
    """rounds of self-play at the start in which the critic learns, and the policy doesn't"""
    anneal: Share = 0.5
    """part of the training in which the reward of points falls to zero; 0 keeps it"""

    network: Literal["board", "dense"] = "board"
    """board: message passing over vertices, edges and hexes; dense: two dense layers"""
    width: Count = 128
    """units in each dense layer"""
    embedding_size: Count = 32
    """size of the embedding of a vertex, edge or hex in the board network"""
    critic: Critic = "hidden"
    """values from the policy's features, from separate layers, or from such that see all hands"""
    symmetries: bool = True
    """show each game on the board turned or reflected in one of six ways"""
    starts: str = ""
    """folder of recorded games, from whose middle some games start; "" for none"""
    starts_share: Share = 0.25
    """share of the games that do so, where there are any"""
    bf16: bool = False
    """bfloat16 in the network, while it plays and learns, on a GPU"""
    compile: bool = False
    """compile the network, which takes a minute or two at the start"""

    def check(self) -> None:
        """Refuse what isn't possible."""
        if self.reward != "shaped":
            raise not_possible("reward", self.reward, "'shaped'")
        if self.observation != "units":
            raise not_possible("observation", self.observation, "'units'")
        if self.init and self.expert:
            raise not_possible("init", self.init, "a model, or --expert; not both")
        check_count("batch_size", self.batch_size, least=2)  # advantages have a deviation


Aim = Literal["imitation", "critic", "ppo"]
"""Targets of an update: imitating the actions, the values only, or improving the policy."""


class Learner:
    """Plays rounds of games, and learns from them.

    `start` is the policy that self-play began with; `frames` and `rounds` don't count imitation.
    """

    def __init__(self, args: Args) -> None:
        args.check()
        self.args, self.rules = args, args.make_rules()
        cuda = args.device == "cuda" or (args.device == "auto" and torch.cuda.is_available())
        self.device = torch.device("cuda" if cuda else "cpu")
        torch.manual_seed(args.seed)
        self.network: Any = make_network(args, args.critic).to(self.device)
        if args.init:
            self.network.take_policy(model_named(args.init))
        self.called = torch.compile(self.network, dynamic=True) if args.compile else self.network
        self.expert = load_stateless("expert", args.expert, self.rules) if args.expert else None
        self.player = make_player(args, self.device)
        self.start: nn.Module | None = None
        self.optimizer = torch.optim.Adam(self.called.parameters(), lr=args.learning_rate, eps=1e-5)
        self.bfloat16 = torch.autocast(self.device.type, torch.bfloat16, enabled=args.bf16)
        self.frames = self.demonstrations = self.rounds = 0

    def play(self, number: int) -> dict[str, Any]:
        """Play a round and learn from it; figures of the update."""
        args, player = self.args, self.player
        demonstrate = self.expert is not None and self.demonstrations < args.demonstrations
        aim: Aim = "imitation" if demonstrate else "ppo"
        if not demonstrate:
            if self.start is None:
                self.start = deepcopy(self.network.policy)
            aim = "critic" if self.rounds < args.critic_first else "ppo"
        left = max(0.0, 1 - self.frames / args.frames)
        if args.anneal:
            point = args.point_reward * max(0.0, 1 - (1 - left) / args.anneal)
            scale = args.reward_scale
            player.games.set_reward(PointsGained(point * scale, args.win_reward * scale))
        finished = player.finished
        with self.bfloat16:
            played = player.play(
                self.called,
                number,
                gamma=args.gamma,
                gae_lambda=args.gae_lambda,
                expert=self.expert if demonstrate else None,
            )
        steps = self.learn(played, number, 0.1 + 0.9 * left, aim)
        check_finite(self.parameters(), f"{number + 1:,} updates")
        if demonstrate:
            self.demonstrations += len(played)
        else:
            self.frames, self.rounds = self.frames + len(played), self.rounds + 1
        if not demonstrate and (number + 1) % args.league_every == 0:
            model = self.network.export(self.rules)
            keep(lambda: player.rivals.add(f"{number + 1:07d}", model), "a past self")
        return {
            "frames": 0 if demonstrate else len(played),
            "steps": steps,
            "ended": player.finished - finished,
            **update_figures(self.network, self.start, played),
        }

    def learn(self, played: Decisions, number: int, falling: float, aim: Aim) -> int:
        """Update the network; returns the steps of the optimizer.

        `falling` is the factor of learning rate and entropy bonus.
        """
        args, device, steps = self.args, played.units.device, 0
        if len(played) < 2:
            raise ValueError(
                f"round {number} has fewer than two decisions to learn from: pass more --num-envs "
                "or --n-steps"
            )
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * falling
        random = torch.Generator(device).manual_seed(args.seed * 1_000_003 + number)
        for _ in range(args.n_epochs):
            order = torch.randperm(len(played), generator=random, device=device)
            for rows in order.tensor_split(max(1, len(order) // args.batch_size)):
                batch = played[rows]
                with self.bfloat16:
                    log_probabilities, values = self.called(batch.units, batch.mask, batch.hidden)
                    loss, kl = self.policy_loss(batch, log_probabilities, falling, aim)
                error = (values.float() - batch.targets).square() * batch.has_target
                loss = loss + args.vf_coef * error.mean()
                if kl > args.target_kl:
                    return steps
                if not torch.isfinite(loss):
                    raise FloatingPointError(f"the loss of round {number} isn't finite")
                self.optimizer.zero_grad()
                loss.backward()
                if aim == "critic":  # a shared critic's gradients reach the policy's layers
                    self.network.policy.zero_grad()
                nn.utils.clip_grad_norm_(self.network.parameters(), args.max_grad_norm)
                self.optimizer.step()
                steps += 1
        return steps

    def policy_loss(
        self, batch: Decisions, log_probabilities: torch.Tensor, falling: float, aim: Aim
    ) -> tuple[torch.Tensor, float]:
        """The loss, and the divergence from the policy that played."""
        args = self.args
        chosen = log_probabilities.gather(1, batch.action[:, None])[:, 0]
        if aim != "ppo":
            return -chosen.mean() * (aim == "imitation"), 0.0
        log_ratio = chosen - batch.log_probability
        ratio, advantage = log_ratio.exp(), batch.advantage
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        clipped = ratio.clamp(1 - args.clip_range, 1 + args.clip_range)
        loss = -torch.min(advantage * ratio, advantage * clipped).mean()
        entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
        kl = (ratio - 1 - log_ratio).mean().item()
        loss = loss - args.ent_coef * falling * entropy
        if args.kl_coef:
            with torch.no_grad():
                start = self.network.log_probabilities(batch.units, batch.mask, self.start)
            loss = loss + args.kl_coef * divergence(log_probabilities, start)
        return loss, kl

    def parameters(self) -> Any:
        """What training must leave finite."""
        return self.network.state_dict()

    def agent(self) -> NetworkAgent:
        """The policy as a player."""
        return NetworkAgent(self.network.export(self.rules))

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz`."""
        card |= {"demonstrations": self.demonstrations}
        self.network.export(self.rules, card).save(folder / "model.npz")

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on; on a GPU without the games."""
        start, games, rivals = self.start, self.player.games, self.player.rivals
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rivals": rivals.get_state(),
            "snapshots": rivals.past.pool,
            "start": None if start is None else start.state_dict(),
            "counts": [self.frames, self.demonstrations, self.rounds, self.player.finished],
            "games": pack_arrays(games.get_state()) if self.device.type == "cpu" else None,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave; with new games on a GPU, or from one of a GPU."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.player.rivals.set_state(state["rivals"])
        self.frames, self.demonstrations, self.rounds, self.player.finished = state["counts"]
        if state["start"] is not None:
            self.start = deepcopy(self.network.policy)
            self.start.load_state_dict(state["start"])
        if self.device.type == "cpu" and state["games"] is not None:
            self.player.games.set_state(unpack_arrays(state["games"]))
        else:
            say("The games begin anew: only a training on a CPU goes on with those of a CPU.")
            self.player.games.reset(self.args.seed + self.frames)


def make_network(args: Args, critic: Critic) -> SelfPlayNetwork:
    """A network of the options' sizes."""
    rules = args.make_rules()
    return SelfPlayNetwork(
        rules.num_actions,
        rules.num_players,
        kind=args.network,
        width=args.width,
        embedding_size=args.embedding_size,
        critic=critic,
        base=Base(args.base, args.base_bonus) if args.base else None,
    )


def make_player(args: Args, device: torch.device) -> SelfPlayGames:
    """The games, and their players."""
    games = SelfPlayBatch(
        args.num_envs,
        args.make_rules(),
        device.type,
        observation="units",
        reward=args.make_reward(),
        seed=args.seed,
        global_state=args.critic == "hidden",
    )
    rivals = Rivals(
        PastSelves(Path(args.out) / "league", args.league_size, args.league_members),
        make_network(args, "shared").to(device),
        split_specs(args.opponents),
        args.num_envs,
        games.rules,
        share=args.rivals_share,
        seed=args.seed,
    )
    return SelfPlayGames(
        games,
        rivals,
        args.n_steps,
        symmetries=args.symmetries,
        seed=args.seed,
        starts=Starts.read(args.starts, games.rules, seed=args.seed) if args.starts else None,
        starts_share=args.starts_share,
    )


def make_run(args: Args) -> Run:
    """The training, with its learner."""
    set_up(args)
    learner = Learner(args)
    program = "examples/train_selfplay.py"
    return Run(
        args,
        learner,
        title=f"Self-play, {learner.rules.num_players} players",
        card=training_card(args, "PPO by self-play", program, learner.device),
        evaluations=line_ups(args.eval_against, learner.rules),
    )


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    return make_run(parse(Args, arguments, __doc__ or "")).train()


if __name__ == "__main__":
    run_program(main, ImportError, RuntimeError, stopped=RESUMABLE)
