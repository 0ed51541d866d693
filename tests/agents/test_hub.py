"""Models at Hugging Face's hub, without a network: a folder stands for the repository."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.network import NetworkAgent
from catan_pz.agents.registry import no_foreign_code
from catan_pz.cli import main

hub = pytest.importorskip("huggingface_hub", reason="takes the extra `hub`")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What --hub-card writes."""
    folder = tmp_path_factory.mktemp("hub") / "mine"
    command = ["evaluate", "ppo-2p", "--games", "2", "--seed", "1", "--hub-card", str(folder)]
    assert main(command) == 0
    return folder


@pytest.fixture
def repository(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the repository owner/mine at any revision."""
    folder = Path(shutil.copytree(written, tmp_path / "mine"))

    def download(name: str, file: str, *, revision: str | None) -> str:
        assert name == "owner/mine"
        if not (folder / file).exists():
            raise hub.errors.LocalEntryNotFoundError(f"no\nconnection, no {file}")
        return str(folder / file)

    monkeypatch.setattr(hub, "hf_hub_download", download)
    return folder


def weights(agent: Any) -> dict[str, Any]:
    return dict(agent.model.network.arrays)


def test_a_model_of_the_hub_plays_as_the_one_that_was_evaluated(repository: Path) -> None:
    agent = agents.load("hf:owner/mine", choice="sample")
    assert isinstance(agent, NetworkAgent)
    assert (agent.name, agent.model.choice) == ("mine", "sample")
    before = weights(agents.load("ppo-2p"))
    assert all(np.array_equal(array, before[name]) for name, array in weights(agent).items())


def test_the_checksum_is_that_of_the_repository_or_of_the_name(repository: Path) -> None:
    checksum = (repository / "model.npz.sha256").read_text().split()[0]
    (repository / "model.npz").write_bytes(b"another model")
    for name in ("hf:owner/mine", f"hf:owner/mine:sha256={checksum}"):
        with pytest.raises(ValueError, match=f"has the SHA-256 .*, not {checksum}"):
            agents.load(name)
    (repository / "model.npz.sha256").write_bytes(b"")
    with pytest.raises(ValueError, match="has the SHA-256"):
        agents.load("hf:owner/mine")


def test_no_network_and_no_library_are_told_in_one_line(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "model.npz").unlink()
    with pytest.raises(ValueError, match=r"the hub gives no model of 'owner/mine': no connection"):
        agents.load("hf:owner/mine")
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(ValueError, match=r'pip install "catan-pz\[hub\]"'):
        agents.load("hf:owner/mine")


def test_no_file_downloads_a_model(repository: Path, tmp_path: Path) -> None:
    with no_foreign_code(tmp_path), pytest.raises(ValueError, match="no file downloads a model"):
        agents.load("hf:owner/mine")


def test_the_hub_reads_the_card(written: Path) -> None:
    card = hub.ModelCard.load(written / "README.md")
    assert card.data.library_name == "catan-pz"
    (result,) = card.data.eval_results
    assert result.metric_type == "win_rate"
    assert 0 <= result.metric_value <= 1
    assert result.metric_name == "games won against random, of 2"
    assert "| players | 2 |" in card.text


def test_only_a_model_has_a_card(tmp_path: Path, capsys: Any) -> None:
    assert main(["evaluate", "heuristic", "--hub-card", str(tmp_path / "x")]) == 2
    assert "heuristic is no model file" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
