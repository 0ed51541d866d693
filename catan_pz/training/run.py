"""A training run of a Stable-Baselines3 learner: what happens between its updates."""

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from catan_pz.agents.base import Agent
from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.env.vector.export import exported
from catan_pz.names import printable
from catan_pz.training.checkpoints import Checkpoints, check_finite, keep, write_bytes
from catan_pz.training.console import progress_bar, say, warn
from catan_pz.training.curves import Phase, write_curve
from catan_pz.training.evaluation import SEED_OFFSET, describe, evaluate
from catan_pz.training.hardware import hardware
from catan_pz.training.league import League
from catan_pz.training.options import RunArgs
from catan_pz.training.program import heeding_signals
from catan_pz.training.state import get_state, set_state
from catan_pz.training.stopping import Stoppable
from catan_pz.training.tensorboard import make_logger
from catan_pz.training.timers import Clock, Timers

_LOG_EVERY: Final = 16_384
"""Frames between two entries in TensorBoard's logs."""


class Training(Stoppable, BaseCallback):
    """Takes snapshots, evaluates, logs and saves between the updates of a learner.

    Inside its `with` block, Ctrl-C and SIGTERM finish the update, save, and end the training.
    The output folder gets `checkpoint.json` with the last two checkpoints, `model.npz` (the
    policy alone, played without torch), `curve.csv` and `curve.png`, TensorBoard's `logs`, the
    `league` and `result.json`.

    Args:
        args: options of the run.
        model: a learner of Stable-Baselines3.
        games: its `CatanVecEnv`.
        algorithm: its name, for model card and curve.
        command: the command line, for the model card.
        evaluations: names of the evaluations, with the agents (P - 1,) of the other seats.
        timers: they also measure the games and the opponents, where these were told so.
        league: the opponents, if snapshots of the learner are among them.
        league_every: updates between snapshots.
        phases: parts of the training to mark on the curve.
        saved: what `open_run` gave.

    Attributes:
        curve: rows of all evaluations so far.
        clock: its seconds.
        resumable: whether checkpoints are written. That takes stateless opponents: no
            checkpoint could hold what others remember of their games.
    """

    def __init__(
        self,
        args: RunArgs,
        model: Any,
        games: Any,
        *,
        algorithm: str,
        command: str,
        evaluations: Mapping[str, Sequence[Agent | str]],
        timers: Timers,
        league: League | None = None,
        league_every: int = 1,
        phases: Sequence[Phase] = (),
        saved: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.args, self.model, self.games = args, model, games
        self.algorithm, self.command, self.evaluations = algorithm, command, evaluations
        self.timers, self.league, self.league_every = timers, league, league_every
        self.phases = phases
        self.out = Path(args.out)
        self.checkpoints = Checkpoints(self.out)
        self.curve: list[dict[str, Any]] = []
        self._stopped = self._pretrained = False
        self._episodes: deque[dict[str, int]] = deque(maxlen=200)
        self._updates = self._previous = self._first_frames = 0
        self._evaluated_before = self._mark = self._games_before = 0.0
        self.clock = Clock()
        self.resumable = all(
            opponent is None or opponent.stateless for opponent in games.batch.opponents
        )
        if not self.resumable:
            warn("No checkpoints: an opponent is not stateless.")
        self._resumed = saved is not None
        if saved is not None:
            self._restore(saved)
        model.set_logger(make_logger(self.out / "logs", model.num_timesteps, warn))
        self._signals = ExitStack()
        self._bar = progress_bar(args.progress)
        self._task = self._bar.add_task("training", total=args.frames, rate=0.0)

    def __enter__(self) -> Self:
        """Show the bar, and listen to Ctrl-C and SIGTERM."""
        self._signals.enter_context(heeding_signals(self.stop))
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Undo what `__enter__` did, and close games and logs."""
        self._bar.stop()
        self._signals.close()
        self.games.close()
        self.model.logger.close()

    @contextmanager
    def pretraining(self) -> Iterator[None]:
        """Measure what is learned before the first frame; a checkpoint follows it."""
        with self.timers.measure("updates"):
            yield
        self._pretrained = True

    def learn(self) -> dict[str, Any]:
        """Train to the end, or until asked to stop.

        Returns:
            `frames`, `seconds`, `results` (the last evaluations), `timers`, `options`. A
            training that reached its end writes them to `result.json` too.

        Raises:
            FloatingPointError: if the network has values that aren't finite; the last
                checkpoint stays.
            OSError: if the last checkpoint, model or result can't be written.
        """
        parameters = sum(p.numel() for p in self.model.policy.parameters())
        say(
            f"{self.algorithm}: {self.args.frames:,} frames, {parameters:,} parameters on "
            f"{self.model.device}"
        )
        self.model.learn(
            max(0, self.args.frames - self.model.num_timesteps),
            callback=self,
            log_interval=None,
            reset_num_timesteps=False,
        )
        result = self._result()
        if not self._stopped:
            text = json.dumps(result, indent=2) + "\n"
            write_bytes(self.out / "result.json", text.encode())
        for part, seconds in self.timers.seconds.items():
            say(f"  {part:<12} {seconds:8.1f} s")
        say(f"{result['frames']:,} frames in {result['seconds']:,.0f} s; saved in {self.out}")
        return result

    # ------------------------------------------------------ calls by Stable-Baselines3

    def _on_rollout_start(self) -> None:
        self._count_update()
        if not self._resumed:  # what is due here was done before the checkpoint was written
            self._between_updates()
        self._resumed = False
        self._mark = time.perf_counter()
        self._games_before = self.timers.seconds["games"]

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][i]
            self._episodes.append({key: info[key] for key in ("won", "points", "turns")})
        return not self._stopped

    def _on_rollout_end(self) -> None:
        now = time.perf_counter()
        seconds = self.timers.seconds
        seconds["inference"] += now - self._mark - (seconds["games"] - self._games_before)
        self._mark = now
        passed = self.clock.since_start - (seconds["evaluations"] - self._evaluated_before)
        rate = (self.num_timesteps - self._first_frames) / max(passed, 1e-9)
        completed = min(self.num_timesteps, self.args.frames)
        self._bar.update(self._task, completed=completed, rate=rate)
        if self.num_timesteps // _LOG_EVERY > self._previous // _LOG_EVERY:
            self._log(rate)

    def _on_training_end(self) -> None:
        if not self._stopped:
            self._count_update()
            self._between_updates(last=True)

    # ----------------------------------------------------------------- between updates

    def _count_update(self) -> None:
        if self._mark:
            self.timers.seconds["updates"] += time.perf_counter() - self._mark
            self._updates += 1

    def _between_updates(self, last: bool = False) -> None:
        check_finite(self.model.policy.state_dict(), f"{self.num_timesteps:,} frames")
        args, frames = self.args, self.num_timesteps
        league = self.league
        if league and league.share and self._updates % self.league_every == 0 and not last:
            model = self.export()
            keep(lambda: league.add(f"{frames:012d}", model), "a past self")
        if last or (self._due(args.eval_every) if frames else args.eval_first):
            self._evaluate()
        begun = frames or self._pretrained
        if begun and (last or self.stopping or self._due(args.checkpoint_every)):
            self._save(last)
        self._previous = frames
        self._stopped = self.stopping and not last

    def _due(self, every: int) -> bool:
        """Whether a multiple of `every` was passed since the update before."""
        frames: int = self.num_timesteps
        return frames == 0 or frames // every > self._previous // every

    def export(self) -> Model:
        """The policy alone, with its card."""
        card = {
            "algorithm": self.algorithm,
            "command": self.command,
            "seed": self.args.seed,
            "frames": self.num_timesteps,
            "seconds": round(self.clock.seconds),
            "hardware": hardware(self.model.device),
        }
        batch = self.games.batch
        return exported(self.model, batch.rules, card, observation=batch.encoder)

    def _evaluate(self) -> None:
        with self.timers.measure("evaluations"):
            agent = NetworkAgent(self.export())
            frames, rules = self.num_timesteps, self.games.batch.rules
            self.curve = [row for row in self.curve if row["frames"] != frames]
            for against, opponents in self.evaluations.items():
                seed = self.args.seed + SEED_OFFSET
                result = evaluate(agent, opponents, rules, self.args.eval_games, seed)
                row = {
                    "frames": frames,
                    "seconds": round(self.clock.seconds, 1),
                    "against": against,
                }
                self.curve.append(row | result)
                self.logger.record(f"eval/{printable(against)}", result["win_rate"])
                say(f"{frames:>11,} frames, {describe(self.curve[-1])}")
            self.logger.dump(frames)
            keep(self._write_curve, "the curve")

    def _write_curve(self) -> None:
        rules = self.games.batch.rules
        title = f"{self.algorithm}, {rules.num_players} players"
        write_curve(
            self.out,
            self.curve,
            title=f"{title}, {'with' if rules.trading else 'without'} player trade",
            num_players=rules.num_players,
            phases=self.phases,
        )

    def _log(self, rate: float) -> None:
        """Log to TensorBoard; the learner has recorded `train/...` of its last update already."""
        record = self.logger.record
        if self._episodes:
            for key, tag in (("r", "ep_rew_mean"), ("l", "ep_len_mean")):
                values = [episode[key] for episode in self.model.ep_info_buffer]
                record(f"rollout/{tag}", np.mean(values))
            for key in ("won", "points", "turns"):
                record(f"episode/{key}", np.mean([game[key] for game in self._episodes]))
        record("time/fps", int(rate))
        record("time/iterations", self._updates)
        record("time/time_elapsed", int(self.clock.seconds))
        record("time/total_timesteps", self.num_timesteps)
        for part, spent in self.timers.seconds.items():
            record(f"seconds/{part}", spent)
        self.logger.dump(self.num_timesteps)

    # --------------------------------------------------------------------- checkpoints

    def _save(self, last: bool) -> None:
        with self.timers.measure("checkpoints"):
            needed = last or self.stopping
            if self.resumable:
                snapshots = [*self.league.pool, *self.league.playing] if self.league else []
                state = self._state()
                self.checkpoints.keep(self.num_timesteps, state, snapshots, needed=needed)
            model = self.export()
            keep(lambda: model.save(self.out / "model.npz"), "the model", needed=needed)

    def _state(self) -> dict[str, Any]:
        return {
            "options": asdict(self.args),
            "learner": get_state(self.model, self.games),
            "league": self.league.get_state() if self.league else None,
            "ended": list(self._episodes),
            "updates": self._updates,
            "curve": self.curve,
            "seconds": self.clock.seconds,
            "timers": dict(self.timers.seconds),
        }

    def _restore(self, saved: dict[str, Any]) -> None:
        if self.league:  # before the games: their opponents are those of the league
            self.league.set_state(saved["league"])
        set_state(self.model, self.games, saved["learner"])
        self.num_timesteps = self._first_frames = self._previous = self.model.num_timesteps
        self._episodes.extend(saved["ended"])
        self._updates, self.curve = saved["updates"], saved["curve"]
        self.clock = Clock(saved["seconds"])
        self.timers.seconds.update(saved["timers"])
        self._evaluated_before = self.timers.seconds["evaluations"]

    def _result(self) -> dict[str, Any]:
        # The learner plays one step more before it hears that it is to stop.
        frames = self.num_timesteps - self._stopped * self.games.num_envs
        last = [row for row in self.curve if row["frames"] == self.curve[-1]["frames"]]
        return {
            "frames": frames,
            "seconds": self.clock.seconds,
            "results": last,
            "timers": dict(self.timers.seconds),
            "options": asdict(self.args),
        }
