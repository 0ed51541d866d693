from catan_pz import Game
from catan_pz.arena.openings import Group, Opening, groups, openings_of, to_markdown
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.game.record import GameRecord
from tests.helpers import play_randomly


def pips_at(state: dict, vertices: list[int]) -> int:
    """Ways in which the hexes of some vertices produce, by the rulebook's dots."""
    return sum(
        6 - abs(7 - land["token"])
        for h, land in enumerate(state["board"]["hexes"])
        for v in HEX_VERTICES[h].tolist()
        if land["token"] and v in vertices
    )


def test_openings_are_those_of_the_set_up() -> None:
    game = Game(seed=4, num_players=3, first_player="random", trading=False, max_turns=None)
    record = GameRecord.of(game)
    play_randomly(game, 12)
    state = game.snapshot()
    assert openings_of(record) == []
    record.result["winner"] = 1
    opened = openings_of(record)
    assert [one.won for one in opened] == [False, True, False]
    for one, player in zip(opened, state["players"], strict=True):
        assert sum(one.pips) == pips_at(state, player["settlements"])
    assert [opened[(state["turn_player"] + k) % 3].place for k in range(3)] == [0, 1, 2]


def test_seats_are_grouped_by_what_they_have() -> None:
    rich = Opening(0, (3, 0, 10, 5, 4), 2, won=True)
    poor = Opening(1, (3, 1, 4, 2, 2), 4, won=False)
    found = {group.name: group for group in groups([[rich, poor], [poor, rich]])}
    assert found["places first"] == Group("places first", 2, 2)
    assert found["22 or 23 pips"].won == found["2:1 harbor"].won == found["most wool"].won == 2
    assert found["to 17 pips"][1:] == found["no harbor"][1:] == found["most lumber"][1:] == (2, 0)
    assert found["4 resources"][1:] == (2, 2)
    assert "most brick" not in found  # both have as much
    assert "| places second | 2 | 0 | 0.0 % | 0.0 to 65.8 % |" in to_markdown(found.values())
