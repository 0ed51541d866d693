"""The documentation agrees with the code, and its code runs."""

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import catan_pz
from catan_pz import Game, catan_v0
from catan_pz.actions import describe_action
from catan_pz.env.aec import raw_env
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.play.typed_commands import parse
from catan_pz.rewards import REWARDS
from catan_pz.rules import OPTIONS, Rules
from catan_pz.terms import Phase
from tests.helpers import load_file

ROOT = Path(__file__).parents[2]


generate = load_file(ROOT / "docs" / "generate.py")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
FENCE = re.compile(r"^```python ?(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix().removeprefix("docs/")


@pytest.mark.parametrize("path", [*generate.outputs()], ids=name_of)
def test_generated_parts_are_as_the_code_has_them(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generate.outputs()[path], (
        "run python docs/generate.py"
    )


def test_every_generated_part_stands_on_a_page() -> None:
    used = {name for path in PAGES for name in re.findall(r"generated: (\w+)", path.read_text())}
    assert used == set(generate.BLOCKS)


def test_every_option_is_documented_with_its_default() -> None:
    environment = page("environment")
    for option in fields(Rules):
        assert OPTIONS[option.name].meaning
        assert f"| `{option.name}` | `{option.default!r}` |" in environment
        if option.name != "num_players":  # the first sentence of the page on rules
            assert f"`{option.name}" in page("rules")


@pytest.mark.parametrize("function", [raw_env, SingleSeatEnv, catan_v0.env])
def test_every_argument_of_the_environments_is_documented(function: Any) -> None:
    environment = page("environment") + page("learner_environments")
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        default = json.dumps(parameter.default).replace("null", "None").replace("false", "False")
        assert f"| `{name}` | `{default}` |" in environment


def test_every_reward_is_documented() -> None:
    for name in REWARDS:
        assert f'`"{name}"`' in page("environment")


def test_every_public_name_is_on_a_page_of_the_api() -> None:
    api = [path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md")]
    for name in catan_pz.__all__:
        assert any(f":: catan_pz.{name}\n" in text for text in api), name


def test_every_phase_is_named() -> None:
    for phase in Phase:
        assert f"`{phase.name.lower()}`" in page("notation")


def test_the_commands_shown_can_be_typed() -> None:
    (paragraph,) = re.findall(r"^(`s \d+` would .*?)\n\n", page("command_line"), re.M | re.S)
    kinds = []
    for command in re.findall(r"`([^`]+)`", paragraph):
        (action,) = parse(command, generate.game_in_terminal())
        kinds.append(describe_action(action)["kind"])
    assert kinds == ["build_settlement", "build_road", "maritime_trade", "offer"]


def test_the_state_shown_can_be_read() -> None:
    (shown,) = re.findall(r"^```json5\n(.*?)^```$", page("notation"), re.DOTALL | re.MULTILINE)
    state = json.loads(re.sub(r"^ *//.*$", "", shown, flags=re.MULTILINE))
    assert Game.from_snapshot(state).snapshot() == state


def test_links_and_pictures_lead_somewhere() -> None:
    for path in PAGES:
        for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (path.parent / target).exists(), target


def test_every_page_stands_once_in_the_contents() -> None:
    listed = [ROOT / "docs" / "index.md"]
    for path in PAGES:
        contents = re.findall(r"^```\{toctree\}\n(.*?)^```$", path.read_text("utf-8"), re.S | re.M)
        lines = [line for group in contents for line in group.splitlines()]
        listed += [path.parent / f"{line}.md" for line in lines if re.match(r"\w", line)]
    assert sorted(listed) == PAGES


def blocks(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, marks and code of each block of Python on a page."""
    text = path.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        yield text[: block.start(2)].count("\n"), block[1], block[2]


# A block marked `no-run` is for the reader alone; `needs-NAME` is for those with that library.
@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=name_of)
def test_code_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": f"docs.{path.stem}"}
    for line, marks, code in blocks(path):
        if "no-run" in marks:
            continue
        for library in re.findall(r"needs-(\w+)", marks):
            pytest.importorskip(library)
        # Blank lines before the code make errors name the line of the page.
        exec(compile("\n" * line + code, str(path), "exec"), names)


def exists(dotted: str) -> bool:
    """Whether a dotted name leads to a module, or to something in one."""
    found: Any = importlib.import_module("catan_pz")
    for name in dotted.split(".")[1:]:
        try:
            found = getattr(found, name)
        except AttributeError:
            try:
                found = importlib.import_module(f"{found.__name__}.{name}")
            except ImportError as error:
                # Of a library that isn't installed nothing more can be said.
                return not str(error.name).startswith("catan_pz")
            except AttributeError:
                return False
    return True


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_names_of_the_package_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = {name.rstrip(".") for name in re.findall(r"\bcatan_pz(?:\.\w+)+", text)}
    assert [name for name in sorted(names) if not exists(name)] == []


def test_every_room_of_the_engine_is_named() -> None:
    engine = page("engine")
    for path in sorted((ROOT / "catan_pz" / "engine").glob("[!_]*.py")):
        assert f"`{path.stem}`" in engine, path.stem
