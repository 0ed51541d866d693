"""Every command line of an example that is shown somewhere can be typed."""

import inspect
import re
import shlex

import pytest

from catan_pz.training.options import parse
from tests.examples.programs import EXAMPLES, load

ROOT = EXAMPLES.parent
LIBRARIES = ("agilerl", "open_spiel", "pyspiel", "ray", "tianshou", "verifiers")
"""Not among the dependencies of the tests; a job of CI has each of them."""

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in (
        *("*.md", "docs/**/*.md", "catan_pz/agents/**/*.md"),
        *("examples/*.py", "examples/published/*.py", "examples/libraries/*.py"),
    )
    for path in ROOT.glob(pattern)
    if "python examples/" in path.read_text(encoding="utf-8")
)


def commands(page):
    """Programs and their words; a backslash continues a line."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", " ")
    for name, words in re.findall(r"python examples/([\w/]+)\.py([^\n`|]*)", text):
        yield name, shlex.split(words)


@pytest.mark.parametrize("page", PAGES)
def test_shown_commands_are_possible(page):
    for name, words in commands(page):
        try:
            program = load(name)
        except ModuleNotFoundError as error:
            if name.startswith("libraries/") and error.name.partition(".")[0] in LIBRARIES:
                continue
            raise
        if "--help" in words:
            continue
        if hasattr(program, "Args"):
            parse(program.Args, words, "")
        elif hasattr(program, "parse_options"):
            program.parse_options(words)
        else:
            inspect.signature(program.main).bind(*words)


def test_programs_end_with_one_line_of_what_is_wrong():
    for path in EXAMPLES.glob("*.py"):
        assert "\n    run_program(main" in path.read_text(encoding="utf-8"), path.name
