"""An agent against agents of an earlier revision: what has been gained in strength.

    python -m tests.benchmarks former --revision dcb6857 --agent value --against search \
        --players 4 --games 100 --results former.jsonl
    python -m tests.benchmarks former --revision 8050f9a4 --agent value --against value --seats 2 \
        --trading --games 1000 --records games

The package as it was at the revision is taken from git and kept under another name in
`runs/former`, where it compiles once. Its agents sit at a table of today's and get today's views,
whose record must be that of the revision: since 8050f9a4 it is. Interrupted runs go on from the
file of results. Of recorded games with trade it is also counted who trades with whom: agents that
favoured each other would show there.
"""

import io
import re
import subprocess
import sys
import tarfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from catan_pz import describe_action
from catan_pz.agents import load
from catan_pz.agents.base import Agent
from catan_pz.arena import play_match
from catan_pz.arena.results import percent, percents
from catan_pz.events import EventKind
from catan_pz.game import GameRecord
from catan_pz.game.view import View
from catan_pz.rules import Rules
from tests.benchmarks.measuring import options, print_table

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "runs" / "former"


def former_package(revision: str) -> str:
    def git(*words: str) -> bytes:
        return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout

    commit = git("rev-parse", "--verify", f"{revision}^{{commit}}").decode().strip()
    folder, name = FOLDER, f"catan_pz_{commit[:12]}"
    if not (folder / name).exists():
        draft = folder / f"{name}.draft"
        with tarfile.open(fileobj=io.BytesIO(git("archive", commit, "catan_pz"))) as files:
            files.extractall(draft, filter="data")
        for file in draft.rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub(r"\bcatan_pz\b", name, text), encoding="utf-8")
        (draft / "catan_pz").rename(folder / name)
        draft.rmdir()
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return name


class Former(Agent):
    """An agent of another package in a seat here."""

    name = "former"
    needs_belief = True

    def __init__(self, package: str, spec: str, rules: Rules) -> None:
        theirs = import_module(f"{package}.rules").Rules.from_dict(rules.to_dict())
        self._given = package, spec, theirs
        self._agent = self._load()

    def _load(self) -> Any:
        package, *given = self._given
        return import_module(f"{package}.cli.agents").load_agent(*given)

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        self._agent = self._load()
        self._agent.reset(seat, self._given[2], seed)

    def act(self, view: View) -> int:
        return int(self._agent.act(view))


def trades(folder: Path) -> Counter[tuple[str, str]]:
    """Counts of trades by the names of the player in turn and its partner."""
    counted: Counter[tuple[str, str]] = Counter()
    for path in folder.glob("*.jsonl"):
        record = GameRecord.load(path)
        for game, events in record.replay_with_events():
            if events and describe_action(events[0].what)["kind"] == "close_with":
                turn = int(game.state["turn_player"])
                sides = {event.seat for event in events if event.kind == EventKind.GIVEN}
                (other,) = sides - {turn}
                counted[record.names[turn], record.names[other]] += 1
    return counted


def main() -> None:
    args = options(
        __doc__,
        revision=("HEAD", "of git"),
        agent=("search", "of today"),
        against=("search", "agent of the revision, in other seats"),
        players=(4, "2 to 4"),
        seats=(1, "of the agent of today"),
        trading=(False, "between players"),
        games=(100, "at least"),
        seed=(1, "of the match"),
        results=(Path, "file of the games' results"),
        records=(Path, "folder of the games"),
    )
    rules = Rules(num_players=args.players, trading=args.trading)
    former = Former(former_package(args.revision), args.against, rules)
    others = args.players - args.seats
    agents = [*[("agent", load(args.agent))] * args.seats, *[("former", former)] * others]
    files = {"results": args.results, "records": args.records}
    result = play_match(agents, args.games, rules, seed=args.seed, **files)
    row = [args.agent, f"{args.against} at {args.revision}", args.players, len(result.games)]
    rate, interval = result.win_rate("agent"), result.interval("agent")
    header = ("agent", "against", "players", "games", "won", "95 % interval", "points", "ms")
    tally, other = result.tally("agent"), result.tally("former")
    points = f"{tally.points:.2f} and {other.points:.2f}"
    milliseconds = f"{tally.milliseconds:.2g} and {other.milliseconds:.2g}"
    print_table(header, [[*row, percent(rate), percents(interval), points, milliseconds]])
    if args.trading and args.records:
        counted = trades(args.records).items()
        rows = [(*who, n, f"{n / len(result.games):.2f}") for who, n in sorted(counted)]
        print_table(("in the turn of", "with", "trades", "a game"), rows)
