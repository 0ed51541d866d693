import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import load_file

SCRIPT = Path(__file__).parents[2] / ".github" / "scripts" / "prebuild.py"
BASELINE = load_file(SCRIPT).BASELINES.get((sys.platform, platform.machine()))

COMPILE = """
from catan_pz.agents import random
from catan_pz.cli import machine
machine.entries = lambda: [("choose_random", random.choose_random)]
load_file(Path(sys.argv[1])).compile_into(Path(sys.argv[2]), sys.argv[3])
"""
LOAD = """
from catan_pz.agents import random
from catan_pz.kernels import cache
from catan_pz.kernels.notices import compile_hook
cache.PREBUILT = Path(sys.argv[2], "catan_pz", "kernels", "prebuilt")
with compile_hook(print):
    random.choose_random.compiled()
"""
HEAD = "import sys\nfrom pathlib import Path\nfrom tests.helpers import load_file\n"


@pytest.mark.slow
@pytest.mark.skipif(BASELINE is None, reason="no wheel with compiled code is made for this system")
def test_what_a_wheel_carries_is_taken_on_this_machine(tmp_path: Path) -> None:
    _tag, name, features = BASELINE
    baseline = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": features}
    for folder, program, target in (("one", COMPILE, baseline), ("other", LOAD, {})):
        environment = {**os.environ, **target, "NUMBA_CACHE_DIR": str(tmp_path / folder)}
        words = [sys.executable, "-c", HEAD + program, SCRIPT, tmp_path, features]
        said = subprocess.check_output(words, env=environment, text=True)
    assert said == ""
