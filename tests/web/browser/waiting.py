"""Waiting for what a page must come to show."""

import time
from typing import Any, Final

TIMEOUT: Final = 60
"""Seconds that a test waits for what must come, on any machine."""


def wait_for(page: Any, condition: str) -> None:
    """Wait until a JavaScript expression is true in a page.

    The pages' security policy forbids `wait_for_function`, which evaluates text in them.
    """
    end = time.monotonic() + TIMEOUT
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"this did not come to be: {condition}"
        page.wait_for_timeout(20)
