"""The notebooks as they are stored; `make test-notebooks` executes them."""

import json

import pytest

from tests.examples.programs import EXAMPLES

PATHS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_outputs_are_stored(path):
    text = path.read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    address = f"github/catan-pz/catan-pz/blob/main/examples/notebooks/{path.name}"
    assert address in "".join(cells[0]["source"])
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert {"error", "stderr"}.isdisjoint({o.get("name", o["output_type"]) for o in outputs})
    assert sum("image/png" in o.get("data", {}) for o in outputs) == 1
    assert len(text) < 1_000_000
    assert not any(place in text for place in ("/tmp/", "/root/", "/home/", "/work/"))
