"""`catan-pz import`: games that were recorded elsewhere, checked and kept as records."""

import gc
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from catan_pz.cli.console import FOLDER, command, compiling_shown, option, sentence, usage_errors
from catan_pz.names import shown
from catan_pz.terms import Resource

if TYPE_CHECKING:
    from catan_pz.tables.records import ReadGame

REPORT: Final = "report.json"
_ENDINGS: Final = (".gz", ".jsonl", ".json", ".soclog", ".game")
_LONGEST_LINE: Final = 300


@dataclass
class _Found:
    """What was found in the files so far: a report of each game, and counts over all of them."""

    reports: list[dict[str, Any]] = field(default_factory=list)
    actions: Counter[str] = field(default_factory=Counter)
    thefts: Counter[str] = field(default_factory=Counter)

    def add(self, path: Path, target: Path, game: "ReadGame") -> None:
        """Count a game."""
        self.reports.append({"file": str(path), "record": target.name, **game.to_dict()})
        self.actions += game.actions()
        hidden = Counter(game.report.hidden_thefts.values())
        stolen = sum(isinstance(one.outcome, Resource) for one in game.record.decisions)
        told = stolen - hidden.total()
        self.thefts += Counter(told=told, inferred=hidden[False], ambiguous=hidden[True])

    def lines(self) -> Iterator[str]:
        """A summary for the terminal."""
        reports, games = self.reports, len(self.reports)
        formats = Counter(one["format"] for one in reports)
        ends = Counter(one["result"]["end"] for one in reports)
        yield f"Read: {_listed(formats)}; ends: {_listed(ends)}"
        compared = sum(one["compared"] for one in reports)
        agreed = sum(one["disagreement"] is None for one in reports)
        yield f"Checked: {compared:,} values; {agreed:,} of {games:,} games agree"
        yield f"Thefts: {_listed(self.thefts)}"
        bank, players = self.actions["maritime_trade"], self.actions["close_with"]
        yield f"Trades: {bank:,} with the bank, {players:,} between players"
        unknown = sum((Counter(one["unknown"]) for one in reports), Counter[str]())
        if unknown:
            yield f"Entries of unknown kinds: {_listed(unknown)}"
        yield "Actions:"
        for kind, count in self.actions.most_common():
            yield f"  {kind:<22}{count:>10,}"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.most_common()) or "none"


@command(
    "catan-pz import replay.json --out games",
    "catan-pz import downloads --out games",
    "catan-pz export games/replay.jsonl --html replay.html",
    name="import",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@option("--out", "Write the records here.", FOLDER, required=True)
@option("--names", "Keep the players' names.", is_flag=True, default=False)
def import_(files: tuple[Path, ...], out: Path, names: bool) -> None:
    """Read games that were recorded elsewhere, and check them by our rules.

    Colonist's replays, JSettlers' logs and saved games, catanatron's games and records of this
    package are known by their content; of a folder all files that may be such are read. Each
    game becomes a record in the folder of --out, unless it is there already; report.json there
    tells how each was read.
    """
    from catan_pz.files import files_in
    from catan_pz.progress import tracked
    from catan_pz.tables.records import read

    found = _Found()
    refused = there = 0
    with usage_errors():
        paths = [path for path in files_in(files, _ENDINGS) if path.name != REPORT]
    out.mkdir(parents=True, exist_ok=True)
    taken: set[Path] = set()
    gc.freeze()  # what is loaded by now needn't be searched for garbage with each file
    try:
        with compiling_shown():
            for path in tracked(paths, "files", len(paths)):
                target = _target(out, path, taken)
                if target.exists():
                    there += 1
                    continue
                try:
                    for number, game in enumerate(read(path, names=names)):
                        at = target.with_stem(f"{target.stem}_{number}") if number else target
                        game.record.save(at)
                        found.add(path, at, game)
                        if game.report.disagreement is not None:
                            _complain(path, str(game.report.disagreement))
                except (ValueError, OSError) as error:
                    refused += 1
                    _complain(path, sentence(error))
    finally:
        _add_reports(out / REPORT, found.reports)
    for line in found.lines():
        click.echo(line)
    new = len(found.reports)
    click.echo(f"{out}: {new:,} new games; refused: {refused:,}; there already: {there:,}")
    if refused == len(paths):
        raise click.ClickException("no file could be read")


def _add_reports(path: Path, reports: list[dict[str, Any]]) -> None:
    """Append reports to those in a file."""
    from catan_pz.files import read_text, write_bytes

    with suppress(OSError, ValueError):
        reports = [*json.loads(read_text(path)), *reports]
    write_bytes(path, (json.dumps(reports, indent=1) + "\n").encode())


def _complain(path: Path, why: str) -> None:
    click.echo(shown(f"{path}: {why.removeprefix(f'{path}: ')}", _LONGEST_LINE), err=True)


def _target(out: Path, path: Path, taken: set[Path]) -> Path:
    """The path of a file's record: the file's name, with a number if it is taken."""
    stem = path.name
    while Path(stem).suffix in _ENDINGS:
        stem = Path(stem).stem
    target, number = out / f"{stem}.jsonl", 1
    while target in taken:
        number += 1
        target = out / f"{stem}-{number}.jsonl"
    taken.add(target)
    return target
