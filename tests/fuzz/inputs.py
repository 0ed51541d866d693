"""Inputs by target and seed: the same input each time, in any process."""

import json
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Self

from pettingzoo.utils.env_logger import EnvLogger

from tests.fuzz.oracle import Tally
from tests.fuzz.targets import TARGETS, WEIGHTS


@contextmanager
def _without_warnings() -> Iterator[None]:
    """PettingZoo logs a warning for each illegal move."""
    logger = EnvLogger.get_logger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


@dataclass(frozen=True)
class Input:
    """One input.

    Attributes:
        target: the name of what is fuzzed.
        seed: of the random source that the input is made from.
    """

    target: str
    seed: int

    def run(self, tally: Tally | None = None) -> None:
        """Make the input and try it.

        Raises:
            Exception: a finding; of what kind doesn't matter.
        """
        with _without_warnings():
            tally = Tally() if tally is None else tally
            TARGETS[self.target](Random(f"{self.target} {self.seed}"), tally)

    def text(self) -> str:
        """The input as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, path: Path) -> Self:
        """The input in a file."""
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(data["target"], data["seed"])


def inputs_from(seed: int, step: int = 1, targets: Sequence[str] | None = None) -> Iterator[Input]:
    """All targets in turn, some of them more often, with the seeds `seed`, `seed + step`, ..."""
    names = [name for name in TARGETS if targets is None or name in targets]
    for number in count(seed, step):
        for name in names:
            times = WEIGHTS.get(name, 1)
            for k in range(times):
                yield Input(name, number * times + k)
