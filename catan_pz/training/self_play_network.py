"""The network of self-play: a policy, and the value of a position to every player.

Letters: K decisions, N numbers of an observation, A actions, P players, H hidden numbers for the
critic only, S symmetries of the board. Seats are relative to the seat to move: 0 is the seat to
move, 1 the next one, and so on.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import torch
from torch import nn

from catan_pz.agents.board_network import BoardNetwork
from catan_pz.agents.network import Base, DenseNetwork, Model, NetworkAgent, shipped
from catan_pz.agents.registry import load as load_agent
from catan_pz.checks import not_possible
from catan_pz.observation.global_state import GLOBAL_PLACES
from catan_pz.observation.segments import SCALES, SIZE
from catan_pz.rules import Rules
from catan_pz.training.board_layers import BoardLayers

Critic = Literal["shared", "separate", "hidden"]

SEEN_BY_CRITICS: Final = ("all_hands", "all_cards")
NUM_HIDDEN: Final = sum(
    places.stop - places.start for places in map(GLOBAL_PLACES.__getitem__, SEEN_BY_CRITICS)
)
"""H."""

BASES_CHOICE: Final = 2
"""Mask value of the action that a residual policy's base would play; other legal ones are 1."""

ILLEGAL: Final = -1e8
"""Logit of illegal actions: finite, so that entropies are finite."""


def legal_log_softmax(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """(K, A) float32 log-probabilities from logits (K, A), very low where the mask (K, A) is 0."""
    return logits.float().masked_fill(mask == 0, ILLEGAL).log_softmax(-1)


class SelfPlayNetwork(nn.Module):
    """Policy and values, from observations in natural units.

    Args:
        num_actions, num_players: A and P.
        kind: "board" for the network of `agents.board_program`, "dense" for two dense layers.
        width, embedding_size: of a dense layer, and of places in the board network.
        critic: "shared" for values from the policy's last layer, "separate" for two separate dense
            layers, "hidden" for separate layers that also see all hands and cards. The policy
            never sees them.
        base: the base agent of a residual policy. Masks must mark its choices.
    """

    scales: torch.Tensor

    def __init__(
        self,
        num_actions: int,
        num_players: int,
        *,
        kind: Literal["board", "dense"] = "board",
        width: int = 128,
        embedding_size: int = 32,
        critic: Critic = "hidden",
        base: Base | None = None,
    ) -> None:
        super().__init__()
        self.critic, self.base, self.num_players = critic, base, num_players
        self.register_buffer("scales", torch.tensor(SCALES), persistent=False)
        self._sizes = kind, embedding_size, width, num_actions
        self.policy: Any = self.new_policy()
        if critic == "shared":
            self.value: nn.Module = nn.Linear(width, num_players)
        else:
            inputs = SIZE + (NUM_HIDDEN if critic == "hidden" else 0)
            layers = nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
            self.value = nn.Sequential(*layers, nn.Linear(width, num_players))

    def new_policy(self) -> nn.Module:
        """A policy with the network's architecture and other weights."""
        kind, embedding_size, width, num_actions = self._sizes
        if kind == "board":
            return BoardLayers(embedding_size, width, num_actions).to(self.scales.device)
        return _DenseLayers(width, num_actions).to(self.scales.device)

    def log_probabilities(
        self, units: torch.Tensor, mask: torch.Tensor, policy: Any = None
    ) -> torch.Tensor:
        """(K, A) log-probabilities of the actions, very low for illegal ones.

        Arguments as for `forward`; `policy` is another policy to use, from `policy_of`.
        """
        used = self.policy if policy is None else policy
        return self._of_logits(used.forward_actor(self._scaled(units)), mask)

    def forward(
        self, units: torch.Tensor, mask: torch.Tensor, hidden: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """(K, A) log-probabilities, and (K, P) values.

        Args:
            units: (K, N) int8 observations.
            mask: (K, A) 1 for each legal action, `BASES_CHOICE` for the base's.
            hidden: (K, H) from `hidden_part`; ignored unless the critic is "hidden".
        """
        x = self._scaled(units)
        logits, features = self.policy(x)
        if self.critic == "separate":
            features = x
        elif self.critic == "hidden":
            features = torch.cat([x, hidden.to(x.dtype)], 1)
        return self._of_logits(logits, mask), self.value(features)

    def _of_logits(self, logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        if self.base is not None:
            logits = logits + self.base.bonus * (mask == BASES_CHOICE)
        return legal_log_softmax(logits, mask)

    def _scaled(self, units: torch.Tensor) -> torch.Tensor:
        return (units * self.scales).clamp(max=1.0)

    def export(self, rules: Rules, card: Mapping[str, Any] | None = None) -> Model:
        """The policy alone, as a model that plays without torch."""
        base, options = self.base, rules.to_dict()
        return Model(self._in_numpy(), "logits", "sample", options, card or {}, base=base)

    def _in_numpy(self) -> BoardNetwork | DenseNetwork:
        own = _arrays(self.policy)
        arrays = {name: array.detach().cpu().numpy() for name, array in own.items()}
        board = isinstance(self.policy, BoardLayers)
        return BoardNetwork(arrays) if board else DenseNetwork(arrays)

    def take_policy(self, model: Model) -> None:
        """Start from the policy of a model, which must fit this network."""
        self._fill(self.policy, model)

    def policy_of(self, model: Model) -> nn.Module:
        """A policy with the network's architecture and the weights of a model."""
        policy = self.new_policy()
        self._fill(policy, model)
        return policy

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _fill(self, policy: nn.Module, model: Model) -> None:
        """Load the weights of a model into a policy."""
        self._check_fits(model)
        own = _arrays(policy)
        for name, array in model.network.arrays.items():
            own[name].copy_(torch.tensor(array))

    def _check_fits(self, model: Model) -> None:
        """Refuse a model that would be another policy here."""
        own = self._in_numpy()
        policy = "a model that gives logits"
        layers = "a model of these layers, or --network, --width and --embedding-size for its own"
        trading = "--trading" if model.num_actions > own.num_actions else "--no-trading"
        for what, its, here, remedy in (
            ("outputs", model.outputs, "logits", policy),
            ("observations", model.encoder.name, "flat", "a model that takes these"),
            ("players", model.num_players, self.num_players, f"--players {model.num_players}"),
            ("actions", model.num_actions, own.num_actions, trading),
            ("network", model.network.text(), own.text(), layers),
            ("base", _text(model.base), _text(self.base), _options(model.base)),
        ):
            if its != here:
                raise ValueError(
                    f"init: the model's {what}: {its}; this training's: {here}; pass {remedy}"
                )


def _arrays(policy: nn.Module) -> dict[str, torch.Tensor]:
    """A policy's parameters, by their names in model files."""
    if isinstance(policy, BoardLayers):
        return policy.layers
    layers = [part for part in policy.modules() if isinstance(part, nn.Linear)]
    named: dict[str, torch.Tensor] = {}
    for k, layer in enumerate(layers):
        named |= {f"weight_{k}": layer.weight, f"bias_{k}": layer.bias}
    return named


def _text(base: Base | None) -> str:
    return "none" if base is None else f"{base.agent} with a bonus of {base.bonus}"


def _options(base: Base | None) -> str:
    """The options that set a base."""
    return "no --base" if base is None else f"--base {base.agent} --base-bonus {base.bonus}"


class _DenseLayers(nn.Module):
    """Two dense layers and logits, with the interface of `BoardLayers`."""

    def __init__(self, width: int, actions: int) -> None:
        super().__init__()
        layers = nn.Linear(SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.hidden, self.head = nn.Sequential(*layers), nn.Linear(width, actions)
        with torch.no_grad():
            self.head.weight *= 0.1

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.hidden(x)
        return self.head(features), features

    def forward_actor(self, x: torch.Tensor) -> torch.Tensor:
        return self(x)[0]


def model_named(name: str) -> Model:
    """The model in a file, or the shipped model with that name."""
    agent = load_agent(name)
    if not isinstance(agent, NetworkAgent):
        raise not_possible("model", name, f"the path of a model file, or one of {shipped()}")
    return agent.model
