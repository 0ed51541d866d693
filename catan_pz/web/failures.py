"""What agents raise in a server: those who look on hear whose agent failed, the log tells why.

What an agent's error says may tell of hidden cards, or of the machine that it runs on.
"""

import logging
import traceback
from typing import Final

from catan_pz.names import printable

AGENT_ERRORS: Final = (Exception, SystemExit)
"""What agents' code may raise; no task may end with a `SystemExit`, which would end the server."""

_LOGGER: Final = logging.getLogger("catan_pz.web")


def log_failure(what: str, error: BaseException) -> None:
    """Write to the server's log what went wrong, and all that Python says of the error."""
    lines = "".join(traceback.format_exception(error)).rstrip("\n").split("\n")
    _LOGGER.error("%s\n%s", what, "\n".join(map(printable, lines)))
