"""Recorded games as rows of a Parquet file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import Game, Rules, datasets
from catan_pz.agents.registry import load
from catan_pz.cli import main
from catan_pz.datasets import read_card, write_parquet
from catan_pz.encoders import load as encoder_of
from catan_pz.game.record import GameRecord

pq = pytest.importorskip("pyarrow.parquet", reason="takes the extra `data`")

RULES = Rules(trading=False, victory_points=4)


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: Any) -> list[Path]:
    """Games of random players, of which the last one was left, and one skipped forced decisions."""
    folder = tmp_path_factory.mktemp("games")
    for number in range(4):
        game = Game(replace(RULES, skip_forced=number == 1), seed=number)
        record = GameRecord.of(game, ["a", "b", "c", "d"])
        rng = np.random.default_rng(number)
        while not game.is_over and not (number == 3 and game.turn > 8):
            game.step(int(rng.choice(game.legal_actions())))
        record.save(folder / f"{number:03}.jsonl")
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def rows(recordings: list[Path], tmp_path_factory: Any) -> Any:
    """The rows of these games."""
    path = tmp_path_factory.mktemp("rows") / "games.parquet"
    policy = load("ppo-4p-notrade")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(datasets, "GAMES_AT_ONCE", 3)
        write_parquet(
            recordings,
            path,
            observation="units",
            reward="points_gained",
            policy=policy,
            note="by chance",
        )
    assert "by chance" in path.with_name("games.parquet.md").read_text(encoding="utf-8")
    return pq.read_table(path)


def column(rows: Any, name: str) -> Any:
    """A column as an array, (R, n) for lists."""
    chunk = rows[name].combine_chunks()
    if hasattr(chunk.type, "list_size"):
        return chunk.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1)
    return chunk.to_numpy(zero_copy_only=False)


def test_a_row_has_what_the_seat_saw_and_did(recordings: list[Path], rows: Any) -> None:
    seen, masks = column(rows, "observation"), column(rows, "mask")
    row = 0
    for number, path in enumerate(recordings):
        record = GameRecord.load(path)
        replay = record.replay()
        for step, (game, decision) in enumerate(zip(replay, record.decisions, strict=False)):
            assert np.array_equal(seen[row], game.observe(game.player))
            assert np.array_equal(masks[row], game.mask)
            one = {name: rows[name][row].as_py() for name in ("game", "step", "seat", "action")}
            assert one == {
                "game": number,
                "step": step,
                "seat": decision.player,
                "action": decision.action,
            }
            row += 1
    assert row == len(rows)
    given = column(rows, "probabilities")
    assert given.sum(axis=1) == pytest.approx(1, abs=1e-4)
    assert not given[~masks].any()


def test_rewards_and_ends_are_those_of_the_seat(recordings: list[Path], rows: Any) -> None:
    games, seats = column(rows, "game"), column(rows, "seat")
    for number, path in enumerate(recordings):
        result = GameRecord.load(path).result
        for seat in range(4):
            own = rows.filter((games == number) & (seats == seat))
            if result["end"] == "unfinished":
                assert own["outcome"].null_count == len(own)
                assert not any(own["terminated"].to_pylist())
                continue
            won = result["winner"] == seat
            assert set(own["outcome"].to_pylist()) == {1.0 if won else -1.0}
            assert own["terminated"].to_pylist() == [False] * (len(own) - 1) + [True]
            assert sum(own["reward"].to_pylist()) == result["points"][seat]


def test_each_segment_of_an_encoder_is_a_column(recordings: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    assert (
        main(["export", str(recordings[0]), "--parquet", str(path), "--observation", "dict"]) == 0
    )
    rows = pq.read_table(path)
    game = Game(RULES, seed=0)
    expected = encoder_of("dict").encode(game.observe(game.player))
    for name, array in expected.items():
        assert column(rows, f"observation.{name}")[0] == pytest.approx(array.reshape(-1))
        shape = rows.schema.field(f"observation.{name}").metadata[b"shape"]
        assert json.loads(shape) == list(array.shape)
    assert read_card(path).rows == len(rows)
    pq.write_table(rows, path)
    with pytest.raises(ValueError, match=r"games\.parquet has no card in its metadata"):
        read_card(path)
    words = ["export", str(recordings[0]), "--parquet", str(path)]
    assert main([*words, "--viewer", "0"]) == 2  # every row has what its own seat sees


def test_a_game_that_was_left_at_once_has_no_rows(tmp_path: Path) -> None:
    GameRecord.of(Game(RULES, seed=1)).save(tmp_path / "game.jsonl")
    card = write_parquet(
        [tmp_path], tmp_path / "games.parquet", policy=load("ppo-4p-notrade"), progress=False
    )
    assert (card.games, card.rows) == (1, 0)
    assert len(pq.read_table(tmp_path / "games.parquet")) == 0


def edited(path: Path, old: str, new: str) -> str:
    """A recording in which the last `old` is `new`."""
    before, found, after = path.read_text(encoding="utf-8").rpartition(old)
    assert found
    return before + new + after


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"kind": "end_turn"', '"kind": "roll"', "is illegal"),
        ('"outcome": [', '"outcome": [3, 3], "was": [', "the result is|is illegal|can't"),
        ('{"result"', '{"none"', "is cut short"),
        ('"victory_points": 4', '"victory_points": 5', "rules must be those of|the result"),
    ],
)
def test_a_broken_recording_is_named_and_nothing_is_written(
    old: str, new: str, complaint: str, recordings: list[Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text(edited(recordings[2], old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"broken\.jsonl.*({complaint})"):
        write_parquet([recordings[0], broken], tmp_path / "games.parquet", progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["broken.jsonl"]


def test_what_the_command_refuses(recordings: list[Path], tmp_path: Path, capsys: Any) -> None:
    target, game = ["--parquet", str(tmp_path / "a.parquet")], str(recordings[0])
    (tmp_path / "empty").mkdir()
    for words, complaint in (
        ([game], "give one of --html and --parquet"),
        ([game, game, "--html", str(tmp_path / "a.html")], "--html takes one recording"),
        ([game, *target, "--observation", "pixels"], "--observation must be an Encoder"),
        ([game, *target, "--policy", "heuristic"], "this agent gives no probabilities"),
        ([game, *target, "--policy", "ppo-2p"], "plays games of 2 players"),
        ([str(tmp_path / "empty"), *target], "empty has no recorded games"),
    ):
        assert main(["export", *words]) != 0
        assert complaint in capsys.readouterr().err
