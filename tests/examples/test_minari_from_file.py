"""A Minari dataset from a Parquet file of recorded games."""

import numpy as np
import pytest

from catan_pz.arena import play_match
from catan_pz.datasets import write_parquet
from catan_pz.rules import Rules

pytest.importorskip("minari", reason="takes the extra `minari`")

PROGRAM = "minari_from_file"


def test_an_episode_is_a_seat(program, tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    rules = Rules(num_players=2, trading=False, victory_points=3)
    play_match(["weighted", "random"], 4, rules, 1, records=tmp_path / "games", progress=False)
    data = tmp_path / "games.parquet"
    write_parquet([tmp_path / "games"], data, reward="points_gained", progress=False)
    dataset = program.main([str(data), "catan/test-v0", "--player", "weighted"])
    assert dataset.total_episodes == 4
    for episode in dataset.iterate_episodes():
        masks = episode.observations["action_mask"]
        assert len(masks) == len(episode.actions) + 1
        assert masks[np.arange(len(episode.actions)), episode.actions].all()
        assert episode.terminations[-1]
        assert 2 <= episode.rewards.sum() <= 3
