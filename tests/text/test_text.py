"""The game in words: complete, secret, and read back."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest

from catan_pz import Game, RandomAgent, action_id, describe_action
from catan_pz.agents.table import Table
from catan_pz.checks import SYNONYMS
from catan_pz.events import Events, as_seen_by
from catan_pz.game.view import View, view_of
from catan_pz.text import CommandError, as_json, choices_of, describe, legal_actions, news_of, parse
from catan_pz.text.commands import offer_actions

RULES = (
    {"trading": False},
    {"offer_form": "templates"},
    {"offer_form": "both", "num_players": 3},
    {"offer_form": "composed", "num_players": 2, "counter_offers": False},
    {"rules": "one_v_one"},
)


def decisions(rules: dict, seed: int, every: int = 20, most: int = 1500) -> Iterator[Game]:
    """A random game, as it stands at some of its decisions."""
    rng = np.random.default_rng(seed)
    game = Game(seed=seed, **rules)
    for n in range(most):
        if game.is_over or game.is_truncated:
            return
        if n % every == 0:
            yield game
        game.step(int(rng.choice(game.legal_actions())))


def view_to_move(game: Game) -> View:
    return view_of(game, game.player)


@pytest.mark.parametrize("rules", RULES)
def test_each_legal_action_is_read_back_from_number_words_and_json(rules: dict) -> None:
    kinds = set()
    for game in decisions(rules, seed=3):
        view = view_to_move(game)
        choices = choices_of(view)
        assert [choice.action for choice in choices] == game.legal_actions().tolist()
        listed = legal_actions(view)
        for choice in choices:
            described = describe_action(choice.action)
            kinds.add(described["kind"])
            asked = {"reason": "it { pays", "number": choice.number}
            for answer in (
                str(choice.number),
                choice.words.upper(),
                json.dumps(described),
                f"I play {json.dumps(asked)}.",
            ):
                assert parse(answer, view) == (choice.action,)
            assert f"[{choice.number}] {choice.rest or choice.group}" in listed
    assert len(kinds) > 8


def test_the_last_word_of_an_answer_counts() -> None:
    view = view_to_move(Game(seed=2))
    second = choices_of(view)[1].action
    for answer in (
        "2.",
        "**2**",
        "[2]",
        "[2] build a settlement, as wool is rare",
        '{"number": "2"}',
        'Not {"number": 1}, but {"number": 2}.',
        f'<think>{"So " * 10_000} {{"number": 1}}</think>\n{{"number": 2}}',
    ):
        assert parse(answer, view) == (second,), answer
    offer = {
        "number": None,
        "kind": "build_settlement",
        "vertex": describe_action(second)["vertex"],
    }
    assert parse(json.dumps(offer), view) == (second,)


def test_answers_in_short_words() -> None:
    asked = set()
    for game in decisions({}, seed=5, every=1):
        view = view_to_move(game)
        for action in game.legal_actions().tolist():
            described = describe_action(action)
            answers: tuple[str, ...] = ()
            match described:
                case {"kind": "build_road", "edge": edge}:
                    ends = next(c.rest for c in choices_of(view) if c.action == action).split()[1]
                    answers = f"road {edge}", f"build a road at E{edge}", f"road {ends}"
                case {"kind": "build_settlement" | "build_city" as kind, "vertex": vertex}:
                    answers = f"{kind[6:]} {vertex}", f"build the {kind[6:]} at v{vertex}"
                case {"kind": "maritime_trade", "give": give, "get": get}:
                    synonyms = {name: word for word, name in SYNONYMS.items()}
                    answers = f"bank {give} {get}", f"bank 4 {synonyms[give]} for {get[:3]}"
                case {"kind": "move_robber", "hex": hex_id}:
                    answers = f"robber H{hex_id}", f"rob {hex_id}"
                case {"kind": "steal", "seat": seat}:
                    answers = f"steal from P{seat}", f"steal {seat}"
            for answer in answers:
                assert parse(answer, view) == (action,), answer
                asked.add(answer.split()[0])
    assert {"road", "settlement", "bank", "robber", "rob", "build"} <= asked


@pytest.mark.parametrize("rules", RULES[1:4])
def test_offers_are_those_that_the_rules_take(rules: dict) -> None:
    rng = np.random.default_rng(1)
    taken = 0
    for game in decisions(rules, seed=7, every=6):
        view = view_to_move(game)
        if not view.mask[252:383].any() or game.phase.name == "COMPOSE":
            continue
        for _ in range(30):
            give, get = (tuple(map(int, rng.multinomial(rng.integers(5), [0.2] * 5))) for _ in "ab")
            trial, actions = game.copy(), offer_actions(view, give, get)
            for action in actions:
                trial.step_once(action)
            if not actions:
                assert not _is_taken(game, give, get)
            taken += bool(actions)
    assert taken > 10


def _is_taken(game: Game, give: tuple[int, ...], get: tuple[int, ...]) -> bool:
    """Whether an offer can be composed, or is a template that is legal, by trying."""
    names = ("brick", "lumber", "wool", "grain", "ore")
    sides = [{n: k for n, k in zip(names, side, strict=True) if k} for side in (give, get)]
    try:
        if game.mask[action_id("offer", give=sides[0], get=sides[1])]:
            return True
    except ValueError:
        pass
    trial = game.copy()
    steps = [("compose_give", r) for r, n in sides[0].items() for _ in range(n)]
    steps += [("compose_get", r) for r, n in sides[1].items() for _ in range(n)]
    for action in [*(action_id(k, resource=r) for k, r in steps), action_id("compose_send")]:
        if not trial.mask[action]:
            return False
        trial.step_once(action)
    return True


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "the answer is empty; legal now: settlement, or a number"),
        ("0", "the number must be from 1 to 55, got '0'"),
        ("1234", "the number must be from 1 to 55, got '1234'"),
        ('{"number": "two"}', "got 'two'"),
        ("settlement 99", "settlement takes one of: V0, V1"),
        ("road 3", "'road' can't be played now; legal now: settlement"),
        ('{"kind": "fly"}', 'JSON needs "number", or "kind"'),
        ('{"kind": "build_settlement"}', "settlement takes one of: V0"),
        ('{"kind": "offer", "give": {"ore": 1e999}}', "must be such as 2, got inf"),
        ("settlement " + "9" * 50_000, "vertex must be a name such as V1, got '9999"),
        ("{" * 20_000, "legal now: settlement"),
    ],
)
def test_what_is_not_understood_is_answered_with_what_is(answer: str, said: str) -> None:
    view = view_to_move(Game(seed=2))
    said = said.replace("55", str(int(view.mask.sum())))
    with pytest.raises(CommandError) as error:
        parse(answer, view)
    assert said in str(error.value)
    assert len(str(error.value)) < 500


def test_nothing_hidden_is_told() -> None:
    told = 0
    rng = np.random.default_rng(4)
    game = Game(seed=11)
    seat = 2
    player = RandomAgent()
    player.needs_belief = True
    heard: list[Events] = []
    with Table(game, [None, None, player, None], [1, 2, 3, 4]) as table:
        game.listeners.append(lambda _, events: heard.append(as_seen_by(events, seat)))
        for n in range(8000):
            if game.is_over:
                break
            if n % 80 == 0:
                other = table.view(seat).resample(rng)
                ours, theirs = view_of(game, seat), view_of(other, seat)
                assert describe(ours) == describe(theirs)
                assert as_json(ours) == as_json(theirs)
                assert legal_actions(ours) == legal_actions(theirs)
                told += other.snapshot()["players"] != game.snapshot()["players"]
            game.step(int(rng.choice(game.legal_actions())))
    assert told > 5  # the cards differed, and the words didn't
    lines = news_of(heard, seat, 4)
    assert any("takes a card from" in line for line in lines)
    assert any(re.fullmatch(r"P1 builds a road at V\d+-V\d+", line) for line in lines)
    assert any(line == "P1 buys a development card" for line in lines)
    assert any(line.startswith("you buy a development card: ") for line in lines)
    assert any(line.startswith("you move the robber and take 1 ") for line in lines)


def test_what_a_choice_means_is_told() -> None:
    seen = set()
    for game in decisions(RULES[1] | {"victory_points": 3}, seed=2, every=1, most=6000):
        text, choices = describe(view_to_move(game)), legal_actions(view_to_move(game))
        mover = game.player
        match game.phase.name:
            case "SETUP_SETTLEMENT":
                is_second = game.state["visible_points"][mover] == 1
                assert ("to place a second settlement, which brings" in text) == is_second
            case "MOVE_ROBBER" if match := re.search(r": (\d) for P1[,)]", choices):
                seen.add(f"robber {match[1]}")
            case "ANSWER" if match := re.search("accept the offer (.*)", choices):
                give, get = re.findall(r"^On offer: P\d gives (.*) for (.*)\.$", text, re.M)[0]
                give, get = (side.replace(", ", " + ") for side in (give, get))
                assert match[1] == f"(you give {get}, get {give})"
                seen.add("accept")
    assert seen >= {"robber 1", "accept"}
    assert f" of P{game.state['winner']}. The game is over. " in describe(view_of(game, 0))


def test_the_text_is_compact_and_complete() -> None:
    lengths = []
    for game in decisions(RULES[1], seed=9, every=40, most=6000):
        view = view_to_move(game)
        text, told = describe(view), as_json(view)
        lengths.append(len(text) / 4)
        for value in _leaves(told):
            assert value in text, value
        own = told["players"][0]
        assert own["hand_size"] == sum(own["hand"].values())
        assert [one["points"] for one in told["players"][1:]] == [
            int(game.state["visible_points"][(game.player + k) % 4]) for k in (1, 2, 3)
        ]
    assert max(lengths) < 1200
    json.dumps(told)


def _leaves(told: object) -> Iterator[str]:
    """The names of places, cards and seats in a description."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield from _leaves(value)
            if key[0] in "HV" or key in ("brick", "wool"):
                yield key
    elif isinstance(told, list):
        for value in told:
            yield from _leaves(value)
    elif isinstance(told, str) and told not in ("rejects", "accepts") and " " in told:
        yield told
