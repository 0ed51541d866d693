"""`catan-pz warmup`: compile everything into the cache."""

import pkgutil
import warnings
from collections.abc import Iterator
from importlib import import_module
from time import perf_counter

import click

import catan_pz
from catan_pz.cli.console import examples, progress
from catan_pz.kernels.notices import compile_hook
from catan_pz.kernels.rule import Entry


def entries() -> Iterator[tuple[str, Entry]]:
    """Every compiled entry point of the package, by its dotted name, each once.

    Modules whose libraries aren't installed are left out.
    """
    seen: set[int] = set()
    for found in pkgutil.walk_packages(catan_pz.__path__, "catan_pz."):
        if found.name.startswith("catan_pz.cli"):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = import_module(found.name)
        except ImportError:
            continue
        for name, thing in vars(module).items():
            if isinstance(thing, Entry) and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{thing.dispatcher.py_func.__module__}.{name}", thing


@click.command(
    "warmup",
    short_help="Compile everything into the cache.",
    epilog=examples("catan-pz warmup"),
)
def command() -> None:
    """Compile all rules now, so that later starts take them from the cache.

    Without it each is compiled when it is first used. `catan-pz info` shows where the cache
    lies.
    """
    found = list(entries())
    if not found:
        click.echo("Compilation is switched off by NUMBA_DISABLE_JIT: nothing to compile.")
        return
    start = perf_counter()
    done = 0
    try:
        with compile_hook(None), progress() as bar:
            task = bar.add_task("Compiling", total=len(found))
            for name, entry in found:
                bar.update(task, description=name.removeprefix("catan_pz."))
                entry.compiled()
                done += 1
                bar.advance(task)
            bar.update(task, description="Compiled")
    except KeyboardInterrupt:
        click.echo(f"Interrupted: {done} of {len(found)} are compiled and kept in the cache.")
        raise
    click.echo(f"{len(found)} entry points are ready after {perf_counter() - start:.1f} s.")
