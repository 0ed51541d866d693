"""Many games as one vector environment of Stable-Baselines3, masks for MaskablePPO included."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

try:
    import torch
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    told = 'this environment needs Stable-Baselines3: pip install "catan-pz[train]"'
    raise ImportError(told) from error

from catan_pz.agents.advice import Advice
from catan_pz.agents.base import BatchAgent, Views
from catan_pz.agents.network import sample_actions
from catan_pz.checks import check_count, check_flag, check_reset_options
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.arrays import each
from catan_pz.env.spaces import encoder_of_space, observation_space
from catan_pz.env.vector.single_learner import LearnerOptions, SingleLearnerBatch
from catan_pz.game.view import View
from catan_pz.observation.segments import SCALES, SIZE
from catan_pz.rules import Rules


class CatanVecEnv(VecEnv):
    """Catan for one learner in B games at once, with the other seats played inside.

    The batched form of `SingleSeatEnv`. `env_method("action_masks")` gives (B, A) bool. Infos are
    one shared empty dict, except at the end of an episode, where they have
    `terminal_observation`, `TimeLimit.truncated`, `episode` (`r` sum of rewards, `l` own
    decisions, `t` seconds since the start), `won`, `points`, `turns` and `decisions`. No
    Monitor is needed.

    Args:
        num_envs: B.
        copy: whether `step` returns new arrays. If not, the arrays of one step are overwritten
            two steps later, which suits the algorithms of Stable-Baselines3.
        rules, options: as for `SingleLearnerBatch`, which is the attribute `batch`.
            `observation="units"` is for policies that scale it themselves, as `ScaleUnits` does.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | None = None,
        *,
        copy: bool = False,
        **options: Unpack[LearnerOptions],
    ) -> None:
        self._copy = check_flag("copy", copy)
        size = check_count("num_envs", num_envs)
        self.batch = SingleLearnerBatch(size, rules, alternate=True, **options)
        self._fresh = True
        self._start = time.perf_counter()
        self._chosen: Any = None
        actions = spaces.Discrete(self.batch.rules.num_actions)
        super().__init__(size, observation_space(self.batch.encoder), actions)

    def reset(self) -> Any:
        """Start all games, from the seeds given to `seed` if it was called; it takes no options.

        Returns the learner's observations: (B, ...), or a dict of such arrays.
        """
        for options in self._options:
            check_reset_options(options)
        seed = self._seeds[0]
        if seed is not None or not self._fresh:
            self.batch.reset(seed)
        self._fresh = False
        self._reset_seeds()
        return self._observe()

    def _observe(self) -> Any:
        return each(self.batch.seen, np.copy) if self._copy else self.batch.seen

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions (B,), of any integer type."""
        self._chosen = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions, and the opponents' up to the learner's next decision."""
        if self._fresh:
            raise RuntimeError("no episode has started: call reset() first")
        batch = self.batch
        batch.step(self._chosen)
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        ended = batch.done.nonzero()[0]
        for i, seen in zip(ended.tolist(), batch.final_seen(ended), strict=True):
            infos[i] = self._end(i, seen)
        return self._observe(), batch.reward.astype(np.float32), batch.done.copy(), infos

    def _end(self, i: int, seen: Any) -> dict[str, Any]:
        told = {name: values[i].item() for name, values in self.batch.ends.items()}
        total, seconds = told.pop("return"), round(time.perf_counter() - self._start, 6)
        return told | {
            "terminal_observation": seen,
            "TimeLimit.truncated": bool(self.batch.truncated[i]),
            "episode": {"r": total, "l": told["decisions"], "t": seconds},
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """(B, A) True for each legal action; overwritten in the step after the next."""
        return self.batch.mask.view(np.bool_)

    def global_state(self) -> NDArray[np.float32]:
        """(B, M) the full-information vectors of `raw_env.state()`, for critics only."""
        return self.batch.global_state()

    def sample(self) -> NDArray[np.int64]:
        """(B,) a random legal action for each game, in the same array at each call."""
        return self.batch.sample()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """The games' state, as `SingleLearnerBatch.get_state` gives it."""
        return self.batch.get_state()

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> Any:
        """Continue from a result of `get_state`; return the observation, as `reset` does."""
        self.batch.set_state(state)
        self._fresh = False
        return self._observe()

    def close(self) -> None:
        """Release the threads."""
        self.batch.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """For each game: `action_masks` (a method), `game` (a copy), `seat` or `render_mode`."""
        of_game: dict[str, Callable[[int], Any]] = {
            "action_masks": lambda i: lambda: self.action_masks()[i],
            "game": self.batch.game,
            "seat": lambda i: int(self.batch.seats[i]),
            "render_mode": lambda _: None,
        }
        if attr_name not in of_game:
            raise AttributeError(f"games of {type(self).__name__} have no attribute {attr_name!r}")
        return [of_game[attr_name](int(i)) for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Replace the `opponents` of all games."""
        if attr_name != "opponents" or indices is not None:
            raise AttributeError(f"attribute {attr_name!r} can't be set; only `opponents`, for all")
        self.batch.opponents = value

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """`action_masks`: rows (B, A) bool, an array instead of a list of rows."""
        if method_name != "action_masks":
            raise AttributeError(f"games of {type(self).__name__} have no method {method_name!r}")
        masks = self.action_masks()
        return masks if indices is None else masks[self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for SB3's Monitor, as infos have `episode`; False for other wrappers."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]


class ScaleUnits(BaseFeaturesExtractor):
    """Features of observations in natural units, scaled to [0, 1] as in "flat".

    For `CatanVecEnv(observation="units")`, with
    `policy_kwargs={"features_extractor_class": ScaleUnits}`.
    """

    def __init__(self, observation_space: spaces.Box) -> None:
        super().__init__(observation_space, SIZE)
        self.register_buffer("scales", torch.tensor(SCALES), persistent=False)

    def forward(self, observations: Any) -> Any:
        """(K, N) natural units to (K, N) float32."""
        return (observations * self.scales).clamp_(max=1.0)


def note_training(model: Any, rules: Rules, observation: Encoder | str) -> None:
    """Record a learner's rules and encoder, which `model.save` writes and `load` reads."""
    model.catan_pz = {"rules": rules.to_dict(), "observation": as_encoder(observation).name}


class PolicyOpponent(BatchAgent):
    """Plays with a MaskablePPO of sb3-contrib, all games in one forward pass.

    Args:
        deterministic: whether it plays the most probable action instead of sampling.
        observation: the `Encoder` of its training, or its name; None for the one recorded by
            `note_training`, or the one of "flat", "dict" and "units" with the model's space.
    """

    name = "policy"

    def __init__(
        self, model: Any, *, deterministic: bool = False, observation: Encoder | str | None = None
    ) -> None:
        self.policy = model.policy  # without its games, which can't be copied or sent to workers
        self.deterministic = deterministic
        noted = getattr(model, "catan_pz", {"rules": None, "observation": None})
        self.encoder = encoder_of_space(
            model.observation_space, noted["observation"] if observation is None else observation
        )
        self.trained_with = None if noted["rules"] is None else Rules.from_dict(noted["rules"])

    def check_rules(self, rules: Rules) -> None:
        """Refuse games of another number of players, or with other actions."""
        trained = self.trained_with
        players = (rules if trained is None else trained).num_players
        actions = int(self.policy.action_space.n)
        if (players, actions) != (rules.num_players, rules.num_actions):
            raise ValueError(
                f"agent {self.name!r} plays games of {players} players with {actions} actions; "
                f"this one has {rules.num_players} players and {rules.num_actions} actions"
            )

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        """(K,) the policy's choices, sampled with the random bits."""
        probabilities = self.probabilities(views.observations, views.masks)
        if self.deterministic:
            return np.asarray(probabilities.argmax(axis=1))
        return sample_actions(probabilities, views.random_bits)

    def advise(self, view: View) -> Advice:
        """The policy's probabilities."""
        return Advice.of_policy(self.probabilities(view.observation[None], view.mask[None])[0])

    def probabilities(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """(K, A) probability of each action, 0 where it isn't legal."""
        self.policy.set_training_mode(False)
        with torch.no_grad():
            tensor, _ = self.policy.obs_to_tensor(self.encoder.encode(observations))
            spread = self.policy.get_distribution(tensor, action_masks=masks.view(np.bool_))
            given = spread.distribution.probs.double().cpu().numpy()
        # If the probabilities of all legal actions underflow, they become equal.
        return np.asarray(np.where(masks, np.maximum(given, 1e-30), 0.0), np.float64)
