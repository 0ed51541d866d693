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
    """Evaluations that take no time: win rates to come, and the seeds and games asked for."""
    rates, asked = [], []

    def evaluate(agent, opponents, rules, games, seed):
        asked.append((seed, games))
        rate = rates.pop(0)
        found = {"games": games, "won": int(rate * games), "win_rate": rate, "points": 5.0}
        return found | {"interval": [rate - 0.1, rate + 0.1]}

    monkeypatch.setattr(module, "evaluate", evaluate)
    return rates, asked


def train(trial):
    decisions = 0
    while not trial.is_over(decisions):
        decisions += 5


def test_it_ends_above_chance_and_is_measured_by_other_games(evaluations, capsys):
    rates, asked = evaluations
    rates += [0.4, 0.55, 0.7, 0.65]
    result = run_trial(args(), RULES, None, train)
    assert result["decisions"] == 30
    assert [games for _, games in asked] == [4, 4, 4, 8]
    assert len({seed for seed, _ in asked}) == 4  # other boards and dice each time
    assert (result["above_chance"], result["win_rate"]) == (True, 0.65)
    assert capsys.readouterr().out.rstrip().endswith("above chance level, 50 %")


def test_it_ends_with_its_decisions(evaluations):
    evaluations[0].extend([0.5] * 20)
    result = run_trial(args(), RULES, None, train)
    assert (result["decisions"], result["above_chance"]) == (100, False)
    assert len(evaluations[1]) == 10
