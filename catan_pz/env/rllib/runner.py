"""A runner of games for RLlib that steps a `SelfPlayBatch` instead of environments one by one.

Letters: T steps, B games, P players, K decisions, A actions.
"""

import itertools
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

from catan_pz.env.aec import AGENTS
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayData, SelfPlayRollout

WON = "won"
"""Key of the metrics that tell each module's share of games won, over the last 200."""

_DRAWN = -1


class CatanEnvRunner(MultiAgentEnvRunner):
    """Samples decisions of all seats in B games, one forward pass a step for each module.

    Set it by `config.env_runners(env_runner_cls=CatanEnvRunner)`. The environment of the config,
    RLlib's `PettingZooEnv` around `catan_v0.env`, gives the spaces and is not stepped;
    `num_envs_per_env_runner` counts its copies and stays 1. `env_config` holds `num_games` (B)
    and the arguments of `SelfPlayBatch`, `rules` and `reward`, as the environment has them;
    `rollout_fragment_length` is T. The config's policy mapping says which module plays which seat
    of a game when it begins; it is given an object with `id_` for an episode. Decisions of modules
    that aren't trained are left out.

    The share of games won that its metrics have takes the seat with the largest last reward for
    the winner. A sample is a list of `SingleAgentEpisode`, one for each stretch of decisions of one
    seat that follow each other; a stretch that goes on ends with the observation to bootstrap from.
    """

    def __init__(self, config: Any, **kwargs: Any) -> None:
        super().__init__(config, **kwargs)
        if self.env is not None:  # where other runners sample this one has only the modules
            self._make_games()

    def _make_games(self) -> None:
        options = dict(self.config.env_config)
        size = int(options.pop("num_games", 64))
        seed = None if self._seed is None else self._seed * 1_000_003
        self.batch = SelfPlayBatch(size, seed=seed, **options)
        self.rollout = SelfPlayRollout(self.batch, self.config.get_rollout_fragment_length())
        self._generator = torch.Generator()
        self._generator.manual_seed(0 if self._seed is None else self._seed)
        self._counter = itertools.count()
        self._names: list[str] = []
        self._modules = np.full((size, self.batch.num_players), _DRAWN, np.int64)

    def sample(self, **_: Any) -> list[SingleAgentEpisode]:
        """Play T steps of all games.

        Returns:
            The stretches of decisions of the modules that are trained.
        """
        batch = self.batch
        self._draw_modules(np.arange(batch.num_games))
        nothing = np.zeros(batch.num_games, np.float32)
        for _step in range(self.rollout.num_steps):
            players = np.asarray(batch.player, np.int64)
            modules = self._modules[np.arange(batch.num_games), players]
            actions, logits, log_probabilities = self._act(modules)
            self.rollout.step(
                actions, nothing, module=modules, logits=logits, log_probability=log_probabilities
            )
            self._note_ends()
        data = self.rollout.finish(nothing)
        sampled = self.rollout.num_steps * batch.num_games
        self.num_env_steps_sampled_lifetime += sampled
        self.metrics.log_value(NUM_ENV_STEPS_SAMPLED, sampled, reduce="sum")
        self.metrics.log_value(
            NUM_ENV_STEPS_SAMPLED_LIFETIME, sampled, reduce="lifetime_sum", with_throughput=True
        )
        return self._episodes(data)

    def _draw_modules(self, games: NDArray[np.intp]) -> None:
        """Ask the policy mapping for the seats of games that begin."""
        self._names += sorted(set(self.module.keys()) - set(self._names))
        places = {name: place for place, name in enumerate(self._names)}
        for game in games[self._modules[games, 0] == _DRAWN].tolist():
            episode = SimpleNamespace(id_=f"{self.worker_index or 0}-{next(self._counter)}")
            for seat in range(self.batch.num_players):
                name = self.config.policy_mapping_fn(AGENTS[seat], episode)
                self._modules[game, seat] = places[name]

    def _act(self, modules: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
        """(B,) actions, (B, A) logits and (B,) log-probabilities by each game's module."""
        batch = self.batch
        masks = torch.from_numpy(batch.mask)
        logits = torch.zeros(masks.shape)
        for place in np.unique(modules).tolist():
            rows = torch.from_numpy(np.flatnonzero(modules == place))
            seen = {
                "observation": _rows(batch.observation, rows.numpy()),
                "action_mask": masks[rows],
            }
            with torch.no_grad():
                given = self.module[self._names[place]].forward_exploration({Columns.OBS: seen})
            logits[rows] = torch.as_tensor(given[Columns.ACTION_DIST_INPUTS], dtype=torch.float32)
        spread = logits.log_softmax(1)
        actions = torch.multinomial(spread.exp(), 1, generator=self._generator)
        chosen = spread.gather(1, actions)[:, 0]
        return actions[:, 0].numpy(), logits.numpy(), chosen.numpy()

    def _note_ends(self) -> None:
        """Count who won the games that have ended; their seats are drawn anew."""
        batch = self.batch
        ended = np.flatnonzero(batch.done)
        if not len(ended):
            return
        self.metrics.log_value(NUM_EPISODES, len(ended), reduce="sum")
        self.metrics.log_value(NUM_EPISODES_LIFETIME, len(ended), reduce="lifetime_sum")
        for game in ended.tolist():
            best = int(batch.step_reward[game].argmax())
            modules = self._modules[game]
            for place in np.unique(modules).tolist():
                won = not batch.truncated[game] and modules[best] == place
                self.metrics.log_value((WON, self._names[place]), float(won), window=200)
        self._modules[ended] = _DRAWN
        self._draw_modules(ended)

    def _episodes(self, data: SelfPlayData) -> list[SingleAgentEpisode]:
        trained = self.config.policies_to_train
        episodes = []
        for game, seat, steps in data.trajectories():
            name = self._names[int(data.recorded["module"][steps[0], game])]
            if trained is None or (name in trained if not callable(trained) else trained(name)):
                episodes.append(self._episode(data, game, seat, steps, name))
        return episodes

    def _episode(
        self, data: SelfPlayData, game: int, seat: int, steps: NDArray[np.int64], name: str
    ) -> SingleAgentEpisode:
        """One stretch of a seat's decisions."""
        recorded, following = data.recorded, int(data.next_step[steps[-1], game])
        ended = following == -1
        if following == self.rollout.num_steps:  # the seat is to move now
            last = self.batch.observation, self.batch.mask
            after, mask = _rows(last[0], [game]), last[1][[game]]
        else:  # at the end of a game nobody asks what follows
            then = [int(steps[-1]) if ended else following]
            after = _rows(recorded["observation"], (then, game))
            mask = recorded["mask"][then, game]
        seen = _joined(_rows(recorded["observation"], (steps, game)), after)
        masks = np.concatenate([recorded["mask"][steps, game], mask])
        number = f"{self.worker_index or 0}-{self.batch.steps}-{game}-{seat}-{steps[0]}"
        return SingleAgentEpisode(
            id_=number,
            observations=[
                {"observation": _rows(seen, k), "action_mask": masks[k]} for k in range(len(masks))
            ],
            actions=list(recorded["action"][steps, game]),
            rewards=data.reward[steps, game].tolist(),
            terminated=ended,
            extra_model_outputs={
                Columns.ACTION_DIST_INPUTS: list(recorded["logits"][steps, game]),
                Columns.ACTION_LOGP: list(recorded["log_probability"][steps, game]),
            },
            agent_id=AGENTS[seat],
            module_id=name,
            multi_agent_episode_id=number,
            len_lookback_buffer=0,
        ).to_numpy()

    def get_metrics(self) -> Any:
        """Decisions and games since the last call, and each module's share of games won."""
        return self.metrics.reduce()

    def stop(self) -> None:
        """Let the games go."""
        if self.env is not None:
            self.batch.close()
        super().stop()


def _rows(values: Any, chosen: Any) -> Any:
    if isinstance(values, dict):
        return {name: part[chosen] for name, part in values.items()}
    return values[chosen]


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, dict):
        return {name: np.concatenate([part, second[name]]) for name, part in first.items()}
    return np.concatenate([first, second])
