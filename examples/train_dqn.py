"""DQN of Stable-Baselines3 made aware of masks, on many games of Catan at once.

    python examples/train_dqn.py --help
    python examples/train_dqn.py --players 4 --frames 5000000 --out runs/dqn-4p
    python examples/train_dqn.py --out runs/dqn-4p --resume

Masks count three times: exploration draws legal actions alone, the greedy choice is the best
legal one, and so is the action whose value the target bootstraps from (of the online network
with `--double`). The replay buffer keeps each observation once, as int8, with its mask in
packed bits: about 1 kB a decision. A decision's target is the n-step return; windows that meet
the limit of turns are left out, since what would have followed is unknown.

The output folder holds `checkpoint.json` with the last two checkpoints, `model.npz` (the
network alone, to be played without torch), `curve.csv` and `curve.png`, TensorBoard's `logs`
and `result.json`. Ctrl-C finishes the update and saves. A training that was killed goes on
from its last checkpoint with `--resume`, replay buffer included, and gives the same numbers as
one that was never broken off. How it learns: Mnih et al., "Human-level control through deep
reinforcement learning", 2015; van Hasselt et al., "Deep Reinforcement Learning with Double
Q-learning", 2016; Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988,
for n steps.
"""

import argparse
import csv
import hashlib
import io
import json
import os
import platform
import shlex
import signal
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

# Models play on one thread too: several get into each other's way on products as small as theirs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from catan_pz.agents.league import League
from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.agents.views import Views
from catan_pz.arena import play_match
from catan_pz.env.vector.board_policies import BoardQPolicy
from catan_pz.env.vector.export import exported
from catan_pz.env.vector.sb3 import CatanVecEnv, ScaleUnits
from catan_pz.observation.segments import SCALES, SIZE, named_views
from catan_pz.rewards import REWARDS, LinearReward, PointsGained
from catan_pz.rules import PRESETS, Rules

console = Console()


def option(default: Any, text: str, choices: Sequence[str] = ()) -> Any:
    """A field of the options with its line of help."""
    return field(default=default, metadata={"help": text, "choices": tuple(choices) or None})


@dataclass(frozen=True)
class Options:
    """What can be chosen on the command line."""

    # The game.
    rules: str = option("base", "preset of rules", sorted(PRESETS))
    players: int = option(4, "players, the learner included (base rules)")
    trading: bool = option(False, "trade between players (base rules)")
    points: int = option(0, "points that win; 0 for what the rules say")
    boards: str = option("random", "random, spiral, beginner, or seeds of boards: 1,2,3")
    skip_forced: bool = option(True, "decisions with one legal action are played by the engine")
    reward: str = option("shaped", "shaped (see point and win), or a class", ["shaped", *REWARDS])
    point: float = option(0.1, "shaped reward for each point gained")
    win: float = option(1.0, "shaped reward for a win, and its negative for a loss")
    scale: float = option(1.0, "every reward is multiplied by this")
    observation: str = option(
        "units", "units: int8; flat, dict: float32", ["units", "flat", "dict"]
    )
    # The opponents.
    opponents: str = option("random", "names and weights, past selves are league: random,league:3")
    league_every: int = option(80, "rounds of updates between two snapshots for the league")
    league_size: int = option(50, "snapshots that are kept; the oldest goes first")
    league_members: int = option(4, "snapshots that play at a time, half recent, half any")
    # The learning.
    frames: int = option(2_000_000, "decisions of the learner to train on")
    games: int = option(128, "games that are played side by side")
    steps: int = option(4, "decisions a game between two rounds of updates")
    updates: int = option(4, "minibatches in a round of updates")
    batch: int = option(512, "decisions in a minibatch")
    replay: int = option(200_000, "decisions that the replay buffer keeps, 1 kB each")
    warmup: int = option(20_000, "frames of random play before the first update")
    n_steps: int = option(3, "rewards that a target adds up before it bootstraps")
    double: bool = option(True, "the online network chooses, the target network values")
    target_every: int = option(10_000, "frames between two copies of the target network")
    rate: float = option(5e-4, "learning rate of Adam at the start")
    last_rate: float = option(0.1, "share of it that is left at the end, linear in between")
    gamma: float = option(0.99, "discount of a decision")
    epsilon: float = option(0.02, "share of random decisions at the end; 1 at the start")
    exploring: float = option(0.2, "part of the training in which that share falls")
    network: str = option(
        "board", "board: the same layers at every place; dense: layers alone", ["board", "dense"]
    )
    width: int = option(128, "units in each dense layer")
    place_width: int = option(32, "numbers that stand for a place in a board network")
    depth: int = option(2, "hidden layers of a dense network")
    activation: str = option("relu", "between those layers", ["relu", "tanh"])
    seed: int = option(1, "of games, network and learning")
    # The run.
    device: str = option("auto", "of the network", ["auto", "cpu", "cuda"])
    threads: int = option(1, "CPU threads of torch; small networks need one")
    eval_every: int = option(500_000, "frames between two evaluations")
    eval_first: bool = option(True, "evaluate before the first update as well")
    eval_games: int = option(400, "games of an evaluation against each opponent")
    eval_against: str = option("random", "names of the opponents of evaluations: random,heuristic")
    checkpoint_every: int = option(250_000, "frames between two checkpoints")
    out: str = option("runs/dqn", "output folder")
    resume: bool = option(False, "go on from the last checkpoint in the output folder")
    progress: bool = option(True, "show a progress bar")


MAY_DIFFER = (
    *("frames", "device", "threads", "eval_first", "eval_games"),
    *("checkpoint_every", "out", "resume", "progress"),
)
"""Options that a resumed training may be given anew; other frames stretch the learning rate."""


AT_LEAST_ONE = (
    *("frames", "games", "steps", "updates", "batch", "n_steps"),
    *("checkpoint_every", "eval_every", "eval_games", "league_every"),
)
LOG_EVERY = 16_384
"""Frames between two entries in TensorBoard's logs."""


def parse_options(arguments: Sequence[str] | None = None) -> Options:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for one in fields(Options):
        name = f"--{one.name.replace('_', '-')}"
        kind: dict[str, Any] = {"type": type(one.default), "choices": one.metadata["choices"]}
        if isinstance(one.default, bool):
            kind = {"action": argparse.BooleanOptionalAction}
        parser.add_argument(name, default=one.default, help=one.metadata["help"], **kind)
    options = Options(**vars(parser.parse_args(arguments)))
    for name in AT_LEAST_ONE:
        if getattr(options, name) < 1:
            raise ValueError(f"option {name}={getattr(options, name)}: allowed: an int from 1")
    if options.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("option device='cuda': torch sees no GPU here; allowed: auto, cpu")
    return options


# ------------------------------------------------------------------------------------- games


def rules_of(options: Options) -> Rules:
    """The rules of the games."""
    chosen: dict[str, Any] = {"skip_forced": options.skip_forced}
    if options.rules == "base":
        chosen |= {"num_players": options.players, "trading": options.trading}
    if options.points:
        chosen["victory_points"] = options.points
    boards: Any = options.boards
    if boards[:1].isdigit():
        boards = tuple(int(seed) for seed in boards.split(","))
    return Rules.make(options.rules, board=boards, **chosen)


def reward_of(options: Options) -> LinearReward:
    """The reward, on the scale that is wanted."""
    if options.reward == "shaped":
        plain: LinearReward = PointsGained(point=options.point, win=options.win)
    else:
        plain = REWARDS[options.reward]()
    terms = {kind.name.lower(): plain.weights[kind] * options.scale for kind in plain.depends_on}
    return LinearReward(**terms)


class Timers:
    """Seconds that went into each part of the training."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(
            ("games", "opponents", "choices", "updates", "evaluations", "checkpoints"), 0.0
        )

    @contextmanager
    def of(self, part: str) -> Any:
        """Count the time inside."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] += time.perf_counter() - start


class TimedVecEnv(CatanVecEnv):
    """The games, with their time taken."""

    timers: Timers

    def reset(self) -> Any:
        """Start all games."""
        with self.timers.of("games"):
            return super().reset()

    def step_wait(self) -> Any:
        """Play the actions."""
        with self.timers.of("games"):
            return super().step_wait()


def make_games(options: Options, opponents: League | None, timers: Timers) -> TimedVecEnv:
    """The games to learn from, each with the learner in a seat drawn for each episode."""
    games = TimedVecEnv(
        options.games,
        rules_of(options),
        seat="random",
        opponents=opponents,
        observation=options.observation,
        reward=reward_of(options),
        seed=options.seed,
    )
    games.timers = timers
    return games


# --------------------------------------------------------------------------------- opponents


class TimedLeague(League):
    """Opponents by name and past selves, with their time taken."""

    timers: Timers

    def act_batch(self, views: Views) -> Any:
        """Choices in many games."""
        with self.timers.of("opponents"):
            return super().act_batch(views)


def opponents_of(options: Options, timers: Timers) -> TimedLeague | None:
    """The opponents, or None for random ones, whom the engine plays itself."""
    weights: dict[str, float] = {}
    for part in options.opponents.split(","):
        name, _, weight = part.partition(":")
        try:
            weights[name] = float(weight or 1)
        except ValueError:
            raise ValueError(f"option opponents: weight {weight!r}; allowed: a number") from None
    if set(weights) == {"random"}:
        return None
    share = weights.pop("league", 0.0)
    league = TimedLeague(
        Path(options.out) / "league",
        list(weights),
        list(weights.values()),
        share=share,
        size=options.league_size,
        active=options.league_members,
        seed=options.seed,
    )
    league.timers = timers
    return league


# ---------------------------------------------------------------------------------- learner


class Replay:
    """The last decisions of each game: observations once, in natural units, masks in bits.

    What follows a decision is the next row of its game. Letters: T rows, B games.

    Args:
        decisions: how many are kept, T * B.
        num_games: B.
        num_actions: A.
        n: rewards that a return adds up.
        gamma: discount.
        seed: of the draws.
    """

    def __init__(
        self, decisions: int, num_games: int, num_actions: int, n: int, gamma: float, seed: int
    ) -> None:
        self.rows = max(n + 2, decisions // num_games)
        self.num_actions, self.n, self.gamma = num_actions, n, gamma
        shape = (self.rows, num_games)
        self.arrays: dict[str, np.ndarray] = {
            "observations": np.zeros((*shape, SIZE), np.int8),
            "masks": np.zeros((*shape, -(-num_actions // 8)), np.uint8),
            "actions": np.zeros(shape, np.int16),
            "rewards": np.zeros(shape, np.float32),
            "done": np.zeros(shape, np.bool_),
            "truncated": np.zeros(shape, np.bool_),
        }
        self.added = 0
        self.rng = np.random.default_rng([seed, 0x5EED])

    @property
    def size(self) -> int:
        """Rows that are filled."""
        return min(self.added, self.rows)

    def add(self, **row: np.ndarray) -> None:
        """Keep a decision of each game: its observation, mask, action, reward and end."""
        place = self.added % self.rows
        for name, values in row.items():
            self.arrays[name][place] = values
        self.added += 1

    def sample(self, count: int) -> dict[str, np.ndarray]:
        """Decisions drawn at random, with their returns and what to bootstrap from.

        Returns:
            observations (count, N), actions, returns, discounts (0 where the game ended),
            next_observations and next_masks (count, A) of n steps later.
        """
        a, n = self.arrays, self.n
        oldest = self.added - self.size
        chosen = np.empty((0, 2), np.int64)
        while len(chosen) < count:
            drawn = np.stack(
                [
                    self.rng.integers(oldest, self.added - n, count),
                    self.rng.integers(a["done"].shape[1], size=count),
                ],
                axis=1,
            )
            window = (drawn[:, :1] + np.arange(n)) % self.rows
            cut = self._before_end(window, drawn[:, 1:]) & a["truncated"][window, drawn[:, 1:]]
            chosen = np.concatenate([chosen, drawn[~cut.any(axis=1)]])
        row, game = chosen[:count].T
        window = (row[:, None] + np.arange(n)) % self.rows
        counts = self._before_end(window, game[:, None])
        rewards = a["rewards"][window, game[:, None]] * counts
        ended = (a["done"][window, game[:, None]] & counts).any(axis=1)
        row, later = row % self.rows, (row + n) % self.rows
        masks = np.unpackbits(a["masks"][later, game], axis=1, count=self.num_actions)
        return {
            "observations": a["observations"][row, game],
            "actions": a["actions"][row, game].astype(np.int64),
            "returns": (rewards @ self.gamma ** np.arange(n)).astype(np.float32),
            "discounts": np.where(ended, 0, self.gamma**n).astype(np.float32),
            "next_observations": a["observations"][later, game],
            "next_masks": masks.view(np.bool_),
        }

    def _before_end(self, window: np.ndarray, game: np.ndarray) -> np.ndarray:
        """(count, n) whether each step of the windows still belongs to their first game."""
        done = self.arrays["done"][window, game]
        return np.cumsum(done, axis=1) - done == 0

    def get_state(self) -> dict[str, Any]:
        """What is kept, compressed."""
        packed_arrays = {
            name: torch.frombuffer(
                bytearray(zlib.compress(array[: self.size].tobytes(), 1)), dtype=torch.uint8
            )
            for name, array in self.arrays.items()
        }
        rng = json.dumps(self.rng.bit_generator.state)
        return {"arrays": packed_arrays, "added": self.added, "rng": rng}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` gave."""
        self.added = state["added"]
        for name, array in self.arrays.items():
            data = zlib.decompress(state["arrays"][name].numpy().tobytes())
            array[: self.size] = np.frombuffer(data, array.dtype).reshape(-1, *array.shape[1:])
        self.rng.bit_generator.state = json.loads(state["rng"])


class MaskedDQN(DQN):
    """DQN that never takes, values or copies an illegal action."""

    def prepare(self, options: Options, games: CatanVecEnv) -> None:
        """What the plain class doesn't know: the games, the replay buffer, the options."""
        self.options, self.games = options, games
        self.explorer = np.random.default_rng([options.seed, 0xE8])
        self.kept = Replay(
            options.replay,
            options.games,
            games.batch.rules.num_actions,
            options.n_steps,
            options.gamma,
            options.seed,
        )

    def as_seen(self, units: np.ndarray) -> Any:
        """Observations in natural units as the network takes them."""
        if self.options.observation == "units":
            return torch.as_tensor(units, device=self.device)
        scaled = np.minimum(units * SCALES, np.float32(1))
        if self.options.observation == "flat":
            return torch.as_tensor(scaled, device=self.device)
        parts = named_views(scaled)
        return {k: torch.as_tensor(v, device=self.device) for k, v in parts.items()}

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """In each game a random legal action, or the legal one of the highest value."""
        batch = self.games.batch
        self._seen, masks = batch.observation, batch.mask.view(np.bool_)
        self._masks = np.packbits(masks, axis=1)
        warm = self.num_timesteps >= learning_starts
        exploring = self.explorer.random(n_envs) < (self.exploration_rate if warm else 1.0)
        actions = np.where(masks, self.explorer.random(masks.shape, np.float32), -1).argmax(axis=1)
        if not exploring.all():
            greedy = ~exploring
            with torch.no_grad():
                values = self.q_net(self.as_seen(self._seen[greedy])).cpu().numpy()
            actions[greedy] = np.where(masks[greedy], values, -np.inf).argmax(axis=1)
        return actions, actions

    def _store_transition(
        self,
        replay_buffer: Any,
        buffer_action: np.ndarray,
        new_obs: Any,
        reward: np.ndarray,
        dones: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> None:
        """Keep the decisions of a step."""
        self.kept.add(
            observations=self._seen,
            masks=self._masks,
            actions=buffer_action,
            rewards=reward,
            done=dones,
            truncated=self.games.batch.truncated,
        )
        self._last_obs = new_obs

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Some minibatches."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses, valued = [], []
        for _ in range(gradient_steps):
            drawn = self.kept.sample(batch_size)
            tensors = {
                name: torch.as_tensor(drawn[name], device=self.device)
                for name in ("actions", "returns", "discounts", "next_masks")
            }
            with torch.no_grad():
                later = self.as_seen(drawn["next_observations"])
                values = self.q_net_target(later)
                chooser = self.q_net(later) if self.options.double else values
                best = chooser.masked_fill(~tensors["next_masks"], -torch.inf).argmax(dim=1)
                value = values.gather(1, best[:, None])[:, 0]
                target = tensors["returns"] + tensors["discounts"] * value
            own = self.q_net(self.as_seen(drawn["observations"]))
            own = own.gather(1, tensors["actions"][:, None])[:, 0]
            loss = torch.nn.functional.smooth_l1_loss(own, target)
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append(loss.item())
            valued.append(own.mean().item())
        self._n_updates += gradient_steps
        self.logger.record("train/loss", np.mean(losses))
        self.logger.record("train/value", np.mean(valued))
        self.logger.record("train/n_updates", self._n_updates)


def policy_of(options: Options) -> tuple[Any, dict[str, Any]]:
    """The policy's class and arguments."""
    if options.network == "board":
        return BoardQPolicy, {"width": options.place_width, "dense": options.width}
    arguments: dict[str, Any] = {
        "net_arch": [options.width] * options.depth,
        "activation_fn": {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[options.activation],
    }
    if options.observation == "units":
        arguments["features_extractor_class"] = ScaleUnits
    return "MultiInputPolicy" if options.observation == "dict" else "MlpPolicy", arguments


def make_model(options: Options, games: CatanVecEnv) -> MaskedDQN:
    """A fresh model."""
    policy, arguments = policy_of(options)
    falling = 1 - options.last_rate
    model = MaskedDQN(
        policy,
        games,
        learning_rate=lambda left: options.rate * (options.last_rate + falling * left),
        buffer_size=options.games,  # the replay buffer is the one of this file
        learning_starts=max(options.warmup, options.games * (options.n_steps + 2)),
        batch_size=options.batch,
        gamma=options.gamma,
        train_freq=options.steps,
        gradient_steps=options.updates,
        target_update_interval=max(options.target_every, options.games),
        exploration_fraction=options.exploring,
        exploration_final_eps=options.epsilon,
        policy_kwargs=arguments,
        seed=options.seed,
        device=options.device,
    )
    model.prepare(options, games)
    return model


# ------------------------------------------------------------------------------- evaluations


def play_games(
    agent: NetworkAgent, rules: Rules, against: str, games: int, seed: int
) -> dict[str, Any]:
    """Play games against opponents of one kind, each seed in every seat, and count wins."""
    lineup = [("learner", agent), *[against] * (rules.num_players - 1)]
    played = play_match(lineup, games, rules, seed, progress=False)
    tally = played.tally("learner")
    return {
        "against": against,
        "games": tally.seats,
        "won": tally.won,
        "win_rate": played.win_rate("learner"),
        "interval": list(played.interval("learner")),
        "points": tally.points,
        "seed": seed,
    }


def show(result: dict[str, Any]) -> str:
    """A win rate with its interval, in words."""
    low, high = result["interval"]
    return (
        f"against {result['against']}: won {result['won']} of {result['games']} games = "
        f"[bold]{100 * result['win_rate']:.1f} %[/] (95 % interval {100 * low:.1f} to "
        f"{100 * high:.1f} %), {result['points']:.1f} points"
    )


# ------------------------------------------------------------------------------------- files


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that it is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.draft")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def packed(arrays: dict[str, np.ndarray]) -> torch.Tensor:
    """Arrays of any type as one tensor of bytes."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def unpacked(tensor: torch.Tensor) -> dict[str, np.ndarray]:
    """What `packed` took."""
    with np.load(io.BytesIO(tensor.numpy().tobytes()), allow_pickle=False) as file:
        return dict(file)


class Checkpoints:
    """The last two checkpoints in a folder, named with their checksums in `checkpoint.json`.

    A file counts only once the list names it, and the list is replaced in one go.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.list = folder / "checkpoint.json"

    def entries(self) -> list[dict[str, Any]]:
        """Those in the list, newest first."""
        if not self.list.exists():
            return []
        entries: list[dict[str, Any]] = json.loads(self.list.read_text())["checkpoints"]
        return entries

    def save(self, frames: int, state: dict[str, Any], league: Sequence[str]) -> None:
        """Write a checkpoint; of older ones one stays, with the snapshots that it needs."""
        file = io.BytesIO()
        torch.save(state, file)
        data = file.getvalue()
        entry = {
            "file": f"checkpoint-{frames:012d}.pt",
            "frames": frames,
            "sha256": hashlib.sha256(data).hexdigest(),
            "league": list(league),
        }
        write_atomically(self.folder / entry["file"], data)
        kept = [entry, *(old for old in self.entries() if old["file"] != entry["file"])][:2]
        text = json.dumps({"checkpoints": kept}, indent=2) + "\n"
        write_atomically(self.list, text.encode())
        self._clear_away(kept)

    def _clear_away(self, kept: list[dict[str, Any]]) -> None:
        files = {entry["file"] for entry in kept}
        for path in self.folder.glob("checkpoint-*.pt"):
            if path.name not in files:
                path.unlink()
        snapshots = {name for entry in kept for name in entry["league"]}
        for path in (self.folder / "league").glob("*.npz"):
            if path.stem not in snapshots:
                path.unlink()

    def load(self) -> dict[str, Any]:
        """The newest checkpoint that is whole.

        Raises:
            ValueError: if there is none.
        """
        for entry in self.entries():
            path = self.folder / entry["file"]
            data = path.read_bytes() if path.exists() else b""
            if hashlib.sha256(data).hexdigest() == entry["sha256"]:
                state: dict[str, Any] = torch.load(
                    io.BytesIO(data), map_location="cpu", weights_only=True
                )
                return state
            console.print(f"[yellow]{path} is damaged or missing: trying the one before.[/]")
        raise ValueError(f"option resume: {self.folder} has no whole checkpoint to go on from")


def check_same_training(saved: dict[str, Any], options: Options) -> None:
    """Refuse to go on with a checkpoint of another training."""
    for name, value in asdict(options).items():
        if name not in MAY_DIFFER and saved.get(name) != value:
            raise ValueError(
                f"option {name}={value!r}: the checkpoint in {options.out} was trained with "
                f"{name}={saved.get(name)!r}; allowed: the same, or another output folder"
            )


def draw_curve(path: Path, curve: list[dict[str, Any]]) -> None:
    """The win rates with their intervals as a picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for against in dict.fromkeys(row["against"] for row in curve):
        rows = [row for row in curve if row["against"] == against]
        frames = [row["frames"] / 1e6 for row in rows]
        low, high = ([100 * row["interval"][k] for row in rows] for k in (0, 1))
        axes.plot(frames, [100 * row["win_rate"] for row in rows], label=f"against {against}")
        axes.fill_between(frames, low, high, alpha=0.2)
    axes.set(xlabel="million decisions of the learner", ylabel="games won, %", ylim=(0, 102))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    write_atomically(path, file.getvalue())


def write_curve(out: Path, curve: list[dict[str, Any]]) -> None:
    """`curve.csv` and `curve.png`."""
    text = io.StringIO()
    names = ["frames", "seconds", "against", "games", "won", "win_rate", "low", "high", "points"]
    table = csv.writer(text, lineterminator="\n")
    table.writerow(names)
    for row in curve:
        low, high = row["interval"]
        table.writerow([row[name] for name in names[:6]] + [low, high, row["points"]])
    write_atomically(out / "curve.csv", text.getvalue().encode())
    draw_curve(out / "curve.png", curve)


class Board(TensorBoardOutputFormat):
    """TensorBoard's logs, from which a resumed training takes away what lies beyond it."""

    def __init__(self, folder: Path, frames: int) -> None:
        self.writer = SummaryWriter(str(folder), purge_step=frames + 1 if frames else None)
        self._is_closed = False

    def write(self, *values: Any, **more: Any) -> None:
        """Log, unless the disk is full: a training must not end for that."""
        try:
            super().write(*values, **more)
        except OSError as error:
            console.print(f"[red]TensorBoard's logs can't be written: {error}.[/]")


# ---------------------------------------------------------------------------------- training


class Training(BaseCallback):
    """Between two updates: snapshots, evaluations, checkpoints; the bar and the timers."""

    def __init__(
        self, options: Options, league: League | None, timers: Timers, games: CatanVecEnv
    ) -> None:
        super().__init__()
        self.options, self.league, self.timers, self.games = options, league, timers, games
        self.out = Path(options.out)
        self.checkpoints = Checkpoints(self.out)
        self.curve: list[dict[str, Any]] = []
        self.ended: deque[dict[str, int]] = deque(maxlen=200)
        self.updates = 0
        self.seconds_before = 0.0
        self.stopping = self.stopped = False
        self.resumed = False
        self.first_frames = 0
        self.evaluated_before = 0.0
        self.start = time.perf_counter()
        self._mark = 0.0
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]:,.0f} frames/s"),
            TimeRemainingColumn(),
            console=console,
            disable=not options.progress,
        )
        self.task = self.bar.add_task("training", total=options.frames, rate=0.0)

    @property
    def seconds(self) -> float:
        """Seconds of the whole training, those before a break included."""
        return self.seconds_before + time.perf_counter() - self.start

    def stop(self, *_: Any) -> None:
        """Save and stop after this update; a second time: at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        console.print("Stopping after this update; once more to stop at once, without saving.")

    def _on_rollout_start(self) -> None:
        self._count_update()
        if not self.resumed:  # what is due here was done before the checkpoint was written
            self.between_updates()
        self.resumed = False
        self._mark = time.perf_counter()
        self._in_games = self.timers.seconds["games"]

    def _count_update(self) -> None:
        if self._mark:
            self.timers.seconds["updates"] += time.perf_counter() - self._mark
            self.updates += 1

    def _on_training_end(self) -> None:
        if not self.stopped:
            self._count_update()
            self.between_updates(last=True)

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            self.ended.append({key: info[key] for key in ("won", "points", "turns")})
        return not self.stopped

    def _on_rollout_end(self) -> None:
        now = time.perf_counter()
        seconds = self.timers.seconds
        seconds["choices"] += now - self._mark - (seconds["games"] - self._in_games)
        self._mark = now
        frames = self.num_timesteps
        passed = now - self.start - (seconds["evaluations"] - self.evaluated_before)
        rate = (frames - self.first_frames) / max(passed, 1e-9)
        self.bar.update(self.task, completed=min(frames, self.options.frames), rate=rate)
        if frames % LOG_EVERY < self.options.games * self.options.steps:
            self.log(rate)

    def log(self, rate: float) -> None:
        """Note figures for TensorBoard; those of the last update are there already."""
        for key in ("won", "points", "turns") if self.ended else ():
            self.logger.record(f"episode/{key}", np.mean([game[key] for game in self.ended]))
        for key, name in (("r", "return"), ("l", "decisions")) if self.ended else ():
            values = [episode[key] for episode in self.model.ep_info_buffer]
            self.logger.record(f"episode/{name}", np.mean(values))
        for part, spent in self.timers.seconds.items():
            self.logger.record(f"seconds/{part}", spent)
        self.logger.record("seconds/frames_per_second", rate)
        self.logger.dump(self.num_timesteps)

    def between_updates(self, last: bool = False) -> None:
        """What is due after an update."""
        self.check_finite()
        options, frames = self.options, self.num_timesteps
        league = self.league
        if league and league.share and self.updates % options.league_every == 0 and not last:
            league.add(f"{frames:012d}", self.exported())
        every = options.games * options.steps
        due = frames % options.eval_every < every and (frames or options.eval_first)
        if due or last:
            self.evaluate()
        if frames and (frames % options.checkpoint_every < every or self.stopping or last):
            self.save(last)
        self.stopped = self.stopping

    def check_finite(self) -> None:
        """Stop before a network that has gone astray is saved."""
        if not all(bool(torch.isfinite(p).all()) for p in self.model.policy.parameters()):
            raise FloatingPointError(
                f"after {self.num_timesteps:,} frames the network has numbers that aren't finite. "
                "The last checkpoint is whole; a lower --rate or --scale may help, in another "
                "output folder"
            )

    def exported(self) -> Model:
        """The network alone, with its card."""
        card = {
            "algorithm": "DQN (Stable-Baselines3), mask-aware",
            "command": " ".join(map(shlex.quote, command_of(self.options))),
            "seed": self.options.seed,
            "frames": self.num_timesteps,
            "seconds": round(self.seconds),
            "hardware": hardware(self.model.device),
        }
        return exported(self.model, self.games.batch.rules, card)

    def evaluate(self) -> None:
        """Measure the win rate against each of the opponents of evaluations."""
        with self.timers.of("evaluations"):
            agent = NetworkAgent(self.exported())
            frames = self.num_timesteps
            self.curve = [row for row in self.curve if row["frames"] != frames]
            for against in self.options.eval_against.split(","):
                seed = self.options.seed + 1_000_003
                rules = self.games.batch.rules
                result = play_games(agent, rules, against, self.options.eval_games, seed)
                self.curve.append({"frames": frames, "seconds": round(self.seconds, 1), **result})
                self.logger.record(f"eval/{against}", result["win_rate"])
                console.print(f"{frames:>11,} frames, {show(result)}")
            self.logger.dump(frames)
            self.keep(lambda: write_curve(self.out, self.curve), "the curve")

    def keep(self, write: Callable[[], None], what: str, last: bool = False) -> None:
        """Write something; a full disk must not end a training that can still be saved."""
        try:
            write()
        except OSError as error:
            if last:
                raise
            console.print(f"[red]{what} can't be written: {error}. What was there before stays.[/]")

    def save(self, last: bool = False) -> None:
        """Write a checkpoint, and the network alone."""
        with self.timers.of("checkpoints"):
            state = self.state()
            needed = [*self.league.pool, *self.league.playing] if self.league else []
            self.keep(
                lambda: self.checkpoints.save(self.num_timesteps, state, needed),
                "the checkpoint",
                last or self.stopping,
            )
            model = self.exported()
            self.keep(lambda: model.save(self.out / "model.npz"), "the model", last)

    def result(self) -> dict[str, Any]:
        """The figures of the whole training."""
        return {
            "frames": self.num_timesteps - self.stopped * self.options.games,
            "seconds": self.seconds,
            "results": [row for row in self.curve if row["frames"] == self.curve[-1]["frames"]],
            "timers": dict(self.timers.seconds),
            "options": asdict(self.options),
        }

    def state(self) -> dict[str, Any]:
        """All that the rest of the training depends on."""
        model = self.model
        kind, keys, place, has_gauss, gauss = np.random.get_state()  # noqa: NPY002 (SB3 draws there)
        return {
            "options": asdict(self.options),
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "games": packed(self.games.get_state()),
            "episodes": [dict(episode) for episode in model.ep_info_buffer or ()],
            "ended": list(self.ended),
            "counters": {
                "num_timesteps": model.num_timesteps,
                "n_updates": model._n_updates,
                "n_calls": model._n_calls,
                "updates": self.updates,
            },
            "exploration_rate": model.exploration_rate,
            "explorer": json.dumps(model.explorer.bit_generator.state),
            "replay": model.kept.get_state(),
            "numpy": [kind, torch.as_tensor(keys.astype(np.int64)), place, has_gauss, gauss],
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state() if model.device.type == "cuda" else None,
            "league": self.league.get_state() if self.league else None,
            "curve": self.curve,
            "seconds": self.seconds,
            "timers": dict(self.timers.seconds),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        check_same_training(state["options"], self.options)
        model = self.model
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        if self.league:
            self.league.set_state(state["league"])
        model._last_obs = self.games.set_state(unpacked(state["games"]))
        model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        self.ended.extend(state["ended"])
        counters = state["counters"]
        model.num_timesteps = self.num_timesteps = self.first_frames = counters["num_timesteps"]
        model._n_updates = counters["n_updates"]
        model._n_calls = counters["n_calls"]
        self.updates = counters["updates"]
        model.exploration_rate = state["exploration_rate"]
        model.explorer.bit_generator.state = json.loads(state["explorer"])
        model.kept.set_state(state["replay"])
        kind, keys, place, has_gauss, gauss = state["numpy"]
        np.random.set_state((kind, keys.numpy().astype(np.uint32), place, has_gauss, gauss))  # noqa: NPY002
        torch.set_rng_state(state["torch"])
        if state["cuda"] is not None and model.device.type == "cuda":
            torch.cuda.set_rng_state(state["cuda"])
        self.curve = state["curve"]
        self.seconds_before = state["seconds"]
        self.timers.seconds.update(state["timers"])
        self.evaluated_before = self.timers.seconds["evaluations"]
        self.resumed = True


def hardware(device: Any) -> str:
    """The machine, in words."""
    name = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        lines = [line for line in cpu.read_text().splitlines() if line.startswith("model name")]
        name = lines[0].partition(":")[2].strip() if lines else name
    if device.type == "cuda":
        name += f", {torch.cuda.get_device_name(device)}"
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def command_of(options: Options) -> list[str]:
    """The command line that gives these options."""
    words = ["python", f"examples/{Path(__file__).name}"]
    for one in fields(Options):
        value = getattr(options, one.name)
        if value != one.default and one.name not in ("resume", "progress"):
            name = one.name.replace("_", "-")
            if isinstance(value, bool):
                words.append(f"--{name}" if value else f"--no-{name}")
            else:
                words += [f"--{name}", str(value)]
    return words


@contextmanager
def signals_to(stop: Callable[..., None]) -> Any:
    """Let Ctrl-C and a polite kill call a function."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.signal(s, stop) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; the figures are returned and written."""
    options = parse_options(arguments)
    out = Path(options.out)
    torch.set_num_threads(options.threads)
    # The checks cost as much as the network, and fail on rounding with large masks.
    torch.distributions.Distribution.set_default_validate_args(False)
    state = None
    if options.resume:
        state = Checkpoints(out).load()
        check_same_training(state["options"], options)
    elif Checkpoints(out).entries():
        raise ValueError(
            f"option out={options.out!r} has a checkpoint; allowed: --resume to go on with it, or "
            "another folder"
        )
    timers = Timers()
    league = opponents_of(options, timers)
    games = make_games(options, league, timers)
    model = make_model(options, games)
    training = Training(options, league, timers, games)
    training.model = model
    if state is not None:
        training.restore(state)
    model.set_logger(Logger(None, [Board(out / "logs", model.num_timesteps)]))
    console.print(
        f"{command_of(options)[1]}: {options.frames:,} frames against {options.opponents}, "
        f"{sum(p.numel() for p in model.policy.parameters()):,} parameters on {model.device}"
    )
    with training.bar, signals_to(training.stop):
        model.learn(
            max(0, options.frames - model.num_timesteps),
            callback=training,
            log_interval=None,
            reset_num_timesteps=False,
        )
    games.close()
    model.logger.close()
    result = training.result()
    write_atomically(out / "result.json", (json.dumps(result, indent=2) + "\n").encode())
    for part, seconds in timers.seconds.items():
        console.print(f"  {part:<12} {seconds:8.1f} s")
    frames = result["frames"]
    console.print(f"{frames:,} frames in {result['seconds']:,.0f} s; saved in {out}")
    return result


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError, FloatingPointError) as error:
        sys.exit(f"error: {error}")
