"""Runs that count games: parameters that aren't finite, and a full disk."""

import pytest

pytest.importorskip("torch", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz import agents
from catan_pz.rules import Rules
from catan_pz.training import checkpoints, curves, episodes
from catan_pz.training.checkpoints import Checkpoints, write_bytes
from catan_pz.training.episodes import EpisodeArgs, EpisodeRun


class Learner:
    """Adds one to its only parameter in each game; in one game it becomes NaN."""

    rules = Rules(num_players=2)

    def __init__(self, astray=None):
        self.network = {"weight": torch.zeros(2)}
        self.astray = astray

    def play(self, episode):
        self.network["weight"] += float("nan") if episode == self.astray else 1
        return {"loss": 0.5}

    def agent(self):
        assert torch.isfinite(self.network["weight"]).all()
        return agents.load("random")

    def save(self, folder, card):
        write_bytes(folder / "model.txt", str(self.network["weight"].tolist()).encode())

    def get_state(self):
        return {"network": self.network, "parts": [(torch.tensor(3), "text")]}

    def set_state(self, state):
        self.network = state["network"]


@pytest.fixture(autouse=True)
def quick_pictures(monkeypatch):
    monkeypatch.setattr(curves, "draw_curve", lambda *_, **__: b"picture")


def train(out, learner, **options):
    args = EpisodeArgs(episodes=6, eval_every=2, checkpoint_every=2, out=str(out), **options)
    return EpisodeRun(args, learner, against=(), title="test", card={}).train(lambda _: None)


def test_the_card_says_when_older_results_were_taken(tmp_path, monkeypatch):
    found = {"games": 2, "won": 1, "win_rate": 0.5, "interval": [0.1, 0.9], "points": 5.0}
    monkeypatch.setattr(episodes, "evaluate", lambda *_: found)
    cards = []

    class Keeping(Learner):
        def save(self, folder, card):
            cards.append(card)

    args = EpisodeArgs(episodes=5, eval_every=3, checkpoint_every=1, out=str(tmp_path))
    EpisodeRun(args, Keeping(), against=["random"], title="", card={}).train(lambda _: None)
    told = [(card["games"], card.get("results_after_games")) for card in cards]
    assert told == [(1, 0), (2, 0), (3, None), (4, 3), (5, None)]
    assert all(len(card["results"]) == 1 for card in cards)


def fill_disk(monkeypatch, beginnings, times):
    """A disk on which so many files with these beginnings of their names find no room."""
    left = [times]

    def write(path, data):
        if path.name.startswith(beginnings) and left[0]:
            left[0] -= 1
            raise OSError(28, "No space left on device")
        write_bytes(path, data)

    for module in (checkpoints, curves, episodes):
        monkeypatch.setattr(module, "write_bytes", write)


def test_a_folder_that_cannot_be_written_is_refused_before_the_first_game(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="can't be written"):
        EpisodeRun(
            EpisodeArgs(out=str(tmp_path / "file" / "x")), Learner(), against=(), title="", card={}
        )


@pytest.mark.parametrize("against", ["heuristc", "ppo-4p"])
def test_opponents_that_cannot_play_are_refused_before_the_first_game(tmp_path, against):
    args = EpisodeArgs(out=str(tmp_path / "new"), eval_first=False)
    with pytest.raises(ValueError, match=f"agent '{against}'"):
        EpisodeRun(args, Learner(), against=["random", against], title="", card={})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("astray", [2, 3])
def test_parameters_that_are_not_finite_end_it_and_leave_the_checkpoint(tmp_path, astray):
    with pytest.raises(FloatingPointError, match=r"after 4 games the network .* aren't finite"):
        train(tmp_path, Learner(astray))
    assert [entry["frames"] for entry in Checkpoints(tmp_path).entries()] == [2]
    assert (tmp_path / "model.txt").read_text() == "[2.0, 2.0]"
    assert train(tmp_path, Learner(), resume=True)["episodes"] == 6


def test_a_damaged_checkpoint_is_told_where_an_older_one_is_resumed(tmp_path, capsys):
    train(tmp_path, Learner())
    newest = tmp_path / Checkpoints(tmp_path).entries()[0]["file"]
    newest.write_bytes(newest.read_bytes()[:-1])
    assert train(tmp_path, Learner(), resume=True)["episodes"] == 6
    shown = " ".join(capsys.readouterr().err.split())
    assert "is damaged or missing: trying the one before." in shown


def test_a_full_disk_does_not_end_the_training(tmp_path, monkeypatch, capsys):
    fill_disk(monkeypatch, ("checkpoint-000000000004-", "curve.csv"), 2)
    train(tmp_path, Learner())
    shown = " ".join(capsys.readouterr().err.split())
    assert "the checkpoint can't be written: [Errno 28] No space left on device" in shown
    assert "the curve can't be written" in shown
    assert [entry["frames"] for entry in Checkpoints(tmp_path).entries()] == [6, 2]


@pytest.mark.parametrize("file", ["checkpoint-000000000006-", "curve.csv"])
def test_a_full_disk_at_the_end_is_told(tmp_path, monkeypatch, file):
    fill_disk(monkeypatch, (file,), 9)
    with pytest.raises(OSError, match="No space"):
        train(tmp_path, Learner())


def test_what_a_full_disk_kept_from_the_end_is_written_when_it_resumes(tmp_path, monkeypatch):
    with monkeypatch.context() as full:
        fill_disk(full, ("curve.csv",), 9)
        full.setattr(Learner, "save", lambda *_: None)
        with pytest.raises(OSError, match="No space"):
            train(tmp_path, Learner())
    assert not (tmp_path / "model.txt").exists()
    assert train(tmp_path, Learner(), resume=True)["episodes"] == 6
    assert (tmp_path / "model.txt").read_text() == "[6.0, 6.0]"
    assert (tmp_path / "curve.csv").exists()
