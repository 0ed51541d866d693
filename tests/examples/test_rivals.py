"""Rivals of a learner: shares, matching by win rate, past selves in files."""

import numpy as np
import torch
from parts.rivals import LEARNER, Rivals

from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.rules import Rules
from catan_pz.training.league import PastSelves
from catan_pz.training.self_play_network import SelfPlayNetwork

RULES = Rules(num_players=2, trading=False)


def network(seed=0):
    torch.manual_seed(seed)
    return SelfPlayNetwork(252, 2, kind="dense", width=8, critic="shared")


def seeds(rows):
    return rows.astype(np.uint64)


def make(folder, others=("random",), share=0.5, games=400, **options):
    return Rivals(
        PastSelves(folder, 50, 2), network(), list(others), games, RULES, share=share, **options
    )


def test_rivals_that_win_play_more(tmp_path):
    rivals = make(tmp_path, ["random", "heuristic"], share=1.0)
    for number in range(8):
        rivals.begin(number)
        learner_wins = rivals.rival == 0  # against random always, against heuristic never
        winners = torch.where(learner_wins, rivals.seat, 1 - rivals.seat)
        rivals.count(winners, torch.ones(400, dtype=torch.bool))
    strong, weak = (float(rivals.win_rates[k]) for k in (1, 0))
    assert strong < 0.05
    assert weak > 0.9
    assert (rivals.rival == 1).sum() > 300


def test_past_selves_play_as_their_files_say(tmp_path):
    rivals = make(tmp_path, others=(), share=1.0, games=64)
    assert (rivals.rival == LEARNER).all()
    for k in range(3):
        rivals.add(f"{k}", network(k + 1).export(RULES))
    assert set(rivals.names) <= {"0", "1", "2"}
    assert (rivals.rival != LEARNER).all()
    batch = SelfPlayBatch(64, RULES, observation="units", seed=1)
    units, mask = torch.tensor(batch.observation), torch.tensor(batch.mask)
    where = torch.arange(64) % 2 == 0
    counts = np.zeros((len(rivals.names), 252))
    for _ in range(50):
        actions = rivals.act(units, mask, where, seeds)
        assert mask.gather(1, actions[:, None])[where].all()
        for k in range(len(rivals.names)):
            chosen = actions[where & (rivals.rival == k)].numpy()
            np.add.at(counts[k], chosen, 1)
    for k, name in enumerate(rivals.names):
        rows = where & (rivals.rival == k)
        policy = network(int(name) + 1).log_probabilities(units[rows], mask[rows]).exp()
        assert np.abs(counts[k] / 50 - policy.sum(0).detach().numpy()).max() < 0.8
