import warnings

import numpy as np
import pytest

torchrl = pytest.importorskip("torchrl", reason="takes the extra `torchrl`")

import torch  # noqa: E402
from tensordict.nn import InteractionType, TensorDictModule  # noqa: E402
from torchrl.modules import MaskedCategorical, ProbabilisticActor  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # TorchRL's own, while it is imported
    from torchrl.collectors import Collector

from catan_pz.env.vector.single_learner import SingleLearnerBatch  # noqa: E402
from catan_pz.env.vector.torchrl import CatanTorchRLEnv  # noqa: E402

QUICK = {"num_players": 2, "trading": False, "max_turns": 40, "victory_points": 4}


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def actor(env):
    numbers, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    logits = TensorDictModule(torch.nn.Linear(numbers, actions), ["observation"], ["logits"])
    return ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        default_interaction_type=InteractionType.RANDOM,
        spec=env.action_spec,
    )


def legal(data):
    return data["action_mask"].gather(-1, data["action"].unsqueeze(-1)).all()


def test_steps_are_those_of_the_core():
    env = CatanTorchRLEnv(8, seat="random", seed=3, **QUICK)
    batch = SingleLearnerBatch(8, seat="random", seed=3, **QUICK)
    data, ends = env.reset(), np.zeros(2, int)
    for _ in range(250):
        assert (data["observation"].numpy() == batch.seen).all()
        assert (data["action_mask"].numpy() == batch.mask).all()
        assert not data["done"].any()
        actions = batch.sample().copy()
        batch.step(actions)
        stepped, data = env.step_and_maybe_reset(data.set("action", torch.tensor(actions)))
        after = stepped["next"]
        done, going_on = batch.done, ~batch.done
        assert (after["reward"][:, 0].numpy() == batch.reward).all()
        assert (after["done"][:, 0].numpy() == done).all()
        assert (after["truncated"][:, 0].numpy() == batch.truncated).all()
        assert (after["terminated"][:, 0].numpy() == (done & ~batch.truncated)).all()
        seen = np.where(done[:, None], batch.final_seen(np.arange(8)), batch.seen)
        assert (after["observation"].numpy() == seen).all()
        assert after["action_mask"][torch.tensor(done)].all()
        assert (after["action_mask"].numpy()[going_on] == batch.mask[going_on]).all()
        ends += (done & ~batch.truncated).sum(), batch.truncated.sum()
    assert (ends > 3).all()


def test_games_broken_off_start_anew_and_the_others_go_on():
    env = CatanTorchRLEnv(4, seed=1, trading=False)
    alone = CatanTorchRLEnv(4, seed=1, trading=False)
    data = env.rollout(30)[:, -1]["next"]
    torch.manual_seed(0)
    other = alone.rollout(30)[:, -1]["next"]
    places = torch.tensor([True, False, True, False])
    seeds = env.batch.seeds.copy()
    again = env.reset(data.clone().set("_reset", places.unsqueeze(-1)))
    for name in ("observation", "action_mask"):
        assert (again[name][~places] == other[name][~places]).all()
    assert (env.batch.games["turn"][places] == 0).all()
    assert ((env.batch.seeds != seeds) == places.numpy()).all()
    assert legal(env.rollout(20, auto_reset=False, tensordict=again))
    seeds = env.batch.seeds.copy()
    env.reset(again.clone().set("_reset", places.unsqueeze(-1)))
    assert ((env.batch.seeds != seeds) == places.numpy()).all()


def test_a_collector_gathers_what_a_masked_actor_plays():
    env = CatanTorchRLEnv(8, seat="random", seed=1, **QUICK)
    collector = Collector(
        env,
        actor(env),
        frames_per_batch=8 * 40,
        total_frames=8 * 160,
        auto_register_policy_transforms=False,
    )
    ends = 0
    for data in collector:
        assert data.shape == (8, 40)
        assert legal(data)
        ends += int(data["next", "done"].sum())
        # The root of a step is what the step before led to, or a new game.
        going_on = ~data["next", "done"][:, :-1, 0]
        for name in ("observation", "action_mask"):
            assert (data[name][:, 1:] == data["next", name][:, :-1])[going_on].all()
    assert ends > 8
    collector.shutdown()
