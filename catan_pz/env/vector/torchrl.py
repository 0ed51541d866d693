"""Many games as one batched environment of TorchRL."""

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

try:
    import torch
    from tensordict import TensorDict
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise ImportError('this environment needs TorchRL: pip install "catan-pz[torchrl]"') from error

from catan_pz.checks import check_count, check_seed
from catan_pz.encoders.arrays import each
from catan_pz.env.vector.single_learner import LearnerOptions, SingleLearnerBatch
from catan_pz.rules import Rules

_FLAGS = ("done", "terminated", "truncated")


class CatanTorchRLEnv(EnvBase):
    """Catan for one learner in B games at once, with the other seats played inside.

    The batched form of `SingleSeatEnv`. Entries of the tensordicts, of batch size (B,):
    `observation` (B, ...), or a tensordict of such, `action_mask` (B, A) bool, True for each
    legal action, `action` (B,) int64, and after a step `reward` (B, 1) float32, the learner's
    reward up to its next decision or the end, `done`, `terminated` and `truncated` (B, 1) bool.

    A step that ends a game gives the learner's last view of it, with an all-True mask so that a
    policy can be evaluated there. `reset` starts the next game, in all places or in those that
    `_reset` (B, 1) marks, as rollouts and collectors do. The action spec has the mask too, so
    random actions are legal; a `TransformedEnv` keeps its own spec and needs TorchRL's transform
    `ActionMask()` for that.

    Args:
        num_envs: B.
        device: of the tensors; the games are played on the CPU.
        rules, options: as for `SingleLearnerBatch`, which is the attribute `batch`.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | None = None,
        *,
        device: Any = "cpu",
        **options: Unpack[LearnerOptions],
    ) -> None:
        batch = SingleLearnerBatch(check_count("num_envs", num_envs), rules, **options)
        super().__init__(device=device, batch_size=torch.Size([batch.num_games]))
        self.batch = batch
        self._next_seed: int | None = None
        # Where the next game has started but no reset has returned it yet.
        self._ahead = np.ones(batch.num_games, np.bool_)
        size, num_actions = batch.num_games, batch.rules.num_actions
        mask = Binary(num_actions, (size, num_actions), dtype=torch.bool)
        flags = {name: Binary(1, (size, 1), dtype=torch.bool) for name in _FLAGS}
        seen = Composite(observation=self._observation_spec(), action_mask=mask, shape=(size,))
        self.observation_spec = seen.to(self.device)
        self.action_spec = Categorical(num_actions, (size,), dtype=torch.int64, device=self.device)
        self.reward_spec = Unbounded((size, 1), dtype=torch.float32, device=self.device)
        self.done_spec = Composite(flags, shape=(size,)).to(self.device)
        self.action_spec.update_mask(self._tensor(self.batch.mask.view(np.bool_)))

    def _observation_spec(self) -> Any:
        size, encoder = self.batch.num_games, self.batch.encoder
        specs = {
            segment.name: Bounded(
                low=segment.low,
                high=segment.high,
                shape=(size, *segment.shape),
                dtype=getattr(torch, segment.dtype),
            )
            for segment in encoder.segments
        }
        return Composite(specs, shape=(size,)) if encoder.is_dict else next(iter(specs.values()))

    def _tensor(self, array: NDArray[Any], dtype: Any = None) -> Any:
        """A copy, because the batch overwrites its arrays at each step."""
        return torch.from_numpy(array).to(self.device, dtype, copy=True)

    def global_state(self) -> Any:
        """(B, M) float32 the full-information vectors of `raw_env.state()`, for critics only."""
        return self._tensor(self.batch.global_state())

    def _column(self, array: NDArray[Any], dtype: Any = None) -> Any:
        return self._tensor(array, dtype).unsqueeze(-1)

    def _told(self, **more: Any) -> TensorDict:
        """Observation and mask of the current games, and more entries."""
        mask = self._tensor(self.batch.mask.view(np.bool_))
        self.action_spec.update_mask(mask.clone())
        return TensorDict(
            {"observation": each(self.batch.seen, self._tensor), "action_mask": mask, **more},
            batch_size=self.batch_size,
            device=self.device,
        )

    def _reset(self, tensordict: Any = None, **kwargs: Any) -> TensorDict:
        batch = self.batch
        asked = None if tensordict is None else tensordict.get("_reset", None)
        places: Any = slice(None)
        if asked is not None:
            places = asked.reshape(batch.num_games).cpu().numpy()
            going_on = places & ~self._ahead
            if going_on.any():
                batch.restart(going_on)
        elif self._next_seed is not None or not self._ahead.all():
            batch.reset(self._next_seed)
            self._next_seed = None
        self._ahead[places] = False
        none = np.zeros(batch.num_games, np.bool_)
        return self._told(**{name: self._column(none) for name in _FLAGS})

    def _step(self, tensordict: Any) -> TensorDict:
        batch = self.batch
        batch.step(tensordict.get("action").cpu().numpy())
        self._ahead[:] = batch.done
        told = self._told(
            reward=self._column(batch.reward, torch.float32),
            done=self._column(batch.done),
            terminated=self._column(batch.done & ~batch.truncated),
            truncated=self._column(batch.truncated),
        )
        ended = batch.done.nonzero()[0]
        if len(ended):
            for i, seen in zip(ended.tolist(), batch.final_seen(ended), strict=True):
                last = each(seen, self._tensor)
                told["observation"][i] = TensorDict(last) if isinstance(last, dict) else last
            told["action_mask"][self._tensor(ended)] = True
        return told

    def _set_seed(self, seed: int | None) -> None:
        """Set the seed of the next full reset: game i starts from seed + i."""
        self._next_seed = None if seed is None else check_seed(seed)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Release the threads."""
        self.batch.close()
        super().close(raise_if_closed=raise_if_closed)
