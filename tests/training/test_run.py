"""A run: evaluations, stopping, a full disk, parameters that aren't finite, resuming."""

import signal
from dataclasses import dataclass

import pytest
import torch

from catan_pz import agents
from catan_pz.files import write_bytes
from catan_pz.rules import Rules
from catan_pz.training import checkpoints, evaluation, run
from catan_pz.training.checkpoints import Checkpoints
from catan_pz.training.options import Count, CountedArgs, FrameArgs
from catan_pz.training.run import Run

RULES = Rules(num_players=2)


@dataclass(frozen=True, kw_only=True)
class EpisodeArgs(CountedArgs):
    episodes: Count = 6


class Learner:
    """Adds one to its parameters in each part; in one part they become NaN."""

    rules = RULES

    def __init__(self, astray=None):
        self.network = {"weight": torch.zeros(2)}
        self.astray, self.cards = astray, []

    def play(self, number):
        self.network["weight"] += float("nan") if number == self.astray else 1
        return {"loss": 0.5, "frames": 10}

    def parameters(self):
        return self.network

    def agent(self):
        return agents.load("random")

    def save(self, folder, card):
        self.cards.append(card)
        write_bytes(folder / "model.txt", str(self.network["weight"].tolist()).encode())

    def get_state(self):
        return {"network": self.network}

    def set_state(self, state):
        self.network = state["network"]


@pytest.fixture(autouse=True)
def quick_evaluations(monkeypatch):
    found = {"games": 2, "won": 1, "win_rate": 0.5, "interval": [0.1, 0.9], "points": 5.0}
    monkeypatch.setattr(run, "evaluate", lambda *_: found)
    monkeypatch.setattr(evaluation, "draw_curve", lambda *_: b"picture")


def make(out, learner, **options):
    given = {"episodes": 6, "eval_every": 2, "checkpoint_every": 2, "out": str(out)} | options
    args = EpisodeArgs(**given)
    told = {"title": "", "card": {}, "evaluations": {"random": ["random"]}}
    return Run(args, learner, **told, option="episodes", unit="games")


def train(out, learner, **options):
    return make(out, learner, **options).train()


def frames(out, learner, **options):
    given = {"frames": 60, "eval_every": 30, "checkpoint_every": 20, "progress": False} | options
    args = FrameArgs(out=str(out), **given)
    return Run(args, learner, title="", card={}, evaluations={})


def test_the_card_says_when_older_results_were_taken(tmp_path):
    learner = Learner()
    train(tmp_path, learner, episodes=5, eval_every=3, checkpoint_every=1)
    told = [(card["games"], card.get("results_after_games")) for card in learner.cards]
    assert told == [(1, 0), (2, 0), (3, None), (4, 3), (5, None)]
    assert all(len(card["results"]) == 1 for card in learner.cards)


def test_parameters_that_are_not_finite_end_it_and_leave_the_checkpoint(tmp_path):
    with pytest.raises(FloatingPointError, match=r"after 4 games the network .* aren't finite"):
        train(tmp_path, Learner(astray=3))
    assert [entry["frames"] for entry in Checkpoints(tmp_path).entries()] == [2]
    assert (tmp_path / "model.txt").read_text() == "[2.0, 2.0]"
    assert train(tmp_path, Learner(), resume=True)["episodes"] == 6


def fill_disk(monkeypatch, beginnings, times):
    """A disk on which so many files with these beginnings of their names find no room."""
    left = [times]

    def write(path, data):
        if path.name.startswith(beginnings) and left[0]:
            left[0] -= 1
            raise OSError(28, "No space left on device")
        write_bytes(path, data)

    for module in (checkpoints, evaluation, run):
        monkeypatch.setattr(module, "write_bytes", write)


def test_a_full_disk_does_not_end_the_training(tmp_path, monkeypatch, capsys):
    fill_disk(monkeypatch, ("checkpoint-000000000004-", "curve.csv"), 2)
    train(tmp_path, Learner())
    shown = " ".join(capsys.readouterr().err.split())
    assert "the curve can't be written: [Errno 28] No space left on device" in shown
    assert Checkpoints(tmp_path).entries()[0]["frames"] == 6


@pytest.mark.parametrize("file", ["checkpoint-000000000006-", "curve.csv"])
def test_a_full_disk_at_the_end_is_told_and_made_up_for(tmp_path, monkeypatch, file):
    with monkeypatch.context() as full:
        fill_disk(full, (file,), 9)
        with pytest.raises(OSError, match="No space"):
            train(tmp_path, Learner())
    assert train(tmp_path, Learner(), resume=True)["episodes"] == 6
    assert (tmp_path / "model.txt").read_text() == "[6.0, 6.0]"
    assert (tmp_path / "curve.csv").exists()


def test_another_training_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no intact checkpoint"):
        make(tmp_path, Learner(), resume=True)
    train(tmp_path, Learner())
    with pytest.raises(ValueError, match="holds a training"):
        make(tmp_path, Learner())
    with pytest.raises(ValueError, match="seed"):
        make(tmp_path, Learner(), seed=2, resume=True)
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="can't be written"):
        make(tmp_path / "file" / "x", Learner())


def test_ctrl_c_finishes_the_update_and_saves(tmp_path, capsys):
    class Interrupted(Learner):
        def play(self, number):
            if number == 2:
                signal.raise_signal(signal.SIGINT)
            return super().play(number)

    training = frames(tmp_path, Interrupted())
    assert training.train()["frames"] == 30
    with pytest.raises(KeyboardInterrupt):
        training.stop()  # a second time
    assert "Stopping after this update" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not (tmp_path / "result.json").exists()
    resumed = frames(tmp_path, Learner(), resume=True)
    assert resumed.train()["frames"] == 60
    assert "30 frames, resumed" in capsys.readouterr().out
    assert resumed.learner.network["weight"].tolist() == [6, 6]


def test_figures_are_logged(tmp_path):
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="takes the extra `train`"
    )
    frames(tmp_path, Learner()).train()
    logs = accumulator.EventAccumulator(str(tmp_path / "logs")).Reload()
    assert [event.step for event in logs.Scalars("train/loss")] == [10, 20, 30, 40, 50, 60]
