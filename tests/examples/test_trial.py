import pytest

from catan_pz.rules import Rules
from tests.examples.programs import load

module = load("libraries/trial")
TrialArgs, run_trial = module.TrialArgs, module.run_trial

RULES = Rules(num_players=2, trading=False)


def args(**changes):
    usual = {"frames": 100, "eval_every": 10, "eval_games": 4, "progress": False}
    return TrialArgs(**usual | changes)


@pytest.fixture
def evaluations(monkeypatch):
    """Evaluations that take no time: seeds and games asked for, and the rates that follow."""

    class Told(list):
        rates = ()

    told = Told()

    def evaluate(agent, opponents, rules, games, seed):
        told.append((seed, games))
        rate = told.rates[len(told) - 1]
        found = {"games": games, "won": int(rate * games), "win_rate": rate, "points": 5.0}
        return found | {"interval": [rate - 0.1, rate + 0.1]}

    monkeypatch.setattr(module, "evaluate", evaluate)
    return told


def training(steps, size=5):
    def train(trial):
        decisions = 0
        while not trial.is_over(decisions):
            decisions += size
            steps.append(decisions)

    return train


def test_it_ends_above_chance_and_is_measured_by_other_games(evaluations, capsys):
    evaluations.rates = [0.4, 0.55, 0.7, 0.65]
    steps = []
    result = run_trial(args(), RULES, None, training(steps))
    assert steps[-1] == result["decisions"] == 30
    assert [games for _, games in evaluations] == [4, 4, 4, 8]
    assert len({seed for seed, _ in evaluations}) == 4  # other boards and dice each time
    assert result["above_chance"] is True
    assert result["win_rate"] == 0.65
    out = capsys.readouterr().out
    assert "30 decisions in " in out
    assert out.rstrip().endswith("above chance level, 50 %")


def test_it_ends_with_its_decisions(evaluations, capsys):
    evaluations.rates = [0.5] * 20
    result = run_trial(args(), RULES, None, training([]))
    assert result["decisions"] == 100
    assert result["above_chance"] is False
    assert len(evaluations) == 10
    assert "not above chance level" in capsys.readouterr().out
