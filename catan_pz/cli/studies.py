"""`catan-pz openings`, `agreement` and `review`: what recorded games tell of players and agents."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from catan_pz.cli.agents import agent_option, encoder_option, load_agent, trust_option
from catan_pz.cli.console import (
    FILE,
    OLD_FILE,
    check_page,
    check_plot,
    command,
    compiling_shown,
    load_record,
    option,
    record_errors,
    usage_errors,
)
from catan_pz.cli.options import seed_number

if TYPE_CHECKING:
    from catan_pz.game.record import GameRecord


def _records(games: tuple[Path, ...]) -> Iterator[tuple[Path, "GameRecord"]]:
    """Records in files and folders, with a progress bar."""
    from catan_pz.files import files_in
    from catan_pz.progress import tracked

    with usage_errors():
        paths = files_in(games)
    with compiling_shown():
        for path in tracked(paths, "games", len(paths)):
            yield path, load_record(path)


_GAMES: Final = click.argument(
    "games", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)


@command("catan-pz openings games", "catan-pz openings games --plot openings.svg")
@_GAMES
@option("--plot", "Draw the win rates here: a name with .svg or .png.", FILE)
def openings(games: tuple[Path, ...], plot: Path | None) -> None:
    """Measure the win rates of openings in recorded GAMES: files or folders of records.

    Seats are grouped by their place, by pips, resources and harbors of their first two
    settlements, and by what they alone had most of at the table.
    """
    from catan_pz.arena.openings import Opening, draw, groups, openings_of, to_markdown
    from catan_pz.arena.report import save_plot

    check_plot("--plot", plot)
    by_players: dict[int, list[list[Opening]]] = {}
    for path, record in _records(games):
        with record_errors(path):
            opened = openings_of(record)
        if opened:
            by_players.setdefault(len(opened), []).append(opened)
    found = {players: groups(played) for players, played in sorted(by_players.items())}
    for players, listed in found.items():
        click.echo(f"Games of {players} players: {len(by_players[players]):,}\n")
        click.echo(to_markdown(listed))
    if not found:
        raise click.ClickException("no game has its set-up and a winner")
    if plot is not None:

        def draw_all(figure: Any) -> None:
            columns = figure.subplots(1, len(found), squeeze=False)[0]
            for axes, (players, listed) in zip(columns, found.items(), strict=True):
                draw(axes, listed, players)

        longest = max(map(len, found.values()))
        save_plot(plot, 4.8 * len(found), 1 + 0.3 * longest, draw_all)


@command(
    "catan-pz agreement games",
    "catan-pz agreement games --agent search:simulations=50 --plot plot.svg",
)
@_GAMES
@agent_option("--agent", "The agent.", "value")
@option("--seed", "Seed of its random choices.", seed_number, metavar="SEED", default=0)
@option("--plot", "Draw its win probabilities against who won here: .svg or .png.", FILE)
@trust_option
@encoder_option
def agreement(games: tuple[Path, ...], agent: str, seed: int, plot: Path | None) -> None:
    """Compare what was played in recorded GAMES with what an agent would have played.

    GAMES are files or folders of records. The agent is asked at each decision that leaves a choice,
    with what its player may know; decisions that perhaps weren't a person's are left out.
    Win probabilities are those of who begins a turn.
    """
    from catan_pz.arena import agreement as arena
    from catan_pz.arena.report import save_plot
    from catan_pz.tables.records.moves import NOT_A_PERSONS

    check_plot("--plot", plot)
    choices: list[arena.ComparedDecision] = []
    estimates: list[arena.Estimate] = []
    asked = load_agent(agent)
    for number, (path, record) in enumerate(_records(games)):
        seeds = {"number": number, "seed": seed + number}
        with record_errors(path):
            for one in arena.compare_record(record, asked, **seeds, left_out=NOT_A_PERSONS):
                kept: list[Any] = estimates if isinstance(one, arena.Estimate) else choices
                kept.append(one)
    if not choices and not estimates:
        raise click.ClickException("no game has a decision to compare")
    if choices:
        click.echo(arena.agreement_table(choices))
    if not estimates:
        return
    bins = arena.calibration(estimates)
    click.echo(arena.calibration_table(bins))
    click.echo(f"Brier score: {arena.brier_score(estimates):.3f} in {len(estimates):,} turns")
    if plot is not None:
        save_plot(
            plot, 4.8, 4.8, lambda figure: arena.draw_calibration(figure.subplots(), bins, agent)
        )


@command(
    "catan-pz review game.jsonl --html review.html",
    "catan-pz review game.jsonl --agent search:simulations=1000",
)
@click.argument("game", type=OLD_FILE)
@agent_option("--agent", "The agent that evaluates decisions.", "search:preset=fast")
@option("--seed", "Seed of all its chance.", seed_number, metavar="SEED", default=0)
@option("--html", "A replay with the review, one file, which loads nothing else.", FILE)
@trust_option
@encoder_option
def review(game: Path, agent: str, seed: int, html: Path | None) -> None:
    """Review a recorded GAME: win probabilities, luck and play, the dearest decisions.

    Each decision is judged by what its player could know: in games drawn from its exact belief.
    Openings and trades have tables of their own.
    """
    from catan_pz.review import check_reviewer, review_record
    from catan_pz.review.report import to_markdown
    from catan_pz.rules import Rules
    from catan_pz.tables.records.moves import NOT_A_PERSONS
    from catan_pz.web.replay import replay_of_record

    check_page(html)
    record = load_record(game)
    rules = Rules.from_dict(record.start["rules"])
    asked = load_agent(agent, rules)
    with usage_errors(f"--agent {agent}: "):
        check_reviewer(asked)
    with compiling_shown(), record_errors(game):
        made = review_record(record, asked, seed=seed, left_out=NOT_A_PERSONS)
    click.echo(to_markdown(made))
    if html is not None:
        replay_of_record(record, made).save(html)
        click.echo(f"{html} has the review and the replay.")
