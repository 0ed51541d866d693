"""Logs for TensorBoard, written without its threads: a full disk is told and gone on with."""

import io
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import KVWriter, Logger
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter


class LogWriter(KVWriter):
    """Writes numbers to a file of events; a resumed training purges entries beyond its checkpoint.

    What can't be written is kept, and written with what comes later.

    Args:
        folder: where to.
        frames: frames trained so far.
        warn: called with a sentence when the logs can't be written.
    """

    def __init__(self, folder: Path, frames: int, warn: Callable[[str], None]) -> None:
        now = time.time()
        name = f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}.{os.getpid()}"
        self._path = folder / f"{name}.{time.monotonic_ns()}"
        self._warn = warn
        self._fails = False
        self._pending = _record(Event(wall_time=now, file_version="brain.Event:2"))
        if frames:
            restart = SessionLog(status=SessionLog.START)
            self._pending += _record(Event(wall_time=now, step=frames + 1, session_log=restart))
        self._append()

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: Mapping[str, tuple[str, ...] | None],
        step: int = 0,
    ) -> None:
        """Log the numbers among these values."""
        numbers = [
            Summary.Value(tag=key, simple_value=float(value))
            for key, value in sorted(key_values.items())
            if isinstance(value, int | float | np.number | np.bool_)
            and "tensorboard" not in (key_excluded.get(key) or ())
        ]
        event = Event(wall_time=time.time(), step=step, summary=Summary(value=numbers))
        self._pending += _record(event)
        self._append()

    def close(self) -> None:
        """Try once more to write what is kept."""
        if self._pending:
            self._append()

    def _append(self) -> None:
        whole = 0
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            whole = self._path.stat().st_size if self._path.exists() else 0
            with self._path.open("ab") as file:
                file.write(self._pending)
        except OSError as error:
            with suppress(OSError):  # readers would stop at half an entry
                os.truncate(self._path, whole)
            if not self._fails:
                self._warn(f"TensorBoard's logs can't be written: {error}.")
            self._fails = True
        else:
            self._pending, self._fails = b"", False


def _record(event: Any) -> bytes:
    """An event as it stands in a file."""
    file = io.BytesIO()
    RecordWriter(file).write(event.SerializeToString())
    return file.getvalue()


def make_logger(folder: Path, frames: int, warn: Callable[[str], None]) -> Logger:
    """A logger of Stable-Baselines3 with a `LogWriter` alone; arguments as there."""
    return Logger(None, [LogWriter(folder, frames, warn)])
