"""Trainings of Stable-Baselines3's learners as a `Run`, with exact resuming on a CPU."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.env.vector.export import exported
from catan_pz.env.vector.sb3 import CatanVecEnv
from catan_pz.training.checkpoints import check_finite, keep, pack_arrays, unpack_arrays
from catan_pz.training.console import Logs, say, warn
from catan_pz.training.evaluation import line_ups
from catan_pz.training.league import League
from catan_pz.training.options import FrameArgs, TrainingArgs, hardware
from catan_pz.training.run import Evaluations, Run

_LOG_EVERY: Final = 16_384
"""Frames between two entries in TensorBoard's logs."""


def make_games(args: TrainingArgs, opponents: Any) -> CatanVecEnv:
    """The games, with the learner's seat drawn for every episode."""
    return CatanVecEnv(
        args.num_envs,
        args.make_rules(),
        seat="random",
        opponents=opponents,
        observation=args.observation,
        reward=args.make_reward(),
        seed=args.seed,
    )


class SB3Learner:
    """A learner of Stable-Baselines3 and its games, for a `Run`.

    It writes checkpoints only if all opponents are stateless: other opponents' memory of their
    games can't be saved.

    Args:
        model: the learner.
        games: its `CatanVecEnv`.
        league: opponents that include snapshots of the learner, if any.
        league_every: updates between two snapshots.
    """

    def __init__(
        self, model: Any, games: Any, league: League | None = None, league_every: int = 1
    ) -> None:
        self.model, self.games, self.rules = model, games, games.batch.rules
        self.league, self.league_every = league, league_every
        self.ended: deque[dict[str, int]] = deque(maxlen=200)
        self.updates = 0
        self.resumable = all(one is None or one.stateless for one in games.batch.opponents)
        if not self.resumable:
            warn("No checkpoints: an opponent is not stateless.")

    def play(self, number: int) -> dict[str, Any]:
        """Not used: Stable-Baselines3 runs the loop; see `train_learner`."""
        raise NotImplementedError

    def parameters(self) -> Any:
        """The policy's parameters."""
        return self.model.policy.state_dict()

    def export(self, card: dict[str, Any] | None = None) -> Model:
        """The policy alone, as a model."""
        return exported(self.model, self.rules, card, observation=self.games.batch.encoder)

    def agent(self) -> NetworkAgent:
        """The policy as an agent that plays its best actions."""
        return NetworkAgent(self.export(), choice="best")

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write `model.npz`, which plays the policy's best actions."""
        replace(self.export(card), choice="best").save(folder / "model.npz")

    def add_past_self(self) -> None:
        """Add a snapshot to the league if one is due."""
        league, frames = self.league, self.model.num_timesteps
        if league and league.share and self.updates % self.league_every == 0:
            check_finite(self.parameters(), f"{frames:,} frames")
            model = self.export()
            keep(lambda: league.add(f"{frames:012d}", model), "a past self")

    def get_state(self) -> dict[str, Any] | None:
        """The state that determines the rest of the training; None with stateful opponents."""
        if not self.resumable:
            return None
        model, league = self.model, self.league
        starts = model._last_episode_starts
        return {
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "games": pack_arrays(self.games.get_state()),
            "episode_starts": None if starts is None else torch.as_tensor(starts.copy()),
            "episodes": [dict(episode) for episode in model.ep_info_buffer or ()],
            "ended": list(self.ended),
            "num_timesteps": model.num_timesteps,
            "n_updates": model._n_updates,
            "updates": self.updates,
            "extra": getattr(model, "get_extra_state", dict)(),
            "random": _get_random_state(model.device),
            "league": league.get_state() if league else None,
            "snapshots": [*league.past.pool, *league.playing] if league else [],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a result of `get_state` for a learner and games with the same options."""
        model = self.model
        if self.league:  # before the games, whose opponents are the league's
            self.league.set_state(state["league"])
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        model._last_obs = self.games.set_state(unpack_arrays(state["games"]))
        starts = state["episode_starts"]
        model._last_episode_starts = None if starts is None else starts.numpy()
        model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        model.num_timesteps, model._n_updates = state["num_timesteps"], state["n_updates"]
        self.updates = state["updates"]
        self.ended.extend(state["ended"])
        if state["extra"]:  # such as a replay buffer
            model.set_extra_state(state["extra"])
        _set_random_state(state["random"], model.device)


# Stable-Baselines3 samples from the global generator of NumPy.
def _get_random_state(device: torch.device) -> dict[str, Any]:
    kind, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002
    keys = torch.as_tensor(np.asarray(keys).astype(np.int64))
    return {
        "numpy": [kind, keys, position, has_gauss, gauss],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state() if device.type == "cuda" else None,
    }


def _set_random_state(state: dict[str, Any], device: torch.device) -> None:
    kind, keys, position, has_gauss, gauss = state["numpy"]
    np.random.set_state(  # noqa: NPY002
        (kind, keys.numpy().astype(np.uint32), position, has_gauss, gauss)
    )
    torch.set_rng_state(state["torch"])
    if state["cuda"] is not None and device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"])


class LogWriter(KVWriter):
    """Writes the records of Stable-Baselines3 to a run's logs."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs

    def write(self, key_values: dict[str, Any], key_excluded: Any, step: int = 0) -> None:
        """Log the numbers among these values."""
        numbers = {key: value for key, value in key_values.items() if not isinstance(value, str)}
        self._logs.write({key: float(value) for key, value in numbers.items()}, step)


class _BetweenUpdates(BaseCallback):
    """Calls a run between the updates of its learner."""

    def __init__(self, run: Run, learner: SB3Learner, pretrained: bool) -> None:
        super().__init__()
        self.run, self.learner, self.pretrained = run, learner, pretrained
        self._begun = self._stopped = False
        self._mark, self._logged = 0.0, run.done

    def _on_rollout_start(self) -> None:
        if self._begun:
            self._count_update()
            self.learner.add_past_self()
            self.run.advance(self.num_timesteps)
        else:
            self._begin()
        self._stopped = self.run.stopping
        self._mark = time.perf_counter()

    def _begin(self) -> None:
        self._begun = True
        if self.run.is_new:  # a resumed run did this before writing its checkpoint
            self.learner.add_past_self()
        self.run.begin()
        if self.pretrained:
            self.run.save()

    def _count_update(self) -> None:
        spent = self.run.timers
        spent["updates"] = spent.get("updates", 0.0) + time.perf_counter() - self._mark
        self.learner.updates += 1

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            self.learner.ended.append({key: info[key] for key in ("won", "points", "turns")})
        return not self._stopped

    def _on_rollout_end(self) -> None:
        now, spent = time.perf_counter(), self.run.timers
        spent["games"] = spent.get("games", 0.0) + now - self._mark
        self._mark = now
        if self.num_timesteps // _LOG_EVERY > self._logged // _LOG_EVERY:
            self._log()
        self._logged = self.num_timesteps

    def _log(self) -> None:
        """Log to TensorBoard; the learner has already recorded `train/...` of its last update."""
        record, run = self.logger.record, self.run
        if self.learner.ended:
            for key, tag in (("r", "ep_rew_mean"), ("l", "ep_len_mean")):
                values = [episode[key] for episode in self.model.ep_info_buffer or ()]
                record(f"rollout/{tag}", np.mean(values))
            for key in ("won", "points", "turns"):
                record(f"episode/{key}", np.mean([game[key] for game in self.learner.ended]))
        record("time/fps", int(run.rate))
        record("time/iterations", self.learner.updates)
        record("time/time_elapsed", int(run.seconds))
        record("time/total_timesteps", self.num_timesteps)
        for part, spent in run.timers.items():
            record(f"seconds/{part}", spent)
        self.logger.dump(self.num_timesteps)

    def _on_training_end(self) -> None:
        if not self._begun:
            self._begin()
        elif not self._stopped:
            self._count_update()
            self.run.advance(self.num_timesteps)


def train_learner(
    args: FrameArgs,
    learner: SB3Learner,
    *,
    algorithm: str,
    command: str,
    evaluations: Evaluations | str,
    pretrain: Callable[[], object] | None = None,
) -> dict[str, Any]:
    """Train to the end, or until asked to stop; return the result of `Run.result`.

    Algorithm and command line are for the model card. Evaluations are names of opponents, separated
    by commas, or as for a `Run`; `pretrain` is followed by a checkpoint.
    """
    model, rules = learner.model, learner.rules
    if isinstance(evaluations, str):
        evaluations = line_ups(evaluations, rules)
    trade = "with" if rules.trading else "without"
    run = Run(
        args,
        learner,
        title=f"{algorithm}, {rules.num_players} players, {trade} player trade",
        card={
            "algorithm": algorithm,
            "command": command,
            "seed": args.seed,
            "hardware": hardware(model.device),
        },
        evaluations=evaluations,
    )
    model.set_logger(Logger(None, [LogWriter(run.logs)]))
    parameters = sum(p.numel() for p in model.policy.parameters())
    say(f"{algorithm}: {args.frames:,} frames, {parameters:,} parameters on {model.device}")
    pretrained = pretrain is not None and run.is_new
    try:
        with run:
            if pretrain is not None and pretrained:
                with run.measure("updates"):
                    pretrain()
            model.learn(
                max(0, args.frames - model.num_timesteps),
                callback=_BetweenUpdates(run, learner, pretrained),
                log_interval=None,
                reset_num_timesteps=False,
            )
    finally:
        learner.games.close()
    return run.result()
