"""PPO by self-play on a Ray cluster: workers play with versioned weights, a learner trains.

    python examples/distributed/train_ray.py --help
    python examples/distributed/train_ray.py --workers 2
    python examples/distributed/train_ray.py --workers 200 --address auto --out runs/ray-200
    python examples/distributed/train_ray.py --workers 2 --resume

Beyond one GPU, `torchrun --nproc-per-node 4 examples/distributed/train_ray.py --workers 200` gives
each process a part of the workers and averages the gradients.

Each worker is an actor with a batch of `--num-envs` games. In round r it plays `--n-steps`
decisions of each game with version r - `--max-lag` of the weights, taken from the object store, and
returns arrays of fixed shapes: int8 observations, packed masks, actions, advantages. The learner
makes update r with round r of all workers, while they play the next ones. Which weights play which
round is thus fixed beforehand: they are never older than `--max-lag` updates, and the same seed
gives the same batches, however fast anybody is.

With its round a worker returns the state of its games. If it dies, another one goes on from the
last state and plays the same round again: nothing is lost, nothing counts twice. A checkpoint has
these states beside network, optimizer and the last versions; `--resume` continues after any kill
and computes the same numbers, on the same kind of CPU, as a training that never stopped.

In a share of the games past selves play all seats but one, and only the learner's decisions are
learned from. Sources: Schulman et al., "Proximal Policy Optimization Algorithms", 2017; Espeholt et
al., "IMPALA", 2018, for actors whose weights are older than the learner's.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from torch import nn

from catan_pz.agents.network import Model
from catan_pz.arena.executors.ray_cluster import connect
from catan_pz.checks import not_possible
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from catan_pz.training.actor_critic import ActorCritic, load_arrays
from catan_pz.training.checkpoints import (
    Checkpoints,
    check_finite,
    keep,
    pack_arrays,
    unpack_arrays,
    write_bytes,
)
from catan_pz.training.console import progress_bar, say, warn
from catan_pz.training.curves import write_curve
from catan_pz.training.evaluation import evaluate_model
from catan_pz.training.hardware import set_up_torch, training_card
from catan_pz.training.league import parse_weights
from catan_pz.training.opening import open_run
from catan_pz.training.options import Coefficient, Count, Positive, Share, TrainingArgs, parse
from catan_pz.training.processes import PROCESSES, RANK, average_gradients, gathered, join
from catan_pz.training.program import RESUMABLE, heeding_signals, run_program
from catan_pz.training.ray_workers import Workers
from catan_pz.training.stopping import Stoppable
from catan_pz.training.timers import Clock, Timers
from catan_pz.training.versions import Versions


@dataclass(frozen=True, kw_only=True)
class Args(TrainingArgs):
    """Options; `frames` are decisions of all seats, `num_envs` the games of each worker."""

    out: str = "runs/ray"
    """output folder"""
    workers: Count = 2
    """actors that play, on one CPU each; shared out evenly among the processes of torchrun"""
    address: str = ""
    """cluster: HOST:PORT, auto, local; "" for RAY_ADDRESS, that of this machine, or a new one"""
    max_lag: int = 1
    """updates that the weights in play are behind, at most; 0 lets learner and workers wait"""
    patience: Positive = 600.0
    """seconds without an answer after which a worker is replaced"""
    opponents: str = "self:3,league:1"
    """shares of the games: all seats learn (self), or past selves play all but one (league)"""

    n_steps: Count = 64
    """decisions of each game in a round"""
    n_epochs: Count = 2
    """passes over the decisions of an update"""
    minibatches: Count = 8
    """minibatches of each pass"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam at the start; it falls linearly to a tenth"""
    gamma: Share = 0.997
    """discount from one decision of a seat to its next"""
    gae_lambda: Share = 0.95
    """lambda of generalized advantage estimation"""
    clip_range: Positive = 0.2
    """clipping of the probability ratio"""
    ent_coef: Coefficient = 0.005
    """coefficient of the entropy bonus"""
    vf_coef: Coefficient = 0.5
    """coefficient of the value loss"""
    max_grad_norm: Positive = 0.5
    """largest norm of the gradient"""
    width: Count = 128
    """units in each of the two hidden layers of policy and value"""

    @property
    def round_frames(self) -> int:
        """Decisions in a round of all workers."""
        return self.workers * self.num_envs * self.n_steps

    def check(self) -> None:
        """Refuse what isn't possible."""
        shares = parse_weights(self.opponents)
        if not set(shares) <= {"self", "league"} or shares.get("self", 0) <= 0:
            raise not_possible("option opponents", self.opponents, "self, or self:3,league:1")
        if self.observation != "units":
            raise not_possible("option observation", self.observation, "'units'")
        if self.workers % PROCESSES:
            raise not_possible("option workers", self.workers, f"multiples of {PROCESSES}")
        check_filled(self, self.round_frames // PROCESSES, "a round")


def check_filled(args: Args, decisions: int, what: str) -> None:
    """Refuse minibatches of one decision or none: their advantages have no deviation.

    Args:
        args: the options.
        decisions: that a process learns from in a round.
        what: the round, for the error.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """
    if decisions < 2 * args.minibatches:
        allowed = (
            f"up to {decisions // 2}: two decisions a minibatch, and {what} gives a process "
            f"{decisions}; more --num-envs or --n-steps give more"
        )
        raise not_possible("option minibatches", args.minibatches, allowed)


def generator(*numbers: int) -> torch.Generator:
    """Random numbers that depend on these alone, so that no state of theirs has to be kept."""
    (seed,) = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(seed))


class Worker:
    """An actor: a batch of games, played a round at a time."""

    def __init__(self, args: Args, index: int, state: dict[str, Any] | None) -> None:
        set_up_torch(1)
        self.args, self.index = args, index
        self.games = SelfPlayBatch(
            args.num_envs,
            args.make_rules(),
            observation="units",
            reward=args.make_reward(),
            seed=(args.seed + index * args.num_envs) % 2**64,
        )
        if state is not None:
            self.games.set_state(state)
        self.rollout = SelfPlayRollout(self.games, args.n_steps)
        self.network = ActorCritic(self.games.rules.num_actions, args.width)
        # Of games with past selves the learner has one seat.
        shares = parse_weights(args.opponents)
        count = round(args.num_envs * shares.get("league", 0.0) / sum(shares.values()))
        slots = np.arange(args.num_envs)
        self.has_league = slots >= args.num_envs - count
        self.seats = slots % self.games.num_players

    @torch.no_grad()
    def play(self, number: int, version: int, weights: dict[str, Any], league: Any) -> Any:
        """Play a round.

        Args:
            number: of the round.
            version: of the weights.
            weights: of the learner.
            league: policies of the past selves that play; they are shared out among the games.

        Returns:
            Arrays (T, B, ...) of fixed shapes, the version, and the state of the games.
        """
        games, rollout = self.games, self.rollout
        self.network.set_weights(weights)
        past = [ActorCritic(games.rules.num_actions, self.args.width).policy for _ in league]
        for policy, layers in zip(past, league, strict=True):
            load_arrays(policy, layers)
        random = generator(self.args.seed, self.index, number)
        learns = np.ones((self.args.n_steps, self.args.num_envs), bool)
        finished = 0
        for t in range(self.args.n_steps):
            units, mask = torch.from_numpy(games.observation), torch.from_numpy(games.mask)
            log_probabilities, values = self.network(units, mask)
            if past:
                learns[t] = ~self.has_league | (games.player == self.seats)
            for k, policy in enumerate(past):
                rows = torch.from_numpy(~learns[t] & (np.arange(len(mask)) % len(past) == k))
                log_probabilities[rows] = self.network(units[rows], mask[rows], policy)[0]
            actions = torch.multinomial(log_probabilities.exp(), 1, generator=random)
            chosen = log_probabilities.gather(1, actions)[:, 0]
            rollout.step(actions[:, 0].numpy(), values.numpy(), log_probability=chosen.numpy())
            finished += int(games.done.sum())
        last = self.network(torch.from_numpy(games.observation), torch.from_numpy(games.mask))[1]
        data = rollout.finish(last.numpy(), gamma=self.args.gamma, gae_lambda=self.args.gae_lambda)
        return {
            "observation": data.recorded["observation"],
            "mask": np.packbits(data.recorded["mask"], axis=-1),
            "action": data.recorded["action"].astype(np.int16),
            "log_probability": data.recorded["log_probability"],
            "advantage": data.advantage,
            "target": data.target,
            "learned": data.is_complete & learns,
            "version": version,
            "finished": finished,
            "state": games.get_state(),
        }


def learn(
    args: Args, network: ActorCritic, optimizer: Any, rounds: list[dict[str, Any]], number: int
) -> dict[str, float]:
    """Make an update with a round of the workers; what it tells of the data.

    Raises:
        ValueError: if a minibatch would have fewer than two decisions.
        FloatingPointError: if the loss isn't finite.
    """
    device = next(network.parameters()).device
    batch = {
        name: torch.from_numpy(np.concatenate([given[name][given["learned"]] for given in rounds]))
        for name in ("observation", "mask", "action", "log_probability", "advantage", "target")
    }
    size, stale_kl = len(batch["action"]), 0.0
    check_filled(args, size, f"round {number}")
    random = generator(args.seed, RANK, number, 1)
    for epoch in range(args.n_epochs):
        order = torch.randperm(size, generator=random).tensor_split(args.minibatches)
        for k, rows in enumerate(order):
            part = {name: x[rows] for name, x in batch.items()}
            bits = np.unpackbits(part["mask"].numpy(), axis=-1, count=network.num_actions)
            part["mask"] = torch.from_numpy(bits)
            loss, kl = ppo_loss(args, network, {name: x.to(device) for name, x in part.items()})
            if not torch.isfinite(loss):
                raise FloatingPointError(f"the loss of update {number} isn't finite")
            stale_kl = kl if epoch == k == 0 else stale_kl
            optimizer.zero_grad()
            loss.backward()
            average_gradients(network)
            nn.utils.clip_grad_norm_(network.parameters(), args.max_grad_norm)
            optimizer.step()
    return {"stale_kl": stale_kl, "learned": size}


def ppo_loss(args: Args, network: ActorCritic, batch: dict[str, Any]) -> tuple[Any, float]:
    """The loss, and the divergence of the policy from the one that played."""
    log_probabilities, values = network(batch["observation"], batch["mask"])
    chosen = log_probabilities.gather(1, batch["action"].long()[:, None])[:, 0]
    log_ratio = chosen - batch["log_probability"]
    ratio, advantage = log_ratio.exp(), batch["advantage"]
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    clipped = ratio.clamp(1 - args.clip_range, 1 + args.clip_range)
    policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
    value_loss = (values - batch["target"]).square().mean()
    entropy = -(log_probabilities.exp() * log_probabilities).sum(-1).mean()
    loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * entropy
    return loss, (ratio - 1 - log_ratio).mean().item()


class Run(Stoppable):
    """The training: rounds, updates, and what comes between them."""

    def __init__(self, args: Args) -> None:
        args.check()
        saved = open_run(args)
        self.args, self.rules = args, args.make_rules()
        self.device, self.folder = join(args.device), Path(args.out)
        torch.manual_seed(args.seed)
        self.network = ActorCritic(self.rules.num_actions, args.width).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate)
        self.versions = Versions(
            self.folder / "league",
            self.network,
            max_lag=args.max_lag,
            every=args.league_every,
            size=args.league_size,
            active=args.league_members,
            seed=args.seed,
        )
        self.total = -(-args.frames // args.round_frames)
        self.checkpoints, self.timers = Checkpoints(self.folder), Timers()
        self.curve: list[dict[str, Any]] = []
        self.totals = {"rounds": 0, "learned": 0, "games": 0, "lag": 0, "stale_kl": 0.0}
        self.clock = Clock()
        states: dict[int, Any] = dict.fromkeys(range(RANK, args.workers, PROCESSES))
        if saved is not None:
            self.versions.set_state(saved["versions"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.curve, self.totals = saved["curve"], saved["totals"]
            self.clock = Clock(saved["seconds"])
            self.timers.seconds.update(saved["timers"])
            states = {index: unpack_arrays(saved["games"][index]) for index in states}
        self.ray = connect_all(args.address, args.workers)
        self.workers = Workers(self.ray, partial(Worker, args), states, args.patience, warn)
        self.asked = self.versions.newest

    @property
    def frames(self) -> int:
        """Decisions in the rounds that were taken, of all seats."""
        return self.versions.newest * self.args.round_frames

    def train(self) -> dict[str, Any]:
        """Train to the end, or until asked to stop."""
        args, stopping = self.args, False
        shown = progress_bar(args.progress and RANK == 0)
        with heeding_signals(self.stop), shown as bar:
            total = self.total * args.round_frames
            task = bar.add_task("training", total=total, completed=self.frames, rate=0.0)
            if self.frames == 0 and args.eval_first:
                self.evaluate()
            if self.versions.newest == self.total and RANK == 0:
                # A run that ended before all was written.
                keep(self.write_curve, "the curve", needed=True)
                keep(self.write_model, "the model", needed=True)
            while self.versions.newest < self.total and not stopping:
                before, start = self.frames, time.perf_counter()
                self.update()
                rate = args.round_frames / (time.perf_counter() - start)
                bar.update(task, completed=self.frames, rate=rate)
                last, stopping = self.versions.newest == self.total, any(gathered(self.stopping))
                if last or self.frames // args.eval_every > before // args.eval_every:
                    self.evaluate()
                due = self.frames // args.checkpoint_every > before // args.checkpoint_every
                if last or due or stopping:
                    self.save(needed=last or stopping)
        self.workers.close()
        return self.result()

    def update(self) -> None:
        """Ask for the rounds ahead, and learn from the next one."""
        args, number = self.args, self.versions.newest
        while self.asked <= min(number + args.max_lag, self.total - 1):
            weights = self.ray.put(self.versions.weights_for(self.asked))
            league = self.ray.put(self.versions.league_for(self.asked))
            self.workers.ask(self.asked, self.versions.number_for(self.asked), weights, league)
            self.asked += 1
        with self.timers.measure("games"):
            rounds = self.workers.take(number)
        lag = max(number - given["version"] for given in rounds)
        assert lag <= args.max_lag
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - 0.9 * number / self.total)
        with self.timers.measure("updates"):
            told = learn(args, self.network, self.optimizer, rounds, number)
            check_finite(self.network.state_dict(), f"{number + 1:,} updates")
        told |= {"lag": lag, "rounds": len(rounds), "games": sum(g["finished"] for g in rounds)}
        self.totals = {name: total + told[name] for name, total in self.totals.items()}
        self.versions.add()
        if RANK == 0:
            self.versions.write_past_self(self.export)
        gathered(None)  # all wait for its file

    def export(self) -> Model:
        """The policy alone, with its card."""
        program = "examples/distributed/train_ray.py"
        card = training_card(self.args, "PPO on Ray", program, self.device)
        return self.network.export(self.rules, card | {"frames": self.frames})

    def evaluate(self) -> None:
        """Play against others, in the first process."""
        if RANK:
            return
        model, args = self.export(), self.args
        with self.timers.measure("evaluations"):
            frames, seconds = self.frames, self.clock.seconds
            self.curve += evaluate_model(model, self.rules, args, frames=frames, seconds=seconds)
        keep(self.write_curve, "the curve")

    def write_curve(self) -> None:
        """Write the table and the picture of all evaluations so far."""
        title, players = f"PPO on Ray, {self.rules.num_players} players", self.rules.num_players
        unit = "frames (decisions of all seats)"
        write_curve(self.folder, self.curve, title=title, num_players=players, unit=unit)

    def save(self, *, needed: bool) -> None:
        """Write a checkpoint and the model, in the first process.

        Args:
            needed: whether a full disk ends the training.
        """
        games = {index: pack_arrays(state) for index, state in self.workers.states.items()}
        parts = gathered(games)
        state = {
            "options": asdict(self.args),
            "versions": self.versions.get_state(),
            "optimizer": self.optimizer.state_dict(),
            "games": {index: packed for part in parts for index, packed in part.items()},
            "curve": self.curve,
            "totals": self.totals,
            "seconds": self.clock.seconds,
            "timers": dict(self.timers.seconds),
        }
        if RANK:
            return
        frames, files = self.frames, self.versions.files
        with self.timers.measure("checkpoints"):
            self.checkpoints.keep(frames, state, files, needed=needed)
            keep(self.write_model, "the model", needed=needed)

    def write_model(self) -> None:
        """Write the policy alone."""
        self.export().save(self.folder / "model.npz")

    def result(self) -> dict[str, Any]:
        """What is also written to `result.json` at the end."""
        updates = max(1, self.versions.newest)
        result = {
            "frames": self.frames,
            "seconds": round(self.clock.seconds, 1),
            **{name: self.totals[name] for name in ("rounds", "learned", "games")},
            "mean_lag": self.totals["lag"] / updates,
            "mean_stale_kl": self.totals["stale_kl"] / updates,
            "replaced": self.workers.replaced,
            "timers": self.timers.seconds,
            "results": [row for row in self.curve if row["frames"] == self.frames],
            "options": asdict(self.args),
        }
        if RANK == 0 and self.versions.newest == self.total:
            text = json.dumps(result, indent=2) + "\n"
            write_bytes(self.folder / "result.json", text.encode())
        say(
            f"{self.frames:,} frames in {self.clock.seconds:,.0f} s, {result['games']:,} games; "
            f"weights {result['mean_lag']:.2f} updates old, "
            f"divergence {result['mean_stale_kl']:.4f}; "
            f"{self.workers.replaced} workers replaced; saved in {self.args.out}"
        )
        return result


def connect_all(address: str, num_cpus: int) -> Any:
    """Ray, the same cluster for all processes of torchrun."""
    if RANK == 0:
        ray = connect(address or None, num_cpus)
        address = ray.get_runtime_context().gcs_address
    return connect(gathered(address)[0])


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; returns what is also written to `result.json`."""
    return Run(parse(Args, arguments, __doc__ or "")).train()


if __name__ == "__main__":
    run_program(main, ImportError, RuntimeError, FloatingPointError, stopped=RESUMABLE)
