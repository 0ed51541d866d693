import numpy as np
import pytest

from catan_pz import actions as table
from catan_pz.actions import action_id
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from catan_pz.play.controls import Draft, controls
from catan_pz.render.view import table_view
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from catan_pz.text.commands import offer_actions
from tests.helpers import RULE_SETS
from tests.play.presses import composed, is_composing, pressable, presses_for


@pytest.mark.parametrize("name", ["base", "one_v_one", "both_forms", "composed", "no_counters"])
def test_every_legal_action_can_be_pressed_and_nothing_else(name: str) -> None:
    game, rng = Game(RULE_SETS[name], seed=5), np.random.default_rng(5)
    kinds = set()
    for step in range(700):
        if not game.mask.any():
            game.reset(step)
        legal = game.legal_actions()
        if step % 35 == 0:
            played = {a for c in pressable(game, Draft()) for a in c.play}
            assert played <= set(legal.tolist())
            for action in map(int, legal):
                if is_composing(action) and game.phase != Phase.COMPOSE:
                    continue
                *before, last = presses_for(game, action)
                assert last.play == (action,)
                assert all(not c.play for c in before)
        chosen = int(rng.choice(legal))
        kinds.add(chosen)
        game.step(chosen)
    assert len(kinds) > 40


@pytest.mark.parametrize("name", ["both_forms", "composed"])
def test_offers_of_any_size_are_composed(name: str) -> None:
    hand = {"brick": 3, "lumber": 2}
    rules = RULE_SETS[name]
    others = [{"hand": {"ore": 2, "wool": 2}}] * (rules.num_players - 1)
    game = position([{"hand": hand}, *others], rules=rules)
    draft = composed([0, 0, 0, 1], [2, 4, 4])
    play = offer_actions(view_of(game, game.player), draft.give, draft.get)
    assert play == (
        *[action_id("compose_give", resource="brick")] * 3,
        action_id("compose_give", resource="lumber"),
        action_id("compose_get", resource="wool"),
        *[action_id("compose_get", resource="ore")] * 2,
        table.COMPOSE_SEND,
    )
    there = pressable(game, draft)
    offer = next(c for c in there if c.name == "offer")
    assert offer.play == play
    for action in play:
        game.step_once(action)
    assert game.phase == Phase.ANSWER


def test_answers_say_what_is_given_and_got() -> None:
    seats = [{"hand": {"ore": 1, "wool": 1}}, {"hand": {"brick": 2}}, {"hand": {"brick": 1}}]
    game = position(seats, rules=Rules(num_players=3))
    game.step(action_id("offer", give={"ore": 1}, get={"brick": 1}))
    there = {c.name: c for c in pressable(game, Draft())}
    assert there["accept"].words == "accept: you give 1 brick, get 1 ore"
    assert there["reject"].words == "reject: you give 1 brick, get 1 ore"
    # Who is asked later may answer at the same time.
    later = controls(game, 2, table_view(game.snapshot(), 2), Draft())
    assert [c.name for c in later] == ["accept", "reject", "reject all"]
    assert later[0].words == there["accept"].words
    game.step(action_id("offer", give={"brick": 1}, get={"ore": 1, "wool": 1}))
    game.step(action_id("accept"))
    there = {c.name: c for c in pressable(game, Draft())}
    assert there["close 1"].words.endswith(": you give 1 wool + 1 ore, get 1 brick")
    assert there["close 2"].words.endswith(": you give 1 ore, get 1 brick")


def test_offers_beyond_all_bounds_are_refused_at_once() -> None:
    game = position([{"hand": {"brick": 4}}, {}], rules=RULE_SETS["composed"])
    for count in (5, 10**11, 10**30):
        assert offer_actions(view_of(game, game.player), (count, 0, 0, 0, 0), (0, 0, 1, 0, 0)) == ()
        assert offer_actions(view_of(game, game.player), (1, 0, 0, 0, 0), (0, 0, count, 0, 0)) == ()


def test_laying_out_takes_back_and_keeps_to_the_hand() -> None:
    game = position([{"hand": {"brick": 1}}, {"hand": {"ore": 1}}], rules=Rules(num_players=2))
    one = next(c for c in pressable(game, Draft()) if c.name == "give brick")
    assert one.draft == composed([0], [])
    names = {c.name for c in pressable(game, one.draft)}
    assert "give brick" not in names  # none left in hand
    assert "get brick" not in names  # not on both sides
    assert {"less give brick", "get ore", "clear"} <= names
    less = next(c for c in pressable(game, one.draft) if c.name == "less give brick")
    assert less.draft == Draft()
    full = composed([], [4, 4, 4, 4])
    assert not any(c.name.startswith("get ") and c.is_active for c in pressable(game, full))


def test_the_tray_takes_what_offers_may_have_and_says_so() -> None:
    seats = [{"hand": {"brick": 3, "wool": 1}}, {"hand": {"ore": 3, "grain": 3}}]
    game = position(seats, rules=Rules(num_players=2))
    for give, get, name in (
        ([0, 0], [], "give brick"),
        ([0], [3, 4], "give brick"),
        ([0], [3, 4], "get ore"),
        ([0, 0], [4], "get ore"),
    ):
        there = {c.name: c for c in pressable(game, composed(give, get))}
        assert not there[name].is_active, (give, get)
        assert "2 for 1 or 1 for 2" in there[name].words
    offer = next(c for c in pressable(game, composed([0, 0], [3, 4])) if c.name == "offer")
    assert not offer.is_active
    assert "--offers both: up to 4 a side" in offer.words
    game = position(seats, rules=Rules(num_players=2, offer_form="both"))
    there = {c.name: c for c in pressable(game, composed([0, 0], [3, 4]))}
    assert there["give brick"].is_active
    assert there["get ore"].is_active
    assert there["offer"].is_active
    there = {c.name: c for c in pressable(game, composed([0], [4, 4, 4, 3]))}
    assert there["get ore"].words == "no more than 4 a side"


def test_the_bank_trades_at_its_rate_only_what_is_held() -> None:
    game = position([{"hand": {"brick": 4, "ore": 2}}, {}], rules=Rules(num_players=2))
    bank = next(c for c in pressable(game, composed([0], [3])) if c.name == "bank")
    assert (bank.label, bank.play) == (
        "Bank 4:1",
        (action_id("maritime_trade", give="brick", get="grain"),),
    )
    bank = next(c for c in pressable(game, composed([4], [3])) if c.name == "bank")
    assert not bank.is_active
    assert bank.words == "the bank takes 4 ore: you have 2"


def test_a_card_is_put_back() -> None:
    game = position([{"cards": {"monopoly": 1, "year_of_plenty": 1}}, {}], rules="one_v_one")
    chosen = next(c for c in pressable(game, Draft()) if c.name == "card monopoly").draft
    assert chosen is not None
    there = {c.name: c for c in pressable(game, chosen)}
    assert there["card monopoly"].draft == Draft()
    assert there["card year of plenty"].draft == Draft(card="year_of_plenty")
    assert there["clear"].draft == Draft()
    assert there["get ore"].play == (action_id("play_monopoly", resource="ore"),)


def test_cards_take_what_the_bank_and_others_have() -> None:
    cards = {"monopoly": 1, "year_of_plenty": 1}
    game = position([{"cards": cards}, {"hand": {"ore": 18}}], rules="one_v_one")
    legal = game.legal_actions().tolist()
    assert action_id("play_year_of_plenty", pair=["wool", "ore"]) in legal
    for action in legal:
        assert presses_for(game, action)[-1].play == (action,)
    ore = Draft(card="year_of_plenty", get=composed([], [4]).get)
    names = {c.name for c in pressable(game, ore) if c.play}
    assert "get wool" in names
    assert "get ore" not in names
