"""A training run of a learner that plays many games at once and learns in updates."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Protocol

from catan_pz.rules import Rules
from catan_pz.training.episodes import CountedArgs, EpisodeRun


class UpdateLearner(Protocol):
    """What a run asks of its learner."""

    rules: Rules

    def play(self, number: int) -> dict[str, Any]:
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
    """An `EpisodeRun` whose parts are updates, and whose learner finds its own win rates.

    `updates.csv` has a row for each update.

    Args:
        args: options, and `updates`.
        learner: plays and learns.
        title: of the curve.
        card: what the model's card tells beside updates, seconds and results.

    Raises:
        ValueError: as `EpisodeRun`.
    """

    table: ClassVar[str] = "updates.csv"

    def __init__(
        self, args: CountedArgs, learner: UpdateLearner, *, title: str, card: dict[str, Any]
    ) -> None:
        self._updating = learner
        whole: Any = learner  # it needs no `agent`: its evaluations are its own
        counted = {"option": "updates", "unit": "updates"}
        super().__init__(args, whole, against=(), title=title, card=card, **counted)

    def _last_results(self) -> list[dict[str, Any]]:
        return [row for row in self.curve if row["frames"] == self.curve[-1]["frames"]]

    def _evaluate(self, report: Any) -> None:
        updates = len(self.rows)
        for against, found in self._updating.win_rates(updates):
            row = {"frames": updates, "seconds": round(self.clock.seconds, 1), "against": against}
            self.curve.append(row | found)
            report(
                f"{updates:>6,} updates, {100 * found['win_rate']:5.1f} % won of "
                f"{found['games']:,} against {against}"
            )

    def _snapshots(self) -> list[str]:
        return self._updating.snapshots()
