"""Who plays: what tells players apart, and whether they decide in many games at once."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz import Rules
from catan_pz.agents.programs.agent import ProgramAgent
from catan_pz.arena import play_match
from catan_pz.arena.entrants import as_entrant, as_entrants, describe, shown_state
from catan_pz.game.view import View
from tests.arena.players import Alone, Builder, Counter

pytestmark = pytest.mark.purepython


@dataclass
class Weights:
    layer: NDArray[np.float32]


@dataclass
class Layers:
    layer: NDArray[np.float32]


class Bold(NamedTuple):
    strength: int


class Shy(NamedTuple):
    strength: int


@dataclass
class Strategic(Counter):
    strength: int


class Tuned(Counter):
    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (float("nan"), float("inf")),
        ((1, 2), (2, 1)),
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(2, np.int8), np.zeros(2, np.uint8)),
        ({"a": [1]}, {"a": [2]}),
        (Weights(np.zeros(3, np.float32)), Weights(np.ones(3, np.float32))),
        (Weights(np.zeros(3, np.float32)), Layers(np.zeros(3, np.float32))),
        (Bold(1), Shy(1)),
        (Strategic(1), Strategic(2)),
        (Strategic(1), Counter()),
    ],
)
def test_different_agents_have_different_descriptions(one: Any, other: Any) -> None:
    assert describe(Tuned(option=one)) == describe(Tuned(option=one))
    assert describe(Tuned(option=one)) != describe(Tuned(option=other))
    # A file of results holds them.
    read = json.loads(json.dumps(describe(Tuned(option=one))))
    assert read == describe(Tuned(option=one))
    within = [Tuned(option=Tuned(option=option)) for option in (one, one, other)]
    assert describe(within[0]) == describe(within[1]) != describe(within[2])
    with pytest.raises(ValueError, match="two different agents have the name 'x'"):
        as_entrants([("x", Tuned(option=one)), ("x", Tuned(option=other))])


def test_weights_of_torch_are_described_by_value() -> None:
    torch = pytest.importorskip("torch")

    def net(weight: float) -> Any:
        layer = torch.nn.Linear(2, 1)
        torch.nn.init.constant_(layer.weight, weight)
        torch.nn.init.constant_(layer.bias, 0.0)
        return torch.nn.Sequential(layer)

    for make in (net, torch.tensor, lambda x: torch.full((2, 3), x, dtype=torch.bfloat16).T):
        one, same, other = (describe(Tuned(option=make(x))) for x in (0.5, 0.5, 0.25))
        json.dumps(one)
        assert one == same != other
    for odd in (torch.eye(2).to_sparse(), torch.empty(2, device="meta")):
        assert describe(Tuned(option=odd)) == describe(Tuned(option=odd))
    # What else a module holds isn't known: two of them are the same agent only if they are one.
    with pytest.raises(ValueError, match="two different agents have the name 'x'"):
        as_entrants([("x", Tuned(option=net(0.5))), ("x", Tuned(option=net(0.5)))])


def test_what_stands_within_itself_is_described_by_its_type() -> None:
    own: list[Any] = [1]
    own.append(own)
    partner = Tuned(option=own)
    partner.partner = Tuned(partner=partner)
    options = describe(partner)["options"]
    assert options["option"] == [1, "an object of builtins.list"]
    assert options["partner"]["options"] == {"partner": f"an object of {__name__}.Tuned"}


def test_names_that_say_that_the_state_is_shown_are_those_of_nobody_else() -> None:
    entrants, _ = as_entrants([("a", "weighted"), ("a (true state)", "random")])
    assert [one.name for one in shown_state(entrants[:1], ["a"])] == ["a (true state)"]
    with pytest.raises(ValueError, match=r"two different agents have the name 'a \(true state\)'"):
        shown_state(entrants, ["a"])


class Remembering(Builder):
    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)


class Peeking(Builder):
    needs_belief = True


class Own(Builder):
    def act(self, view: View) -> int:
        return int(view.mask.nonzero()[0][0])


def test_a_match_leaves_the_limit_of_a_program_as_it_was() -> None:
    program = ProgramAgent("bot", seconds=7.0)
    made = as_entrant(program).make(0.5)
    assert isinstance(made, ProgramAgent)
    assert made.seconds == 0.5
    assert program.seconds == 7.0


def test_only_stateless_agents_are_batched() -> None:
    assert as_entrant("random").is_batched
    assert as_entrant(("b", Builder)).is_batched
    for agent in (Remembering(), Peeking(), Own(), Counter(), Alone(Builder())):
        assert not as_entrant(agent).is_batched


def test_games_that_a_model_cannot_play_are_refused_before_the_first() -> None:
    with pytest.raises(ValueError, match="'ppo-2p' plays games of 2 players with 252 actions"):
        play_match(["ppo-2p", "random"], 2, trading=True)
    with pytest.raises(ValueError, match="this one has 3 players"):
        play_match(["ppo-2p", "random", "random"], 2, trading=False, progress=False)


def test_a_model_plays_the_same_games_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the last bits of its numbers, which tip no choice in these games."""
    assert as_entrant("ppo-2p").is_batched
    players, options = ["ppo-2p", "heuristic"], {"trading": False, "max_turns": 24}
    together = play_match(players, 4, seed=0, progress=False, **options)
    monkeypatch.setattr("catan_pz.arena.entrants._is_batched", lambda agent: False)
    singly = play_match(players, 4, seed=0, progress=False, **options)
    for one, other in zip(together.games, singly.games, strict=True):
        assert (one.winner, one.turns, one.points) == (other.winner, other.turns, other.points)
