"""Experiment trackers besides TensorBoard: Weights & Biases, and MLflow.

Each library's own settings name its server: `WANDB_MODE=offline`, `MLFLOW_TRACKING_URI`.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from catan_pz.checks import not_possible
from catan_pz.files import write_bytes

Library = Literal["none", "wandb", "mlflow"]

PROJECT: Final = "catan-pz"


class WandbTracker:
    """A run of Weights & Biases."""

    def __init__(self, out: Path, options: Mapping[str, Any], run_id: str | None) -> None:
        import wandb

        self._run = wandb.init(
            project=PROJECT, name=out.name, id=run_id, resume="allow", config=dict(options), dir=out
        )
        self.run_id = str(self._run.id)

    def write(self, values: Mapping[str, float], done: int) -> None:
        """Log numbers; those from before a resume are unchanged."""
        self._run.log(dict(values), step=done)

    def close(self) -> None:
        """Write the remaining logs."""
        self._run.finish()


class MlflowTracker:
    """A run of MLflow."""

    def __init__(self, out: Path, options: Mapping[str, Any], run_id: str | None) -> None:
        import mlflow

        self._mlflow = mlflow
        mlflow.set_experiment(PROJECT)
        self.run_id = str(mlflow.start_run(run_id=run_id, run_name=out.name).info.run_id)
        if run_id is None:
            mlflow.log_params(options)

    def write(self, values: Mapping[str, float], done: int) -> None:
        """Log numbers; characters that MLflow refuses are removed from names."""
        named = {re.sub(r"[^\w./ -]", "_", name): value for name, value in values.items()}
        self._mlflow.log_metrics(named, step=done)

    def close(self) -> None:
        """Write the remaining logs."""
        self._mlflow.end_run()


Tracker = WandbTracker | MlflowTracker
TRACKERS: Final[dict[str, type[Tracker]]] = {"wandb": WandbTracker, "mlflow": MlflowTracker}


def start_tracker(
    library: Library, out: Path, options: Mapping[str, Any], *, resumed: bool
) -> Tracker | None:
    """A run in a library's tracker; a resumed run keeps the id stored in the output folder."""
    if library == "none":
        return None
    file = out / f"{library}.id"
    known = file.read_text(encoding="utf-8") if resumed and file.exists() else None
    try:
        tracker = TRACKERS[library](out, options, known)
    except ImportError:
        allowed = f'installed: pip install "catan-pz[{library}]"'
        raise not_possible("track", library, allowed) from None
    except Exception as error:  # many kinds: no key, no server, a damaged store
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{library} can't track this training: {reason}") from error
    write_bytes(file, tracker.run_id.encode())
    return tracker
