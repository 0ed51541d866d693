"""Compiles the kernels for CUDA without a GPU: `python -m tests.batch.ptx` prints the PTX."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

from numba import cuda, types
from numba.cuda import dispatcher

from catan_pz.batch import cuda_kernels
from catan_pz.kernels.rule import rules_called_by
from catan_pz.kernels.types import signature_of

COMPUTE_CAPABILITY = (9, 0)

KERNELS = [name for name in vars(cuda_kernels) if name.endswith("_kernel")]


def ptx_of(name: str, *, optimized: bool = True) -> str:
    """The PTX of a kernel of `cuda_kernels` for sm_90."""
    kernel = getattr(cuda_kernels, name)
    for called in rules_called_by(kernel):
        called.disable_compile(False)
    signature = types.void(*signature_of(kernel))
    ptx, _ = cuda.compile_ptx(kernel, signature, cc=COMPUTE_CAPABILITY, opt=optimized)
    return str(ptx)


def assembled(ptx: str) -> str:
    """The output of ptxas for the kernel in some PTX."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        # An older assembler accepts newer PTX without new features.
        path.write_text(re.sub(r"(?m)^\.version .*$", ".version 9.0", ptx))
        command = ["ptxas", "-v", "-arch=sm_90", str(path), "-o", str(Path(folder) / "kernel")]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return said[said.index("Compiling entry function") :]


def main(words: list[str]) -> None:
    """Print the PTX of some kernels, or of all, compiled without a GPU.

    With `--unoptimized` that takes half of the time. With `--ptxas` the assembler of an installed
    CUDA toolkit prints registers, stack and spills instead.
    """
    # Numba asks the current device for its capability, even if one is given.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)
    for name in [word for word in words if word in KERNELS] or KERNELS:
        ptx = ptx_of(name, optimized="--unoptimized" not in words)
        if "--ptxas" in words:
            told = re.findall(
                r"Used \d+ registers|\d+ bytes (?:stack|spill)[^,\n]*", assembled(ptx)
            )
            ptx = f"{name}: {', '.join(told[:4])}"
        print(ptx)  # noqa: T201 (that is what it is for)


if __name__ == "__main__":
    main(sys.argv[1:])
