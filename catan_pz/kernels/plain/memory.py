"""What the plain backend has in place of prefetching."""

from typing import Any

from numba.extending import register_jitable


@register_jitable
def prefetch(games: Any, i: int) -> None:
    """Do nothing: the next game is loaded when it is used."""
