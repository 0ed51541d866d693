"""Windows for commands: whether one can be opened, and what to say where none can."""

import os
import sys
from importlib.util import find_spec

import click

from catan_pz.cli.console import need


def has_display() -> bool:
    """Whether a window can probably be opened here."""
    if find_spec("pygame") is None or find_spec("resvg_py") is None:
        return False
    if sys.platform.startswith("linux"):
        named = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
        return any(os.environ.get(name) for name in named)
    return True


def check_display() -> None:
    """Refuse to go on where no window can be opened.

    Raises:
        click.ClickException: there is no display, or an extra is missing.
    """
    need("render", "a window", "pygame", "resvg_py")
    from catan_pz.render.window import Window

    with Window() as window:
        try:
            window.check_display()
        except RuntimeError as error:
            raise click.ClickException(
                "there is no display to open a window on: use --terminal"
            ) from error
