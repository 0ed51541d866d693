"""Rounds of self-play: frames, who learns, demonstrations."""

import torch
from parts.rivals import Rivals
from parts.self_play_games import SelfPlayGames
from parts.starts import Starts

from catan_pz import agents
from catan_pz.agents.network import Base
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.rules import Rules
from catan_pz.training.league import PastSelves
from catan_pz.training.self_play_network import BASES_CHOICE, SelfPlayNetwork

RULES = Rules(num_players=3, trading=False, victory_points=4)
DISCOUNTS = {"gamma": 0.99, "gae_lambda": 0.9}


def make(
    tmp_path,
    *,
    starts=None,
    share=0.5,
    symmetries=True,
    kind="board",
    others=("heuristic",),
    games=12,
    base=None,
    reward=None,
):
    torch.manual_seed(0)
    sizes = {"kind": kind, "width": 16, "embedding_size": 8, "base": base}
    network = SelfPlayNetwork(252, 3, **sizes)
    past = SelfPlayNetwork(252, 3, critic="shared", **sizes)
    batch = SelfPlayBatch(
        games, RULES, observation="units", reward=reward, seed=4, global_state=True
    )
    rivals = Rivals(PastSelves(tmp_path), past, list(others), games, RULES, share=share)
    options = {"symmetries": symmetries, "starts": starts, "starts_share": 0.5}
    return network, SelfPlayGames(batch, rivals, 40, **options)


def test_only_the_learners_decisions_are_learned_from(tmp_path):
    network, games = make(tmp_path)
    played = games.play(network, 0, **DISCOUNTS)
    alone = make(tmp_path, share=0.0)[1].play(network, 0, **DISCOUNTS)
    assert len(alone) > 40 * 12 - 3 * 12
    # Of six games with rivals one decision in three is the learner's.
    assert 0.5 < len(played) / len(alone) < 0.8
    assert played.mask.gather(1, played.action[:, None]).all()
    assert played.targets.shape == played.has_target.shape == (len(played), 3)
    assert played.has_target[:, 0].all()


def test_what_was_played_is_what_the_network_gave(tmp_path):
    network, games = make(tmp_path)
    played = games.play(network, 0, **DISCOUNTS)
    with torch.no_grad():
        chances, _ = network(played.units, played.mask, played.hidden)
    chosen = chances.gather(1, played.action[:, None])[:, 0]
    assert torch.allclose(chosen, played.log_probability, atol=1e-4)


def test_frames_change_nothing_for_a_network_that_is_the_same_in_all(tmp_path):
    """Policies of the board network: the same games, whether boards are shown turned or not."""
    results = []
    for symmetries in (True, False):
        network, games = make(tmp_path, symmetries=symmetries, share=0.0)
        with torch.no_grad():
            for array in network.value.parameters():  # which sees the board as a plain vector
                array.zero_()
        expert = agents.load("heuristic")
        played = games.play(network, 0, expert=expert, **DISCOUNTS)
        results.append((played, games))
    (turned, games), (plain, others) = results
    assert not torch.equal(turned.units, plain.units)
    assert torch.allclose(turned.log_probability, plain.log_probability, atol=1e-4)
    assert torch.allclose(turned.advantage, plain.advantage, atol=1e-5)
    state, other = games.games.get_state(), others.games.get_state()
    assert all((state[name] == other[name]).all() for name in state)


def test_a_sure_base_plays_for_the_learner(tmp_path):
    """With a large bonus the games are those in which the base itself was the expert."""
    network, games = make(tmp_path, base=Base("heuristic", 1000.0), others=("evolved",))
    played = games.play(network, 0, **DISCOUNTS)
    assert (played.mask.gather(1, played.action[:, None]) == BASES_CHOICE).all()
    assert ((played.mask == BASES_CHOICE).sum(1) == 1).all()
    assert torch.allclose(played.log_probability, torch.zeros(len(played)), atol=1e-6)
    games.rivals.add("past", network.export(RULES))
    again = games.play(network, 1, **DISCOUNTS)
    assert (again.mask.gather(1, again.action[:, None]) == BASES_CHOICE).all()


def test_games_start_in_the_middle(tmp_path):
    """Half of the games that follow one that has ended, with what lies ahead drawn anew."""
    ahead = SelfPlayBatch(8, RULES, observation="units", seed=8)
    for _ in range(60):
        ahead.step(ahead.sample())
    starts = Starts(ahead.batch.games.copy())
    network, games = make(tmp_path, share=0.0, games=48, starts=starts)
    begun = []

    def place(numbers, positions):
        begun.append(positions)
        return SelfPlayBatch.place_games(games.games, numbers, positions)

    games.games.place_games = place
    for number in range(6):
        games.play(network, number, **DISCOUNTS)
    placed = sum(map(len, begun))
    assert games.finished > 24
    assert 0.3 < placed / games.finished < 0.7
    assert all((positions["turn"] > 0).all() for positions in begun)
