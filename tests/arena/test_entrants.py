"""Who plays: what tells players apart, and whether they decide in many games at once."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz import RandomAgent, Rules
from catan_pz.agents.programs.agent import ProgramAgent
from catan_pz.arena.batched_games import play_games
from catan_pz.arena.entrants import as_entrant, as_entrants, describe, shown_state
from catan_pz.arena.executors import Task, play_task
from catan_pz.arena.schedule import MatchConfig, Schedule
from catan_pz.game.view import View
from tests.arena.alike import Way, played_alike
from tests.arena.players import QUICK, Alone, Builder, Counter

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
        ("a", "b"),
        (float("nan"), float("inf")),
        ((1, 2), (2, 1)),
        (np.arange(3), np.arange(3) + 1),
        (np.zeros(4), np.zeros((2, 2))),
        (np.zeros(2, np.int8), np.zeros(2, np.uint8)),
        ({"a": [1]}, {"a": [2]}),
        (Weights(np.zeros(3, np.float32)), Weights(np.ones(3, np.float32))),
        (Weights(np.zeros(3, np.float32)), Layers(np.zeros(3, np.float32))),
        (Bold(1), Shy(1)),
        (Bold(1), (1,)),
        (Strategic(1), Strategic(2)),
        (Strategic(1), Counter()),
        (np.complex64(1), np.complex64(2)),
        ([10**5000], [10**5000 + 1]),
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
    deep: list[Any] = []
    for _ in range(10**5):
        deep = [deep]
    json.dumps(describe(Tuned(option=deep)))


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


def test_batches_record_games(tmp_path: Path) -> None:
    scheduled = list(Schedule(((0, 1),), 2).games())
    players = [RandomAgent(), Builder()]
    ways: dict[str, Way] = {
        "together": lambda config: play_games(config, scheduled, players),
        "alone": lambda config: play_task(config, Task(tuple(scheduled), "single"), players),
    }
    rules = Rules(num_players=2, **QUICK | {"max_turns": 6})
    results = played_alike(ways, MatchConfig(("a", "b"), rules, 1), scheduled, tmp_path)
    assert [game.number for game in results] == [0, 1]
