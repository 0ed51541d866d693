"""Models of Hugging Face's hub: loading them by "hf:owner/name", and writing folders to upload."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.agents.registry import check_code
from catan_pz.checks import quoted
from catan_pz.files import write_bytes

MODEL: Final = "model.npz"
CHECKSUM: Final = f"{MODEL}.sha256"
"""In the format of the program sha256sum."""


def load(
    repository: str,
    *,
    revision: str | None = None,
    sha256: str | None = None,
    choice: str | None = None,
) -> NetworkAgent:
    """Load and cache the model of a repository; no code of its file is run.

    Args:
        repository: "owner/name".
        revision: a branch, tag or commit; the newest by default.
        sha256: expected checksum; by default the one in the repository.
        choice: how it plays, as in `NetworkAgent`.
    """
    check_code("downloads a model")
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import EntryNotFoundError
    except ImportError:
        raise ValueError('it needs huggingface_hub: pip install "catan-pz[hub]"') from None
    try:
        if sha256 is None:
            told = Path(hf_hub_download(repository, CHECKSUM, revision=revision))
            sha256 = told.read_text(encoding="utf-8").strip().partition(" ")[0]
        path = Path(hf_hub_download(repository, MODEL, revision=revision))
    except (OSError, ValueError, EntryNotFoundError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"the hub gives no model of {quoted(repository)}: {reason}") from error
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != str(sha256).lower():
        raise ValueError(f"{MODEL} of {quoted(repository)} has the SHA-256 {found}, not {sha256}")
    return NetworkAgent(path, choice=choice, name=repository.rpartition("/")[2])


def write_folder(
    folder: Path, name: str, model: Model, results: Sequence[Mapping[str, Any]]
) -> None:
    """Write the files of a repository: the model, its checksum, and its card as README.md.

    The results are as in `StoredModel.card_text`; those on the model's card are replaced.
    """
    carded = model.with_results(results)
    folder.mkdir(parents=True, exist_ok=True)
    carded.save(folder / MODEL)
    digest = hashlib.sha256((folder / MODEL).read_bytes()).hexdigest()
    write_bytes(folder / CHECKSUM, f"{digest}  {MODEL}\n".encode())
    write_bytes(folder / "README.md", card_text(name, carded).encode())


def card_text(name: str, model: Model) -> str:
    """A model's card with the hub's metadata: library, tags and results."""
    game = {"name": "Catan", "type": "catan_v0"}
    metrics = [
        {
            "type": "win_rate",
            "name": f"games won against {result['against']}, of {result['games']}",
            "value": round(result["win_rate"], 4),
        }
        for result in model.card["results"]
    ]
    task = {"type": "reinforcement-learning", "name": "reinforcement-learning"}
    metadata = {
        "library_name": "catan-pz",
        "pipeline_tag": "reinforcement-learning",
        "tags": ["reinforcement-learning", "multi-agent", "pettingzoo", "catan"],
        "model-index": [
            {"name": name, "results": [{"task": task, "dataset": game, "metrics": metrics}]}
        ],
    }
    # JSON values are also YAML.
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in metadata.items())
    use = f'from catan_pz import agents\n\nagent = agents.load("hf:OWNER/{name}")'
    return f"---\n{head}\n---\n\n{model.card_text(name)}\n```python\n{use}\n```\n"
