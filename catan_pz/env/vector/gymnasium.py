"""Many games as one `gymnasium.vector.VectorEnv`."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from catan_pz.checks import check_count, check_flag, check_reset_options, check_seed
from catan_pz.encoders.arrays import each
from catan_pz.env.spaces import observation_space
from catan_pz.env.vector.single_learner import LearnerOptions, SingleLearnerBatch
from catan_pz.rules import Rules


class CatanVectorEnv(VectorEnv[Any, Any, Any]):
    """Catan for one learner in B games at once, with the other seats played inside.

    The batched form of `SingleSeatEnv`. When an episode ends, the next one starts in the same
    step (`AutoresetMode.SAME_STEP`).

    Infos hold `action_mask`, (B, A) int8, 1 for each legal action. If episodes end in a step,
    they also hold `final_obs`, (B,) objects, observations or None, and `final_info`, a dict of
    (B,) arrays: `won` (0 or 1), `points`, `turns`, `decisions` (own) and `return` (sum of
    rewards). Each has a (B,) bool array under its name with a leading underscore, which says
    where it is valid.

    Args:
        num_envs: B.
        copy: whether `step` returns new arrays. If not, the arrays of one step are overwritten
            two steps later.
        rules, options: as for `SingleLearnerBatch`, which is the attribute `batch`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | None = None,
        *,
        copy: bool = True,
        **options: Unpack[LearnerOptions],
    ) -> None:
        self._copy, self._is_on = check_flag("copy", copy), False
        size = check_count("num_envs", num_envs)
        self.batch = SingleLearnerBatch(size, rules, alternate=True, **options)
        self.num_envs = size
        self.single_observation_space = observation_space(self.batch.encoder)
        self.single_action_space = spaces.Discrete(self.batch.rules.num_actions)
        self.observation_space = batch_space(self.single_observation_space, size)
        self.action_space = batch_space(self.single_action_space, size)

    def _given_out(self, arrays: Any) -> Any:
        return each(arrays, np.copy) if self._copy else arrays

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all games.

        Args:
            seed: of game 0, from 0 to 2**64 - 1; game i has seed + i. Without one, games
                continue from the seeds of the previous ones.
            options: None or empty; there are none.
        """
        check_reset_options(options)
        if seed is not None:
            seed = check_seed(seed)  # Gymnasium only takes plain ints
        self.batch.reset(seed)
        super().reset(seed=seed)
        return self._begin()

    def _begin(self) -> tuple[Any, dict[str, Any]]:
        self._is_on = True
        return self._given_out(self.batch.seen), self._info()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """The games as `SingleLearnerBatch.get_state` gives them, to go on from after a break."""
        return self.batch.get_state()

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> tuple[Any, dict[str, Any]]:
        """Go on from what `get_state` gave; the observations and infos, as `reset` gives them."""
        self.batch.set_state(state)
        return self._begin()

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play the actions (B,), and the opponents' up to the learner's next decision."""
        if not self._is_on:
            raise RuntimeError("no episode has started: call reset() first")
        batch = self.batch
        batch.step(actions)
        info = self._info()
        if batch.done.any():
            info.update(self._ends(batch.done.copy()))
        terminated = batch.done & ~batch.truncated
        reward, truncated = batch.reward.copy(), batch.truncated.copy()
        return self._given_out(batch.seen), reward, terminated, truncated, info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._given_out(self.batch.mask)}

    def global_state(self) -> NDArray[np.float32]:
        """(B, M) the full-information vectors of `raw_env.state()`, for critics only."""
        return self.batch.global_state()

    def _ends(self, done: NDArray[np.bool_]) -> dict[str, Any]:
        final_obs = np.full(self.num_envs, None, object)
        ended = done.nonzero()[0]
        for i, seen in zip(ended, self.batch.final_seen(ended), strict=True):
            final_obs[i] = seen
        told = self.batch.ends
        final_info = {name: np.where(done, values, 0) for name, values in told.items()}
        final_info |= {f"_{name}": done for name in told}
        return {
            "final_obs": final_obs,
            "_final_obs": done,
            "final_info": final_info,
            "_final_info": done,
        }

    def close_extras(self, **kwargs: Any) -> None:
        """Release the threads."""
        self.batch.close()
