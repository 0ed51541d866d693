"""Model files and model cards: what all networks that are stored share.

A model file is an `.npz` with the arrays of a network and a header in JSON; nothing of it is run.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import not_possible, quoted
from catan_pz.encoders import Encoder, load, names
from catan_pz.encoders.fingerprint import fingerprint, fits
from catan_pz.files import read_arrays, whole_file
from catan_pz.names import markdown, shown
from catan_pz.observation.segments import LAYOUT

FORMAT: Final = "catan-pz-model/1"
DTYPES: Final = ("float16", "float32")

_LONGEST: Final = 1000
"""Characters that are shown of an entry of a card."""

Arrays = Mapping[str, NDArray[Any]]


class ModelOfFile(Protocol):
    """A model that is read from its file."""

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """The model in a file."""
        ...


M = TypeVar("M", bound=ModelOfFile)


def write_model(
    path: Path | str, header: Mapping[str, Any], arrays: Arrays, encoder: Encoder, dtype: str
) -> None:
    """Write a model file, whole or not at all.

    Args:
        path: where to.
        header: JSON values beside those that every model file has.
        arrays: the weights, by name.
        encoder: of the observations that the network takes.
        dtype: of the weights in the file, "float16" or "float32".

    Raises:
        ValueError: for another dtype, weights too large for it, or a card whose entries aren't
            JSON values.
    """
    _check_entries(header.get("card", {}))
    if dtype not in DTYPES:
        raise ValueError(f"option dtype={dtype!r} is not possible; allowed: 'float16', 'float32'")
    with np.errstate(over="ignore"):
        stored: dict[str, Any] = {name: array.astype(dtype) for name, array in arrays.items()}
    if not all(np.isfinite(array).all() for array in stored.values()):
        raise ValueError(f"model: it has weights that are too large for {dtype}")
    whole = {
        "format": FORMAT,
        "layout": LAYOUT,
        "encoder": {
            "name": encoder.name,
            "layout": encoder.layout,
            "fingerprint": fingerprint(encoder),
        },
        **header,
        "checksum": checksum(stored),
    }
    text = json.dumps(whole, ensure_ascii=False).encode()
    with whole_file(Path(path)) as draft, draft.open("wb") as file:
        np.savez(file, allow_pickle=False, header=np.frombuffer(text, np.uint8), **stored)


@contextmanager
def model_file(path: Path | str) -> Iterator[tuple[dict[str, Any], dict[str, NDArray[Any]]]]:
    """Header and weights of a model file; errors inside the block say that it can't be played.

    Weights are float32, whatever the file keeps them in.

    Raises:
        ValueError: if it is no model file or damaged, or for any error in the block; names it.
        FileNotFoundError: if there is none.
    """
    content = Path(path).read_bytes()
    try:
        arrays = read_arrays(content)
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {quoted(header['format'])}, must be {FORMAT!r}")
        for name, array in arrays.items():
            if array.dtype.name not in DTYPES:
                raise ValueError(f"its array {name!r} is {array.dtype}, must be one of {DTYPES}")
        if header["checksum"] != checksum(arrays):
            raise ValueError("its checksum doesn't fit: the file is damaged")
        for name in arrays:  # one by one, so that both kinds are never there of all
            arrays[name] = arrays[name].astype(np.float32, copy=False)
        yield header, arrays
    except Exception as error:  # what a damaged archive gives is of many kinds
        raise ValueError(f"{path} is no model that can be played: {error}") from error


def model_of(kind: type[M], model: M | Path | str | None, shipped: Path) -> M:
    """The model that an agent plays by, however it was given.

    Args:
        kind: its class.
        model: the model, the path of its file, or None.
        shipped: the file that None stands for, read once.

    Raises:
        ValueError: if there is no such model in the file.
        FileNotFoundError: if there is no such file.
    """
    if isinstance(model, kind):
        return model
    path: Any = model
    found: M = _shipped(kind, shipped) if model is None else kind.read(path)
    return found


@cache
def _shipped(kind: type[M], path: Path) -> M:
    return kind.read(path)


def encoder_of(header: Mapping[str, Any]) -> Encoder:
    """The encoder that a file names.

    Files may have no fingerprint of their encoder; its name and layout then count alone.

    Raises:
        ValueError: for one that isn't known, or is another one of the same name.
    """
    if header["layout"] != LAYOUT:
        raise ValueError("it was made for another layout of observations")
    name, layout = header["encoder"]["name"], header["encoder"]["layout"]
    if name not in names():
        raise ValueError(
            f"it was made for the encoder {quoted(name)}, which isn't known: give it to "
            "catan_pz.encoders.register first"
        )
    encoder = load(name)
    if encoder.layout != layout:
        raise ValueError(
            f"it was made for another encoder of the name {name!r}: layout {quoted(layout)}, "
            f"the one known has {encoder.layout!r}"
        )
    if not fits(encoder, header["encoder"].get("fingerprint")):
        raise ValueError(
            f"it was made for another encoder of the name {name!r}: the one known gives other "
            "numbers for the same observations"
        )
    return encoder


def network_of(header: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The options of a network in a header.

    Raises:
        ValueError: if it is of another kind.
    """
    options = dict(header["network"])
    given = options.pop("kind")
    if given != kind:
        raise ValueError(f"its network is of the kind {given!r}, must be {kind!r}")
    return options


def check_weights(
    weights: Arrays, shapes: Mapping[str, tuple[int, ...]], of: str = "model"
) -> None:
    """Refuse weights that aren't those of a network.

    Args:
        weights: the arrays, by name.
        shapes: those of the network, by name.
        of: what they are the weights of, for errors.

    Raises:
        ValueError: names an array that isn't NumPy's, has another shape, is missing or too many,
            or not finite.
    """
    for name, array in weights.items():
        check_numpy(f"{of}: array {name!r}", array)
    given = {name: array.shape for name, array in weights.items()}
    for name in sorted(shapes.keys() | given.keys()):
        if given.get(name) != shapes.get(name):
            raise ValueError(
                f"{of}: array {name!r} has the shape {given.get(name)}, must have "
                f"{shapes.get(name)}"
            )
        if not np.isfinite(weights[name]).all():
            raise ValueError(f"{of}: array {name!r} has weights that aren't finite")


def check_card(card: Any) -> None:
    """Refuse a card that isn't a mapping.

    Raises:
        ValueError: says what it is.
    """
    if not isinstance(card, Mapping):
        raise not_possible("model: card", card, "an object")


def _check_entries(card: Mapping[str, Any]) -> None:
    """Refuse a card that JSON can't hold.

    Raises:
        ValueError: names the entry.
    """
    for key, value in card.items():
        try:
            json.dumps({key: value}, allow_nan=False)
        except (TypeError, ValueError):
            allowed = "JSON values: str, bool, int, finite float, None, lists and dicts of these"
            raise not_possible(f"model: card[{key!r}]", value, allowed) from None


def check_encoder(encoder: Any) -> None:
    """Refuse what is no encoder.

    Raises:
        ValueError: says what it is.
    """
    if not isinstance(encoder, Encoder):
        raise not_possible("model: encoder", encoder, "an Encoder, as catan_pz.encoders.load gives")


def check_numpy(what: str, array: Any) -> None:
    """Refuse weights that aren't NumPy arrays, such as tensors.

    Args:
        what: names them in the error.
        array: the weights.

    Raises:
        ValueError: says what they are.
    """
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{what} is of {type(array).__name__}, must be a NumPy array")


def checksum(arrays: Arrays) -> str:
    """SHA-256 of the names, dtypes, shapes and values of arrays."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        total.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        total.update(np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8).data)
    return total.hexdigest()


def card_markdown(name: str, rows: Iterable[tuple[str, Any]], card: Mapping[str, Any]) -> str:
    """The card of a model as Markdown.

    Args:
        name: of the model.
        rows: what the model itself tells: a name and a value each.
        card: what its training tells; in `results` those of evaluations, each with `against`,
            `games`, `win_rate`, `interval` (95 %) and `seed`.
    """
    trained = ((key.replace("_", " "), value) for key, value in card.items() if key != "results")
    rows, results = [*rows, *trained], card.get("results", ())
    lines = [f"# {markdown(shown(name))}", "", "| | |", "|---|---|"]
    lines += [f"| {_cell(key)} | {_cell(value)} |" for key, value in rows]
    if results:
        lines += ["", "| against | games | won | 95 % interval | seed |", "|---|---|---|---|---|"]
    for result in results:
        low, high = result["interval"]
        lines.append(
            f"| {_cell(result['against'])} | {result['games']:,} | "
            f"{100 * result['win_rate']:.1f} % | {100 * low:.1f} to {100 * high:.1f} % | "
            f"{result['seed']} |"
        )
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    """A value as a cell of a table."""
    return markdown(shown(" ".join(str(value).split()), _LONGEST))
