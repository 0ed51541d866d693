import numpy as np
import pytest

from catan_pz import actions as table
from catan_pz.actions import action_id, describe_action
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.play.typed_commands import legal_words, marks, menu, parse
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from catan_pz.text.commands import WORD_OF, CommandError
from tests.helpers import RULE_SETS, path

TWO = Rules(num_players=2, offer_form="both")


def typed(game: Game, action: int) -> str:
    """What a person would type for an action."""
    d = describe_action(action)
    kind = d.pop("kind")
    if kind == "offer":
        give, get = (" + ".join(f"{n} {r}" for r, n in d[side].items()) for side in ("give", "get"))
        return f"offer {give} for {get}"
    if kind in ("steal", "close_with"):
        word = "steal" if kind == "steal" else "close"
        return f"{word} {(game.player + d['seat']) % game.rules.num_players}"
    rest = [" ".join(v) if isinstance(v, list) else str(v) for v in d.values()]
    return " ".join([WORD_OF[kind], *rest])


@pytest.mark.parametrize("name", ["base", "one_v_one", "both_forms", "composed"])
def test_every_legal_action_can_be_typed(name: str) -> None:
    game, rng = Game(RULE_SETS[name], seed=6), np.random.default_rng(6)
    for step in range(600):
        if not game.mask.any():
            game.reset(step)
        legal = game.legal_actions().tolist()
        composing = game.phase == Phase.COMPOSE
        for action in legal if step % 20 == 0 else legal[:1]:
            if composing or not table.COMPOSE_GIVE <= action < table.COMPOSE_SEND:
                assert parse(typed(game, action), game) == (action,)
        if step % 20 == 0:
            lines = menu(game)
            assert max(map(len, lines)) <= 80
            assert [line.split()[0] for line in lines] == list(legal_words(game))
        game.step(int(rng.choice(legal)))


def rich_game() -> Game:
    """A position with much to do."""
    seat = {
        "settlements": [20, 24],
        "roads": path(20, 21),
        "hand": {"brick": 4, "lumber": 2, "wool": 2, "grain": 2, "ore": 3},
        "cards": {"year_of_plenty": 1, "monopoly": 1},
    }
    other = {"settlements": [40], "hand": {"ore": 3, "wool": 1}}
    return position([seat, other], rules=TWO)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("e", action_id("end_turn")),
        ("BUY", action_id("buy_development_card")),
        ("c 24", action_id("build_city", vertex=24)),
        ("ba b o", action_id("maritime_trade", give="brick", get="ore")),
        ("p ore brick", action_id("play_year_of_plenty", pair=["brick", "ore"])),
        ("m w", action_id("play_monopoly", resource="wool")),
        ("o 2b for o", action_id("offer", give={"brick": 2}, get={"ore": 1})),
        (
            "offer lumber, grain for 1 ore",
            action_id("offer", give={"lumber": 1, "grain": 1}, get={"ore": 1}),
        ),
    ],
)
def test_short_commands(line: str, action: int) -> None:
    assert parse(line, rich_game()) == (action,)


def test_offers_of_many_cards_are_composed() -> None:
    played = parse("offer 3 brick + lumber for 2 ore wool", rich_game())
    assert played[-1] == table.COMPOSE_SEND
    assert len(played) == 8


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "write a command"),
        ("b", "may be buy or bank: write more letters"),
        ("dance", "'dance' can't be played now; legal now: end, road"),
        ("12", "write a command before the number"),
        ("city 3", "city takes one of: V20, V24"),
        ("city ٣", "vertex must be a name such as V1, got '٣'"),
        ("bank brick", "write a trade with the bank as: bank ore for brick"),
        ("bank brick brick", "bank takes one of: brick for lumber, brick for wool"),
        ("monopoly gold", "a resource must be one of brick, lumber, wool, grain, ore, got 'gold'"),
        ("offer brick", "write an offer as"),
        ("offer 9 brick for ore", "this offer is impossible"),
        ("offer brick for 99999999999 wool", "this offer is impossible"),
        ("offer brick 2 for wool", "write an offer as"),
        ("offer 1 2 brick for wool", "write a resource after 1"),
        ("offer ²brick for wool", "a resource must be one of brick"),
    ],
)
def test_what_is_unclear_is_answered(line: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        parse(line, rich_game())


def test_enter_rolls_and_plays_what_is_forced() -> None:
    game = position([{}, {}], rules=TWO, phase="roll")
    assert parse("", game) == (table.ROLL,)
    game.step(0, outcome=(1, 1))
    assert parse("", game) == (table.END_TURN,)


def test_a_number_alone_where_one_kind_of_place_is_asked_for() -> None:
    game = Game(seed=1)
    assert parse("20", game) == (action_id("build_settlement", vertex=20),)


def test_marks_are_the_places_of_the_menu() -> None:
    assert marks(Game(seed=1)) == {"vertices": list(range(54)), "edges": [], "hexes": []}
    found = marks(rich_game())
    assert found["vertices"] == [20, 24]
    assert len(found["edges"]) > 3
