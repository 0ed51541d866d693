"""A worker of a long run: tries inputs until it is ended, and tells what it did.

Lines on standard output are JSON: {"tally": ...} now and then, {"finding": ..., "input": ...}.
"""

import json
import re
import sys
import traceback
from pathlib import Path
from time import monotonic

from tests.fuzz.inputs import Input, inputs_from
from tests.fuzz.oracle import Finding, Tally, place_of, shortened

TOLD_EVERY = 1.0
"""Seconds between two counts."""


def described(error: BaseException) -> str:
    """A finding in one line, the same for inputs that find the same."""
    if isinstance(error, Finding):
        return shortened(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__} at {where}, {place_of(error)}: {shortened(error)}"


def kind_of(finding: str) -> str:
    """What findings of the same cause have in common."""
    return re.sub(r"\d+", "#", re.sub(r"(?<!:)\b\d+\b", "#", finding))[:120]


def main() -> None:
    current, seed, step, targets = Path(sys.argv[1]), *map(int, sys.argv[2:4]), sys.argv[4]
    told = Tally()
    last = monotonic()
    for one in inputs_from(seed, step, targets.split(",") if targets else None):
        current.write_text(one.text(), encoding="utf-8")
        found = _try(one, told)
        if found:
            print(json.dumps({"finding": found, "input": one.text()}), flush=True)
        if monotonic() - last > TOLD_EVERY:
            print(json.dumps({"tally": told, "seed": one.seed}), flush=True)
            told, last = Tally(), monotonic()


def _try(one: Input, tally: Tally) -> str:
    try:
        one.run(tally)
    except Exception as error:
        return described(error)
    return ""


if __name__ == "__main__":
    main()
