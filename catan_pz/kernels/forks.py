"""What a forked process makes of what its parent's threads did: it has none of them."""

import os
from typing import Final, Protocol
from weakref import WeakSet


class HasThreads(Protocol):
    """What threads may be at work on."""

    def after_fork(self) -> None:
        """Go on in a forked process, without those threads."""


_known: Final[WeakSet[HasThreads]] = WeakSet()


def tell_forks(thing: HasThreads) -> None:
    """Have `after_fork` called in processes that are forked from this one."""
    _known.add(thing)


def _after_fork() -> None:
    for thing in list(_known):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
