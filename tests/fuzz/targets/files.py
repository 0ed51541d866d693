"""Files with damaged bytes or changed headers: models, results, checkpoints, recorded games."""

import io
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from catan_pz.agents.network import SHIPPED, Model, NetworkAgent
from catan_pz.arena import play_match
from catan_pz.arena.results_file import load_results
from catan_pz.game import GameRecord
from tests.fuzz.odd import damaged, mutated
from tests.fuzz.oracle import Tally, require
from tests.fuzz.states import drawn_game

REFUSED = (ValueError, OSError)


@contextmanager
def _written(content: bytes, suffix: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        yield path


@cache
def _shipped() -> bytes:
    return next(iter(sorted(SHIPPED.glob("*.npz")))).read_bytes()


def _changed_model(rng: Random) -> bytes:
    """A model whose header is another, with the right checksum or none."""
    with np.load(io.BytesIO(_shipped()), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    changed = mutated(rng, header)
    try:
        text = json.dumps(changed).encode()
    except (TypeError, ValueError, RecursionError):
        text = b"[]"
    if rng.random() < 0.3:
        arrays.pop(rng.choice(list(arrays)))
    whole = io.BytesIO()
    np.savez(whole, allow_pickle=False, header=np.frombuffer(text, np.uint8), **arrays)
    return whole.getvalue()


def models(rng: Random, tally: Tally) -> None:
    """Model files: refused, or played."""
    content = damaged(rng, _shipped()) if rng.random() < 0.6 else _changed_model(rng)
    with _written(content, ".npz") as path:
        accepted, model = tally.attempt(Model.read, path, allowed=REFUSED)
    if not accepted:
        return
    game = drawn_game(rng)
    agent = NetworkAgent(model)
    tally.attempt(agent.check_rules, game.rules)
    logits = model.logits(game.observe(0)[None])
    require(logits.shape == (1, model.num_actions), "logits of another shape")


@cache
def _results() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        play_match(["random", "weighted"], games=4, num_players=2, trading=False, results=path)
        return path.read_bytes()


def _changed_lines(rng: Random, content: bytes) -> bytes:
    lines = content.decode().splitlines()
    k = rng.randrange(len(lines))
    try:
        lines[k] = json.dumps(mutated(rng, json.loads(lines[k])))
    except (TypeError, ValueError, RecursionError):
        lines[k] = "{}"
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _lines(rng: Random, content: bytes) -> bytes:
    change: Callable[[Random, bytes], bytes] = rng.choice((damaged, _changed_lines))
    return change(rng, content)


def results(rng: Random, tally: Tally) -> None:
    """Files of results: read, or refused by name of the line."""
    with _written(_lines(rng, _results()), ".jsonl") as path:
        accepted, result = tally.attempt(load_results, path, allowed=REFUSED)
        if accepted:
            tally.attempt(result.win_rate, "random")
        if rng.random() < 0.2:
            given: dict[str, Any] = {"games": 4, "num_players": 2, "trading": False}
            tally.attempt(
                play_match, ["random", "weighted"], results=path, allowed=REFUSED, **given
            )


def recordings(rng: Random, tally: Tally) -> None:
    """Recorded games with damaged bytes."""
    game = drawn_game(rng)
    record = GameRecord.of(game)
    for _ in range(5):
        if len(legal := game.legal_actions().tolist()):
            game.step(rng.choice(legal))
    content = "\n".join(record.lines()).encode()
    with _written(_lines(rng, content), ".jsonl") as path:
        accepted, read = tally.attempt(GameRecord.load, path, allowed=REFUSED)
    if accepted:
        tally.attempt(lambda: [None for _ in read.replay()])


def checkpoints(rng: Random, tally: Tally) -> None:
    """A training's checkpoints: a damaged one is passed over, or all are refused."""
    from catan_pz.training.checkpoints import Checkpoints

    with tempfile.TemporaryDirectory() as folder:
        kept = Checkpoints(Path(folder))
        for frames in (1, 2):
            kept.save(frames, {"frames": frames})
        files = sorted(Path(folder).iterdir())
        path = rng.choice(files)
        change = _lines if path.suffix == ".json" else damaged
        path.write_bytes(change(rng, path.read_bytes()))
        accepted, state = tally.attempt(kept.load, allowed=REFUSED)
        if accepted:
            require(state["frames"] in (1, 2), f"a damaged checkpoint was read: {state}")


TARGETS = {
    "models": models,
    "results": results,
    "recordings": recordings,
    "checkpoints": checkpoints,
}
