"""The command line, in this process: an exit status and a sentence, never a traceback."""

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from catan_pz.cli.app import run
from tests.fuzz.odd import STRINGS
from tests.fuzz.oracle import Tally, require

WORDS = (
    *("0", "1", "2", "3", "-1", "4", "1e3", "nan", "9999999999999999999999", "random", "heuristic"),
    *("weighted", "search:simulations=2", "search:foo=1", "random:x=1", "file.json", "file.npz"),
    *("base", "one_v_one", "dice=balanced", "dice=3", "board=[1]", "max_turns=null", "x", "ore"),
    *("folder", "missing.jsonl", "file.jsonl", "out.svg", "out.txt", "random,random", ",", ":"),
)
OPTIONS = (
    *("--players", "--points", "--board", "--offers", "--set", "--rules", "--seed", "--position"),
    *("--trading", "--no-trading", "--divide", "--json", "--help", "--debug", "--nonsense"),
    *("--names", "--viewer", "--width", "--at", "--speed", "--record", "--against", "--seat"),
)
BEGUN = (
    *(
        ("perft", "1"),
        ("perft", "2"),
        ("perft",),
        ("info",),
        ("nonsense",),
        (),
        ("watch", "file.jsonl"),
    ),
    *(("watch", "--export", "out.svg", "file.jsonl"), ("evaluate", "random", "--games", "2")),
    *(("tournament", "random,weighted", "--games", "2"), ("warmup", "--help"), ("bench", "--help")),
    *(("play", "--help"), ("train", "--help"), ("export", "--help")),
)


@contextlib.contextmanager
def _in_folder(rng: Random) -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("folder").mkdir()
            for name in ("file.json", "file.npz", "file.jsonl"):
                Path(name).write_bytes(
                    rng.choice((b"", b"{}", b"[" * 10_000, b"\xff\xfe", b"null"))
                )
            yield
        finally:
            os.chdir(before)


def lines(rng: Random, tally: Tally) -> None:
    """Command lines of words that exist and words that don't."""
    words = [*rng.choice(BEGUN)]
    for _ in range(rng.choice((0, 1, 2, 4))):
        at = rng.randint(1, len(words)) if words else 0
        words[at:at] = [rng.choice((rng.choice(OPTIONS), rng.choice(WORDS), rng.choice(STRINGS)))]
    if words[:1] == ["perft"] and any(word.isdigit() and int(word) > 2 for word in words):
        return  # it would count for long
    out, errors = io.StringIO(), io.StringIO()
    tally["inputs"] += 1
    with _in_folder(rng), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = run([word.replace("\0", "") for word in words])
    require(status in (0, 1, 2), f"exit status {status}: {words}")
    if "--debug" not in words:
        require("Traceback" not in errors.getvalue(), f"a traceback: {words}")
    require(status == 0 or bool(errors.getvalue() or out.getvalue()), f"no message: {words}")
    tally["accepted" if status == 0 else "refused"] += 1


TARGETS = {"command_lines": lines}
