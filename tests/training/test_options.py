import shlex
from dataclasses import dataclass

import pytest
import torch

from catan_pz.rules import Rules
from catan_pz.training.options import (
    Coefficient,
    Count,
    Positive,
    Share,
    TrainingArgs,
    check_minibatches,
    check_same_training,
    command_line,
    parse,
    set_up,
)


@dataclass(frozen=True, kw_only=True)
class Args(TrainingArgs):
    rate: float = 0.25
    """learning rate, on the command line"""
    minibatch: Count = 4
    """decisions"""
    gamma: Share = 0.99
    """discount"""
    bonus: Coefficient = 0.0
    """coefficient"""
    clip: Positive = 0.2
    """bound"""


def args(*words):
    return parse(Args, words, "A test.")


def test_defaults_and_given_values():
    assert args() == Args()
    given = args("--rate", "0.5", "--minibatch=3", "--trading", "--no-skip-forced", "--out", "a b")
    assert given == Args(rate=0.5, minibatch=3, trading=True, skip_forced=False, out="a b")


@pytest.mark.parametrize(
    "option", ["seed=-1", "minibatch=0", "gamma=7", "gamma=nan", "bonus=-1", "bonus=inf", "clip=0"]
)
def test_numbers_out_of_their_ranges_are_named(option):
    with pytest.raises(ValueError, match=option.partition("=")[0]):
        args(f"--{option}")
    assert args("--gamma=1", "--bonus=0", "--clip=3").clip == 3


@pytest.mark.parametrize(("batch_size", "decisions"), [(1, 64), (5, 16), (2, 1)])
def test_minibatches_of_one_decision_are_refused(batch_size, decisions):
    with pytest.raises(ValueError, match="minibatch"):
        check_minibatches(batch_size, decisions, "minibatch")
    check_minibatches(5, 17)


def test_the_command_line_of_a_card_gives_the_same_options():
    given = args("--players=2", "--rate=0.5", "--trading", "--no-eval-first", "--out=a b")
    words = shlex.split(command_line(given, "examples/x.py"))
    assert words[:2] == ["python", "examples/x.py"]
    assert args(*words[2:]) == given
    assert command_line(args("--resume", "--no-progress"), "x.py") == "python x.py"


def test_rules_follow_from_the_options():
    assert Args().make_rules() == Rules(trading=False, skip_forced=True)
    assert Args(rules="one_v_one").make_rules() == Rules.make("one_v_one", skip_forced=True)
    assert Args(rules="one_v_one", players=4, trading=True).make_rules() == Rules.make(
        "one_v_one", num_players=4, trading=True, skip_forced=True
    )
    assert Args(boards="5,7", points=8).make_rules().board == (5, 7)
    assert Args(boards="spiral").make_rules().board == "spiral"


def test_another_training_is_not_resumed():
    saved = vars(Args())
    check_same_training(saved, Args(frames=7, out="other", resume=True))
    with pytest.raises(ValueError, match="rate"):
        check_same_training(saved, Args(rate=0.5))


def test_a_gpu_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match=r"device must be .* no GPU"):
        set_up(Args(device="cuda"))
