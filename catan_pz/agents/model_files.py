"""Model files and model cards, for all networks.

A model file is an `.npz` with the arrays of a network and a header in JSON; it contains no code.
"""

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_home, not_possible, quoted
from catan_pz.encoders import Encoder, load, names, register
from catan_pz.encoders.base import fingerprint, fits
from catan_pz.encoders.registry import registered
from catan_pz.files import read_arrays, whole_file
from catan_pz.names import markdown, shown
from catan_pz.observation.segments import LAYOUT
from catan_pz.rules import Rules

FORMAT: Final = "catan-pz-model/1"
DTYPES: Final = ("float16", "float32")

_LONGEST: Final = 1000
"""Most characters shown of a card's entry."""

Arrays = Mapping[str, NDArray[Any]]


class Stored(NamedTuple):
    """The content of a model's file."""

    network: dict[str, Any]  # options of the network, JSON values; "kind" is one of `kinds`
    arrays: Arrays  # its weights by name, read as float32
    encoder: Encoder  # of the network's input
    header: dict[str, Any]  # further JSON values; "card" is that of the model


class StoredModel(ABC):
    """A model with a file and a card."""

    kinds: ClassVar[tuple[str, ...]]  # of networks in such files
    card: Mapping[str, Any]  # training and results, as in `card_text`

    @abstractmethod
    def stored(self) -> Stored:
        """The content of its file."""

    @classmethod
    @abstractmethod
    def restored(cls, stored: Stored) -> Self:
        """The model of a file's content."""

    @abstractmethod
    def card_rows(self) -> list[tuple[str, Any]]:
        """Rows of the card about the model itself: a name and a value each."""

    def save(self, path: Path | str, dtype: str = "float16") -> None:
        """Write a model file atomically, with weights as "float16" or "float32"."""
        stored = self.stored()
        encoder, kind = stored.encoder, type(stored.encoder)
        home = registered().get(encoder.name, f"{kind.__module__}:{kind.__qualname__}")
        for key, value in self.card.items():
            try:
                json.dumps({key: value}, allow_nan=False)
            except (TypeError, ValueError):
                raise not_possible(f"model: card[{key!r}]", value, "JSON values") from None
        if dtype not in DTYPES:
            raise not_possible("dtype", dtype, f"one of {DTYPES}")
        with np.errstate(over="ignore", under="ignore"):
            arrays: dict[str, Any] = {k: array.astype(dtype) for k, array in stored.arrays.items()}
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise ValueError(f"model: it has weights that are too large for {dtype}")
        header = {
            "format": FORMAT,
            "layout": LAYOUT,
            "encoder": {
                "name": encoder.name,
                "layout": encoder.layout,
                "fingerprint": fingerprint(encoder),
                "home": None if home.startswith("catan_pz.") else home,
            },
            "network": stored.network,
            **stored.header,
            "card": dict(self.card),
        }
        text = np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8)
        with whole_file(Path(path)) as draft, draft.open("wb") as file:
            np.savez(file, allow_pickle=False, header=text, **arrays)

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read the model in a file; no code of it is run."""
        content = Path(path).read_bytes()
        try:
            arrays = read_arrays(content)
            header = json.loads(arrays.pop("header").tobytes())
            if header["format"] != FORMAT:
                raise ValueError(f"its format is {quoted(header['format'])}, must be {FORMAT!r}")
            network = header.pop("network")
            if network["kind"] not in cls.kinds:
                allowed = " or ".join(map(repr, cls.kinds))
                raise ValueError(
                    f"its network is of the kind {quoted(network['kind'])}, must be {allowed}"
                )
            if not isinstance(header["card"], dict):
                raise not_possible("model: card", header["card"], "an object")
            weights = {name: array.astype(np.float32) for name, array in arrays.items()}
            return cls.restored(Stored(network, weights, encoder_of(header), header))
        except Exception as error:  # damaged archives raise many kinds of errors
            raise ValueError(f"{path} is no model that can be played: {error}") from error

    def card_text(self, name: str) -> str:
        """The card as Markdown: the rows of `card_rows`, then those of `card`.

        The latter may include `results` of evaluations, each with `against`, `games`, `win_rate`,
        `interval` (95 %) and `seed`.
        """
        card = self.card.items()
        trained = [(key.replace("_", " "), value) for key, value in card if key != "results"]
        lines = [f"# {markdown(shown(name))}", "", "| | |", "|---|---|"]
        lines += [f"| {_cell(key)} | {_cell(value)} |" for key, value in self.card_rows() + trained]
        results = self.card.get("results", ())
        if results:
            lines += ["", "| against | games | won | 95 % interval | seed |"]
            lines += ["|---|---|---|---|---|"]
        for result in results:
            low, high = result["interval"]
            lines.append(
                f"| {_cell(result['against'])} | {result['games']:,} | "
                f"{100 * result['win_rate']:.1f} % | {100 * low:.1f} to {100 * high:.1f} % | "
                f"{result['seed']} |"
            )
        return "\n".join(lines) + "\n"


M = TypeVar("M", bound=StoredModel)


def model_of(kind: type[M], model: M | Path | str | None, shipped: Path) -> M:
    """An agent's model: as given, read from a file, or by default the shipped one."""
    if isinstance(model, kind):
        return model
    path: Any = model
    return _shipped(kind, shipped) if model is None else kind.read(path)


@cache
def _shipped(kind: type[M], path: Path) -> M:
    return kind.read(path)


def encoder_of(header: Mapping[str, Any]) -> Encoder:
    """The encoder named in a file's header, whose fingerprint and home may be missing.

    Reading a file imports nothing: an encoder that isn't registered is found only if its module has
    been imported.
    """
    if header["layout"] != LAYOUT:
        raise ValueError("it was made for another layout of observations")
    name, layout = header["encoder"]["name"], header["encoder"]["layout"]
    home = header["encoder"].get("home")
    if name not in names() and home is not None:
        module, _, thing = check_home(home).partition(":")
        kind = getattr(sys.modules.get(module), thing, None)
        if isinstance(kind, type) and issubclass(kind, Encoder):
            register(name, home)
    if name not in names():
        raise ValueError(
            f"it was made for the encoder {quoted(name)}, which isn't known: register it first by "
            f"catan_pz.encoders.register({name!r}, {home or 'MODULE:CLASS'!r}), on the command "
            f"line by --encoder {home or 'MODULE:CLASS'}"
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


def check_weights(
    weights: Arrays, shapes: Mapping[str, tuple[int, ...]], of: str = "model"
) -> None:
    """Refuse arrays with wrong names or shapes, or that aren't finite."""
    for name in sorted(shapes.keys() | weights.keys()):
        array = weights.get(name)
        given = None if array is None else array.shape
        if array is None or given != shapes.get(name):
            raise ValueError(
                f"{of}: array {name!r} has the shape {given}, must have {shapes.get(name)}"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{of}: array {name!r} has weights that aren't finite")


def _cell(value: Any) -> str:
    """A value as a cell of a table."""
    return markdown(shown(" ".join(str(value).split()), _LONGEST))


def rules_text(rules: Rules) -> str:
    """The options of rules that differ from the defaults, for a card."""
    return ", ".join(f"{option} {value}" for option, value in rules.differences().items())
