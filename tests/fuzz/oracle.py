"""What a call may do with an input: accept it, or refuse it with an error that says why."""

import linecache
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import catan_pz

PACKAGE: Final = str(Path(catan_pz.__file__).parent)
DOCUMENTED: Final = (ValueError, TypeError)
"""What calls raise for wrong arguments where they say no more."""

LONGEST_MESSAGE: Final = 4_000
_WRONG_KEYWORD: Final = ("unexpected keyword argument", "required positional", "multiple values")
"""What Python itself says of arguments that a function doesn't take: these name them."""


class Finding(AssertionError):  # noqa: N818 (not an error of the fuzzer)
    """Something that no input may bring about."""


class Tally(Counter[str]):
    """Counts: `inputs`, `accepted`, `refused`, `states` accepted, `steps` checked."""

    def attempt(
        self,
        call: Callable[..., Any],
        *arguments: Any,
        allowed: tuple[type[BaseException], ...] = DOCUMENTED,
        **options: Any,
    ) -> tuple[bool, Any]:
        """Make a call that may refuse its arguments.

        Args:
            call: what is called.
            *arguments: its arguments.
            allowed: exceptions that it documents.
            **options: its keywords.

        Returns:
            Whether it accepted them, and what it returned.

        Raises:
            Finding: if it raises anything else, or an error that the package didn't raise itself.
        """
        self["inputs"] += 1
        try:
            result = call(*arguments, **options)
        except Finding:
            raise
        except Exception as error:
            check_refusal(error, allowed)
            self["refused"] += 1
            return False, None
        self["accepted"] += 1
        return True, result


def check_refusal(error: BaseException, allowed: tuple[type[BaseException], ...]) -> None:
    """Raise a `Finding` unless an exception is a documented one with a message of the package."""
    name = f"{type(error).__name__} at {place_of(error)}"
    if not isinstance(error, allowed):
        raise Finding(f"undocumented {name}: {shortened(error)}") from error
    message = str(error)
    if not message.strip():
        raise Finding(f"no message: {name}") from error
    if len(message) > LONGEST_MESSAGE:
        raise Finding(f"a message of {len(message)} characters: {name}") from error
    if not (_is_raised_by_package(error) or any(words in message for words in _WRONG_KEYWORD)):
        raise Finding(f"from inside: {name}: {shortened(error)}") from error


def _innermost(error: BaseException) -> TracebackType | None:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _is_raised_by_package(error: BaseException) -> bool:
    """Whether a statement `raise` of the package raised it, not something that it called."""
    trace = _innermost(error)
    if trace is None:
        return False
    file = trace.tb_frame.f_code.co_filename
    line = linecache.getline(file, trace.tb_lineno).strip()
    return file.startswith(PACKAGE) and line.startswith("raise")


def place_of(error: BaseException) -> str:
    """The line of the package that an exception passed last."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if PACKAGE in f.filename]
    if not frames:
        return "no line of the package"
    last = frames[-1]
    return f"{Path(last.filename).relative_to(PACKAGE)}:{last.lineno} in {last.name}"


def shortened(error: BaseException, most: int = 300) -> str:
    """The message of an exception, cut."""
    message = str(error).encode("utf-8", "backslashreplace").decode()
    return message if len(message) <= most else f"{message[:most]}..."


def require(condition: bool, what: str) -> None:
    """Raise a `Finding` unless something holds."""
    if not condition:
        raise Finding(what)
