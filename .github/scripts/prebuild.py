"""Write a wheel that carries compiled code: `prebuild.py catan_pz-0.1.0-py3-none-any.whl FOLDER`.

Takes the wheel that holds none, which must be installed. The new one is for this system, this
version of Python and processors from a baseline on. Needs the library `wheel`.
"""

import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

V3 = (
    "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+mmx,+movbe,+popcnt,+sahf,+sse,+sse2,+sse3,"
    "+sse4.1,+sse4.2,+ssse3,+xsave"
)
BASELINES = {
    ("linux", "x86_64"): ("manylinux_2_17_x86_64", "x86-64-v3", V3),
    ("linux", "aarch64"): ("manylinux_2_17_aarch64", "generic", "+neon"),
    ("darwin", "arm64"): ("macosx_11_0_arm64", "apple-m1", ""),
    ("win32", "AMD64"): ("win_amd64", "x86-64-v3", V3),
}
"""Of a system and machine: the platform in the wheel's name, LLVM's processor and its features."""


def compile_into(folder: Path, features: str) -> None:
    """Compile all entry points into a folder, as `catan_pz.kernels.cache` looks for them."""
    from catan_pz.cli.machine import entries
    from catan_pz.kernels.cache import PREBUILT, cached_files, own_target

    for _name, entry in entries():
        entry.compiled()
    prebuilt = folder / PREBUILT.relative_to(PREBUILT.parents[2])
    prebuilt.mkdir(parents=True)
    target = [*own_target(), *filter(None, features.split(","))]
    (prebuilt / "target").write_text(" ".join(target), encoding="ascii")
    for path in cached_files():
        path.rename(prebuilt / re.sub(r"-[0-9a-f]{12}(?=\.code$)", "", path.name))


def wheel(*words: str | Path) -> None:
    """Run a command of the library `wheel`."""
    subprocess.run([sys.executable, "-m", "wheel", *words], check=True)


def main() -> None:
    """Write the wheel."""
    given, out = map(Path, sys.argv[1:])
    out.mkdir(exist_ok=True)
    tag, name, features = BASELINES[sys.platform, platform.machine()]
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    with tempfile.TemporaryDirectory(dir=out) as temporary:
        scratch = Path(temporary)
        os.environ |= {
            "NUMBA_CACHE_DIR": str(scratch / "cache"),
            "NUMBA_CPU_NAME": name,
            "NUMBA_CPU_FEATURES": features,
        }
        wheel("unpack", "--dest", scratch, given)
        (unpacked,) = scratch.glob("catan_pz-*")
        compile_into(unpacked, features)
        wheel("pack", "--dest-dir", scratch, unpacked)
        (packed,) = scratch.glob("*.whl")
        tags = {"python": python, "abi": python, "platform": tag}
        wheel("tags", "--remove", *(f"--{k}-tag={v}" for k, v in tags.items()), packed)
        (made,) = scratch.glob("*.whl")
        made.replace(out / made.name)


if __name__ == "__main__":
    main()
