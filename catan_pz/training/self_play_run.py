"""A training run of a learner by self-play: what happens between its rounds."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from catan_pz.agents.network import Model
from catan_pz.training.checkpoints import (
    Checkpoints,
    check_finite,
    keep,
    pack_arrays,
    unpack_arrays,
    write_bytes,
)
from catan_pz.training.console import progress_bar, say
from catan_pz.training.curves import write_curve
from catan_pz.training.evaluation import evaluate_model
from catan_pz.training.hardware import training_card
from catan_pz.training.options import TrainingArgs
from catan_pz.training.program import heeding_signals
from catan_pz.training.self_play_games import Decisions, SelfPlayGames
from catan_pz.training.self_play_network import SelfPlayNetwork
from catan_pz.training.stopping import Stoppable
from catan_pz.training.timers import Clock, Timers
from catan_pz.training.update_figures import UpdateLog, update_figures


class RoundLearner(Protocol):
    """What a run asks of its learner.

    Attributes:
        optimizer: of torch.
        start: the policy that self-play began with; None before `begin`.
    """

    optimizer: Any
    start: nn.Module | None

    def begin(self, parameters: dict[str, torch.Tensor] | None = None) -> None:
        """Keep the policy, or one with these parameters, as the one that self-play began with."""


class SelfPlayRun(Stoppable):
    """Rounds of play and updates, with evaluations and checkpoints in an output folder.

    Subclasses bring `update`. Ctrl-C and SIGTERM finish it, save, and end the training. The folder
    gets `checkpoint.json` with the last two checkpoints, `model.npz`, `curve.csv` and `curve.png`,
    TensorBoard's `logs` where that is installed, the `league` of past selves and `result.json`.

    Args:
        args: options of the run.
        network: what learns.
        player: plays the rounds.
        learner: its optimizer, and the policy that self-play began with.
        algorithm: its name, for the model card.
        program: path of the program, for the model card.
        saved: what `open_run` gave.

    Attributes:
        frames: decisions that were learned from, without those of an expert.
        demonstrations: decisions of an expert that were imitated.
        updates: updates so far.
        rounds: those of them that weren't imitation.
        curve: rows of all evaluations so far.
        clock: its seconds.
    """

    def __init__(
        self,
        args: TrainingArgs,
        network: SelfPlayNetwork,
        player: SelfPlayGames,
        learner: RoundLearner,
        *,
        algorithm: str,
        program: str,
        saved: dict[str, Any] | None,
    ) -> None:
        self.args, self.rules, self.folder = args, args.make_rules(), Path(args.out)
        self.network, self.player, self.learner = network, player, learner
        self.algorithm, self.program = algorithm, program
        self.checkpoints, self.timers = Checkpoints(self.folder), Timers()
        self.curve: list[dict[str, Any]] = []
        self.frames = self.updates = self.rounds = self.demonstrations = 0
        self.clock = Clock()
        if saved is not None:
            self._restore(saved)
        self._log, self._told = UpdateLog(self.folder / "logs", self.frames), player.finished

    def update(self) -> tuple[Decisions, int]:
        """Play a round and learn from it; the decisions, and the optimizer's steps."""
        raise NotImplementedError

    def train(self) -> dict[str, Any]:
        """Train to the end, or until asked to stop.

        Returns:
            `frames`, `demonstrations`, `games`, `seconds`, `timers`, `results` (the last
            evaluations) and `options`. A training that reached its end writes them to
            `result.json` too.

        Raises:
            FloatingPointError: as `count`.
            OSError: if the last checkpoint, model or result can't be written.
        """
        args = self.args
        with heeding_signals(self.stop), progress_bar(args.progress) as bar:
            task = bar.add_task("training", total=args.frames, rate=0.0)
            if self.updates == 0 and args.eval_first:
                self._evaluate()
            if self.frames >= args.frames:  # a run that ended before all was written
                keep(self._write_curve, "the curve", needed=True)
                keep(self._write_model, "the model", needed=True)
            while self.frames < args.frames and not self.stopping:
                before, start = self.frames, time.perf_counter()
                played, steps = self.update()
                figures = update_figures(self.network, self.learner.start, played)
                rate = (self.frames - before) / (time.perf_counter() - start)
                self._tell(figures, rate, steps)
                bar.update(task, completed=self.frames, rate=rate)
                last = self.frames >= args.frames
                if last or self.frames // args.eval_every > before // args.eval_every:
                    self._evaluate()
                due = self.frames // args.checkpoint_every > before // args.checkpoint_every
                if last or due or self.stopping:
                    self._save(needed=last or self.stopping)
        self._log.close()
        return self._result()

    def count(self, decisions: int, imitated: bool) -> None:
        """Count an update, check what it has made of the network, and add a past self if due.

        Args:
            decisions: that were learned from.
            imitated: whether they were an expert's.

        Raises:
            FloatingPointError: if the network has values that aren't finite; the last checkpoint
                stays.
        """
        self.updates += 1
        check_finite(self.network.state_dict(), f"{self.updates:,} updates")
        if imitated:
            self.demonstrations += decisions
            return
        self.rounds += 1
        self.frames += decisions
        if self.updates % self.args.league_every == 0:
            name, model = f"{self.updates:07d}", self.export()
            keep(lambda: self.player.rivals.add(name, model), "a past self")

    def _tell(self, figures: dict[str, float], rate: float, steps: int) -> None:
        """Print and log what an update has done."""
        ended, self._told = self.player.finished - self._told, self.player.finished
        self._log.tell(self.frames, figures, rate=rate, steps=steps, ended=ended)

    def export(self) -> Model:
        """The policy alone, with its card."""
        card = training_card(self.args, self.algorithm, self.program, self.player.device)
        card |= {"frames": self.frames, "demonstrations": self.demonstrations}
        return self.network.export(self.rules, card | {"seconds": round(self.clock.seconds)})

    def _evaluate(self) -> None:
        """Play against others."""
        model, args = self.export(), self.args
        with self.timers.measure("evaluations"):
            frames, seconds = self.frames, self.clock.seconds
            rows = evaluate_model(model, self.rules, args, frames=frames, seconds=seconds)
        self.curve += rows
        self._log.write(frames, {f"eval/{row['against']}": row["win_rate"] for row in rows})
        keep(self._write_curve, "the curve")

    def _write_curve(self) -> None:
        """Write the table and the picture of all evaluations so far."""
        title, players = f"Self-play, {self.rules.num_players} players", self.rules.num_players
        unit = "frames (decisions of all seats)"
        write_curve(self.folder, self.curve, title=title, num_players=players, unit=unit)

    def _save(self, *, needed: bool) -> None:
        """Write a checkpoint and the model; a full disk ends the training where they are needed."""
        start = self.learner.start
        state = {
            "options": asdict(self.args),
            "network": self.network.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            "rivals": self.player.rivals.get_state(),
            "start": None if start is None else start.state_dict(),
            "counts": [self.frames, self.updates, self.rounds, self.demonstrations],
            "finished": self.player.finished,
            "curve": self.curve,
            "seconds": self.clock.seconds,
            "timers": dict(self.timers.seconds),
        }
        if self.player.device.type == "cpu":
            state["games"] = pack_arrays(self.player.games.get_state())
        frames, pool = self.frames, self.player.rivals.pool
        with self.timers.measure("checkpoints"):
            self.checkpoints.keep(frames, state, pool, needed=needed)
            keep(self._write_model, "the model", needed=needed)

    def _write_model(self) -> None:
        self.export().save(self.folder / "model.npz")

    def _restore(self, saved: dict[str, Any]) -> None:
        """Continue from a checkpoint; with new games on a GPU, or from one of a GPU."""
        self.network.load_state_dict(saved["network"])
        self.learner.optimizer.load_state_dict(saved["optimizer"])
        self.player.rivals.set_state(saved["rivals"])
        self.frames, self.updates, self.rounds, self.demonstrations = saved["counts"]
        self.player.finished = saved["finished"]
        if saved["start"] is not None:
            self.learner.begin(saved["start"])
        self.curve, self.clock = saved["curve"], Clock(saved["seconds"])
        self.timers.seconds.update(saved["timers"])
        if self.player.device.type == "cpu" and "games" in saved:
            self.player.games.set_state(unpack_arrays(saved["games"]))
        else:
            say("The games begin anew: only a training on a CPU goes on with those of a CPU.")
            self.player.games.reset(self.args.seed + self.updates * self.args.num_envs)

    def _result(self) -> dict[str, Any]:
        """What is also written to `result.json` at the end."""
        result = {
            "frames": self.frames,
            "demonstrations": self.demonstrations,
            "games": self.player.finished,
            "seconds": round(self.clock.seconds, 1),
            "timers": self.timers.seconds,
            "results": [row for row in self.curve if row["frames"] == self.frames],
            "options": asdict(self.args),
        }
        if self.frames >= self.args.frames:
            text = json.dumps(result, indent=2) + "\n"
            write_bytes(self.folder / "result.json", text.encode())
        spent = ", ".join(f"{part} {s:.0f} s" for part, s in self.timers.seconds.items() if s >= 1)
        say(
            f"{self.frames:,} frames, {self.player.finished:,} games in "
            f"{self.clock.seconds:,.0f} s ({spent}); saved in {self.args.out}"
        )
        return result
