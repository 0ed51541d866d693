"""Checkpoints of a training: written atomically, named with their checksums."""

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.files import check_writable, read_arrays, remove_drafts, write_bytes
from catan_pz.training.console import warn

_KEPT: Final = 2
"""Checkpoints that stay in a folder."""


def keep(write: Callable[[], object], what: str, *, needed: bool = False) -> None:
    """Write something; a full disk ends a training only where nothing comes later (`needed`).

    `what` names it in the warning.
    """
    try:
        write()
    except OSError as error:
        if needed:
            raise
        warn(f"{what} can't be written: {error}. What was there before stays.")


def check_finite(state: Any, trained: str) -> None:
    """Refuse to go on with NaN or infinity in a state's tensors, after `trained`: "9 games"."""
    if not all(bool(torch.isfinite(tensor).all()) for tensor in _floats(state)):
        raise FloatingPointError(
            f"after {trained} the network has values that aren't finite. The last checkpoint is "
            "whole; a lower learning rate or reward scale may help, in another output folder"
        )


def _floats(state: Any) -> Iterator[torch.Tensor]:
    """The tensors of floats in a state."""
    if isinstance(state, torch.Tensor):
        if state.is_floating_point():
            yield state
    elif isinstance(state, Mapping | list | tuple):
        for part in state.values() if isinstance(state, Mapping) else state:
            yield from _floats(part)


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> torch.Tensor:
    """Arrays of any dtype as one uint8 tensor, which `torch.load(weights_only=True)` accepts."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8)


def unpack_arrays(packed: torch.Tensor) -> dict[str, NDArray[Any]]:
    """The arrays given to `pack_arrays`."""
    return read_arrays(packed.numpy().tobytes())


class Checkpoints:
    """The last two checkpoints in a folder, listed with their SHA-256 in `checkpoint.json`.

    A file counts only once the list names it, and the list is replaced atomically. Files are named
    with their digest, so that none that the list names is ever written over.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.index = folder / "checkpoint.json"

    def entries(self) -> list[dict[str, Any]]:
        """Entries of the list, newest first: `file`, `frames`, `sha256`, `league`."""
        if not self.index.exists():
            return []
        try:
            return json.loads(self.index.read_bytes())["checkpoints"]
        except (ValueError, LookupError, TypeError) as error:
            raise ValueError(f"{self.index} is no list of checkpoints: {error}") from error

    def open(self, *, resume: bool) -> dict[str, Any] | None:
        """The state to resume from, or None for a new training."""
        saved = self.load() if resume else None
        written = ("result.json", "model.npz")  # a training without checkpoints has these alone
        if saved is None and any((self.folder / n).exists() for n in (self.index.name, *written)):
            raise ValueError(
                f"out={str(self.folder)!r} holds a training: pass --resume to continue it, or name "
                "another folder"
            )
        try:
            check_writable(self.index)
        except OSError as error:
            raise ValueError(
                f"out={str(self.folder)!r} can't be written: {error.strerror or error}"
            ) from error
        return saved

    def save(self, frames: int, state: dict[str, Any], league: Sequence[str] = ()) -> None:
        """Write a checkpoint; the one before stays, with the snapshots that it needs.

        Args:
            frames: how much was trained.
            state: what `torch.load(weights_only=True)` can read back.
            league: names of the snapshots that the state refers to.
        """
        file = io.BytesIO()
        torch.save(state, file)
        data = file.getvalue()
        digest = hashlib.sha256(data).hexdigest()
        name = f"checkpoint-{frames:012d}-{digest[:12]}.pt"
        entry = {"file": name, "frames": frames, "sha256": digest, "league": list(league)}
        write_bytes(self.folder / name, data)
        # What is listed of later frames is damaged: the training resumed before it.
        kept = [entry, *(old for old in self.entries() if old["frames"] < frames)][:_KEPT]
        write_bytes(self.index, (json.dumps({"checkpoints": kept}, indent=2) + "\n").encode())
        self._remove_others(kept)

    def _remove_others(self, kept: list[dict[str, Any]]) -> None:
        """Remove older checkpoints, drafts left by a killed process, and unused snapshots."""
        files = {entry["file"] for entry in kept}
        for path in self.folder.glob("checkpoint-*.pt"):
            if path.name not in files:
                path.unlink()
        league = self.folder / "league"
        for folder in (self.folder, league):
            remove_drafts(folder)
        snapshots = {name for entry in kept for name in entry["league"]}
        for path in league.glob("*.npz"):
            if path.stem not in snapshots:
                path.unlink()

    def load(self) -> dict[str, Any]:
        """The state in the newest checkpoint that is whole."""
        for entry in self.entries():
            path = self.folder / entry["file"]
            data = path.read_bytes() if path.exists() else b""
            if hashlib.sha256(data).hexdigest() == entry["sha256"]:
                return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
            warn(f"{path} is damaged or missing: trying the one before.")
        raise ValueError(f"{self.folder} has no whole checkpoint to resume from")
