"""Logs for TensorBoard."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter


class LogWriter(TensorBoardOutputFormat):
    """Writes TensorBoard's logs; a resumed training purges entries beyond its checkpoint.

    Args:
        folder: where to.
        frames: frames trained so far.
        warn: called with a sentence when the logs can't be written.
    """

    def __init__(self, folder: Path, frames: int, warn: Callable[[str], None]) -> None:
        self.writer = SummaryWriter(str(folder), purge_step=frames + 1 if frames else None)
        self._is_closed = False
        self._warn = warn

    def write(self, *values: Any, **more: Any) -> None:
        """Log, unless the disk is full, which does not end a training."""
        try:
            super().write(*values, **more)
        except OSError as error:
            self._warn(f"TensorBoard's logs can't be written: {error}.")


def make_logger(folder: Path, frames: int, warn: Callable[[str], None]) -> Logger:
    """A logger of Stable-Baselines3 with a `LogWriter` alone; arguments as there."""
    return Logger(None, [LogWriter(folder, frames, warn)])
