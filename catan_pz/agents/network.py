"""Agents with small networks, which are read from files without pickle and need no torch.

Letters: K games, N numbers of an observation, A actions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.advice import Advice
from catan_pz.agents.base import BatchAgent, Views
from catan_pz.agents.board_network import BoardNetwork
from catan_pz.agents.heuristic.agent import EvolvedAgent, HeuristicAgent
from catan_pz.agents.model_files import Stored, StoredModel, check_weights
from catan_pz.agents.random_stream import uniforms
from catan_pz.checks import check_number, not_possible, quoted
from catan_pz.encoders import Encoder, load
from catan_pz.files import resource
from catan_pz.game.view import View
from catan_pz.observation.segments import PLACES, SCALES
from catan_pz.rules import Rules

ACTIVATIONS: Final = ("relu", "tanh")
_MOST: Final = np.round(1 / SCALES).astype(np.int8)
CHOICES: Final = ("sample", "best")
OUTPUTS: Final = ("logits", "q_values")
BASES: Final[dict[str, type[BatchAgent]]] = {
    kind.name: kind for kind in (HeuristicAgent, EvolvedAgent)
}
"""Bases of residual policies by name; a model file can name no others.

They don't sample actions, so the policy may use the upper ones of the same random bits: they only
use the lowest bit, to draw whether to make another offer.
"""
SHIPPED: Final = resource("catan_pz.agents", "models")
"""The folder of the shipped models."""

_PRESENT: Final = PLACES["present"]


@dataclass(frozen=True)
class DenseNetwork:
    """Dense layers from an encoded observation to a logit or Q-value for each action.

    The arrays are `weight_0` (out, in), `bias_0` (out,), and so on, all float32, with activations
    "relu" or "tanh" between the layers.
    """

    kind: ClassVar[str] = "dense"
    arrays: Mapping[str, NDArray[np.float32]]
    activation: str = "relu"

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise not_possible("network: activation", self.activation, f"one of {ACTIVATIONS}")
        if not self.arrays:
            raise ValueError("network: layers must be one or more, got none")
        shapes: dict[str, tuple[int, ...]] = {}
        for k, (before, after) in enumerate(pairwise(self._sizes)):
            shapes |= {f"weight_{k}": (after, before), f"bias_{k}": (after,)}
        check_weights(self.arrays, shapes, "network")

    @property
    def inputs(self) -> int:
        """Numbers of an encoded observation."""
        return int(self.arrays["weight_0"].shape[-1])

    @cached_property
    def _biases(self) -> list[NDArray[np.float32]]:
        return [self.arrays[f"bias_{k}"] for k in range(len(self.arrays) // 2)]

    @property
    def _sizes(self) -> list[int]:
        """`inputs`, and units of each layer."""
        return [self.inputs, *map(len, self._biases)]

    @property
    def num_actions(self) -> int:
        """A."""
        return self._sizes[-1]

    @property
    def options(self) -> dict[str, Any]:
        """Entries that a file must contain besides the arrays."""
        return {"activation": self.activation}

    def text(self) -> str:
        """A short description of the network."""
        return f"dense layers {' - '.join(map(str, self._sizes))}, {self.activation}"

    @cached_property
    def _turned(self) -> list[NDArray[np.float32]]:
        """(in, out) weights of each layer."""
        layers = range(len(self.arrays) // 2)
        return [np.ascontiguousarray(self.arrays[f"weight_{k}"].T) for k in layers]

    @cached_property
    def _first_of_units(self) -> NDArray[np.float32]:
        """(N, out) weights of the first layer, for observations in natural units."""
        return self._turned[0] * SCALES[:, None]

    def logits(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from observations (K, N) in natural units."""
        units = np.minimum(observations, _MOST).astype(np.float32)
        return self._after_first(units @ self._first_of_units)

    def evaluate(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) logits or Q-values, from encoded observations (K, n)."""
        return self._after_first(inputs @ self._turned[0])

    def _after_first(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """(K, A) from the output (K, units) of the first layer without its bias."""
        first, *biases = self._biases
        x += first
        for weight, bias in zip(self._turned[1:], biases, strict=True):
            if self.activation == "relu":
                np.maximum(x, 0, out=x)
            else:
                np.tanh(x, out=x)
            x = x @ weight
            x += bias
        return np.asarray(x, np.float32)


@dataclass(frozen=True)
class Base:
    """The base of a residual policy: `bonus` is added to the logit of this agent's choice.

    The network only has to learn where to deviate. Source: Silver et al., "Residual Policy
    Learning", 2018.
    """

    agent: str  # its name, one of `BASES`
    bonus: float

    def __post_init__(self) -> None:
        if self.agent not in BASES:
            raise not_possible("base", self.agent, f"one of {list(BASES)}")
        check_number("base_bonus", self.bonus)

    def load(self) -> BatchAgent:
        """The agent."""
        return BASES[self.agent]()


@dataclass(frozen=True)
class Model(StoredModel):
    """A network with a logit or Q-value for each action, and the data for playing with it.

    Attributes:
        outputs: "logits" or "q_values".
        choice: how it plays by default: "sample" samples from the policy, "best" takes the action
            of the largest logit or Q-value. Q-values can't be sampled from.
        rules: the options of `Rules` in its training, as in `Rules.to_dict`.
        encoder: encoder of the network's input.
        base: the base of a residual policy; None for other policies.
    """

    kinds = (DenseNetwork.kind, BoardNetwork.kind)
    network: DenseNetwork | BoardNetwork
    outputs: str
    choice: str
    rules: Mapping[str, Any]
    card: Mapping[str, Any] = field(default_factory=dict)
    encoder: Encoder = field(default_factory=lambda: load("flat"))
    base: Base | None = None

    def __post_init__(self) -> None:
        if self.outputs not in OUTPUTS:
            raise not_possible("model: outputs", self.outputs, f"one of {OUTPUTS}")
        if self.base is not None and self.outputs != "logits":
            raise not_possible("model: outputs", self.outputs, "'logits' with a base")
        allowed = CHOICES if self.outputs == "logits" else ("best",)
        if self.choice not in allowed:
            raise not_possible("model: choice", self.choice, f"one of {allowed} for {self.outputs}")
        gives, actions = self.num_actions, Rules.from_dict(self.rules).num_actions
        if gives != actions:
            raise ValueError(f"model: it gives {gives} outputs, its rules have {actions} actions")
        if self.network.kind == BoardNetwork.kind and self.encoder.name != "flat":
            raise not_possible("model: encoder", self.encoder, "'flat'")
        takes, size = self.network.inputs, self.encoder.size
        if takes != size:
            raise ValueError(
                f"model: its network takes {takes}, {self.encoder} gives {size} numbers"
            )

    @property
    def num_players(self) -> int:
        """Number of players in its training."""
        return Rules.from_dict(self.rules).num_players

    @property
    def num_actions(self) -> int:
        """A."""
        return self.network.num_actions

    def logits(self, units: NDArray[np.int8]) -> NDArray[np.float32]:
        """(K, A) outputs of the network for observations (K, N) in natural units."""
        with np.errstate(under="ignore"):  # other libraries may enable exceptions
            if self.encoder.name == "flat":
                return self.network.logits(units)
            seen = self.encoder.encode(units)
            parts = seen.values() if self.encoder.is_dict else [seen]
            columns = [np.reshape(part, (len(units), -1)) for part in parts]
            return self.network.evaluate(np.concatenate(columns, axis=1).astype(np.float32))

    def with_results(self, results: Sequence[Mapping[str, Any]]) -> "Model":
        """A copy with other results on its card, in the form of `StoredModel.card_text`."""
        return replace(self, card={**self.card, "results": list(results)})

    def stored(self) -> Stored:
        """The content of its file."""
        network = {"kind": self.network.kind, **self.network.options}
        header = {
            "outputs": self.outputs,
            "choice": self.choice,
            "rules": dict(self.rules),
            "base": None if self.base is None else asdict(self.base),
        }
        return Stored(network, self.network.arrays, self.encoder, header)

    @classmethod
    def restored(cls, stored: Stored) -> "Model":
        """The model of a file's content."""
        options, header = stored.network, stored.header
        kind = options.pop("kind")
        make = DenseNetwork if kind == DenseNetwork.kind else BoardNetwork
        return cls(
            make(stored.arrays, **options),
            outputs=header["outputs"],
            choice=header["choice"],
            rules=header["rules"],
            card=header["card"],
            encoder=stored.encoder,
            base=Base(**base) if (base := header.get("base")) else None,
        )

    def card_rows(self) -> list[tuple[str, Any]]:
        """Players, rules, network and default choice."""
        changed = Rules.from_dict(self.rules).differences()
        parameters = sum(array.size for array in self.network.arrays.values())
        rows: list[tuple[str, Any]] = [
            ("players", self.num_players),
            ("rules that differ from the defaults", json.dumps(changed)),
            ("network", f"{self.network.text()}, {parameters:,} parameters"),
            ("output", {"logits": "logits", "q_values": "Q-values"}[self.outputs]),
            ("action", {"sample": "sampled", "best": "largest logit or Q-value"}[self.choice]),
        ]
        if self.base is not None:
            rows.append(("base", f"{self.base.agent}, whose choice gets {self.base.bonus:g} more"))
        return rows


def softmax(logits: NDArray[Any]) -> NDArray[Any]:
    """(K, A) softmax of logits, not normalized: the largest of each row is 1."""
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(logits - logits.max(axis=1, keepdims=True)))


def sample_actions(weights: NDArray[Any], random_bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    """(K,) actions sampled in proportion to weights (K, A), by 64 random bits for each row."""
    below = weights.cumsum(axis=1, dtype=np.float64)
    whole = below[:, -1]
    picked = np.minimum(uniforms(random_bits) * whole, np.nextafter(whole, 0))
    return np.asarray((below > picked[:, None]).argmax(axis=1), np.int64)


def check_logits(name: str, logits: NDArray[Any], masks: NDArray[np.int8]) -> None:
    """Refuse logits (K, A), -inf for illegal actions, if a row's largest is NaN or infinite."""
    if not np.isfinite(logits.max(axis=1)[masks.any(axis=1)]).all():
        raise ValueError(f"logits of {quoted(name)} are NaN or infinite")


class NetworkAgent(BatchAgent):
    """Plays with a model, given as an object or file; `choice` overrides the model's own."""

    name = "network"

    def __init__(
        self, model: Model | Path | str, *, choice: str | None = None, name: str | None = None
    ) -> None:
        self.model = model if isinstance(model, Model) else Model.read(model)
        if choice is not None:
            self.model = replace(self.model, choice=choice)
        self._base = None if self.model.base is None else self.model.base.load()
        if name is not None:
            self.name = name
        elif not isinstance(model, Model):
            self.name = Path(model).stem

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of another number of players, or with other actions."""
        self._check_fit(rules.num_players, rules.num_actions)

    def _check_fit(self, num_players: int, num_actions: int) -> None:
        model = self.model
        if (num_players, num_actions) != (model.num_players, model.num_actions):
            raise ValueError(
                f"agent {self.name!r} plays games of {model.num_players} players with "
                f"{model.num_actions} actions; this one has {num_players} players and "
                f"{num_actions} actions"
            )

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) choices."""
        self._check_fit(int(views.observations[0, _PRESENT].sum()), views.masks.shape[1])
        logits = self._legal_logits(views)
        if self.model.choice == "best":
            return np.asarray(logits.argmax(axis=1), np.int64)
        return sample_actions(softmax(logits), views.random_bits)

    def _legal_logits(self, views: Views) -> NDArray[np.float32]:
        """(K, A) logits or Q-values with the base's bonus, -inf for illegal actions."""
        logits = self.model.logits(views.observations)
        logits = np.where(views.masks != 0, logits, np.float32(-np.inf))
        if self._base is not None and self.model.base is not None:
            logits[np.arange(len(views)), self._base.act_batch(views)] += self.model.base.bonus
        check_logits(self.name, logits, views.masks)
        return logits

    def advise(self, view: View) -> Advice:
        """The policy's probabilities, or the Q-values as scores."""
        observations, masks = view.observation[None], view.mask[None]
        if self.model.outputs == "logits":
            return Advice.of_policy(self.probabilities(observations, masks)[0])
        return Advice.of_scores(self.model.logits(observations)[0], view.mask)

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """(K, A) probability of each action, 0 where it isn't legal.

        If the base of a residual policy would draw whether to make another offer, it offers.
        """
        self._check_fit(int(observations[0, _PRESENT].sum()), masks.shape[1])
        if self.model.outputs != "logits":
            raise ValueError(f"agent {self.name!r} has Q-values, no probabilities")
        no_bits = np.zeros(len(masks), np.uint64)
        weights = softmax(self._legal_logits(Views(observations, masks, no_bits, no_bits)))
        with np.errstate(under="ignore"):
            return np.asarray(weights / weights.sum(axis=1, keepdims=True), np.float64)

    def policy(self, view: View) -> NDArray[np.float64]:
        """(A,) `probabilities` in the game of a view."""
        return np.asarray(self.probabilities(view.observation[None], view.mask[None])[0])


def shipped() -> list[str]:
    """Names of the shipped models."""
    return sorted(path.stem for path in SHIPPED.glob("*.npz"))
