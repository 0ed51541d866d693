"""All benchmarks, one after the other: `python -m tests.benchmarks [name ...]`."""

import platform
import sys
from importlib import import_module
from pathlib import Path

NAMES = ("aec", "engine", "knowledge", "vector")


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
    """Run those named, or all."""
    names = sys.argv[1:] or NAMES
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        sys.exit(f"unknown benchmarks {unknown}; there are {list(NAMES)}")
    print(f"Machine: {machine()}")
    for name in names:
        print(f"\n## {name}\n", flush=True)
        sys.argv = [name]  # each benchmark reads options of its own, when it is run alone
        import_module(f"tests.benchmarks.{name}").main()


if __name__ == "__main__":
    main()
