"""All that a GPU can show, most worth first: python -m tests.gpu --minutes 8 --out build/gpu

Compiles, which takes a minute or two, runs parity with the CPU, a soak, batch figures and facts
about the kernels, and writes `report.md` and `report.json` anew after each part. Parts that fail
are reported and don't keep the others from running; the exit status is 1 then. With
NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 it rehearses in numba's simulator.

numba-cuda needs libNVVM: of the wheel nvidia-nvvm, or of a toolkit that CUDA_HOME names; where
neither CUDA_HOME nor CUDA_PATH is set, nvcc's or /usr/local/cuda is taken. The wheel must be no
newer than the driver: nvidia-nvvm==13.0.* for CUDA 13.0, which refuses the PTX of later ones.
"""

import argparse
import os
import shlex
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from tests.gpu.report import Deadline, Part, Report, toolkit

# Before numba.cuda is imported, which reads it once.
os.environ.update(toolkit())

from tests.gpu import figures, parity, soak
from tests.gpu.devices import Device, find_device

PARTS: dict[str, tuple[float, Callable[[Device, Deadline], str]]] = {
    "compile": (1.0, parity.compile_all),
    "parity": (0.35, parity.run),
    "soak": (0.2, soak.run),
    "figures": (0.5, figures.run),
    "kernels": (1.0, figures.kernels),
}
"""Each part with its share of the time that is left when it begins."""


def run_part(name: str, device: Device, deadline: Deadline) -> Part:
    share, call = PARTS[name]
    start = perf_counter()
    try:
        part = Part(name, "passed", call(device, deadline.share(share)))
    except Exception:
        part = Part(name, "failed", f"```\n{traceback.format_exc()}```")
    part.seconds = perf_counter() - start
    return part


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=8.0, help="for all parts together")
    parser.add_argument("--out", type=Path, default=Path("build/gpu"), help="folder of the report")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=list(PARTS), help="beside compile"
    )
    options = parser.parse_args()
    device = find_device()
    if isinstance(device, str):
        print(f"There is no GPU to run on: {device}.", file=sys.stderr)
        return 2
    deadline = Deadline(60 * options.minutes)
    command = shlex.join(["python", "-m", "tests.gpu", *sys.argv[1:]])
    report = Report(command, device.name)
    for name in [name for name in PARTS if name in ("compile", *options.only)]:
        print(f"{name} ...", flush=True)
        report.parts.append(run_part(name, device, deadline))
        report.save(options.out)
        print(f"{name}: {report.parts[-1].outcome}", flush=True)
    print(report.markdown())
    return int(any(part.outcome == "failed" for part in report.parts))


if __name__ == "__main__":
    sys.exit(main())
