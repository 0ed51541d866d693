"""Check what keeps the package small: one class a name, few parameters, rooms within budget.

Run as `python .ci/house.py`; `make lint` does. Prints one line for each fault and exits with 1.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

MOST_PARAMETERS = 10
REASON = "# wide: "
"""Stands, with the reason after it, in the head of a function that takes more parameters."""

BUDGET_ROW = re.compile(r"^\| ([a-z_ ]+) \| ([\d,]+) \|", re.MULTILINE)
TOLERANCE = 1.1


def functions_too_wide(path: Path, tree: ast.Module, lines: list[str]) -> Iterator[str]:
    """Functions that take too many parameters without a reason beside them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            taken = node.args
            names = [a.arg for a in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
            count = len(names) - (names[:1] in (["self"], ["cls"]))
            head = "\n".join(lines[node.lineno - 1 : node.body[0].lineno])
            if count > MOST_PARAMETERS and REASON not in head:
                yield f"{path}:{node.lineno}: {node.name} takes {count} parameters"


def classes_defined_twice(classes: dict[str, list[str]]) -> Iterator[str]:
    """Names that more than one class of the package has."""
    for name, places in sorted(classes.items()):
        if len(places) > 1:
            yield f"class {name} stands twice: {', '.join(places)}"


def rooms_over_budget(root: Path) -> Iterator[str]:
    """Rooms that have outgrown their row in CONTRIBUTING.md, and rooms without one."""
    text = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    budgets = {room: int(n.replace(",", "")) for room, n in BUDGET_ROW.findall(text)}
    sizes: dict[str, int] = defaultdict(int)
    for path in (root / "catan_pz").rglob("*.py"):
        room, *inner = path.relative_to(root / "catan_pz").parts
        lines = path.read_text(encoding="utf-8").splitlines()
        sizes[room if inner else "top level"] += len(lines)
    for name, size in sorted(sizes.items()):
        if name not in budgets:
            yield f"room {name} has no budget in CONTRIBUTING.md"
        elif size > TOLERANCE * budgets[name]:
            yield f"room {name} has {size:,} lines, its budget is {budgets[name]:,}"


def faults(root: Path) -> list[str]:
    """Every fault of a checkout."""
    found: list[str] = []
    classes: dict[str, list[str]] = defaultdict(list)
    for file in sorted((root / "catan_pz").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        tree, path = ast.parse(text), file.relative_to(root)
        found += functions_too_wide(path, tree, text.splitlines())
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(f"{path}:{node.lineno}")
    return [*found, *classes_defined_twice(classes), *rooms_over_budget(root)]


if __name__ == "__main__":
    found = faults(Path(__file__).parents[1])
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
