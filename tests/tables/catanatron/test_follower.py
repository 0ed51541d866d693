"""A table of catanatron followed from one seat, by a recorded game."""

from copy import deepcopy

import numpy as np
import pytest

from catan_pz.game.followed import FollowedGame
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.state_json import board_of
from catan_pz.rules import Rules
from catan_pz.tables.catanatron.facts import Facts, board_from_map, write_cards
from catan_pz.tables.catanatron.follower import TableFollower
from catan_pz.tables.catanatron.moves import NODES_OF, RESOURCE_NAMES, Move, actions_of
from catan_pz.terms import NOBODY, Phase
from tests.tables.catanatron.recorded import NAMES, game, messages

POSITION = (
    *("robber", "phase", "turn_player", "player", "rolled", "card_played", "free_roads"),
    *("roads", "settlements", "cities", "longest_road_owner", "largest_army_owner"),
)
SEATS = [("two_players", 0), ("two_players", 1), ("four_players", 0), ("four_players", 3)]


def rules_for(name):
    data = game(name)
    return Rules(num_players=len(data["colors"]), trading=False, board=board_from_map(data["map"]))


def follow(name, seat, *, hides=False, change=None):
    """A follower, and the message, at each decision of a seat."""
    data, rules = game(name), rules_for(name)
    follower = TableFollower(rules, seat, data["colors"], rules.board)
    seen = 0
    for message in messages(name, seat, hides=hides):
        if message["type"] != "decide":
            continue
        state = message["state"] if change is None else change(message["state"])
        for written, result in state["action_records"][seen:]:
            follower.take(Move.read(data["colors"], written, result))
        seen = len(state["action_records"])
        follower.agree(Facts.read(state, seat))
        yield follower, message


def last_state(name):
    *_, message = (m for m in messages(name, 0, hides=False) if m["type"] == "decide")
    return deepcopy(message["state"])


@pytest.mark.parametrize(("name", "seat"), SEATS)
def test_a_game_is_followed_by_moves_alone(name, seat) -> None:
    """The mask is what the table offers; what is concluded of hands allows for the true ones."""
    colors = game(name)["colors"]
    for follower, message in follow(name, seat):
        offered = [
            actions_of(Move.read(colors, one), colors) for one in message["playable_actions"]
        ]
        legal = np.flatnonzero(follower.view().mask)
        assert set(legal.tolist()) == {actions[0] for actions in offered}
        if follower.game.sampled.phase != Phase.DISCARD:
            hands = np.array(Facts.read(message["state"], seat).hands)
            found = follower.game.belief.hands.hands
            assert (found == hands).all((1, 2)).any()
    assert follower.restarts == 0


@pytest.mark.parametrize(("name", "seat"), SEATS)
def test_views_follow_from_what_a_seat_may_see(name, seat) -> None:
    """Others' cards, purchases and thefts from others may be anything."""

    def change(state):
        own, records = state["colors"][seat], []
        for (color, kind, value), result in state["action_records"]:
            if kind == "BUY_DEVELOPMENT_CARD" and color != own:
                value = result = "VICTORY_POINT"  # noqa: PLW2901
            if kind == "MOVE_ROBBER" and own not in (color, value[1]) and value[1]:
                result = RESOURCE_NAMES[len(records) % 5]  # noqa: PLW2901
            records.append([[color, kind, value], result])
        return {**state, "action_records": records}

    has_monopoly = any(r[0][1] == "PLAY_MONOPOLY" for r in game(name)["records"])
    pairs = zip(follow(name, seat), follow(name, seat, change=change), strict=True)
    compared = 0
    for (true, message), (changed, _) in pairs:
        taken = {r[0][1] for r in message["state"]["action_records"]}
        if "PLAY_MONOPOLY" in taken and len(game(name)["colors"]) > 2:
            break
        assert (true.view().observation == changed.view().observation).all()
        compared += 1
    assert compared > 10
    assert has_monopoly


@pytest.mark.parametrize(("name", "seat"), SEATS)
def test_a_table_that_hides_more_is_followed_too(name, seat) -> None:
    for (shown, message), (hidden, _) in zip(
        follow(name, seat), follow(name, seat, hides=True), strict=True
    ):
        document = message["state"]
        facts = Facts.read(document, seat)
        record = hidden.game.sampled.state
        if facts.position["phase"] != Phase.DISCARD:
            assert tuple(record["hand"][seat]) == facts.hand
            assert tuple(record["hand_size"][: len(facts.sizes)]) == facts.sizes
        assert (shown.view().mask == hidden.view().mask).all()


@pytest.mark.parametrize("name", NAMES)
def test_resampled_games_are_sound(name) -> None:
    rng = np.random.default_rng(0)
    for k, (follower, _) in enumerate(follow(name, 0)):
        if k % 8 == 0:
            view = follower.view()
            drawn = view.resample(rng)
            assert drawn.validate() == 0
            assert (drawn.observe(0) == view.observation).all()


def test_a_move_that_our_rules_forbid_is_taken_from_the_table() -> None:
    """Somebody builds a road out of nothing; the table's own word counts."""
    name, seat = "two_players", 0
    data, rules = game(name), rules_for(name)
    follower = TableFollower(rules, seat, data["colors"], rules.board)
    state = last_state(name)
    for written, result in state["action_records"][:20]:
        follower.take(Move.read(data["colors"], written, result))
    assert follower.take(Move(1, "BUILD_ROAD", (0, 1))) == []
    follower.agree(Facts.read(state, seat))
    assert follower.restarts == 1
    record = follower.game.sampled.state
    assert [*map(tuple, record["hand"][:2].tolist())] == Facts.read(state, seat).hands
    assert (follower.view().mask > 0).any()


def test_points_that_the_table_does_not_give_tell_nothing_of_hidden_ones() -> None:
    """By our rules a road brings two points; the table gives them to nobody.

    Edges 0 to 4 follow each other from vertex 0 to 5.
    """
    rules = Rules(num_players=2, trading=False)
    builder = {
        "cities": [0, 2, 4],
        "settlements": [53],
        "roads": [0, 1, 2, 3],
        "hand": {"brick": 1, "lumber": 1},
        "cards": {"victory_point": 1, "knight": 1},
    }
    game = position([{"settlements": [50]}, builder], rules=rules, turn_player=1, player_to_move=1)
    follower = TableFollower(rules, 0, ["RED", "BLUE"], board_of(game.state))
    follower.game = FollowedGame.from_snapshot(game.snapshot(), 0)
    before = points_of(follower)
    assert before[1:3].min() > 0
    assert len(follower.take(Move(1, "BUILD_ROAD", NODES_OF[4]))) == 1
    assert points_of(follower)[1] == 0
    record = follower.game.sampled.state
    assert record["longest_road_owner"] == 1
    shown = {name: record[name].copy() for name in POSITION}
    shown |= {name: record[name][:2].copy() for name in ("roads", "settlements", "cities")}
    facts = Facts(
        0,
        shown | {"longest_road_owner": NOBODY},
        tuple(record["bank"]),
        tuple(record["hand"][0]),
        tuple(record["hand_size"][:2]),
        tuple(record["cards"][0]),
        tuple(record["cards"][:2].sum(1)),
        tuple(map(tuple, record["played"][:2])),
        (0, 0),
    )
    follower.agree(facts)
    assert (follower.amendments, follower.restarts) == (1, 0)
    assert points_of(follower) == pytest.approx(before)
    drawn = [follower.view().resample(np.random.default_rng(k)).points[1] for k in range(20)]
    assert set(drawn) == {7, 8, 9}


def points_of(follower):
    """Probabilities of seat 1's hidden victory points."""
    followed = follower.game
    return followed.belief.cards.victory_point_probabilities(followed.sampled.state)[1]


def test_impossible_cards_are_refused() -> None:
    state = last_state("two_players")
    state["resource_freqdeck"][0] += 1
    facts = Facts.read(state, 0)
    games = Game(rules_for("two_players"), seed=0).games
    with pytest.raises(ValueError, match="impossible number of resource cards"):
        write_cards(facts, games[0], [], np.random.default_rng(0))
