"""Writes into these pages what follows from the code: python docs/generate.py.

What stands between `<!-- generated: NAME -->` and `<!-- end -->` on a page is the text of
`BLOCKS[NAME]`, and `numbering.svg` is drawn here too. A test compares all of it with the code.
"""

import ast
import csv
import inspect
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import click

from catan_pz import actions, encoders
from catan_pz.actions import action_id, describe_action
from catan_pz.agents.language_model import PROMPT
from catan_pz.agents.random import WEIGHTS, RandomAgent
from catan_pz.agents.table import Table
from catan_pz.board.topology import HARBOR_VERTICES, HEX_VERTICES
from catan_pz.cli.app import GROUPS
from catan_pz.cli.app import commands as cli_commands
from catan_pz.cli.options import MatchChoice, RuleChoice
from catan_pz.datasets import column_table, schema_of
from catan_pz.engine.state import STATE
from catan_pz.events import EventKind, as_seen_by
from catan_pz.game import position
from catan_pz.game.game import Game
from catan_pz.game.perft import perft
from catan_pz.game.view import view_of
from catan_pz.kernels import types
from catan_pz.kernels.backend import fast_versions
from catan_pz.observation import segments
from catan_pz.observation.global_state import GLOBAL_PLACES, GLOBAL_SIZE, HIDDEN_SEGMENTS
from catan_pz.play.session import PlayedGame
from catan_pz.play.typed_commands import marks, menu_words
from catan_pz.published.factored import factored
from catan_pz.render.ansi import board_text
from catan_pz.render.geometry import HEX_POSITIONS, SIDE, VERTEX_POSITIONS, edge_ends, edge_middle
from catan_pz.render.lettering import text
from catan_pz.render.shapes import circle, element, line, points, rect
from catan_pz.rewards import REWARDS
from catan_pz.rules import OPTIONS, PRESETS, Rules
from catan_pz.terms import HARBOR_EDGES, NUM_EDGES, Phase, Resource
from catan_pz.text import choices_text, describe, news_of

PAGES: Final = Path(__file__).parent
NAMES: Final = [r.name.lower() for r in Resource]
LINE: Final = 96
LOG_LINES: Final = 8

_NO_BREAK: Final = "\0"
_BLOCK: Final = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

MEANINGS: Final = {
    "roll": "roll the dice",
    "end_turn": "end the turn",
    "build_road": "build a road; in set-up and after road building for nothing",
    "build_settlement": "build a settlement; in set-up for nothing",
    "build_city": "replace an own settlement by a city",
    "buy_development_card": "buy the top card of the deck",
    "play_knight": "play a knight; `move_robber` and `steal` follow",
    "play_road_building": "play road building; up to two `build_road` follow",
    "play_year_of_plenty": "take two cards from the bank",
    "play_monopoly": "take all cards of a resource from all others",
    "move_robber": "move the robber; a theft from the only possible victim follows at once",
    "steal": "choose from whom to steal, where there are several",
    "discard": "discard one card after a 7",
    "maritime_trade": "give cards to the bank, at the best rate held, for one card",
    "offer": "make an offer, or answer with a counter-offer",
    "compose_give": "add a card to what is given in the offer being composed",
    "compose_get": "add a card to what is asked for in the offer being composed",
    "compose_send": "make the composed offer",
    "accept": "accept the offer",
    "reject": "reject the offer",
    "close_with": "trade with one who accepted or made a counter-offer",
    "withdraw": "take back the offer, or what is being composed",
}
"""What each kind of action does."""

ARGUMENTS: Final = {
    "edge": "edge",
    "vertex": "vertex",
    "hex": "hex",
    "seat": "relative seat, 1 to 3",
    "resource": "resource",
    "pair": "two resources, [see there](actions.md#year-of-plenty)",
    "give, get": "resource given, resource got, [see there](actions.md#maritime-trade)",
}
"""What the argument of an action is, by the names in its description."""

STATE_NOTES: Final = {
    "format": "name and version of this form",
    "rules": "every option of `Rules`",
    "board": "the 19 hexes; the harbors by the edge that carries them, null for 3:1",
    "robber": "hex",
    "bank": "resource cards left",
    "deck": "development cards left, the next one first",
    "players": "by seat; cards holds the new ones too; new_cards: bought this turn",
    "longest_road_owner": "seat, or null",
    "largest_army_owner": "seat, or null",
    "phase": "what the game waits for",
    "turn": "turns ended",
    "turn_player": "whose turn it is; in set-up, who places",
    "player_to_move": "who decides; the winner when the game is over",
    "rolled": "whether the dice were rolled this turn",
    "card_played": "whether a development card was played this turn",
    "dice": "the last roll, zeros before the first",
    "free_roads": "roads of a road building card still to be placed",
    "to_discard": "by seat, cards still to be discarded",
    "offers_made": "offers begun this turn",
    "offer": "the offer on the table or being composed, or null",
    "knowledge": "by observer and seat: fewest and most cards that the observer knows of",
    "winner": "seat, or null",
    "rng": "state of the random generator, balanced rolls left, place in a scripted sequence",
}
"""What each entry of a state is."""


def table(*rows: list[Any]) -> str:
    """A table of Markdown, its head first."""
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines) + "\n"


def info() -> str:
    """The facts of the environment in PettingZoo's form."""
    agents = ", ".join(f"`player_{seat}`" for seat in range(4))
    with_trade, without = (Rules(trading=on).num_actions for on in (True, False))
    return table(
        ["", ""],
        ["Import", "`from catan_pz import catan_v0`"],
        ["Actions", "Discrete"],
        ["Agents", "2 to 4, 4 unless told otherwise"],
        ["Agent names", agents],
        ["Action space", f"`Discrete({with_trade})`; `Discrete({without})` without player trade"],
        ["Observation", "Dict of `observation` and `action_mask`"],
        [
            "Observation shape",
            f"`({segments.SIZE},)` flat, or {len(segments.SEGMENTS)} named arrays",
        ],
        ["Observation values", "float32 in [0, 1]; the mask int8, 0 or 1"],
        ["State shape", f"`({GLOBAL_SIZE},)`"],
        ["State values", "float32 in [0, 1]"],
        ["Parallel API", "through the turn-based conversion"],
        ["Manual control", "no"],
    )


def allowed(option: str) -> str:
    """What an option of `Rules` may be, from the error that a wrong value raises."""
    try:
        Rules.make(**{option: object()})
    except ValueError as error:
        return str(error).split(" must be ", 1)[1].rsplit(", got ", 1)[0]
    return ""


def options() -> str:
    """Every option of `Rules`."""
    rows = (
        [f"`{f.name}`", f"`{f.default!r}`", allowed(f.name), OPTIONS[f.name].meaning]
        for f in fields(Rules)
    )
    return table(["option", "default", "allowed", "meaning"], *rows)


def presets() -> str:
    """Every preset."""
    rows = []
    for name, changed in PRESETS.items():
        words = ", ".join(f"`{option}={value!r}`" for option, value in changed.items())
        rows.append([f'`"{name}"`', words or "none"])
    return table(["preset", "options that differ from the defaults"], *rows)


def action_table() -> str:
    """All kinds of actions; offers are spelled out elsewhere."""
    described = [(a, describe_action(a)) for a in range(actions.NUM_ACTIONS)]
    rows = []
    for kind, group in groupby(described, key=lambda item: item[1]["kind"]):
        members = list(group)
        if kind == "offer":
            rows += [
                [f"**{members[0][0]}**", "", "*without player trade the space ends here*", "", ""]
            ]
            argument = "give, get: bundles, [see there](actions.md#offers)"
        else:
            named = ", ".join(name for name in members[0][1] if name != "kind")
            argument = ARGUMENTS[named] if named else ""
        rows.append([members[0][0], len(members), f"`{kind}`", argument, MEANINGS[kind]])
    rows.append([f"**{actions.NUM_ACTIONS}**", "", "*with player trade*", "", ""])
    return table(["first id", "count", "action", "argument", "meaning"], *rows)


def grid(corner: str, rows: list[str], id_at: Callable[[int, int], int | None]) -> str:
    """A table of ids by a row and a resource; None leaves a cell empty."""
    return table(
        [corner, *NAMES],
        *(
            [f"**{name}**", *("" if (a := id_at(i, r)) is None else a for r in range(5))]
            for i, name in enumerate(rows)
        ),
    )


def plenty() -> str:
    """Ids of year of plenty."""
    return grid(
        "first \\ second",
        NAMES,
        lambda i, r: (
            action_id("play_year_of_plenty", pair=[NAMES[i], NAMES[r]]) if i <= r else None
        ),
    )


def maritime() -> str:
    """Ids of maritime trades."""
    return grid(
        "give \\ get",
        NAMES,
        lambda i, r: action_id("maritime_trade", give=NAMES[i], get=NAMES[r]) if i != r else None,
    )


def _offers(bundles: list[dict[str, int]], mirrored: bool) -> str:
    def id_at(i: int, r: int) -> int | None:
        if NAMES[r] in bundles[i]:
            return None
        sides = (bundles[i], {NAMES[r]: 1})
        give, get = reversed(sides) if mirrored else sides
        return action_id("offer", give=give, get=get)

    words = [" + ".join(f"{n} {name}" for name, n in bundle.items()) for bundle in bundles]
    return grid("get \\ give" if mirrored else "give \\ get", words, id_at)


def offers() -> str:
    """Ids of all offers of one action."""
    singles = [{name: 1} for name in NAMES]
    doubles = [{name: 2} for name in NAMES]
    pairs = [{a: 1, b: 1} for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]]
    return "\n".join(
        [
            "One card for one:\n",
            _offers(singles, mirrored=False),
            "Two alike for one:\n",
            _offers(doubles, mirrored=False),
            "Two different for a third:\n",
            _offers(pairs, mirrored=False),
            "One for two alike (rows are what is got):\n",
            _offers(doubles, mirrored=True),
            "One for two different (rows are what is got):\n",
            _offers(pairs, mirrored=True),
        ]
    )


def encoder_table() -> str:
    """What the encoders give whose arrays are not those of the canonical view."""
    rows = [
        [f"`{name}`", f"`{s.name}`", " x ".join(map(str, s.shape)), s.meaning]
        for name in encoders.names()
        if name not in ("flat", "dict", "units")
        for s in encoders.load(name).segments
    ]
    return table(["encoder", "array", "shape", "axes and features"], *rows)


def factored_heads() -> str:
    """The heads of the factored view."""
    return table(["head", "choices"], *([f"`{head.name}`", head.size] for head in factored().heads))


def hidden_segments() -> str:
    """The segments of `state()`."""
    rows: list[list[Any]] = [[0, segments.SIZE - 1, "observation of seat 0", segments.SIZE, "", ""]]
    for segment in HIDDEN_SEGMENTS:
        place = GLOBAL_PLACES[segment.name]
        shape = " x ".join(str(n) for n in segment.shape)
        most = segment.most if isinstance(segment.most, tuple) else (segment.most,)
        scale = "1" if most == (1,) else f"1/({', '.join(map(str, most))})"
        name = f"`{segment.name}`"
        rows.append([place.start, place.stop - 1, name, shape, scale, segment.meaning])
    return table(["from", "to", "segment", "shape", "scale", "meaning"], *rows)


def event_kinds() -> str:
    """Every kind of event, from the docstrings of `EventKind`."""
    body = ast.parse(textwrap.dedent(inspect.getsource(EventKind))).body[0].body[1:]
    rows = []
    for name, docstring in zip(body[::2], body[1::2], strict=True):
        meaning = " ".join(inspect.cleandoc(docstring.value.value).split())
        rows.append([f"`{name.targets[0].id}`", meaning])
    return table(["kind", "meaning"], *rows)


def reward_table() -> str:
    """Every reward by name."""
    rows = []
    for name, reward in REWARDS.items():
        summary = (inspect.getdoc(reward) or "").split("\n")[0]
        rows.append([f'`"{name}"`', f"`{reward.__name__}`", summary])
    return table(["name", "class", "reward"], *rows)


def example_game() -> Game:
    """The position that the page on notation shows."""
    first = {
        "hand": {"brick": 1, "wool": 2},
        "cards": {"victory_point": 1},
        "cards_played": {"knight": 1},
        "roads": [0, 1, 57],
        "settlements": [0],
        "cities": [41],
    }
    second = {"hand": {"ore": 3}, "roads": [47, 71], "settlements": [35, 52]}
    return position([first, second], rules=Rules(num_players=2), turn=12, dice=[4, 5], seed=1)


def state_example() -> str:
    """A whole state in its JSON form, each entry with a note."""
    state = example_game().snapshot()
    lines = ["```json5", "{"]
    for place, (name, value) in enumerate(state.items()):
        lines.append(f"  // {STATE_NOTES[name]}")
        entry = f'"{name}": {json.dumps(value)}' + ("," if place < len(state) - 1 else "")
        entry = re.sub(r"(?<=:) |(?<=\d,) (?=\d)", _NO_BREAK, entry)
        lines += textwrap.wrap(
            entry,
            LINE,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join([*lines, "}", "```"]).replace(_NO_BREAK, " ") + "\n"


def layers() -> str:
    """The packages and modules, those that import others above these."""
    contracts = tomllib.loads((PAGES.parent / "pyproject.toml").read_text(encoding="utf-8"))
    [order] = [
        contract["layers"]
        for contract in contracts["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["catan_pz"] and contract["type"] == "layers"
    ]
    rows = [
        [len(order) - k, f"`{name}`", _first_line(name)]
        for k, layer in enumerate(order)
        for name in layer.split(" | ")
    ]
    return table(["layer", "module or package", "what it holds"], *rows)


def _first_line(name: str) -> str:
    """The first line of the docstring of a module or package, without its period."""
    package = PAGES.parent / "catan_pz"
    paths = package / name / "__init__.py", package / f"{name}.py"
    [path] = filter(Path.exists, paths)
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return doc.split("\n")[0].rstrip(".")


def rule_types() -> str:
    """The annotations that give rules their arrays, with their numba types."""
    aliases = [
        (f"`{name}`", f"`{alias.__metadata__[0]}`")
        for name, alias in vars(types).items()
        if hasattr(alias, "__metadata__")
    ]
    own = [("`State`", "a game, one record of `STATE`"), ("`States`", "an array of games")]
    return table(["annotation", "type"], *own, *aliases)


def backends() -> str:
    """Which backend compiles for which versions of numba."""
    return (
        f"The `fast` backend is taken with numba {fast_versions()}, which it was tested with; "
        "older and newer\nversions get the `plain` backend, and one line on standard "
        "error says so.\n"
    )


def weights() -> str:
    """How often the weighted player plays each kind of action."""
    by_weight: dict[int, list[str]] = {}
    for kind, weight in WEIGHTS.items():
        by_weight.setdefault(weight, []).append(f"`{kind}`")
    rows = ([", ".join(by_weight[weight]), weight] for weight in sorted(by_weight, reverse=True))
    return table(["actions", "weight of each"], *rows)


def size_of_state() -> str:
    """Bytes of a game."""
    return f"One game is one record of {STATE.itemsize} bytes.\n"


def numbering() -> str:
    """The board with the numbers of hexes, vertices and edges, harbors in blue, as SVG."""
    width, height = 9.8 * SIDE, 8.8 * SIDE
    drawn = [rect(-width / 2, -height / 2, width, height, "#fffdf7")]
    for hex_id, (x, y) in enumerate(HEX_POSITIONS):
        corners = [VERTEX_POSITIONS[v] for v in HEX_VERTICES[hex_id]]
        drawn.append(element("polygon", points=points(corners), fill="#f0e6cc", stroke="#c9b98f"))
        drawn.append(_number(x, y, hex_id, 24, "#8a6d2f"))
    drawn += [line(*edge_ends(edge), "#4aa3c7", 9) for edge in HARBOR_EDGES]
    for edge in range(NUM_EDGES):
        x, y = edge_middle(edge)
        drawn += [rect(x - 9, y - 8, 18, 16, "#ffffff"), _number(x, y, edge, 12, "#1b62a5")]
    for vertex, (x, y) in enumerate(VERTEX_POSITIONS):
        drawn += [circle(x, y, 10.5, "#b3402a"), _number(x, y, vertex, 12, "#ffffff")]
    box = f"{-width / 2:g} {-height / 2:g} {width:g} {height:g}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">'
    return "\n".join([head, *drawn, "</svg>"]) + "\n"


def _number(x: float, y: float, n: int, size: float, color: str) -> str:
    return text(x, y + 0.35 * size, str(n), size=size, fill=color, anchor="middle", bold=True)


def harbors() -> str:
    """The places of the harbors."""
    pairs = (", ".join(map(str, vertices)) for vertices in HARBOR_VERTICES)
    rows = ([b, edge, pair] for b, (edge, pair) in enumerate(zip(HARBOR_EDGES, pairs, strict=True)))
    return table(["harbor", "edge", "vertices"], *rows)


def console(command: str, output: str) -> str:
    """A command with what it prints."""
    lines = [f"$ {command}", *output.rstrip().split("\n")]
    return "\n".join(["```console", *(line.rstrip() for line in lines), "```"]) + "\n"


def commands() -> str:
    """Every command of `catan-pz`."""
    rows = (
        [group, f"`{name}`", words]
        for group, commands in GROUPS.items()
        for name, (_, words) in commands.items()
    )
    return table(["group", "command", "what it does"], *rows)


def option_list(options: Iterable[click.Parameter]) -> str:
    """Options of a command with their help, as a list."""
    context = click.Context(click.Command("catan-pz"))
    found = (option.get_help_record(context) for option in options)
    lines = (f"- `{record[0]}`: {' '.join(record[1].split())}" for record in found if record)
    return "\n".join(lines) + "\n"


def options_of(name: str) -> str:
    """The options that a command has for itself."""
    options = {option.name: option for option in cli_commands()[name].params}
    for shared in (RuleChoice._fields, MatchChoice._fields[1:], ("trust_pickle", "encoder")):
        if options.keys() >= {*shared}:
            options = {key: option for key, option in options.items() if key not in shared}
    return option_list(o for o in options.values() if isinstance(o, click.Option))


def shared_options(names: Iterable[str]) -> str:
    """Options of `tournament` by the names of their arguments, which other commands share."""
    options = {option.name: option for option in cli_commands()["tournament"].params}
    return option_list(options[name] for name in names)


def game_in_terminal() -> Game:
    """The position that the page on the command line shows."""
    seat = {
        "hand": {"brick": 4, "lumber": 1, "wool": 1, "grain": 1},
        "roads": [42, 35, 27, 10],
        "settlements": [30],
        "cities": [8],
    }
    other = {"hand": {"ore": 2}, "roads": [15], "settlements": [13]}
    return position([seat, other], rules=Rules(num_players=2), turn=9, dice=[2, 3], seed=1)


def terminal() -> str:
    """What a person sees in the terminal before deciding."""
    game, names = game_in_terminal(), ["Ann", "heuristic"]
    board = board_text(
        game.snapshot(),
        viewer=0,
        color=False,
        names=names,
        marks=marks(game),
        aside=menu_words(game),
        last_action="Ann rolls 2 + 3: 1 brick for Ann",
    )
    lines = [*board.split("\n"), "> "]
    return "\n".join(["```text", *map(str.rstrip, lines), "```"]) + "\n"


def log() -> str:
    """How a match between random players begins."""
    match = PlayedGame(Game(seed=5, num_players=2), [RandomAgent(), RandomAgent()], 5)
    match.names = ["random", "random"]
    while len(match.log) < LOG_LINES:
        match.table.step()
    command = f"catan-pz watch --terminal --agents random --players 2 --seed 5 | head -{LOG_LINES}"
    return console(command, "\n".join(match.log[:LOG_LINES]))


def text_board() -> str:
    """The beginner board as text, with the numbers of its hexes."""
    board = board_text(
        Game(seed=1, board="beginner").snapshot(), color=False, marks={"hexes": range(19)}
    )
    return "\n".join(["```text", *map(str.rstrip, board.split("\n")[:23]), "```"]) + "\n"


def words() -> str:
    """A decision in the middle of a game, as a language model reads it."""
    game, heard = Game(seed=6), []
    game.listeners.append(lambda _, events: heard.append(events))
    with Table(game, ["heuristic"] * 4, range(4)) as players:
        while game.turn < 40 or game.phase != Phase.MAIN or game.mask.sum() < 8:
            if game.player == 0:
                heard.clear()
            players.step()
    seat = game.player
    news = news_of((as_seen_by(events, seat) for events in heard[-6:]), seat, 4)
    view = view_of(game, seat)
    return f"```text\n{describe(view, news)}\n{choices_text(view)}\n```\n"


def prompt() -> str:
    """The system message of a language model's questions."""
    return f"```text\n{PROMPT}\n```\n"


def program(name: str, language: str) -> str:
    """An example of a program that plays."""
    source = (PAGES.parent / "examples" / "programs" / name).read_text(encoding="utf-8")
    return f"```{language}\n{source}```\n"


def perft_table() -> str:
    """Ways to go on from two positions, by depth."""
    games = [Game(seed=0, num_players=2), example_game()]
    rows = ([depth, *(f"{perft(game, depth):,}" for game in games)] for depth in range(1, 6))
    return table(["depth", "start, 2 players", "the position shown"], *rows)


def ladder() -> str:
    """Ratings that `catan-pz ladder` has written."""
    rows = list(csv.reader((PAGES / "ladder/ratings.csv").read_text().splitlines()))
    shown = []
    for name, rating, low, high, seats, milliseconds in rows[1:]:
        points = f"{float(rating):+.0f}", f"{float(low):+.0f} to {float(high):+.0f}"
        half = f"{(float(high) - float(low)) / 2:.0f}"
        shown.append([name, *points, half, f"{int(seats):,}", milliseconds])
    titles = ["agent", "rating", "95 % interval", "half of it", "seats", "ms a decision"]
    return table(titles, *shown)


BLOCKS: Final[dict[str, Callable[[], str]]] = {
    **{
        f"options_{name}": partial(options_of, name)
        for name in cli_commands().keys() - {"info", "warmup"}
    },
    "options_of_agents": partial(shared_options, ("trust_pickle", "encoder")),
    "options_of_matches": partial(shared_options, MatchChoice._fields[1:]),
    "options_of_rules": partial(shared_options, RuleChoice._fields),
    "commands": commands,
    "ladder": ladder,
    "columns": lambda: column_table(schema_of(encoders.load("flat"), Rules().num_actions)),
    "event_kinds": event_kinds,
    "perft": perft_table,
    "log": log,
    "terminal": terminal,
    "text_board": text_board,
    "actions": action_table,
    "harbors": harbors,
    "encoders": encoder_table,
    "factored_heads": factored_heads,
    "hidden_segments": hidden_segments,
    "info": info,
    "layers": layers,
    "rule_types": rule_types,
    "backends": backends,
    "maritime": maritime,
    "offers": offers,
    "options": options,
    "plenty": plenty,
    "presets": presets,
    "program_js": partial(program, "bot.js", "javascript"),
    "program_py": partial(program, "bot.py", "py"),
    "rewards": reward_table,
    "segments": segments.markdown_table,
    "size_of_state": size_of_state,
    "state": state_example,
    "weights": weights,
    "prompt": prompt,
    "words": words,
}
"""What can be generated, by name."""


def filled(page: str) -> str:
    """The text of a page with its generated parts as the code has them now."""
    return _BLOCK.sub(lambda match: match[1] + BLOCKS[match[2]]() + match[3], page)


def outputs() -> dict[Path, str]:
    """What each page, and the figure, must hold."""
    pages = {path: filled(path.read_text(encoding="utf-8")) for path in sorted(PAGES.glob("*.md"))}
    return {PAGES / "numbering.svg": numbering(), **pages}


def main() -> None:
    """Write the pages and the figure."""
    for path, content in outputs().items():
        path.write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
