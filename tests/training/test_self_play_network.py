"""The network of self-play: sizes, what its critics see, models in and out."""

import numpy as np
import pytest
import torch
from parts.self_play_games import hidden_part

from catan_pz import agents
from catan_pz.agents.network import Base, NetworkAgent
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.training.self_play_network import NUM_HIDDEN, SelfPlayNetwork

RULES = Rules(num_players=3, trading=False)
KINDS = ("board", "dense")
CRITICS = ("shared", "separate", "hidden")


def network(kind="board", critic="hidden", players=3):
    torch.manual_seed(0)
    sizes = {"width": 16, "embedding_size": 8}
    return SelfPlayNetwork(RULES.num_actions, players, kind=kind, critic=critic, **sizes)


def played(steps=60, games=4):
    batch = SelfPlayBatch(games, RULES, observation="units", seed=2, global_state=True)
    for _ in range(steps):
        batch.step(batch.sample())
    return batch


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("critic", CRITICS)
def test_only_critics_that_may_see_hidden_cards_do(kind, critic):
    units = torch.randint(0, 5, (3, SIZE), dtype=torch.int8)
    mask = torch.ones((3, 252), dtype=torch.int8)
    hidden, others = torch.zeros((3, NUM_HIDDEN)), torch.ones((3, NUM_HIDDEN))
    one = network(kind, critic)
    policies, values = one(units, mask, hidden)
    same_policies, other_values = one(units, mask, others)
    assert values.shape == (3, 3)
    assert torch.equal(policies, same_policies)
    assert torch.equal(policies, one.log_probabilities(units, mask))
    assert torch.equal(values, other_values) == (critic != "hidden")


def test_hidden_parts_begin_with_the_seat_to_move():
    batch = played()
    parts = hidden_part(torch.tensor(batch.batch.global_state), torch.tensor(batch.player), 3)
    assert parts.shape == (4, NUM_HIDDEN)
    hands = parts[:, :20].reshape(4, 4, 5) * 10
    cards = parts[:, 20:].reshape(4, 4, 5)
    for game in range(4):
        state = batch.batch.game(game).state
        for k in range(3):
            seat = (int(batch.player[game]) + k) % 3
            assert np.allclose(hands[game, k], np.minimum(state["hand"][seat], 10), atol=1e-4)
            assert (cards[game, k].numpy() > 0).tolist() == (state["cards"][seat] > 0).tolist()
        assert (hands[game, 3] == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_plays_as_the_network_does(kind, tmp_path):
    batch, one = played(), network(kind)
    one.export(RULES).save(tmp_path / "model.npz", "float32")
    agent = NetworkAgent(tmp_path / "model.npz")
    expected = one.log_probabilities(torch.tensor(batch.observation), torch.tensor(batch.mask))
    chances = agent.probabilities(batch.observation, batch.mask)
    assert np.allclose(chances, expected.exp().detach().numpy(), atol=1e-4)
    other = network(kind)
    with torch.no_grad():
        for array in other.parameters():
            array.add_(1)
    other.take_policy(agent.model)
    again = other.log_probabilities(torch.tensor(batch.observation), torch.tensor(batch.mask))
    assert torch.allclose(again, expected, atol=1e-6)


def test_the_policy_of_a_shipped_model_is_taken_or_refused():
    shipped = agents.load("ppo-4p-notrade").model
    whole = SelfPlayNetwork(252, 4, width=128, embedding_size=32)
    whole.take_policy(shipped)
    assert np.array_equal(
        whole.export(Rules(trading=False)).network.arrays["dense_head"],
        shipped.network.arrays["dense_head"],
    )
    with pytest.raises(ValueError, match=r"network: board network, .*: dense layers .* --width"):
        network("dense", players=4).take_policy(shipped)


@pytest.mark.parametrize(
    ("name", "actions", "base", "named"),
    [
        ("ppo-4p", 389, None, "base: evolved .*: none; pass --base evolved --base-bonus 5"),
        ("ppo-4p-notrade", 252, Base("evolved", 5.0), "base: none; .*; pass no --base"),
        ("ppo-4p", 252, Base("evolved", 5.0), "actions: 389; .*252; pass --trading"),
        ("ppo-2p", 252, None, "players: 2; .*4; pass --players 2"),
    ],
)
def test_the_numbers_of_another_policy_are_refused(name, actions, base, named):
    one = SelfPlayNetwork(actions, 4, width=128, embedding_size=32, base=base)
    with pytest.raises(ValueError, match=f"init: the model's .*{named}"):
        one.take_policy(agents.load(name).model)
