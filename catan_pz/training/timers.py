"""Wall-clock time of each part of a training."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

PARTS: Final = ("games", "opponents", "inference", "updates", "evaluations", "checkpoints")
"""`games` includes `opponents`; `inference` is the learner's forward passes and what
Stable-Baselines3 does around them."""


class Clock:
    """Seconds of a training, those before it was resumed included.

    Args:
        before: seconds of what was resumed.
    """

    def __init__(self, before: float = 0.0) -> None:
        self._before, self._start = before, time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds of the whole training."""
        return self._before + self.since_start

    @property
    def since_start(self) -> float:
        """Seconds since it was begun or resumed."""
        return time.perf_counter() - self._start


class Timers:
    """Seconds spent in each part of a training.

    Attributes:
        seconds: seconds by part, see `PARTS`.
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        """Add the time spent inside the `with` block to a part."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] += time.perf_counter() - start

    def time_calls(self, owner: Any, *methods: str, part: str) -> None:
        """Add the time of all further calls of an object's methods to a part."""
        for name in methods:
            setattr(owner, name, self._timed(getattr(owner, name), part))

    def _timed(self, call: Callable[..., Any], part: str) -> Callable[..., Any]:
        @wraps(call)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.measure(part):
                return call(*args, **kwargs)

        return timed
