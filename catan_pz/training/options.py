"""Options of trainings: dataclasses that tyro parses from the command line."""

import os
import platform
import shlex
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar, get_type_hints

from catan_pz.checks import check_count, check_number, not_possible
from catan_pz.rewards import REWARDS, LinearReward, PointsGained
from catan_pz.rules import Rules
from catan_pz.training.tracking import Library


class Range(NamedTuple):
    """The allowed range of an option."""

    least: float | None = None
    most: float | None = None
    above: float | None = None


Count = Annotated[int, Range(least=1)]
"""An int from 1 up."""
Whole = Annotated[int, Range(least=0)]
"""An int from 0 up."""
Seed = Annotated[int, Range(least=0, most=2**32 - 1)]
"""A seed valid for games, NumPy and torch."""
Share = Annotated[float, Range(least=0, most=1)]
"""A discount, a share, or a probability."""
Coefficient = Annotated[float, Range(least=0)]
"""A number from 0 up, such as a learning rate."""
Positive = Annotated[float, Range(above=0)]
"""A number above 0, such as a scale."""
Number = Annotated[float, Range()]
"""Any finite number."""

Device = Literal["auto", "cpu", "cuda"]

MAY_DIFFER: Final = frozenset(
    {
        *("frames", "episodes", "updates", "trainings", "rounds", "device", "threads"),
        *("eval_first", "eval_games", "checkpoint_every", "out", "resume", "progress"),
        *("address", "patience", "bf16", "compile", "track"),
    }
)
"""Options that may change on resuming; more frames stretch the learning-rate decay."""


@dataclass(frozen=True, kw_only=True)
class RunArgs:
    """Options of every run: the output folder, and when to evaluate."""

    seed: Seed = 1
    """random seed of games, networks and learning"""
    threads: Count = 1
    """CPU threads of torch; small networks need one"""
    eval_every: Count = 100
    """games, or other units, between evaluations"""
    eval_first: bool = True
    """also evaluate before training"""
    eval_games: Count = 400
    """games of an evaluation against each opponent"""
    checkpoint_every: Count = 25
    """games, or other units, between checkpoints"""
    out: str = "runs/training"
    """output folder"""
    resume: bool = False
    """continue from the last checkpoint in the output folder"""
    track: Library = "none"
    """also log to wandb or mlflow; their own settings name the server"""


@dataclass(frozen=True, kw_only=True)
class CountedArgs(RunArgs):
    """Options of a run that counts games, rounds or updates, except their number."""

    device: Literal["cpu", "cuda"] = "cpu"
    """device of the networks"""


@dataclass(frozen=True, kw_only=True)
class FrameArgs(RunArgs):
    """Options of a run that counts the learner's decisions."""

    frames: Count = 2_000_000
    """decisions of the learner to train on"""
    num_envs: Count = 128
    """games played in parallel"""
    device: Device = "auto"
    """device of the network"""
    eval_every: Count = 500_000
    """frames between evaluations"""
    checkpoint_every: Count = 250_000
    """frames between checkpoints"""
    progress: bool = True
    """show a progress bar"""


@dataclass(frozen=True, kw_only=True)
class TrainingArgs(FrameArgs):
    """Options of the run, the games and the opponents."""

    rules: Literal["base", "one_v_one"] = "base"
    """preset of rules"""
    players: int = 0
    """players, the learner included; 0 for the number of the rules"""
    trading: bool = False
    """trade between players"""
    points: int = 0
    """victory points to win; 0 for the number of the rules"""
    boards: str = "random"
    """random, spiral, beginner, or seeds of boards: 1,2,3"""
    skip_forced: bool = True
    """the engine plays decisions with a single legal action"""
    reward: str = "shaped"
    """shaped (see point-reward and win-reward), or a name of catan_pz.rewards: win_loss"""
    point_reward: Number = 0.1
    """shaped reward for each victory point gained"""
    win_reward: Number = 1.0
    """shaped reward for a win, and its negative for a loss"""
    reward_scale: Positive = 1.0
    """factor of all rewards"""
    observation: str = "units"
    """encoder: units, flat or dict; for a dense network also planes, tokens, graph"""
    opponents: str = "random"
    """names with weights; past selves are league: random,league:3"""
    league_every: Count = 10
    """updates between snapshots of the policy for the league"""
    league_size: Count = 50
    """snapshots kept; the oldest is dropped first"""
    league_members: Count = 4
    """active snapshots, half of them recent"""
    eval_against: str = "random"
    """names of the opponents in evaluations: random,heuristic"""

    def make_rules(self) -> Rules:
        """The rules of the games."""
        chosen: dict[str, Any] = {"skip_forced": self.skip_forced, "trading": self.trading}
        if self.players:
            chosen["num_players"] = self.players
        if self.points:
            chosen["victory_points"] = self.points
        boards: Any = self.boards
        if boards[:1].isdigit():
            boards = whole_numbers("boards", boards)
        return Rules.make(self.rules, board=boards, **chosen)

    def make_reward(self) -> LinearReward:
        """The learner's reward, multiplied by `reward_scale`."""
        if self.reward == "shaped":
            plain: LinearReward = PointsGained(point=self.point_reward, win=self.win_reward)
        elif self.reward in REWARDS:
            plain = REWARDS[self.reward]()
        else:
            raise not_possible("reward", self.reward, f"{['shaped', *REWARDS]}")
        weights = plain.weights
        terms = {kind.name.lower(): weights[kind] * self.reward_scale for kind in plain.depends_on}
        return LinearReward(**terms)


Args = TypeVar("Args")


def parse(kind: type[Args], arguments: Sequence[str] | None, description: str) -> Args:
    """Parse options from words of a command line, by default this process's.

    `kind` is their dataclass, in which the string below each field is its help text; `--help`
    shows the first line of the description.
    """
    import tyro

    args: Args = tyro.cli(kind, args=arguments, description=description.partition("\n")[0])
    check_ranges(args)
    return args


def check_ranges(args: Any) -> None:
    """Refuse values outside the `Range` of their option."""
    for name, hint in get_type_hints(type(args), include_extras=True).items():
        for bounds in getattr(hint, "__metadata__", ()):
            if not isinstance(bounds, Range):
                continue
            value = getattr(args, name)
            limits: Any = {word: at for word, at in bounds._asdict().items() if at is not None}
            if hint.__origin__ is int:
                check_count(name, value, **limits)
            else:
                check_number(name, value, **limits)


def set_up(args: Any) -> None:
    """Check ranges and device, and tune torch for small networks on a CPU.

    Torch's checks of distributions are disabled: they cost as much as a small network, and fail
    on rounding with large masks.
    """
    import torch

    check_ranges(args)
    if args.device == "cuda" and not torch.cuda.is_available():
        raise not_possible("device", args.device, "'auto' or 'cpu', as torch finds no GPU")
    torch.set_num_threads(args.threads)
    torch.distributions.Distribution.set_default_validate_args(False)


def check_minibatches(batch_size: int, decisions: int, option: str = "batch_size") -> None:
    """Refuse minibatches of one decision: PPO divides advantages by their standard deviation."""
    if batch_size == 1 or decisions % batch_size == 1:
        allowed = f"sizes that leave none of the {decisions} decisions of a rollout alone"
        raise not_possible(option, batch_size, allowed)


def whole_numbers(name: str, text: str) -> tuple[int, ...]:
    """The whole numbers of a list option, such as "1,2,3"."""
    words = text.split(",")
    if not all(word.isdecimal() for word in words):
        raise not_possible(name, text, "whole numbers, as in 1,2,3")
    return tuple(map(int, words))


def command_line(args: Any, program: str) -> str:
    """The command line that sets these options, without those at their default."""
    words = ["python", program]
    for option in fields(args):
        value = getattr(args, option.name)
        if value == option.default or option.name in ("resume", "progress", "track"):
            continue
        name = option.name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", str(value)]
    return shlex.join(words)


def processor() -> str:
    """The processor, as named by the system."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text("utf-8").splitlines() if cpu.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def hardware(device: Any) -> str:
    """The machine: CPU, GPU if used, cores, Python."""
    import torch

    name = processor()
    if torch.device(device).type == "cuda":
        name += f", {torch.cuda.get_device_name(device)}"
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def training_card(args: Any, algorithm: str, program: str, device: Any = None) -> dict[str, Any]:
    """Contents of a model card known when training starts; `device` is that of the options."""
    return {
        "algorithm": algorithm,
        "command": command_line(args, program),
        "seed": args.seed,
        "hardware": hardware(device or args.device),
    }


def check_same_training(
    saved: dict[str, Any], args: Any, *, may_differ: Collection[str] = MAY_DIFFER
) -> None:
    """Refuse to resume from a checkpoint whose training had other options, given as `saved`."""
    for name, value in asdict(args).items():
        if name not in may_differ and saved.get(name) != value:
            raise ValueError(
                f"{name} must be {saved.get(name)!r}, as in the checkpoint in {args.out}, "
                f"got {value!r}; or choose another output folder"
            )
