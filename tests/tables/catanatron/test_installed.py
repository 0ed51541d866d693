"""With catanatron: its bots as agents, our agents at its tables, by its 3.2.1 and its 3.3.0."""

import json
import multiprocessing
import random

import pytest
from click.testing import CliRunner

pytest.importorskip("catanatron", reason="takes catanatron, which users install")

from catan_pz import arena
from catan_pz.agents import load
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.cli.app import app
from catan_pz.game.game import Game
from catan_pz.game.state_json import board_of
from catan_pz.rules import Rules
from catan_pz.tables.catanatron import moves as numbering
from catan_pz.tables.catanatron.facts import board_from_map
from catan_pz.tables.catanatron.installed import (
    has_module,
    has_records,
    module,
    moves_offered,
    playable_actions,
    version,
)
from catan_pz.tables.catanatron.moves import Move, actions_of
from catan_pz.tables.catanatron.players import AgentPlayer, map_document_of, register
from catan_pz.tables.catanatron.position import game_of, map_of
from catan_pz.tables.catanatron.table import (
    CatanatronTables,
    TableBot,
    deal,
    table_rules,
)
from tests.tables.catanatron.legal_moves import compare_game

pytestmark = pytest.mark.catanatron
needs_searches = pytest.mark.skipif(
    not has_module("players.minimax"), reason="this version of catanatron has no such bots"
)
NO_TRADE = {"trading": False}


def colors(count):
    return list(module("models.player").Color)[:count]


def test_places_are_numbered_alike() -> None:
    maps = module("models.map")
    built = maps.CatanMap.from_template(maps.BASE_MAP_TEMPLATE)
    for place, tile in built.land_tiles.items():
        corners = [numbering.VERTEX_OF[node] for node in tile.nodes.values()]
        hex_id = numbering.HEX_OF[place]
        assert set(corners) == {int(v) for v in numbering.HEX_VERTICES[hex_id]}
        assert {numbering.EDGE_OF[edge] for edge in tile.edges.values()} <= set(range(72))
    assert [color.value for color in colors(4)] == list(numbering.COLORS)


def test_boards_go_there_and_back() -> None:
    for seed in range(5):
        board = board_of(Game(seed=seed, **NO_TRADE).state)
        assert board_from_map(map_document_of(map_of(board))) == board


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_positions_of_a_game_allow_the_same_moves(num_players) -> None:
    """All along a random game; 3.2.1 lets no more than half of the cards be played."""
    players = [module("models.player").Player(color) for color in colors(num_players)]
    names = [color.value for color in colors(num_players)]
    game = Game(seed=5, num_players=num_players, **NO_TRADE)
    rng = random.Random(1)
    compared = 0
    while not game.is_over and compared < 400:
        if game.phase.name not in ("STEAL", "DISCARD"):
            theirs = game_of(game, players)
            moves = [Move.read(names, one) for one in playable_actions(theirs)]
            offered = {(actions_of(move, names) or (None,))[0] for move in moves}
            legal = set(game.legal_actions().tolist())
            cards = set(range(183, 205))
            if has_records():
                assert offered - {None} == legal, game.phase
            else:
                assert offered - {None} - cards == legal - cards, game.phase
            compared += 1
        game.step(rng.choice(game.legal_actions().tolist()))
    assert compared > 100


def test_the_state_there_is_the_state_here() -> None:
    game = Game(seed=3, num_players=2, **NO_TRADE)
    for _ in range(300):
        game.step(int(game.legal_actions()[-1 if game.turn % 2 else 0]))
    theirs = game_of(game, [module("models.player").Player(color) for color in colors(2)])
    functions = module("state_functions")
    for p, color in enumerate(colors(2)):
        hand = functions.player_deck_to_array(theirs.state, color)
        assert len(hand) == int(game.state["hand_size"][p])
        assert functions.get_actual_victory_points(theirs.state, color) == int(game.points[p])
        length = functions.get_longest_road_length(theirs.state, color)
        assert length == int(game.state["road_length"][p])
    assert sum(theirs.state.resource_freqdeck) == int(game.state["bank"].sum())


SEARCHES = ["value", "value-contender", "ab1-pruned", "ab1-mended", "sab1"]


@pytest.mark.parametrize(
    "bot",
    ["random", "weighted", "points", *(pytest.param(b, marks=needs_searches) for b in SEARCHES)],
)
def test_bots_play(bot) -> None:
    game = Game(seed=2, num_players=2, max_turns=12, **NO_TRADE)
    Table(game, [f"catanatron:{bot}", "heuristic"], seat_seeds(2, 2)).play()
    assert game.turn > 5


def test_choices_follow_from_the_seed() -> None:
    def actions(seed):
        game = Game(seed=2, num_players=2, max_turns=16, **NO_TRADE)
        Table(game, ["catanatron:weighted"] * 2, seat_seeds(seed, 2)).play()
        return game.snapshot()

    before = random.getstate()
    assert actions(1) == actions(1)
    assert actions(1) != actions(2)
    assert random.getstate() == before


@pytest.mark.skipif(has_module("players.value"), reason="this version has all bots")
def test_a_version_without_a_bot_says_which_has_it() -> None:
    with pytest.raises(ImportError, match=r"3\.2\.1 has no bot 'value'.*3\.3\.0"):
        load("catanatron:value")


def match(agent, bot, games=2, **options):
    entrants = [agent, ("bot", TableBot(bot))]
    return arena.play_match(
        entrants, games, table_rules(2), 1, executor=CatanatronTables(), progress=False, **options
    )


def test_our_agents_play_at_its_table(tmp_path) -> None:
    result = match("heuristic", "weighted", results=tmp_path / "games.jsonl")
    assert [game.end for game in result.games] == ["victory"] * 2
    assert {game.seats for game in result.games} == {("heuristic", "bot"), ("bot", "heuristic")}
    lines = (tmp_path / "games.jsonl").read_text().splitlines()
    (tmp_path / "games.jsonl").write_text("\n".join(lines[:2]) + "\n")
    again = match("heuristic", "weighted", results=tmp_path / "games.jsonl")
    assert again.games[0] == result.games[0]
    assert len(again.games) == 2


def test_processes_play_and_end_with_the_match() -> None:
    config = arena.match.MatchConfig(("heuristic", "bot"), table_rules(2), 1)
    entrants, _ = arena.entrants.as_entrants(["heuristic", ("bot", TableBot("random"))])
    games = list(arena.schedule.Schedule(((0, 1),), 40).games())
    played = CatanatronTables(2).run(config, entrants, [arena.Task(tuple(games), False)])
    first = next(played)
    assert first.end == "victory"
    played.close()
    assert not multiprocessing.active_children()


def test_rules_that_its_engine_has_not_are_refused() -> None:
    for option in ({"trading": True}, {"dice": "balanced"}, {"board": "beginner"}):
        with pytest.raises(ValueError, match=f"^{next(iter(option))} must be"):
            arena.play_match(
                ["random", ("bot", TableBot("random"))],
                2,
                Rules(**{"num_players": 2, "trading": False, **option}),
                executor=CatanatronTables(),
            )


def test_the_command_plays_a_match(tmp_path) -> None:
    arguments = ["catanatron", "--agent", "heuristic", "--against", "weighted", "--games", "2"]
    path = tmp_path / "games.jsonl"
    done = CliRunner().invoke(app, [*arguments, "--results", str(path), "--seed", "2"])
    assert done.exit_code == 0, done.output
    assert f"against weighted at tables of catanatron {version()}" in done.stdout
    header = json.loads(path.read_text().splitlines()[0])
    assert header["agents"][1]["options"]["catanatron"] == version()


def test_a_player_chooses_among_what_is_offered() -> None:
    game = deal(table_rules(2), 4)
    first, second = colors(2)
    player = AgentPlayer(first, "heuristic")
    game.state.players = [player, TableBot("weighted").player(second)]
    game.state.players.sort(key=lambda one: game.state.colors.index(one.color))
    random.seed(3)
    for _ in range(150):
        if game.winning_color() is not None:
            break
        seat = game.state.current_player_index
        offered = moves_offered(game)
        chosen = game.state.players[seat].decide(game, offered)
        assert chosen in offered
        game.execute(chosen)
    assert player.decisions > 0
    assert player.unmatched == 0


@pytest.mark.skipif(not has_module("cli.cli_players"), reason="3.2.1 has no command line")
def test_its_command_line_knows_our_agents() -> None:
    register("PZ", "heuristic")
    players = module("cli.cli_players").parse_cli_string("PZ,PZ:random,R")
    assert [repr(one) for one in players[:2]] == ["heuristic:RED", "random:BLUE"]
    with pytest.raises(ValueError, match="no-such"):
        register("X", "no-such")


@needs_searches
def test_mended_outcomes_are_played_with_their_probability() -> None:
    from catan_pz.tables.catanatron.search import outcomes_of

    game = deal(table_rules(2), 1)
    kinds = module("models.enums").ActionType
    random.seed(1)
    seen = set()
    for _ in range(600):
        if game.winning_color() is not None:
            break
        for action in moves_offered(game):
            if action.action_type in seen:
                continue
            outcomes = list(outcomes_of(game, action))
            assert sum(p for _, p in outcomes) == pytest.approx(1)
            if action.action_type == kinds.ROLL:
                dice = [sum(after.state.action_records[-1].result) for after, _ in outcomes]
                assert dice == list(range(2, 13))
            if len(outcomes) > 1:
                seen.add(action.action_type)
        weighted = [a for a in moves_offered(game) if "BUY" in a.action_type.value]
        game.execute(random.choice(weighted or moves_offered(game)))
    assert {kinds.ROLL, kinds.BUY_DEVELOPMENT_CARD, kinds.MOVE_ROBBER} <= seen


def test_legal_moves_differ_only_where_the_docs_say() -> None:
    known = ["longest_road_owner"]
    if not has_records():
        known += ["play_", "DISCARD", "phase", "free_roads"]
    for number in range(2):
        differences, decisions = compare_game(number, "weighted")
        assert decisions > 100
        assert [one for one in differences if not any(word in one for word in known)] == []
