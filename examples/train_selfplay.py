"""PPO by self-play in plain torch: every seat learns from its own decisions, on a CPU or a GPU.

    python examples/train_selfplay.py --help
    python examples/train_selfplay.py --players 4 --expert heuristic --out runs/selfplay
    python examples/train_selfplay.py --players 4 --expert heuristic --out runs/selfplay --resume
    python examples/train_selfplay.py --device cuda --num-envs 16384 --n-steps 32 --bf16 --compile

Games are stepped in a batch; in each step one seat of a game decides, and what it gets until its
own next decision is that decision's reward. In a share of the games one seat learns and a rival
plays the others: a past self, or an agent such as `heuristic`, matched by win rate. The critic
gives a value for each player, and sees all hands; the policy sees what its seat may know. Points
gained are rewarded less and less, until only win and loss are left.

`--expert` begins with games that an agent plays in all seats, and imitates it; `--init` begins
with the policy of a model file; `--base` learns where to play otherwise than an agent. The output
folder gets `model.npz`, `curve.csv`, `curve.png`, the league's past selves, `result.json` and the
last two checkpoints. `--resume` continues from a checkpoint and, on a CPU, computes the same
numbers as a training that never stopped.

Source: Schulman et al., "Proximal Policy Optimization Algorithms", 2017.
"""

import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import nn

from catan_pz import agents
from catan_pz.agents.network import Base, Model
from catan_pz.agents.specs import split_specs
from catan_pz.checks import not_possible
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.rewards import PointsGained
from catan_pz.training.checkpoints import Checkpoints, pack_arrays, unpack_arrays, write_bytes
from catan_pz.training.console import console, say
from catan_pz.training.curves import write_curve
from catan_pz.training.evaluation import evaluate_model
from catan_pz.training.hardware import training_card
from catan_pz.training.opening import open_run
from catan_pz.training.options import Count, TrainingArgs, parse
from catan_pz.training.program import RESUMABLE, run_program
from catan_pz.training.rivals import Rivals
from catan_pz.training.self_play_games import Decisions, SelfPlayGames
from catan_pz.training.self_play_network import Critic, SelfPlayNetwork, model_named
from catan_pz.training.timers import Timers


@dataclass(frozen=True, kw_only=True)
class Args(TrainingArgs):
    """Options; `frames` are decisions that are learned from, of all seats."""

    out: str = "runs/selfplay"
    """output folder"""
    num_envs: Count = 512
    """games played side by side"""
    opponents: str = "heuristic"
    """agents that are rivals beside past selves, separated by commas; "" for none"""
    rivals_share: float = 0.3
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
    """agent that the policy rests on: heuristic, evolved or weighted; "" for none"""
    base_bonus: float = 5.0
    """added to the logit of what the base would play"""

    n_steps: Count = 64
    """decisions of each game between two updates"""
    n_epochs: Count = 2
    """passes over the decisions of an update"""
    batch_size: Count = 2048
    """decisions in a minibatch"""
    learning_rate: float = 5e-4
    """learning rate of Adam at the start; it falls linearly to a tenth"""
    gamma: float = 0.999
    """discount from one decision of a seat to its next"""
    gae_lambda: float = 0.95
    """lambda of generalized advantage estimation"""
    clip_range: float = 0.2
    """clipping of the probability ratio"""
    target_kl: float = 0.03
    """divergence from the policy that played, beyond which an update ends"""
    ent_coef: float = 0.01
    """coefficient of the entropy bonus at the start; it falls linearly to a tenth"""
    vf_coef: float = 0.5
    """coefficient of the value loss"""
    max_grad_norm: float = 0.5
    """largest norm of the gradient"""
    anneal: float = 0.5
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
    bf16: bool = False
    """bfloat16 in the network, on a GPU"""
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


class Learner:
    """Learns from what was played."""

    def __init__(self, args: Args, network: Any) -> None:
        self.args, self.network = args, network
        self.optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate, eps=1e-5)

    def learn(self, played: Decisions, number: int, falling: float, clone: bool) -> None:
        """Update the network by PPO, or imitate what was played.

        Args:
            played: the decisions of a round.
            number: of the round.
            falling: factor of learning rate and entropy bonus.
            clone: whether to imitate.
        """
        args, device = self.args, played.units.device
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * falling
        random = torch.Generator(device).manual_seed(args.seed * 1_000_003 + number)
        for _ in range(args.n_epochs):
            order = torch.randperm(len(played), generator=random, device=device)
            for rows in order.tensor_split(max(1, len(order) // args.batch_size)):
                batch = played[rows]
                with torch.autocast(device.type, torch.bfloat16, enabled=args.bf16):
                    log_probabilities, values = self.network(batch.units, batch.mask, batch.hidden)
                error = (values.float() - batch.targets).square() * batch.has_target
                loss, kl = self.policy_loss(batch, log_probabilities, falling, clone)
                loss = loss + args.vf_coef * error.mean()
                if kl > args.target_kl:
                    return
                if not torch.isfinite(loss):
                    raise FloatingPointError(f"the loss of round {number} isn't finite")
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), args.max_grad_norm)
                self.optimizer.step()

    def policy_loss(
        self, batch: Decisions, log_probabilities: torch.Tensor, falling: float, clone: bool
    ) -> tuple[torch.Tensor, float]:
        """The loss, and the divergence from the policy that played."""
        args = self.args
        chosen = log_probabilities.gather(1, batch.action[:, None])[:, 0]
        if clone:
            return -chosen.mean(), 0.0
        log_ratio = chosen - batch.log_probability
        ratio, advantage = log_ratio.exp(), batch.advantage
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        clipped = ratio.clamp(1 - args.clip_range, 1 + args.clip_range)
        loss = -torch.min(advantage * ratio, advantage * clipped).mean()
        entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
        kl = (ratio - 1 - log_ratio).mean().item()
        return loss - args.ent_coef * falling * entropy, kl


class Run:
    """The training: rounds of play and updates, and what comes between them."""

    def __init__(self, args: Args) -> None:
        args.check()
        saved = open_run(args)
        self.args, self.rules, self.folder = args, args.make_rules(), Path(args.out)
        cuda = args.device == "cuda" or (args.device == "auto" and torch.cuda.is_available())
        device = torch.device("cuda" if cuda else "cpu")
        torch.manual_seed(args.seed)
        self.network: SelfPlayNetwork = self.make_network(args.critic).to(device)
        if args.init:
            self.network.take_policy(model_named(args.init))
        self.called: Any = (
            torch.compile(self.network, dynamic=True) if args.compile else self.network
        )
        self.expert = agents.load(args.expert) if args.expert else None
        self.player = self.make_player(device)
        self.learner = Learner(args, self.called)
        self.checkpoints, self.timers = Checkpoints(self.folder), Timers()
        self.curve: list[dict[str, Any]] = []
        self.frames = self.updates = self.demonstrations = 0
        self.seconds_before, self.start, self.stopping = 0.0, time.perf_counter(), False
        if saved is not None:
            self.restore(saved)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)

    def make_network(self, critic: Critic) -> SelfPlayNetwork:
        """A network of the options' sizes."""
        return SelfPlayNetwork(
            self.rules.num_actions,
            self.rules.num_players,
            kind=self.args.network,
            width=self.args.width,
            embedding_size=self.args.embedding_size,
            critic=critic,
            base=Base(self.args.base, self.args.base_bonus) if self.args.base else None,
        )

    def make_player(self, device: torch.device) -> SelfPlayGames:
        """The games, and who plays in them."""
        args = self.args
        games = SelfPlayBatch(
            args.num_envs,
            self.rules,
            device.type,
            observation="units",
            reward=args.make_reward(),
            seed=args.seed,
            global_state=args.critic == "hidden",
        )
        rivals = Rivals(
            self.folder / "league",
            self.make_network("shared").to(device),
            split_specs(args.opponents),
            args.num_envs,
            games.num_players,
            share=args.rivals_share,
            size=args.league_size,
            active=args.league_members,
            seed=args.seed,
        )
        return SelfPlayGames(
            games, rivals, args.n_steps, symmetries=args.symmetries, seed=args.seed
        )

    def stop(self, *_: Any) -> None:
        """Save and stop after this update."""
        self.stopping = True

    @property
    def seconds(self) -> float:
        """Seconds of the whole training."""
        return self.seconds_before + time.perf_counter() - self.start

    def train(self) -> dict[str, Any]:
        """Train to the end, or until asked to stop."""
        args = self.args
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        speed = TextColumn("{task.fields[rate]:,.0f} frames/s")
        shown = *columns, speed, TimeRemainingColumn()
        with Progress(*shown, console=console, disable=not args.progress) as bar:
            task = bar.add_task("training", total=args.frames, rate=0.0)
            if self.updates == 0 and args.eval_first:
                self.evaluate()
            while self.frames < args.frames and not self.stopping:
                before, start = self.frames, time.perf_counter()
                self.update()
                rate = (self.frames - before) / (time.perf_counter() - start)
                bar.update(task, completed=self.frames, rate=rate)
                last = self.frames >= args.frames
                if last or self.frames // args.eval_every > before // args.eval_every:
                    self.evaluate()
                due = self.frames // args.checkpoint_every > before // args.checkpoint_every
                if last or due or self.stopping:
                    self.save()
        return self.result()

    def update(self) -> None:
        """Play a round and learn from it."""
        args, number = self.args, self.updates
        demonstrate = self.expert is not None and self.demonstrations < args.demonstrations
        left = max(0.0, 1 - self.frames / args.frames)
        if args.anneal:
            point = args.point_reward * max(0.0, 1 - (1 - left) / args.anneal)
            scale = args.reward_scale
            self.player.games.set_reward(PointsGained(point * scale, args.win_reward * scale))
        with self.timers.measure("games"):
            played = self.player.play(
                self.called,
                number,
                gamma=args.gamma,
                gae_lambda=args.gae_lambda,
                expert=self.expert if demonstrate else None,
            )
        with self.timers.measure("updates"):
            self.learner.learn(played, number, 0.1 + 0.9 * left, demonstrate)
        self.updates += 1
        if demonstrate:
            self.demonstrations += len(played)
        else:
            self.frames += len(played)
        if not demonstrate and self.updates % args.league_every == 0:
            self.player.rivals.add(f"{self.updates:07d}", self.export())

    def export(self) -> Model:
        """The policy alone, with its card."""
        program, device = "examples/train_selfplay.py", self.player.device
        card = training_card(self.args, "PPO by self-play", program, device)
        card |= {"frames": self.frames, "demonstrations": self.demonstrations}
        return self.network.export(self.rules, card | {"seconds": round(self.seconds)})

    def evaluate(self) -> None:
        """Play against others."""
        model, args = self.export(), self.args
        model.save(self.folder / "model.npz")
        with self.timers.measure("evaluations"):
            frames, seconds = self.frames, self.seconds
            self.curve += evaluate_model(model, self.rules, args, frames=frames, seconds=seconds)
        title, players = f"Self-play, {self.rules.num_players} players", self.rules.num_players
        unit = "frames (decisions of all seats)"
        write_curve(self.folder, self.curve, title=title, num_players=players, unit=unit)

    def save(self) -> None:
        """Write a checkpoint."""
        state = {
            "options": asdict(self.args),
            "network": self.network.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            "rivals": self.player.rivals.get_state(),
            "counts": [self.frames, self.updates, self.demonstrations, self.player.finished],
            "curve": self.curve,
            "seconds": self.seconds,
            "timers": dict(self.timers.seconds),
        }
        if self.player.device.type == "cpu":
            state["games"] = pack_arrays(self.player.games.get_state())
        with self.timers.measure("checkpoints"):
            self.checkpoints.save(self.frames, state, self.player.rivals.pool)

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue from a checkpoint; on a GPU with new games."""
        self.network.load_state_dict(saved["network"])
        self.learner.optimizer.load_state_dict(saved["optimizer"])
        self.player.rivals.set_state(saved["rivals"])
        self.frames, self.updates, self.demonstrations, self.player.finished = saved["counts"]
        self.curve, self.seconds_before = saved["curve"], saved["seconds"]
        self.timers.seconds.update(saved["timers"])
        if self.player.device.type == "cpu":
            self.player.games.set_state(unpack_arrays(saved["games"]))
        else:
            self.player.games.reset(self.args.seed + self.updates * self.args.num_envs)

    def result(self) -> dict[str, Any]:
        """What is also written to `result.json` at the end."""
        result = {
            "frames": self.frames,
            "demonstrations": self.demonstrations,
            "games": self.player.finished,
            "seconds": round(self.seconds, 1),
            "timers": self.timers.seconds,
            "results": [row for row in self.curve if row["frames"] == self.frames],
            "options": asdict(self.args),
        }
        if self.frames >= self.args.frames:
            text = json.dumps(result, indent=2) + "\n"
            write_bytes(self.folder / "result.json", text.encode())
        spent = ", ".join(f"{part} {s:.0f} s" for part, s in self.timers.seconds.items() if s >= 1)
        say(
            f"{self.frames:,} frames, {self.player.finished:,} games in {self.seconds:,.0f} s "
            f"({spent}); saved in {self.args.out}"
        )
        return result


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; returns what is also written to `result.json`."""
    return Run(parse(Args, arguments, __doc__ or "")).train()


if __name__ == "__main__":
    run_program(main, ImportError, RuntimeError, FloatingPointError, stopped=RESUMABLE)
