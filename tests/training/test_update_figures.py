"""Figures of an update: what values explain, and divergences."""

import math

import pytest

pytest.importorskip("torch", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz.training.update_figures import divergence, explained_outcomes, explained_variance

NAN = math.nan


def test_the_variance_of_returns_that_values_explain():
    returns = torch.tensor([0.0, 1.0, 2.0, 3.0])
    assert explained_variance(returns + 7, returns) == 1
    assert explained_variance(torch.zeros(4), returns) == 0
    assert explained_variance(2 * returns, returns) == 0
    assert math.isnan(explained_variance(returns, torch.ones(4)))


def test_who_won_is_explained_by_values_of_any_scale():
    won = torch.tensor([1.0, 0.0, NAN, 0.0, 1.0])
    assert explained_outcomes(torch.tensor([7.0, 3.0, 9.0, 3.0, 7.0]), won) == pytest.approx(1)
    # By hand: covariance 1/8 and variances 1/4, 3/16.
    values = torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0])
    assert explained_outcomes(values, won) == pytest.approx((1 / 8) ** 2 / (1 / 4 * 3 / 16))
    assert math.isnan(explained_outcomes(values, torch.full((5,), NAN)))
    assert math.isnan(explained_outcomes(torch.ones(5), won))


def test_divergences_are_those_worked_out_by_hand():
    policies = torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]).log().clamp(min=-1e8)
    others = torch.tensor([[0.25, 0.75, 0.0], [0.5, 0.0, 0.5]]).log().clamp(min=-1e8)
    first = 0.5 * math.log(2) + 0.5 * math.log(2 / 3)
    assert divergence(policies, others).item() == pytest.approx((first + math.log(2)) / 2)
    assert divergence(policies, policies).item() == 0
