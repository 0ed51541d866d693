"""Windows for commands: whether one can be opened, and what to say where none can."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from catan_pz.ui.window import Window


def has_display() -> bool:
    """Whether a window can probably be opened here."""
    if find_spec("pygame") is None or find_spec("resvg_py") is None:
        return False
    if sys.platform.startswith("linux"):
        named = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
        return any(os.environ.get(name) for name in named)
    return True


@contextmanager
def open_window() -> "Iterator[Window]":
    """A window that is closed in the end.

    Raises:
        click.ClickException: there is no display.
    """
    from catan_pz.ui.window import Window

    with Window("catan-pz") as window:
        try:
            yield window
        except RuntimeError as error:
            if "no display" not in str(error):
                raise
            raise click.ClickException(
                "there is no display to open a window on: use --terminal"
            ) from error
