"""A runner of games for RLlib that steps a `SelfPlayBatch` instead of environments one by one.

Letters: T steps, B games, P players, K decisions, A actions.
"""

import itertools
from operator import itemgetter
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils.metrics import (
    NUM_ENV_STEPS_SAMPLED,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
    NUM_EPISODES,
    NUM_EPISODES_LIFETIME,
)

from catan_pz.batch.calls import NO_STEP
from catan_pz.encoders.arrays import each
from catan_pz.env.aec import AGENTS
from catan_pz.env.rllib.module import ILLEGAL
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayData, SelfPlayRollout
from catan_pz.terms import NOBODY

WON = "won"
"""Key of the metrics with each module's share of games won, over the last 200."""

_TO_DRAW = -1
"""Stands for a seat's module that is still to be drawn."""


class CatanEnvRunner(MultiAgentEnvRunner):
    """Samples decisions of all seats in B games, one forward pass a step for each module.

    Set it with `config.env_runners(env_runner_cls=CatanEnvRunner)`. The environment of the config,
    RLlib's `PettingZooEnv` around `catan_v0.env`, provides the spaces and is not stepped;
    `num_envs_per_env_runner` stays 1. `env_config` holds `num_games` (B) and the arguments of
    `SelfPlayBatch`; `rollout_fragment_length` is T. The config's policy mapping is called at the
    start of each game, with an object that has `id_` as the episode. Decisions of modules that
    aren't trained are omitted.

    A sample is a list of `SingleAgentEpisode`, one for each stretch of successive decisions of
    one seat; an unfinished stretch ends with the observation to bootstrap from.
    """

    def __init__(self, config: Any, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        if self.env is not None:  # if other runners sample, this one only has the modules
            self._make_games()

    def _make_games(self) -> None:
        options = dict(self.config.env_config)
        size = int(options.pop("num_games", 64))
        seed = None if self._seed is None else self._seed * 1_000_003
        self.batch = SelfPlayBatch(size, seed=seed, **options)
        self.rollout = SelfPlayRollout(self.batch, self.config.get_rollout_fragment_length())
        self._generator = torch.Generator()
        self._generator.manual_seed(0 if self._seed is None else self._seed)
        self._seeds = np.random.default_rng(seed)
        self._counter = itertools.count()
        self._samples = itertools.count()
        self._names: list[str] = []
        self._modules = np.full((size, self.batch.num_players), _TO_DRAW, np.int64)

    def sample(
        self,
        *,
        num_timesteps: float | None = None,
        num_episodes: int | None = None,
        explore: bool | None = None,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        """Play T steps of all games, once or until the counts are reached.

        Args:
            num_timesteps: the least number of decisions, in all games together.
            num_episodes: the least number of finished games; all games are restarted first. Use
                many times B: unfinished games, the longer ones, don't count.
            explore: True to sample actions, False to play the most probable one with
                `forward_inference`, None for the config's `explore`.
            random_actions: whether to draw legal actions uniformly.
            force_reset: whether to restart all games first.
        """
        if num_timesteps is not None and num_episodes is not None:
            raise ValueError("give num_timesteps or num_episodes, not both")
        if force_reset or num_episodes is not None:
            self.rollout.clear()
            self.batch.reset(None if self._seed is None else int(self._seeds.integers(2**63)))
            self._modules[:] = _TO_DRAW
        size = self.rollout.num_steps * self.batch.num_games
        if num_timesteps is None and num_episodes is None:
            num_timesteps = size
        explore = bool(self.config.explore if explore is None else explore)
        episodes: list[SingleAgentEpisode] = []
        played = ended = 0
        while played < (num_timesteps or 0) or ended < (num_episodes or 0):
            sampled, ends = self._play(explore, random_actions)
            episodes += sampled
            played += size
            ended += ends
        return episodes

    def _play(self, explore: bool, random_actions: bool) -> tuple[list[SingleAgentEpisode], int]:
        """Play T steps of all games; the stretches to train on, and the number of games ended."""
        batch, ended = self.batch, 0
        self._draw_modules(np.arange(batch.num_games))
        nothing = np.zeros(batch.num_games, np.float32)
        for _step in range(self.rollout.num_steps):
            players = np.asarray(batch.player, np.int64)
            modules = self._modules[np.arange(batch.num_games), players]
            actions, logits, log_probabilities = self._act(modules, explore, random_actions)
            self.rollout.step(
                actions, nothing, module=modules, logits=logits, log_probability=log_probabilities
            )
            ended += self._note_ends()
        data = self.rollout.finish(nothing)
        sampled = self.rollout.num_steps * batch.num_games
        self.num_env_steps_sampled_lifetime += sampled
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED, sampled, reduce="sum")
        self.metrics.log_value(
            NUM_ENV_STEPS_SAMPLED_LIFETIME, sampled, reduce="lifetime_sum", with_throughput=True
        )
        return self._episodes(data), ended

    def _draw_modules(self, games: NDArray[np.intp]) -> None:
        """Draw the modules of all seats in new games with the policy mapping."""
        self._names += sorted(set(self.module.keys()) - set(self._names))
        places = {name: place for place, name in enumerate(self._names)}
        for game in games[self._modules[games, 0] == _TO_DRAW].tolist():
            episode = SimpleNamespace(id_=f"{self.worker_index or 0}-{next(self._counter)}")
            for seat in range(self.batch.num_players):
                name = self.config.policy_mapping_fn(AGENTS[seat], episode)
                self._modules[game, seat] = places[name]

    def _act(
        self, modules: NDArray[np.int64], explore: bool, random_actions: bool
    ) -> tuple[NDArray[Any], ...]:
        """(B,) actions, (B, A) logits and (B,) log-probabilities by each game's module."""
        masks = torch.from_numpy(self.batch.mask)
        if random_actions:
            logits = torch.zeros(masks.shape).masked_fill(masks == 0, ILLEGAL)
        else:
            logits = self._logits(modules, masks, explore)
        spread = logits.log_softmax(1)
        if explore or random_actions:
            actions = torch.multinomial(spread.exp(), 1, generator=self._generator)
        else:
            actions = logits.masked_fill(masks == 0, -torch.inf).argmax(1, keepdim=True)
        chosen = spread.gather(1, actions)[:, 0]
        return actions[:, 0].numpy(), logits.numpy(), chosen.numpy()

    def _logits(
        self, modules: NDArray[np.int64], masks: torch.Tensor, explore: bool
    ) -> torch.Tensor:
        batch, logits = self.batch, torch.zeros(masks.shape)
        for place in np.unique(modules).tolist():
            rows = torch.from_numpy(np.flatnonzero(modules == place))
            seen = {
                "observation": _chosen(batch.observation, rows.numpy()),
                "action_mask": masks[rows],
            }
            module = self.module[self._names[place]]
            forward = module.forward_exploration if explore else module.forward_inference
            with torch.no_grad():
                given = forward({Columns.OBS: seen})
            logits[rows] = torch.as_tensor(given[Columns.ACTION_DIST_INPUTS], dtype=torch.float32)
        return logits

    def _note_ends(self) -> int:
        """Count finished games and their winners, and draw their seats anew."""
        batch = self.batch
        ended = np.flatnonzero(batch.done)
        if not len(ended):
            return 0
        self.metrics.log_value(NUM_EPISODES, len(ended), reduce="sum")
        self.metrics.log_value(NUM_EPISODES_LIFETIME, len(ended), reduce="lifetime_sum")
        for game in ended.tolist():
            modules, winner = self._modules[game], int(batch.winner[game])
            for place in np.unique(modules).tolist():
                won = winner != NOBODY and modules[winner] == place
                self.metrics.log_value((WON, self._names[place]), float(won), window=200)
        self._modules[ended] = _TO_DRAW
        self._draw_modules(ended)
        return len(ended)

    def _episodes(self, data: SelfPlayData) -> list[SingleAgentEpisode]:
        trained, sample = self.config.policies_to_train, next(self._samples)
        episodes = []
        for game, seat, steps in data.trajectories():
            name = self._names[int(data.recorded["module"][steps[0], game])]
            if trained is None or (name in trained if not callable(trained) else trained(name)):
                number = f"{self.worker_index or 0}-{sample}-{game}-{seat}-{steps[0]}"
                episode = SingleAgentEpisode(
                    id_=number,
                    agent_id=AGENTS[seat],
                    module_id=name,
                    multi_agent_episode_id=number,
                    len_lookback_buffer=0,
                    **self._stretch(data, game, steps),
                )
                episodes.append(episode.to_numpy())
        return episodes

    def _stretch(self, data: SelfPlayData, game: int, steps: NDArray[np.int64]) -> dict[str, Any]:
        """One stretch of a seat's decisions, and its observation after the last one."""
        recorded, following = data.recorded, int(data.next_step[steps[-1], game])
        both = {"observation": recorded["observation"], "action_mask": recorded["mask"]}
        if following == self.rollout.num_steps:  # the seat is to move now
            now = {"observation": self.batch.observation, "action_mask": self.batch.mask}
            last = {name: _chosen(part, game) for name, part in now.items()}
        else:  # a finished game needs no bootstrap
            then = int(steps[-1]) if following == NO_STEP else following
            last = {name: _chosen(part, (then, game)) for name, part in both.items()}
        seen = [
            {name: _chosen(part, (t, game)) for name, part in both.items()} for t in steps.tolist()
        ]
        return {
            "observations": [*seen, last],
            "actions": list(recorded["action"][steps, game]),
            "rewards": data.reward[steps, game].tolist(),
            "terminated": following == NO_STEP,
            "extra_model_outputs": {
                Columns.ACTION_DIST_INPUTS: list(recorded["logits"][steps, game]),
                Columns.ACTION_LOGP: list(recorded["log_probability"][steps, game]),
            },
        }

    def get_metrics(self) -> Any:
        """Decisions and games since the last call, and each module's share of games won."""
        return self.metrics.reduce()

    def stop(self) -> None:
        """Release the games."""
        if self.env is not None:
            self.batch.close()
        super().stop()


def _chosen(seen: Any, index: Any) -> Any:
    return each(seen, itemgetter(index))
