"""`catan-pz info`: versions, devices, the cache, and which extras are there."""

import json
import os
import platform
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import click

import catan_pz
from catan_pz.cli.console import examples, size_words
from catan_pz.render.export import ffmpeg

_LIBRARIES: Final = (
    "numba", "numpy", "pettingzoo", "gymnasium", "torch", "stable_baselines3", "sb3_contrib",
    "pygame-ce", "resvg_py", "pillow", "numba-cuda",
)  # fmt: skip


def version_of(name: str) -> str | None:
    """The version of an installed distribution, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def extras() -> dict[str, list[str]]:
    """Each extra of the package with the distributions in it that are missing here."""
    try:
        required = metadata.requires("catan-pz") or []
        names = metadata.metadata("catan-pz").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return {}
    missing: dict[str, list[str]] = {name: [] for name in names}
    for line in required:
        found = re.match(r"\s*([A-Za-z0-9._-]+).*?;.*extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        if found is None:
            continue
        name, extra = found.groups()
        applies = "sys_platform != 'darwin'" not in line.replace('"', "'")
        needed = name != "catan-pz" and (applies or sys.platform != "darwin")
        if needed and version_of(name) is None:
            missing.setdefault(extra, []).append(name)
    return missing


def processor() -> str:
    """The processor, as the system names it, and its cores."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = re.findall(r"^model name\s*: (.*)$", cpuinfo.read_text("utf-8"), re.MULTILINE)
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores"


def gpus() -> str:
    """The CUDA devices that numba finds, or why it finds none."""
    try:
        from numba import cuda

        if not cuda.is_available():
            return "none found"
        names = [device.name for device in cuda.list_devices()]
    except Exception as error:  # drivers fail in ways of their own
        return f"none found ({type(error).__name__}: {error})".split("\n")[0]
    words = [name.decode() if isinstance(name, bytes) else str(name) for name in names]
    return ", ".join(words)


def torch_cuda() -> str:
    """What torch says of CUDA."""
    if version_of("torch") is None:
        return "torch is not installed"
    import torch

    if torch.cuda.is_available():
        return f"CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}"
    built = torch.version.cuda
    return f"no device (built for CUDA {built})" if built else "no device (built without CUDA)"


def cache() -> tuple[Path | None, int, int]:
    """Where compiled code is kept, how many files of it there are, and their bytes."""
    from catan_pz.kernels.cache import cache_folder, cached_files

    files = cached_files()
    return cache_folder(), len(files), sum(path.stat().st_size for path in files)


def gather() -> dict[str, Any]:
    """All that the command shows."""
    place, files, size = cache()
    return {
        "catan-pz": catan_pz.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": processor(),
        "libraries": {name: version_of(name) for name in _LIBRARIES},
        "numba_cuda_devices": gpus(),
        "torch_cuda": torch_cuda(),
        "ffmpeg": ffmpeg(),
        "cache": {"folder": None if place is None else str(place), "files": files, "bytes": size},
        "extras": {
            name: {
                "missing": missing,
                "install": f'pip install "catan-pz[{name}]"' if missing else None,
            }
            for name, missing in extras().items()
        },
    }


@click.command(
    "info",
    short_help="Show versions, devices, the cache and the extras.",
    epilog=examples("catan-pz info", "catan-pz info --json"),
)
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def command(as_json: bool) -> None:
    """Show versions, devices, the cache of compiled code, and the extras installed."""
    found = gather()
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    rows = [(name, found[name]) for name in ("catan-pz", "python", "system", "processor")]
    rows += [(name, version or "-") for name, version in found["libraries"].items()]
    rows += [("CUDA, numba", found["numba_cuda_devices"]), ("CUDA, torch", found["torch_cuda"])]
    rows.append(("ffmpeg", found["ffmpeg"] or "not found: no MP4; GIF needs none"))
    kept = found["cache"]
    where = kept["folder"] or "none: compiled anew in each process"
    rows.append(("cache", f"{where} ({kept['files']} files, {size_words(kept['bytes'])})"))
    for name, value in rows:
        click.echo(f"{name:<18} {value}")
    click.echo("\nExtras")
    for name, state in found["extras"].items():
        words = "installed"
        if state["missing"]:
            words = f"missing {', '.join(state['missing'])}: {state['install']}"
        click.echo(f"  {name:<16} {words}")
