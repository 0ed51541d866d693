"""The fixed set of positions, and the regret of agents there."""

from collections import Counter

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.arena.positions import Regret, positions
from catan_pz.game.view import View


@pytest.mark.parametrize(("trading", "phases"), [(True, (90, 40, 10)), (False, (120, 0, 0))])
def test_each_legal_action_has_a_value(trading: bool, phases: tuple[int, ...]) -> None:
    found = positions(trading=trading)
    assert len(found) == 200
    assert len({position.seed for position in found}) == 200
    for position in found[::10]:
        game = position.game
        assert sorted(position.values) == game.legal_actions().tolist()
        assert all(0 <= value <= 1 for value in position.values.values())
    counts = Counter(position.game.phase.name for position in found)
    assert tuple(counts[phase] for phase in ("MAIN", "ANSWER", "CLOSE")) == phases


class Knowing(Agent):
    """Plays the best or the worst action of a position, and hears the game before it."""

    needs_events = True
    pick = staticmethod(max)

    def reset(self, *given: object) -> None:
        super().reset(*given)  # type: ignore[arg-type]
        self.heard = 0

    def observe(self, _events: object) -> None:
        self.heard += 1

    def act(self, view: View) -> int:
        values = next(p.values for p in positions() if len(p.played) == self.heard)
        assert np.flatnonzero(view.mask).tolist() == sorted(values)
        return int(self.pick(values, key=lambda action: values[action]))


@pytest.mark.parametrize("pick", [max, min])
def test_regret_is_what_a_choice_loses(pick: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knowing, "pick", staticmethod(pick))
    lengths = [len(position.played) for position in positions()]
    alone = next(p for p in positions() if lengths.count(len(p.played)) == 1)
    worth = alone.values.values()
    expected = 0 if pick is max else max(worth) - min(worth)
    assert alone.regret(Knowing()) == pytest.approx(expected)


def test_stronger_agents_regret_less() -> None:
    some = positions()[::4]
    means = {
        name: Regret.of([position.regret(agents.load(name)) for position in some]).mean
        for name in ("random", "heuristic", "value")
    }
    assert means["value"] < means["heuristic"] < means["random"]


def test_the_mean_comes_with_its_interval() -> None:
    assert Regret.of([0.0, 0.2]) == (
        pytest.approx(0.1),
        (pytest.approx(-1.1706, abs=1e-4), pytest.approx(1.3706, abs=1e-4)),
        0.5,
    )
