"""Where an installed CUDA toolkit lies, for numba's compiler."""

import shutil
from collections.abc import Mapping
from pathlib import Path

DEFAULT = Path("/usr/local/cuda")


def toolkit(environment: Mapping[str, str], default: Path = DEFAULT) -> dict[str, str]:
    """The variable that names a toolkit with libNVVM; none where one is set or nothing found.

    Args:
        environment: with `PATH`, on which `nvcc` is looked for.
        default: the toolkit's home without it.
    """
    if environment.get("CUDA_HOME") or environment.get("CUDA_PATH"):
        return {}
    nvcc = shutil.which("nvcc", path=environment.get("PATH"))
    homes = [default] if nvcc is None else [Path(nvcc).resolve().parents[1], default]
    return next(({"CUDA_HOME": str(home)} for home in homes if (home / "nvvm").is_dir()), {})
