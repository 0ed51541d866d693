"""Every command line of `catan-pz` that is shown somewhere can be typed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from catan_pz.cli.app import commands as known

ROOT = Path(__file__).parents[2]
FOLDERS = ("*.md", "docs/**/*.md", "catan_pz/**/*.md", "catan_pz/**/*.py", "examples/**/*.py")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in ROOT.glob(folder)
    if "catan-pz " in path.read_text(encoding="utf-8")
)
COMMANDS = known()
UNFINISHED = (click.MissingParameter, click.BadOptionUsage)
"""A mention in the text, such as `catan-pz watch --export`, may leave out what a call needs."""


def commands(page: str) -> Iterator[list[str]]:
    """Command lines, word by word; a backslash continues a line, a hash ends it."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in re.findall(r"(?:^ *(?:\$ )?\"?|`)catan-pz ([a-z][^\n`|]*)", text, re.MULTILINE):
        yield shlex.split(line.removesuffix('",'), comments=True)


def test_there_are_some() -> None:
    assert {"README.md", "docs/strength.md", "catan_pz/cli/matches.py"} <= set(PAGES)
    assert len(list(commands("docs/command_line.md"))) >= 10


@pytest.mark.parametrize("page", PAGES)
def test_shown_commands_are_possible(page: str) -> None:
    for name, *words in commands(page):
        try:
            COMMANDS[name].make_context(name, words)
        except UNFINISHED:
            continue
        except click.UsageError as error:
            # Files and modules of the reader's.
            if not re.search(r"does not exist\.$|No module named 'my_", error.message):
                raise
