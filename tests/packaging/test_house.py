"""The lint that keeps the package small, on small packages that break each of its rules."""

import runpy
from pathlib import Path

import pytest

faults = runpy.run_path(str(Path(__file__).parents[2] / ".ci/house.py"))["faults"]

WIDE = "def f(a, b, c, d, e, f, g, h, i, j, k):{reason}\n    pass\n"


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"env/a.py": "class A: ...\n"}, None),
        ({"env/a.py": "class A: ...\n", "env/b.py": "class A: ...\n"}, "class A stands twice"),
        ({"env/a.py": WIDE.format(reason="")}, "f takes 11 parameters"),
        ({"env/a.py": WIDE.format(reason="  # wide: the protocol's own")}, None),
        ({"env/a.py": "#\n" * 22}, None),
        ({"env/a.py": "#\n" * 23}, "room env has 23 lines, its budget is 20"),
        ({"web/a.py": "#\n"}, "room web has no budget"),
        ({"rules.py": "#\n" * 12}, "room top level has 12 lines"),
    ],
)
def test_each_rule_names_what_breaks_it(
    tmp_path: Path, files: dict[str, str], fault: str | None
) -> None:
    for name, text in files.items():
        path = tmp_path / "catan_pz" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "CONTRIBUTING.md").write_text(
        "| env | 20 |\n| top level | 10 |\n", encoding="utf-8"
    )
    found = faults(tmp_path)
    assert found == [] if fault is None else fault in found[0] and len(found) == 1
