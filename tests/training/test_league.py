import json

import numpy as np
import pytest

from catan_pz.agents.network import DenseNetwork, Model
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.training.league import League, PastSelves, make_opponents, parse_weights
from catan_pz.training.options import TrainingArgs

RULES = Rules(num_players=2, trading=False, victory_points=3, max_turns=20)


def model(seed):
    weight = np.random.default_rng(seed).normal(0, 0.2, (252, SIZE)).astype(np.float32)
    network = DenseNetwork({"weight_0": weight, "bias_0": np.zeros(252, np.float32)})
    return Model(network, "logits", "sample", RULES.to_dict())


def test_snapshots_join_play_and_leave(tmp_path):
    league = League(PastSelves(tmp_path, 5, 4), ["random"], [1.0], share=3.0, seed=1)
    assert [agent.name for agent in league.members] == ["random"]
    for k in range(8):
        league.add(f"{k:03d}", model(k))
        assert league.past.pool == [f"{j:03d}" for j in range(max(0, k - 4), k + 1)]
        assert set(league.playing) <= set(league.past.pool)
        assert [agent.name for agent in league.members] == ["random", *league.playing]
        assert league.weights == pytest.approx([0.25, *[0.1875] * 4])


def test_recent_and_any_are_drawn_by_turns(tmp_path):
    past, rng = PastSelves(tmp_path, 100, 2), np.random.default_rng(1)
    past.pool = [f"{k:03d}" for k in range(99)]
    recent, anyone = np.array([past.draw(rng) for _ in range(300)]).astype(int).T
    assert np.mean(recent) > 80
    assert np.mean(anyone) == pytest.approx(49, abs=6)
    assert min(anyone) < 5


def test_a_league_goes_on_from_its_state(tmp_path):
    def play(batch, steps):
        for _ in range(steps):
            batch.step(batch.mask.argmax(axis=1))
        return batch.get_state()

    unbroken = League(PastSelves(tmp_path, 3, 2), seed=5)
    games = SingleLearnerBatch(8, RULES, seed=1, opponents=unbroken)
    for k in range(4):
        unbroken.add(f"{k:03d}", model(k))
        play(games, 20)
    state = json.loads(json.dumps(unbroken.get_state()))
    position = games.get_state()
    resumed = League(PastSelves(tmp_path, 3, 2), seed=5)
    again = SingleLearnerBatch(8, RULES, seed=3, opponents=resumed)
    resumed.set_state(state)
    again.set_state(position)
    for k in range(4, 8):
        unbroken.add(f"{k:03d}", model(k))
        one = play(games, 20)
        resumed.add(f"{k:03d}", model(k))
        other = play(again, 20)
        assert resumed.playing == unbroken.playing
        assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_a_missing_or_damaged_snapshot_is_named(tmp_path):
    league = League(PastSelves(tmp_path))
    league.add("first", model(1))
    state = league.get_state()
    (tmp_path / "first.npz").write_bytes(b"half")
    with pytest.raises(ValueError, match=r"first\.npz"):
        League(PastSelves(tmp_path)).set_state(state)
    (tmp_path / "first.npz").unlink()
    with pytest.raises(ValueError, match=r"first\.npz is missing"):
        League(PastSelves(tmp_path)).set_state(state)


def test_others_without_weight_leave_the_seats_to_snapshots(tmp_path):
    args = TrainingArgs(opponents="league,heuristic:0", out=str(tmp_path))
    league = make_opponents(args)
    playing = [agent.name for agent, w in zip(league.members, league.weights, strict=True) if w]
    assert playing == ["random"]
    league.add("first", model(1))
    assert league.weights == pytest.approx([0.0, *[0.25] * 4])
    assert [agent.name for agent in league.members] == ["heuristic", *["first"] * 4]


def test_weights_stand_behind_a_colon():
    found = {"random": 1, "league": 3, "heuristic": 0.5}
    assert parse_weights("random, league:3,heuristic:0.5") == found
    given = "rocco:model=a.npz,choice=best:2,catanatron:value,gendre:model=b.npz"
    assert list(parse_weights(given).values()) == [2, 1, 1]
