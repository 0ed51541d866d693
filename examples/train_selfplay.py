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

import torch
from torch import nn

from catan_pz.agents.network import Base
from catan_pz.agents.specs import split_specs
from catan_pz.checks import check_count, not_possible
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.rewards import PointsGained
from catan_pz.training.opening import open_run
from catan_pz.training.options import Coefficient, Count, Positive, Share, TrainingArgs, parse
from catan_pz.training.program import RESUMABLE, run_program
from catan_pz.training.rivals import Rivals
from catan_pz.training.self_play_games import Decisions, SelfPlayGames
from catan_pz.training.self_play_network import Critic, SelfPlayNetwork, model_named
from catan_pz.training.self_play_run import SelfPlayRun
from catan_pz.training.starts import Starts
from catan_pz.training.stateless import load_stateless
from catan_pz.training.update_figures import divergence


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
    """added to the logit of what the base would play"""

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
    critic_first: int = 0
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
    """values from the policy's features, from layers of their own, or from such with all hands"""
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
            raise not_possible("option reward", self.reward, "'shaped'")
        if self.observation != "units":
            raise not_possible("option observation", self.observation, "'units'")
        if self.init and self.expert:
            raise not_possible("option init", self.init, "a model, or --expert; not both")
        if not 0 <= self.anneal <= 1:
            raise not_possible("option anneal", self.anneal, "a number from 0 to 1")
        if not 0 <= self.kl_coef < float("inf"):
            raise not_possible("option kl_coef", self.kl_coef, "a number from 0")
        if not 0 <= self.starts_share <= 1:
            raise not_possible("option starts_share", self.starts_share, "a number from 0 to 1")
        check_count("critic_first", self.critic_first, least=0)
        check_count("batch_size", self.batch_size, least=2)  # advantages have a deviation
        if self.expert:
            load_stateless("expert", self.expert, self.make_rules())


Aim = Literal["imitation", "critic", "ppo"]
"""What an update learns: to play what was played, the values alone, or to play better."""


def bfloat16(args: Args, device: torch.device) -> torch.autocast:
    """Where networks compute in bfloat16, if the options say so."""
    return torch.autocast(device.type, torch.bfloat16, enabled=args.bf16)


class Learner:
    """Learns from what was played.

    Attributes:
        start: the policy that self-play began with; None before `begin`.
    """

    def __init__(self, args: Args, network: Any) -> None:
        self.args, self.network = args, network
        self.start: nn.Module | None = None
        self.optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)

    def begin(self, parameters: dict[str, torch.Tensor] | None = None) -> None:
        """Keep the policy, or one with these parameters, as the one that self-play began with."""
        self.start = deepcopy(self.network.policy)
        if parameters is not None:
            self.start.load_state_dict(parameters)

    def learn(self, played: Decisions, number: int, falling: float, aim: Aim) -> int:
        """Update the network; returns the steps of the optimizer.

        Args:
            played: the decisions of a round.
            number: of the round.
            falling: factor of learning rate and entropy bonus.
            aim: what is learned.
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
                with bfloat16(args, device):
                    log_probabilities, values = self.network(batch.units, batch.mask, batch.hidden)
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
    """The games, and who plays in them."""
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
        Path(args.out) / "league",
        make_network(args, "shared").to(device),
        split_specs(args.opponents),
        args.num_envs,
        games.rules,
        share=args.rivals_share,
        size=args.league_size,
        active=args.league_members,
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


class Run(SelfPlayRun):
    """The training: rounds of play and updates."""

    args: Args
    learner: Learner

    def __init__(self, args: Args) -> None:
        args.check()
        saved = open_run(args)
        cuda = args.device == "cuda" or (args.device == "auto" and torch.cuda.is_available())
        device = torch.device("cuda" if cuda else "cpu")
        torch.manual_seed(args.seed)
        network = make_network(args, args.critic).to(device)
        if args.init:
            network.take_policy(model_named(args.init))
        self.called: Any = torch.compile(network, dynamic=True) if args.compile else network
        rules = args.make_rules()
        self.expert = load_stateless("expert", args.expert, rules) if args.expert else None
        player, learner = make_player(args, device), Learner(args, self.called)
        super().__init__(
            args,
            network,
            player,
            learner,
            algorithm="PPO by self-play",
            program="examples/train_selfplay.py",
            saved=saved,
        )

    def update(self) -> tuple[Decisions, int]:
        """Play a round and learn from it; the decisions, and the optimizer's steps."""
        args, number = self.args, self.updates
        demonstrate = self.expert is not None and self.demonstrations < args.demonstrations
        aim: Aim = "imitation" if demonstrate else "ppo"
        if not demonstrate:
            if self.learner.start is None:
                self.learner.begin()
            aim = "critic" if self.rounds < args.critic_first else "ppo"
        left = max(0.0, 1 - self.frames / args.frames)
        if args.anneal:
            point = args.point_reward * max(0.0, 1 - (1 - left) / args.anneal)
            scale = args.reward_scale
            self.player.games.set_reward(PointsGained(point * scale, args.win_reward * scale))
        with self.timers.measure("games"), bfloat16(args, self.player.device):
            played = self.player.play(
                self.called,
                number,
                gamma=args.gamma,
                gae_lambda=args.gae_lambda,
                expert=self.expert if demonstrate else None,
            )
        with self.timers.measure("updates"):
            steps = self.learner.learn(played, number, 0.1 + 0.9 * left, aim)
        self.count(len(played), demonstrate)
        return played, steps


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; returns what is also written to `result.json`."""
    return Run(parse(Args, arguments, __doc__ or "")).train()


if __name__ == "__main__":
    run_program(main, ImportError, RuntimeError, stopped=RESUMABLE)
