"""PPO by self-play on a Ray cluster: workers play with versioned weights, a learner trains.

    python examples/distributed/train_ray.py --help
    python examples/distributed/train_ray.py --workers 2
    python examples/distributed/train_ray.py --workers 200 --address auto --out runs/ray-200
    python examples/distributed/train_ray.py --workers 2 --resume

Beyond one GPU, `torchrun --nproc-per-node 4 examples/distributed/train_ray.py --workers 200` gives
each process a part of the workers and averages the gradients.

Each worker is an actor with a batch of `--num-envs` games. In round r it plays `--n-steps`
decisions of each game with version r - `--max-lag` of the weights, and returns arrays of fixed
shapes and the state of its games. The learner makes update r with round r of all workers, while
they play the next ones. So which weights play which round is fixed beforehand, and the same seed
gives the same batches, however fast anybody is. If a worker dies, another one goes on from the last
state and plays the same round again: nothing is lost, nothing counts twice. `--resume` continues
after any kill and computes the same numbers as a training that never stopped.

In a share of the games past selves play all seats but one. Sources: Schulman et al., "Proximal
Policy Optimization Algorithms", 2017; Espeholt et al., "IMPALA", 2018, for actors that lag behind.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from torch import nn

from catan_pz.agents.network import NetworkAgent
from catan_pz.arena.executors.ray_executor import connect
from catan_pz.checks import not_possible
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from catan_pz.training.checkpoints import check_finite, pack_arrays, unpack_arrays
from catan_pz.training.console import RESUMABLE, run_program, warn
from catan_pz.training.distributed import (
    PROCESSES,
    RANK,
    Versions,
    Workers,
    average_gradients,
    gathered,
    join,
)
from catan_pz.training.evaluation import line_ups
from catan_pz.training.league import PastSelves, parse_weights
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
from catan_pz.training.self_play_network import SelfPlayNetwork


@dataclass(frozen=True, kw_only=True)
class Args(TrainingArgs):
    """Options; `frames` are decisions of all seats, `num_envs` the games of each worker."""

    out: str = "runs/ray"
    """output folder"""
    workers: Count = 2
    """actors that play, on one CPU each; shared out evenly among the processes of torchrun"""
    address: str = ""
    """cluster: HOST:PORT, auto, local; "" for RAY_ADDRESS, that of this machine, or a new one"""
    max_lag: Whole = 1
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
            raise not_possible("opponents", self.opponents, "self, or self:3,league:1")
        if self.observation != "units":
            raise not_possible("observation", self.observation, "'units'")
        if self.workers % PROCESSES:
            raise not_possible("workers", self.workers, f"multiples of {PROCESSES}")
        check_filled(self, self.round_frames // PROCESSES, "a round")


def check_filled(args: Args, decisions: int, what: str) -> None:
    """Refuse minibatches of one decision or none: their advantages have no deviation."""
    if decisions < 2 * args.minibatches:
        allowed = (
            f"up to {decisions // 2}: two decisions a minibatch, and {what} gives a process "
            f"{decisions}; more --num-envs or --n-steps give more"
        )
        raise not_possible("minibatches", args.minibatches, allowed)


def generator(*numbers: int) -> torch.Generator:
    """Random numbers that depend only on these arguments, so no state has to be kept."""
    (seed,) = np.random.SeedSequence(numbers).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(seed))


def make_network(args: Args) -> SelfPlayNetwork:
    """Policy and value, two hidden layers each."""
    rules = args.make_rules()
    return SelfPlayNetwork(
        rules.num_actions, rules.num_players, kind="dense", width=args.width, critic="separate"
    )


def evaluated(network: Any, units: torch.Tensor, mask: torch.Tensor) -> tuple[Any, Any]:
    """Log-probabilities (K, A) and values (K,) of the seats to move."""
    log_probabilities, values = network(units, mask, units[:, :0])
    return log_probabilities, values[:, 0]


class Worker:
    """An actor: a batch of games, played a round at a time."""

    def __init__(self, args: Args, index: int, state: dict[str, Any] | None) -> None:
        torch.set_num_threads(1)
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
        self.network = make_network(args)
        # Of games with past selves the learner has one seat.
        shares = parse_weights(args.opponents)
        count = round(args.num_envs * shares.get("league", 0.0) / sum(shares.values()))
        slots = np.arange(args.num_envs)
        self.has_league = slots >= args.num_envs - count
        self.seats = slots % self.games.num_players

    @torch.no_grad()
    def play(self, number: int, version: int, weights: dict[str, Any], league: Any) -> Any:
        """Play a round with weights of this version, and past selves that share the league's games.

        Returns:
            Arrays (T, B, ...) of fixed shapes, the version, and the state of the games.
        """
        games, rollout = self.games, self.rollout
        self.network.load_state_dict(weights)
        past = [self.network.policy_of(model) for model in league]
        random = generator(self.args.seed, self.index, number)
        learns = np.ones((self.args.n_steps, self.args.num_envs), bool)
        finished = 0
        for t in range(self.args.n_steps):
            units, mask = torch.from_numpy(games.observation), torch.from_numpy(games.mask)
            log_probabilities, values = evaluated(self.network, units, mask)
            if past:
                learns[t] = ~self.has_league | (games.player == self.seats)
            for k, policy in enumerate(past):
                rows = torch.from_numpy(~learns[t] & (np.arange(len(mask)) % len(past) == k))
                seen = units[rows], mask[rows]
                log_probabilities[rows] = self.network.log_probabilities(*seen, policy)
            actions = torch.multinomial(log_probabilities.exp(), 1, generator=random)
            chosen = log_probabilities.gather(1, actions)[:, 0]
            rollout.step(actions[:, 0].numpy(), values.numpy(), log_probability=chosen.numpy())
            finished += int(games.done.sum())
        units, mask = torch.from_numpy(games.observation), torch.from_numpy(games.mask)
        last = evaluated(self.network, units, mask)[1]
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
    args: Args, network: Any, optimizer: Any, rounds: list[dict[str, Any]], number: int
) -> dict[str, float]:
    """Make an update with a round of the workers; its figures."""
    device = next(network.parameters()).device
    batch = {
        name: torch.from_numpy(np.concatenate([given[name][given["learned"]] for given in rounds]))
        for name in ("observation", "mask", "action", "log_probability", "advantage", "target")
    }
    size, stale_kl, num_actions = len(batch["action"]), 0.0, args.make_rules().num_actions
    check_filled(args, size, f"round {number}")
    random = generator(args.seed, RANK, number, 1)
    for epoch in range(args.n_epochs):
        order = torch.randperm(size, generator=random).tensor_split(args.minibatches)
        for k, rows in enumerate(order):
            part = {name: x[rows] for name, x in batch.items()}
            bits = np.unpackbits(part["mask"].numpy(), axis=-1, count=num_actions)
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


def ppo_loss(args: Args, network: Any, batch: dict[str, Any]) -> tuple[Any, float]:
    """The loss, and the divergence of the policy from the one that played."""
    log_probabilities, values = evaluated(network, batch["observation"], batch["mask"])
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


class Learner:
    """The network, its versions, and the workers that play with them."""

    def __init__(self, args: Args) -> None:
        args.check()
        self.args, self.rules = args, args.make_rules()
        self.device = join(args.device)
        torch.manual_seed(args.seed)
        self.network = make_network(args).to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate)
        self.versions = Versions(
            PastSelves(Path(args.out) / "league", args.league_size, args.league_members),
            self.network,
            max_lag=args.max_lag,
            every=args.league_every,
            seed=args.seed,
        )
        self.total = -(-args.frames // args.round_frames)
        self.states: dict[int, Any] = dict.fromkeys(range(RANK, args.workers, PROCESSES))
        self.workers: Any = None

    def start(self) -> None:
        """Start the workers, after their last states."""
        args = self.args
        self.ray = connect_all(args.address, args.workers)
        self.workers = Workers(self.ray, partial(Worker, args), self.states, args.patience, warn)
        self.asked = self.versions.newest

    def play(self, number: int) -> dict[str, Any]:
        """Ask for the rounds ahead, and learn from the next one."""
        args, versions = self.args, self.versions
        while self.asked <= min(number + args.max_lag, self.total - 1):
            weights = self.ray.put(versions.weights_for(self.asked))
            league = self.ray.put(versions.league_for(self.asked))
            self.workers.ask(self.asked, versions.number_for(self.asked), weights, league)
            self.asked += 1
        rounds = self.workers.take(number)
        lag = max(number - given["version"] for given in rounds)
        assert lag <= args.max_lag
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * (1 - 0.9 * number / self.total)
        told = learn(args, self.network, self.optimizer, rounds, number)
        check_finite(self.parameters(), f"{number + 1:,} updates")
        versions.add()
        if RANK == 0:
            versions.write_past_self(lambda: self.network.export(self.rules))
        gathered(None)  # all wait for its file
        games = sum(given["finished"] for given in rounds)
        counted = {"frames": args.round_frames, "rounds": len(rounds), "games": games, "lag": lag}
        return counted | told

    def parameters(self) -> Any:
        """What training must leave finite."""
        return self.network.state_dict()

    def agent(self) -> NetworkAgent:
        """The policy as a player."""
        return NetworkAgent(self.network.export(self.rules))

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz`."""
        self.network.export(self.rules, card).save(folder / "model.npz")

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on, of all processes."""
        games = {index: pack_arrays(state) for index, state in self.workers.states.items()}
        return {
            "versions": self.versions.get_state(),
            "optimizer": self.optimizer.state_dict(),
            "games": {k: packed for part in gathered(games) for k, packed in part.items()},
            "snapshots": self.versions.files,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.versions.set_state(state["versions"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.states = {index: unpack_arrays(state["games"][index]) for index in self.states}


class RayRun(Run):
    """A run in the processes of torchrun: the first one writes, and all stop together."""

    writes = RANK == 0
    learner: Learner

    def _agreed(self, stop: bool) -> bool:
        return any(gathered(stop))

    def result(self, **more: Any) -> dict[str, Any]:
        """The content of `result.json`, with sums and means of all rounds."""
        learner, count = self.learner, max(1, len(self.rows))
        names = ("rounds", "learned", "games", "lag", "stale_kl")
        sums = {name: sum(row[name] for row in self.rows) for name in names}
        means = {f"mean_{name}": sums.pop(name) / count for name in ("lag", "stale_kl")}
        return super().result(**sums, **means, replaced=learner.workers.replaced)


def connect_all(address: str, num_cpus: int) -> Any:
    """Ray, the same cluster for all processes of torchrun."""
    if RANK == 0:
        ray = connect(address or None, num_cpus)
        address = ray.get_runtime_context().gcs_address
    return connect(gathered(address)[0])


def make_run(args: Args) -> RayRun:
    """The training, with its learner and workers."""
    set_up(args)
    learner = Learner(args)
    run = RayRun(
        args,
        learner,
        title=f"PPO on Ray, {learner.rules.num_players} players",
        card=training_card(args, "PPO on Ray", "examples/distributed/train_ray.py", learner.device),
        evaluations=line_ups(args.eval_against, learner.rules),
    )
    learner.start()
    return run


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    run = make_run(parse(Args, arguments, __doc__ or ""))
    try:
        return run.train()
    finally:
        run.learner.workers.close()


if __name__ == "__main__":
    run_program(main, ImportError, RuntimeError, stopped=RESUMABLE)
