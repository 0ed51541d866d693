"""A training run of a learner that plays many games at once and learns in updates."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from catan_pz.rules import Rules
from catan_pz.training.checkpoints import write_bytes
from catan_pz.training.curves import write_curve
from catan_pz.training.episodes import EpisodeRun, as_csv


class UpdateLearner(Protocol):
    """What a run asks of its learner."""

    rules: Rules

    def update(self, number: int) -> dict[str, Any]:
        """Play, and learn from it; figures of the update by name, the same in each update."""

    def win_rates(self, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Names of opponents, and JSON values against each as `evaluation.evaluate` gives them."""

    def snapshots(self) -> list[str]:
        """Names of the files in the folder `league` that the state refers to."""

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write the model and its card."""

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on, for `torch.save`."""

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""


class UpdateRun(EpisodeRun):
    """Updates, evaluations and checkpoints in an output folder, as in `EpisodeRun`.

    `updates.csv` has a row for each update. The card says after how many updates its results were
    taken, where the model has learned more since.

    Args:
        args: options, as in `EpisodeArgs`, with `updates` in place of `episodes`.
        learner: plays and learns.
        title: of the curve.
        card: what the model's card tells beside updates, seconds and results.

    Raises:
        ValueError: as `EpisodeRun`.
    """

    def __init__(
        self, args: Any, learner: UpdateLearner, *, title: str, card: dict[str, Any]
    ) -> None:
        self._updating = learner
        whole: Any = learner
        super().__init__(args, whole, against=(), title=title, card=card)

    def train(self, report: Any = print) -> dict[str, Any]:
        """Make all updates that are left.

        Args:
            report: called with a line for each opponent after each evaluation.

        Returns:
            `updates`, `seconds`, `means` (of the figures over the last 100 updates), `results`
            (the last evaluation) and `options`.
        """
        args: Any = self.args
        while len(self.rows) < args.updates:
            if not self.rows:
                self._evaluate(report)
            self.rows.append(self._updating.update(len(self.rows)))
            last = len(self.rows) == args.updates
            if last or len(self.rows) % args.eval_every == 0:
                self._evaluate(report)
            if last or len(self.rows) % args.checkpoint_every == 0:
                self._save()
        result = {
            "updates": len(self.rows),
            "seconds": self.seconds,
            "means": {name: self.mean(name) for name in self.rows[-1]},
            "results": self._last_results(),
            "options": asdict(args),
        }
        write_bytes(self.out / "result.json", (json.dumps(result, indent=2) + "\n").encode())
        return result

    def _last_results(self) -> list[dict[str, Any]]:
        return [row for row in self.curve if row["frames"] == self.curve[-1]["frames"]]

    def _evaluate(self, report: Any) -> None:
        updates = len(self.rows)
        for against, found in self._updating.win_rates(updates):
            row = {"frames": updates, "seconds": round(self.seconds, 1), "against": against}
            self.curve.append(row | found)
            report(
                f"{updates:>6,} updates, {100 * found['win_rate']:5.1f} % won of "
                f"{found['games']:,} against {against}"
            )

    def _save(self) -> None:
        state = {
            "options": asdict(self.args),
            "learner": self._updating.get_state(),
            "rows": self.rows,
            "curve": self.curve,
            "seconds": self.seconds,
        }
        updates, results = len(self.rows), self._last_results()
        self.checkpoints.save(updates, state, self._updating.snapshots())
        trained = {"updates": updates, "seconds": round(self.seconds)}
        if results and results[0]["frames"] < updates:
            trained |= {"results_after_updates": results[0]["frames"]}
        self._updating.save(self.out, {**self.card, **trained, "results": results})
        write_bytes(self.out / "updates.csv", as_csv(self.rows))
        players = self._updating.rules.num_players
        write_curve(self.out, self.curve, title=self.title, num_players=players, unit="updates")
