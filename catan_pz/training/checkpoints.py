"""Checkpoints of a training: written atomically, named by their checksums."""

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
"""Number of checkpoints kept in a folder."""


def keep(write: Callable[[], object], what: str, *, needed: bool = False) -> None:
    """Write a file; a full disk only ends the training if the file is `needed`.

    `what` names it in the warning.
    """
    try:
        write()
    except OSError as error:
        if needed:
            raise
        warn(f"{what} can't be written: {error}. The previous version stays.")


def check_finite(state: Any, trained: str) -> None:
    """Refuse NaN or infinity in a state's tensors, after `trained`: "9 games"."""
    if not all(bool(torch.isfinite(tensor).all()) for tensor in _floats(state)):
        raise FloatingPointError(
            f"after {trained} the network has values that aren't finite. The last checkpoint is "
            "intact; a lower learning rate or reward scale may help, in another output folder"
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

    A file only counts once the list names it, and the list is replaced atomically. Files are named
    by their digest, so no listed file is ever overwritten.
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
            raise ValueError(f"{self.index} is not a list of checkpoints: {error}") from error

    def open(self, *, resume: bool) -> dict[str, Any] | None:
        """The state to resume from, or None for a new training."""
        saved = self.load() if resume else None
        written = ("result.json", "model.npz")  # a training without checkpoints only has these
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
        """Write a checkpoint; the previous one stays, with the snapshots that it needs.

        Args:
            frames: amount trained so far.
            state: readable by `torch.load(weights_only=True)`.
            league: names of the snapshots that the state refers to.
        """
        file = io.BytesIO()
        torch.save(state, file)
        data = file.getvalue()
        digest = hashlib.sha256(data).hexdigest()
        name = f"checkpoint-{frames:012d}-{digest[:12]}.pt"
        entry = {"file": name, "frames": frames, "sha256": digest, "league": list(league)}
        write_bytes(self.folder / name, data)
        # Listed checkpoints of later frames are damaged: the training resumed before them.
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
        """The state in the newest intact checkpoint."""
        for entry in self.entries():
            path = self.folder / entry["file"]
            data = path.read_bytes() if path.exists() else b""
            if hashlib.sha256(data).hexdigest() == entry["sha256"]:
                return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
            warn(f"{path} is damaged or missing: trying the previous one.")
        raise ValueError(f"{self.folder} has no intact checkpoint to resume from")
