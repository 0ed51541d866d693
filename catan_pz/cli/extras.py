"""Extras of the package that a command needs."""

import click


def need(extra: str, what: str, *modules: str) -> None:
    """Say how to install what is missing, if it is.

    Raises:
        click.ClickException: if one of the modules can't be found.
    """
    from importlib.util import find_spec

    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f'{what} needs {", ".join(missing)}: pip install "catan-pz[{extra}]"'
        )
