"""The backend that compiles the rules: `fast` for tested versions of numba, else `plain`.

Both give the same results, byte for byte. The environment variable CATAN_PZ_COMPILER forces
either.
"""

import os
import re
from typing import Final

import numba

from catan_pz.checks import check_choice
from catan_pz.kernels.notices import warn_once

VARIABLE: Final = "CATAN_PZ_COMPILER"
BACKENDS: Final = ("fast", "plain")

FAST_SINCE: Final = (0, 62)
FAST_UNTIL: Final = (0, 68)
"""First and last release series of numba tested with the fast backend."""


def is_tested(version: str) -> bool:
    """Whether the fast backend was tested with a version of numba."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is not None and FAST_SINCE <= (int(found[1]), int(found[2])) <= FAST_UNTIL


def fast_versions() -> str:
    """The range of numba versions tested with the fast backend, in words."""
    return " to ".join(".".join(map(str, series)) for series in (FAST_SINCE, FAST_UNTIL))


def choose_backend(forced: str | None, version: str) -> str:
    """The backend for a value of CATAN_PZ_COMPILER, if set, and a version of numba."""
    if forced:
        check_choice(VARIABLE, forced, BACKENDS)
        return forced
    if is_tested(version):
        return "fast"
    warn_once(
        "backend",
        f"numba {version} is outside the tested versions {fast_versions()}: rules are compiled "
        f"by the plain backend, slower, with the same results ({VARIABLE}=plain hides this line)",
    )
    return "plain"


BACKEND: Final = (
    "python"
    if numba.config.DISABLE_JIT
    else choose_backend(os.environ.get(VARIABLE), numba.__version__)
)
"""`fast`, `plain`, or `python` if NUMBA_DISABLE_JIT disables compilation."""
