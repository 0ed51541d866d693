"""`catan-pz play`: a person against agents."""

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catan_pz.cli.agents import agent_option, load_agent, specs_by_seat
from catan_pz.cli.console import (
    FILE,
    OLD_FILE,
    check_record_target,
    check_seat,
    command,
    compiling_shown,
    ended_as_by_ctrl_c,
    in_browser,
    load_record,
    option,
    serve_in_browser,
    terminal_rows,
)
from catan_pz.cli.options import RuleChoice, game_options, seed_option

if TYPE_CHECKING:
    from catan_pz.play.session import PlayedGame
    from catan_pz.rules import Rules


@command(
    "catan-pz play",
    "catan-pz play --against heuristic,random --players 3",
    "catan-pz play --against ppo-4p-notrade",
    "catan-pz play --against runs/train/model.npz",
    "catan-pz play --terminal --seed 7 --record game.jsonl",
    "catan-pz play --continue game.jsonl",
)
@agent_option(
    "--against",
    "Names of agents, separated by commas, in turn order from your left; the "
    "last one takes all remaining seats.  [heuristic, or as recorded]",
    None,
)
@option("--seat", "Your seat.  [0, or as recorded]", click.IntRange(0, 3))
@option("--name", "Your name.  [Human, or as recorded]")
@option(
    "--continue",
    "Continue an unfinished recorded game, with its rules.",
    OLD_FILE,
    name="resumed",
)
@option(
    "--browser/--terminal",
    "Play in the browser, or by typed commands.  [the browser, with the extra `web`]",
    default=None,
)
@option(
    "--pause", "Seconds that a move of the others is shown.", click.FloatRange(0, 60), default=0.6
)
@option(
    "--record", "Write the game to this file, also when you leave it.  [that of --continue]", FILE
)
@seed_option()
@game_options
@ended_as_by_ctrl_c()
def play(
    against: str | None,
    seat: int | None,
    name: str | None,
    resumed: Path | None,
    browser: bool | None,
    pause: float,
    record: Path | None,
    seed: int | None,
    rules: RuleChoice,
) -> None:
    """Play against agents, in the browser or in the terminal by typed commands.

    What you can do is marked on the board.
    """
    from catan_pz.files import is_terminal
    from catan_pz.game.game import Game, drawn_seed
    from catan_pz.play.session import PlayedGame, get_ready, names_of

    browser = in_browser(browser)
    rows = terminal_rows() if not browser and is_terminal(sys.stdout) else None
    check_record_target("--continue" if record is None else "--record", record or resumed, resumed)
    seed = drawn_seed() if seed is None else seed
    if resumed is None:
        made = rules.for_persons(against or "")
        specs = specs_around(made, seat or 0, against or "heuristic")
        agents = loaded(specs, made)
        with compiling_shown():
            get_ready(made, agents)
        names = names_of(agents, name or "Human")
        session = PlayedGame(Game(made, seed), agents, seed, names, specs=specs)
    else:
        session = _resumed(resumed, seat, name, against, seed)
    target = record or resumed
    with closing(session):
        try:
            if browser:
                _play_in_browser(session, target, pause)
            else:
                _play_in_terminal(session, rows, pause)
        finally:
            if target is not None:
                if not browser:
                    session.record.save(target)
                click.echo(f"The game is recorded in {target}.", err=True)


def _resumed(
    path: Path, seat: int | None, name: str | None, against: str | None, seed: int
) -> "PlayedGame":
    from catan_pz.play.session import PlayedGame, get_ready, names_of
    from catan_pz.rules import Rules

    record = load_record(path)
    rules = Rules.from_dict(record.start["rules"])
    played = record.agents or [None] * rules.num_players
    if seat is None:
        seat = played.index(None) if None in played else 0
    if against is None:
        agents, specs = _recorded_agents(played, rules, seat, path.parent)
    else:
        specs = specs_around(rules, seat, against)
        agents = loaded(specs, rules)
    called = names_of(agents, name or (record.names[seat] if record.names else "Human"))
    with compiling_shown():
        get_ready(rules, agents)
        try:
            return PlayedGame.resumed(record, agents, seed, called, specs)
        except ValueError as error:
            raise click.ClickException(f"{path} can't be continued: {error}") from error


def _recorded_agents(
    played: Sequence[str | None], rules: "Rules", seat: int, folder: Path
) -> tuple[list[Any], list[str | None]]:
    """Agents that a recording names for the other seats, and their names.

    A recording may come from anybody: it runs no program or pickle, and imports no module.
    """
    from catan_pz.agents.registry import no_foreign_code

    check_seat("--seat", seat, rules.num_players)
    specs = [None if k == seat else spec for k, spec in enumerate(played)]
    if specs.count(None) > 1:
        raise click.UsageError("a person played another seat: say who plays now with --against")
    try:
        with no_foreign_code(folder):
            return loaded(specs, rules), specs
    except click.UsageError as error:
        raise click.UsageError(f"{error.message}: say who plays now with --against") from error


def specs_around(rules: "Rules", seat: int, against: str) -> list[str | None]:
    """Names of agents by seat, None for the person's seat."""
    count = rules.num_players
    check_seat("--seat", seat, count)
    found: list[str | None] = [None] * count
    for k, spec in enumerate(specs_by_seat("--against", against, count - 1), 1):
        found[(seat + k) % count] = spec
    return found


def loaded(specs: Sequence[str | None], rules: "Rules") -> list[Any]:
    """Agents by seat, None for the person's seat."""
    return [None if spec is None else load_agent(spec, rules) for spec in specs]


def _play_in_browser(session: "PlayedGame", record: Path | None, pause: float) -> None:
    from catan_pz.web.live_table import LiveTable
    from catan_pz.web.table import HostedGame

    hosted = HostedGame(session)
    table = LiveTable(hosted, record, pause, keeps_links=False)
    serve_in_browser(f"/table/{hosted.links[session.persons[0]]}", [table])
    click.echo(table.hosted.session.result())


def _play_in_terminal(session: "PlayedGame", rows: int | None, pause: float) -> None:
    from catan_pz.play.terminal_game import PlayerLeft, TerminalGame

    color = rows is not None and "NO_COLOR" not in os.environ
    try:
        TerminalGame(session, input, click.echo, color=color, rows=rows, pause=pause).run()
    except PlayerLeft:
        click.echo(f"\n{session.result()}")
    except KeyboardInterrupt:
        click.echo()  # ends the line of the prompt
        raise
