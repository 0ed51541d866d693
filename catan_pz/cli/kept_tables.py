"""Whether options of `catan-pz serve` fit the tables in its folder, which go on as they are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from catan_pz.agents.specs import split_specs
from catan_pz.cli.options import RULES_OPTIONS, make_rules
from catan_pz.rules import Rules

_ADVICE: Final = "open it with the same options as before, or name another folder"


@dataclass(frozen=True)
class Asked:
    """What a command line asks of its tables; None where it says nothing.

    Attributes:
        agents: who plays.
        seats: how many persons play.
        names: what they are called.
        tables: how many tables there are at most.
        rules: the rules.
    """

    agents: list[str] | None
    seats: int | None
    names: list[str] | None
    tables: int | None
    rules: Rules | None

    def check(self, kept: Mapping[Path, Any]) -> None:
        """Refuse what tables that go on don't have.

        Args:
            kept: a `SavedTable` for each file.

        Raises:
            click.UsageError: names the option and the table.
        """
        if not kept:
            return
        if self.tables is not None and len(kept) > self.tables:
            raise click.UsageError(f"--tables {self.tables}: {len(kept)} tables go on; {_ADVICE}")
        playing = {spec for table in kept.values() for spec in table.agents}
        for spec in self.agents or ():
            if spec not in playing:
                raise click.UsageError(
                    f"--agents: {spec} plays at no table that goes on; {_ADVICE}"
                )
        for path, table in kept.items():
            self._check(path, table)

    def _check(self, path: Path, table: Any) -> None:
        called = [
            name for name, agent in zip(table.names, table.agents, strict=True) if agent is None
        ]
        if self.seats is not None and self.seats != len(called):
            raise click.UsageError(
                f"--seats {self.seats}: {path}, which goes on, has {len(called)} seats for "
                f"persons; {_ADVICE}"
            )
        if self.names is not None and self.names != called:
            raise click.UsageError(
                f"--names {','.join(self.names)}: at {path}, which goes on, they are "
                f"{','.join(called)}; {_ADVICE}"
            )
        if self.rules is None:
            return
        asked, given = self.rules.to_dict(), table.record.start["rules"]
        others = [f"{name}={given.get(name)}" for name in asked if asked[name] != given.get(name)]
        if others:
            raise click.UsageError(f"{path}, which goes on, has {', '.join(others)}; {_ADVICE}")


def asked_of_kept(
    agents: str,
    seats: int,
    names: str | None,
    tables: int,
    chosen: Mapping[str, Any],
    playing: str,
) -> Asked:
    """What the command line says itself.

    Args:
        agents: the option `--agents`, as the next three are those of their names.
        seats: seats for persons.
        names: what persons are called.
        tables: how many tables.
        chosen: the options of `rules_options`.
        playing: all agents, among which a model may say what the rules are.

    Raises:
        click.UsageError: for rules that aren't possible.
    """

    def says(*options: str) -> bool:
        source = click.get_current_context().get_parameter_source
        return any(source(option) is ParameterSource.COMMANDLINE for option in options)

    return Asked(
        agents=split_specs(agents) if says("agents") else None,
        seats=seats if says("seats") else None,
        names=None if names is None else [name.strip() for name in names.split(",")],
        tables=tables if says("tables") else None,
        rules=make_rules(**chosen, agents=playing) if says(*RULES_OPTIONS) else None,
    )
