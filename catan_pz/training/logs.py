"""Logs for TensorBoard, where that is installed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catan_pz.training.console import warn


class Logs:
    """Writes numbers by tag; a resumed training replaces what was logged after its checkpoint.

    Args:
        folder: where to; None for nowhere.
        frames: frames trained so far.
    """

    def __init__(self, folder: Path | None, frames: int) -> None:
        self._writer: Any = None
        if folder is not None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                return
            self._writer = SummaryWriter(str(folder), purge_step=frames + 1 if frames else None)

    def write(self, values: Mapping[str, Any], frames: int) -> None:
        """Log the numbers among these values; what can't be written doesn't end the training."""
        if self._writer is None:
            return
        try:
            for tag, value in values.items():
                if isinstance(value, int | float):
                    self._writer.add_scalar(tag, value, frames)
        except OSError as error:
            warn(f"TensorBoard's logs can't be written any more: {error}.")
            self._writer = None

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._writer.close()
