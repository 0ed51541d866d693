"""Compiles the rules for CUDA without a GPU: `python -m tests.runtime.ptx` prints the PTX."""

from types import SimpleNamespace

from numba import cuda, types
from numba.cuda import dispatcher

from catan_pz.engine.rule import GAMES, KINDS, rules_called_by
from tests.runtime.shared import kernel

COMPUTE_CAPABILITY = (9, 0)


def main() -> None:
    """Print the PTX of the kernel for sm_90."""
    for called in rules_called_by(kernel):
        called.disable_compile(False)
    # Numba asks the current device for its capability, even where one is given.
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)
    bytes_2d = types.int8[:, ::1]
    signature = types.void(
        GAMES, bytes_2d, bytes_2d, types.int8[:, :, ::1], types.int64, KINDS["script"]
    )
    ptx, _ = cuda.compile_ptx(kernel, signature, cc=COMPUTE_CAPABILITY)
    print(ptx)


if __name__ == "__main__":
    main()
