"""Runs watched at Weights & Biases and MLflow, without a network."""

import sys

import pytest

from catan_pz.training.tracking import start_tracker
from tests.training.test_run import Learner, frames, quick_evaluations, train

__all__ = ["quick_evaluations"]


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    library = pytest.importorskip("mlflow", reason="takes the extra `mlflow`")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = library.get_tracking_uri()
    library.set_tracking_uri((tmp_path / "mlruns").as_uri())
    yield library
    library.set_tracking_uri(before)


def test_mlflow_gets_options_figures_and_a_resumed_run_goes_on(tmp_path, mlflow):
    out = tmp_path / "run"
    frames(out, Learner(), track="mlflow", frames=30).train()
    run_id = (out / "mlflow.id").read_text()
    frames(out, Learner(), track="mlflow", frames=60, resume=True).train()
    (run,) = mlflow.search_runs(experiment_names=["catan-pz"], output_format="list")
    assert run.info.run_id == run_id
    assert (run.info.run_name, run.info.status) == ("run", "FINISHED")
    assert run.data.params["seed"] == "1"
    history = mlflow.MlflowClient().get_metric_history(run_id, "train/loss")
    assert [metric.step for metric in history] == [10, 20, 30, 40, 50, 60]


def test_wandb_works_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason="takes the extra `wandb`")
    monkeypatch.setenv("WANDB_MODE", "offline")
    train(tmp_path, Learner(), track="wandb")
    run_id = (tmp_path / "wandb.id").read_text()
    (log,) = tmp_path.glob(f"wandb/offline-run-*/run-{run_id}.wandb")
    content = log.read_bytes()
    assert b"train/loss" in content
    assert b"eval/random" in content
    assert b"checkpoint_every" in content


def test_a_tracker_that_fails_does_not_end_the_training(tmp_path, mlflow, monkeypatch, capsys):
    def fail(*_, **__):
        raise RuntimeError("the server is gone")

    monkeypatch.setattr(mlflow, "log_metrics", fail)
    assert frames(tmp_path / "run", Learner(), track="mlflow").train()["frames"] == 60
    told = capsys.readouterr().err
    assert told.count("without tracking: the server is gone") == 1


def test_a_library_that_is_missing_or_refuses_is_told_in_one_line(tmp_path, mlflow, monkeypatch):
    def refuse(*_):
        raise RuntimeError("no key\nlog in first")

    monkeypatch.setattr(mlflow, "set_experiment", refuse)
    with pytest.raises(ValueError, match=r"^mlflow can't track this training: no key$"):
        start_tracker("mlflow", tmp_path, {}, resumed=False)
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ValueError, match=r'pip install "catan-pz\[wandb\]"'):
        start_tracker("wandb", tmp_path, {}, resumed=False)
