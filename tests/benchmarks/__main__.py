"""All benchmarks, one after the other: `python -m tests.benchmarks [name ...]`.

A single one takes options of its own: `python -m tests.benchmarks batch --sizes 1024`.
"""

import os
import platform
import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path

NAMES = ("aec", "agents", "arena", "batch", "engine", "knowledge", "search", "text", "vector")
ALONE = ("former", "forward", "others", "rllib", "scale", "trading")
"""Run only where they are named: they need other libraries, options, or minutes."""


def machine() -> str:
    """The processor, as the system names it, and the Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        model = f"{names[0]}, {len(names)} cores" if names else model
    return f"{model}; Python {platform.python_version()}, {platform.system()}"


def main() -> None:
    words = sys.argv[1:]
    names = list(takewhile(lambda word: not word.startswith("-"), words))
    options = words[len(names) :]
    names = names or list(NAMES)
    unknown = sorted(set(names) - {*NAMES, *ALONE})
    if unknown:
        sys.exit(f"unknown benchmarks {unknown}; there are {[*NAMES, *ALONE]}")
    if options and len(names) > 1:
        sys.exit(f"options {options} are those of one benchmark: name it")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it
    print(f"Machine: {machine()}")
    for name in names:
        print(f"\n## {name}\n", flush=True)
        sys.argv = [name, *options]
        import_module(f"tests.benchmarks.{name}").main()


if __name__ == "__main__":
    main()
