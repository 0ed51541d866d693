"""Policies of Stable-Baselines3 for trainings, dense or with the board network.

`BoardPolicy` is for MaskablePPO, `BoardQPolicy` for DQN; `catan_pz.agents.board_program`
describes the network, which shares weights across the board. Letters: K games, N numbers of an
observation, A actions, D dense units.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import torch
from sb3_contrib.common.maskable.distributions import MaskableCategoricalDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import nn

from catan_pz.checks import not_possible
from catan_pz.encoders import as_encoder
from catan_pz.env.spaces import encoder_of_space
from catan_pz.env.vector.sb3 import ScaleUnits
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.training.board_layers import BoardLayers
from catan_pz.training.options import Count, TrainingArgs
from catan_pz.training.self_play_network import ILLEGAL


class InOrder(BaseFeaturesExtractor):
    """Observations of several kinds as features: scaled, in the order of the flat vector.

    The space has flat observations, named segments, or natural units.
    """

    def __init__(self, observation_space: Any) -> None:
        super().__init__(observation_space, SIZE)
        encoder = encoder_of_space(observation_space)
        self._named = encoder.is_dict
        self.scaled: nn.Module = nn.Identity()
        if encoder.name == "units":
            self.scaled = ScaleUnits(observation_space)

    def forward(self, observations: Any) -> Any:
        """(K, N) float32."""
        if self._named:
            return torch.cat([observations[name].flatten(1) for name in PLACES], 1)
        return self.scaled(observations)


class LegalActions:
    """The probabilities of `MaskableCategorical`, from one softmax of the legal logits."""

    def __init__(self, logits: torch.Tensor) -> None:
        self._given = logits
        self.apply_masking(None)

    def apply_masking(self, masks: Any) -> None:
        """Set the probability of actions with mask (K, A) 0 to zero; None allows all actions."""
        logits = self._given
        if masks is not None:
            legal = torch.as_tensor(masks, device=logits.device).reshape(logits.shape)
            logits = logits.masked_fill(legal == 0, ILLEGAL)
        self.logits = logits
        self.__dict__.pop("log_probs", None)

    @cached_property
    def log_probs(self) -> torch.Tensor:
        """(K, A)."""
        return self.logits.log_softmax(-1)

    @property
    def probs(self) -> torch.Tensor:
        """(K, A)."""
        return self.logits.softmax(-1)  # the exp of masked logits would be slow

    def log_prob(self, actions: torch.Tensor) -> torch.Tensor:
        """(K,) of actions (K,)."""
        return self.log_probs.gather(-1, actions[:, None])[:, 0]

    def entropy(self) -> torch.Tensor:
        """(K,)."""
        return -(self.probs * self.log_probs).sum(-1)

    def sample(self) -> torch.Tensor:
        """(K,) actions, each from one random number."""
        up_to = self.probs.cumsum(-1)
        drawn = torch.rand(len(up_to), 1, device=up_to.device) * up_to[:, -1:]
        return (up_to <= drawn).sum(-1)


class LegalActionsDistribution(MaskableCategoricalDistribution):
    """The distribution of `LegalActions` in the interface of sb3-contrib."""

    distribution: Any

    def proba_distribution(self, action_logits: torch.Tensor) -> "LegalActionsDistribution":
        """Set the logits (K, A)."""
        self.distribution = LegalActions(action_logits)
        return self


class BoardPolicy(MaskableActorCriticPolicy):
    """Policy and value of MaskablePPO with the policy in `BoardLayers`, whose arguments it takes.

    A separate value function keeps its gradients from interfering with the policy's.
    """

    def __init__(
        self,
        *args: Any,
        width: int = 32,
        dense: int = 128,
        separate_value: bool = True,
        **options: Any,
    ) -> None:
        self.sizes: Any = {"width": width, "dense": dense, "separate_value": separate_value}
        adam: Any = {"optimizer_kwargs": {"eps": 1e-5, "fused": True}}
        super().__init__(*args, **adam | options | {"features_extractor_class": InOrder})

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | self.sizes

    def _build(self, lr_schedule: Any) -> None:
        self.action_dist = LegalActionsDistribution(int(self.action_space.n))
        self.mlp_extractor: Any = BoardLayers(actions=self.action_space.n, **self.sizes)
        self.action_net = nn.Identity()
        self.value_net = nn.Linear(self.mlp_extractor.latent_dim_vf, 1)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


class BoardQNetwork(QNetwork):
    """A Q-value for each action from `BoardLayers` with embedding size `width`, `dense` units."""

    def __init__(self, *args: Any, width: int = 32, dense: int = 128, **options: Any) -> None:
        super().__init__(*args, **options)
        self.q_net: Any = BoardLayers(width, dense, int(self.action_space.n))

    def forward(self, obs: Any) -> torch.Tensor:
        """(K, A)."""
        return self.q_net.forward_actor(self.features_extractor(obs))


class BoardQPolicy(DQNPolicy):
    """The policy of DQN with a `BoardQNetwork`, whose arguments it takes."""

    def __init__(self, *args: Any, width: int = 32, dense: int = 128, **options: Any) -> None:
        self.sizes = {"width": width, "dense": dense}
        adam: Any = {"optimizer_kwargs": {"fused": True}}
        super().__init__(*args, **adam | options | {"features_extractor_class": InOrder})

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | self.sizes

    def make_q_net(self) -> BoardQNetwork:
        """The network, or its target network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return BoardQNetwork(**arguments, **self.sizes).to(self.device)


@dataclass(frozen=True, kw_only=True)
class NetworkArgs(TrainingArgs):
    """Options of the run, the games, the opponents and the network."""

    network: Literal["board", "dense"] = "board"
    """board: message passing over vertices, edges and hexes; dense: a plain MLP"""
    width: Count = 128
    """units in each dense layer"""
    embedding_size: Count = 32
    """size of the embedding of a vertex, edge or hex in the board network"""
    depth: Count = 2
    """hidden layers of the dense network"""
    activation: Literal["relu", "tanh"] = "relu"
    """activation function of the dense network"""


def policy_of(args: NetworkArgs, board: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
    """A learner's policy class, one of the two above for the board network, and `policy_kwargs`.

    Options are those of a `BoardPolicy`. In a dense network the value has its own layers.
    """
    if args.network == "board":
        if args.observation not in ("units", "flat", "dict"):
            allowed = "'units', 'flat', 'dict' for the board network"
            raise not_possible("observation", args.observation, allowed)
        return board, {"width": args.embedding_size, "dense": args.width, **options}
    arguments: dict[str, Any] = {
        "net_arch": [args.width] * args.depth,
        "activation_fn": {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[args.activation],
    }
    if args.observation == "units":
        arguments["features_extractor_class"] = ScaleUnits
    is_dict = as_encoder(args.observation).is_dict
    return "MultiInputPolicy" if is_dict else "MlpPolicy", arguments
