"""Recorded games as Parquet files, one row per decision, for offline and supervised learning.

Letters: B games of a block, T decisions of the longest, P seats, A actions, R rows.
"""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import __version__
from catan_pz.actions import NO_ACTION, ROLL
from catan_pz.batch.cpu import CpuBatch
from catan_pz.encoders import Encoder, as_encoder
from catan_pz.encoders.base import Segment
from catan_pz.engine.chance import NO_OUTCOME
from catan_pz.engine.outcomes import NUM_OUTCOMES
from catan_pz.events import outcome_code
from catan_pz.files import files_in, whole_file
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.game.record import RESIGNED, UNFINISHED, GameRecord
from catan_pz.observation.segments import SIZE
from catan_pz.progress import progress_bar
from catan_pz.rewards import Reward, make_reward
from catan_pz.rules import Rules

GAMES_AT_ONCE: Final = 32
"""B, games in memory at a time, and games of a row group of the file."""

OBSERVATION: Final = "observation"
"""The column of an encoder's only segment; several segments have columns with a dotted suffix."""

COLUMNS: Final = {
    "game": "number of the game, from 0",
    "step": "number of the decision in its game, from 0",
    "seat": "seat that decides, from 0",
    "player": "name of the player, if the recording has names",
    OBSERVATION: "the seat's encoded observation",
    "mask": "legal actions",
    "action": "the action played",
    "probabilities": "probability of each action by the agent of `--policy`; else null",
    "reward": "the seat's reward from this decision up to its next one",
    "outcome": "result for the seat: 1 won, -1 lost, 0 no winner, null for an unfinished game",
    "terminated": "whether it is the seat's last decision in a game that was won or conceded",
    "truncated": "whether it is the seat's last decision in a truncated game",
}
"""The columns, in order, with their meaning."""


@dataclass
class DatasetCard:
    """The description of a file, in its metadata and in the card beside it.

    Attributes:
        rules: differences from the default rules.
        policy: the agent of the probabilities.
        players: number of rows by name of the player.
    """

    rules: dict[str, Any]
    encoder: str
    layout: str
    reward: str
    policy: str | None
    games: int = 0
    rows: int = 0
    players: dict[str, int] = field(default_factory=dict)
    note: str = ""
    version: str = __version__

    def markdown(self, schema: Any) -> str:
        """The card, with the meaning of each column of the file."""
        told = ", ".join(f"{name} ({rows:,} decisions)" for name, rows in self.players.items())
        return (
            "---\nlicense: cc-by-4.0\ntags: [catan, offline-rl, imitation-learning]\n---\n\n"
            f"# {self.rows:,} decisions of {self.games:,} games of Catan\n\n"
            f"- Players: {told or 'without names'}\n"
            f"- Rules that differ from the defaults: `{json.dumps(self.rules)}`\n"
            f"- Observations: encoder `{self.encoder}`, layout `{self.layout}`\n"
            f"- Reward: `{self.reward}`\n"
            f"- Probabilities of: {self.policy or 'nobody'}\n"
            f"- Made by catan-pz {self.version}\n"
            + (f"- {self.note}\n" if self.note else "")
            + "- Licence: CC BY 4.0\n\n"
            + column_table(schema)
        )


@dataclass(frozen=True)
class _Block:
    """Rows of some games, game after game."""

    units: NDArray[np.int8]
    masks: NDArray[np.bool_]
    columns: dict[str, NDArray[Any]]


def write_parquet(
    recordings: Sequence[Path],
    target: Path,
    *,
    observation: str | Encoder = "flat",
    reward: Reward | str | None = None,
    policy: Any = None,
    note: str = "",
    progress: bool | None = None,
) -> DatasetCard:
    """Write recorded games of the same rules as a Parquet file, and its card beside it.

    The games are replayed in parallel on one core, and their rows are written on the way. Forced
    decisions are rows too. `COLUMNS` describes the columns; arrays are flat lists of fixed length,
    with their shape in the metadata of the column.

    Args:
        recordings: files of `GameRecord`, and folders of them.
        target: the file; the card has its name with `.md` after it.
        observation: an encoder, or its name.
        reward: the reward in the column `reward`.
        policy: an agent with `probabilities`, such as a `NetworkAgent`, for soft targets.
        note: a line for the card, such as the command that played the games.
        progress: whether to show a progress bar; None for one on a terminal.

    Raises:
        ValueError: for a file without a recorded game, or with other rules.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    recordings = files_in(recordings)
    encoder, scored = as_encoder(observation), make_reward(reward)
    rules = _rules_of(_record(recordings[0]))
    schema = schema_of(encoder, rules.num_actions)
    card = DatasetCard(
        rules.differences(),
        encoder.name,
        encoder.layout,
        reward if isinstance(reward, str) else type(scored).__name__,
        getattr(policy, "name", None),
        note=note,
    )
    with (
        whole_file(target.with_name(f"{target.name}.md")) as card_draft,
        whole_file(target) as draft,
        progress_bar(progress) as bar,
        pq.ParquetWriter(draft, schema, compression="zstd", use_dictionary=["player"]) as writer,
    ):
        task = bar.add_task("games", total=len(recordings), note="")
        for first in range(0, len(recordings), GAMES_AT_ONCE):
            paths = recordings[first : first + GAMES_AT_ONCE]
            records = [_record(path) for path in paths]
            for path, record in zip(paths, records, strict=True):
                if _rules_of(record) != rules:
                    raise ValueError(f"{path}: this game's rules must be those of {recordings[0]}")
            block = _replayed(paths, records, rules, scored)
            block.columns["game"] += first
            arrays = _arrays(block, encoder, policy)
            columns = [
                _column(pa, schema.field(name), arrays.get(name), len(block.units))
                for name in schema.names
            ]
            writer.write_table(pa.table(columns, schema=schema))
            for name, rows in zip(*np.unique(arrays["player"], return_counts=True), strict=True):
                card.players[str(name)] = card.players.get(str(name), 0) + int(rows)
            card.games, card.rows = card.games + len(paths), card.rows + len(block.units)
            bar.update(task, advance=len(paths), note=f"{card.rows:,} rows")
        card.players.pop("", None)
        writer.add_key_value_metadata({"catan_pz": json.dumps(vars(card))})
        card_draft.write_text(card.markdown(schema), encoding="utf-8")
    return card


def read_card(path: Path) -> DatasetCard:
    """The card in a file's metadata.

    Raises:
        ValueError: for a file that has none.
    """
    import pyarrow.parquet as pq

    content = (pq.read_metadata(path).metadata or {}).get(b"catan_pz")
    if content is None:
        raise ValueError(
            f"{path} has no card in its metadata: `catan-pz export` writes one, and programs that "
            "write its rows anew must copy it"
        )
    return DatasetCard(**json.loads(content))


def _record(path: Path) -> GameRecord:
    """A recording in which forced decisions are decisions, whatever its rules."""
    with _named(path):
        record = GameRecord.load(path)
        rules = record.start["rules"] | {"skip_forced": False}
        Rules.from_dict(rules)
        return replace(record, start=record.start | {"rules": rules})


def _rules_of(record: GameRecord) -> Rules:
    return Rules.from_dict(record.start["rules"])


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Make errors of a recording name its file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path} holds no recorded game: {error}") from error


def _replayed(
    paths: Sequence[Path], records: Sequence[GameRecord], rules: Rules, reward: Reward
) -> _Block:
    """The rows of some games, replayed in parallel."""
    try:
        return _replayed_together(records, rules, reward)
    except ValueError:
        for path, record in zip(paths, records, strict=True):
            with _named(path):
                deque(record.replay(), maxlen=0)
        raise


def _replayed_together(records: Sequence[GameRecord], rules: Rules, reward: Reward) -> _Block:
    lengths = np.array([len(record.decisions) for record in records])
    shape = int(lengths.max()), len(records)
    actions, outcomes = np.full(shape, NO_ACTION, np.int64), np.full(shape, NO_OUTCOME, np.int8)
    seats = np.full(shape, -1, np.int8)
    starts = []
    for k, record in enumerate(records):
        starts.append(Game.from_snapshot(record.start).games)
        for t, decision in enumerate(record.decisions):
            actions[t, k], seats[t, k] = decision.action, decision.player
            if decision.outcome is not None:
                outcomes[t, k] = outcome_code(decision.outcome)
    batch = CpuBatch(len(records), rules, reward=reward, seed=0, auto_reset=False)
    batch.place_games(np.arange(len(records)), np.concatenate(starts))
    units = np.empty((*shape, SIZE), np.int8)
    masks = np.empty((*shape, rules.num_actions), np.bool_)
    rewards = np.empty((*shape, rules.num_players), np.float32)
    draws = batch.games["rng"].copy()
    ways = np.zeros(NUM_OUTCOMES, np.int64)
    for t in range(shape[0]):
        units[t], masks[t] = batch.units, batch.mask
        is_on = seats[t] >= 0
        sound = (batch.player[is_on] == seats[t, is_on]).all()
        for k in np.flatnonzero((outcomes[t] >= 0) & (actions[t] != ROLL)).tolist():
            ways[:] = 0
            game_calls.count_outcomes(batch.games, k, actions[t, k], ways)
            sound &= ways[outcomes[t, k]] > 0
        batch.games["outcome"][is_on] = outcomes[t, is_on]
        batch.step(np.where(is_on, actions[t], batch.sample()))  # arbitrary in ended games
        rewards[t] = batch.reward
        # Each outcome belonged to a chance action, and no outcome was drawn.
        sound &= (batch.games["outcome"][is_on] == NO_OUTCOME).all()
        sound &= (batch.games["rng"] == draws)[is_on].all()
        if not sound:
            raise ValueError("a decision can't be played")
    ends = zip(batch.games["winner"], batch.games["points"], records, strict=True)
    for winner, points, record in ends:
        told = [record.result.get("winner"), record.result.get("points")]
        if record.result.get("end") not in (UNFINISHED, RESIGNED) and told != [
            None if winner < 0 else winner,
            points[: rules.num_players].tolist(),
        ]:
            raise ValueError("the result differs")
    return _in_rows(records, lengths, (units, masks, rewards, actions, seats))


def _in_rows(
    records: Sequence[GameRecord], lengths: NDArray[np.int64], steps: tuple[NDArray[Any], ...]
) -> _Block:
    """The rows of games, from arrays of their steps (T, B, ...)."""
    is_on = (np.arange(int(lengths.max()))[:, None] < lengths).T
    units, masks, rewards, actions, seats = (np.swapaxes(part, 0, 1)[is_on] for part in steps)
    ends = lengths.cumsum()
    games = [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]
    unnamed = [""] * rewards.shape[1]
    columns: dict[str, NDArray[Any]] = {
        "game": np.repeat(np.arange(len(records)), lengths),
        "step": np.arange(len(seats)) - np.repeat(ends - lengths, lengths),
        "seat": seats,
        "player": np.concatenate(
            [
                np.array(record.names or unnamed)[seats[game]]
                for game, record in zip(games, records, strict=True)
            ]
        ),
        "action": actions,
        "reward": np.zeros(len(seats), np.float32),
        "outcome": np.zeros(len(seats), np.float32),
        "terminated": np.zeros(len(seats), np.bool_),
        "truncated": np.zeros(len(seats), np.bool_),
    }
    for game, record in zip(games, records, strict=True):
        end, winner = record.result.get("end"), record.result.get("winner")
        for seat in range(rewards.shape[1]):
            rows = game.start + np.flatnonzero(seats[game] == seat)
            if not len(rows):
                continue
            columns["reward"][rows] = np.add.reduceat(rewards[: game.stop, seat], rows)
            columns["outcome"][rows] = (
                np.nan if end == UNFINISHED else 0 if winner is None else 2 * (winner == seat) - 1
            )
            columns["terminated"][rows[-1]] = end in ("won", RESIGNED)
            columns["truncated"][rows[-1]] = end == "truncated"
    return _Block(units, masks, columns)


def _arrays(block: _Block, encoder: Encoder, policy: Any) -> dict[str, NDArray[Any]]:
    """The columns by name; arrays (R, n) for list columns."""
    seen = encoder.encode(block.units)
    parts = seen if encoder.is_dict else {encoder.segments[0].name: seen}
    arrays = block.columns | {"mask": block.masks}
    for segment in encoder.segments:
        shape = len(block.units), segment.size
        arrays[_name(encoder, segment)] = np.reshape(parts[segment.name], shape)
    if policy is not None and len(block.units):
        given = policy.probabilities(block.units, block.masks.astype(np.int8))
        arrays["probabilities"] = given.astype(np.float32)
    return arrays


def _name(encoder: Encoder, segment: Segment) -> str:
    return f"{OBSERVATION}.{segment.name}" if encoder.is_dict else OBSERVATION


def schema_of(encoder: Encoder, num_actions: int) -> Any:
    """The columns with their types, and the shapes of list columns."""
    import pyarrow as pa

    scalars = {
        "game": pa.int32(),
        "step": pa.int32(),
        "seat": pa.int8(),
        "player": pa.string(),
        "mask": pa.list_(pa.bool_(), num_actions),
        "action": pa.int16(),
        "probabilities": pa.list_(pa.float32(), num_actions),
        "reward": pa.float32(),
        "outcome": pa.float32(),
        "terminated": pa.bool_(),
        "truncated": pa.bool_(),
    }
    fields = []
    for name in COLUMNS:
        if name != OBSERVATION:
            fields.append(pa.field(name, scalars[name]))
            continue
        for segment in encoder.segments:
            kind = pa.list_(pa.from_numpy_dtype(np.dtype(segment.dtype)), segment.size)
            told = {"shape": json.dumps(segment.shape), "meaning": segment.meaning}
            fields.append(pa.field(_name(encoder, segment), kind, metadata=told))
    return pa.schema(fields)


def _column(pa: Any, column: Any, array: NDArray[Any] | None, rows: int) -> Any:
    """An array as a column; None for nulls."""
    if array is None:
        return pa.nulls(rows, column.type)
    if array.ndim == 2:
        flat = pa.array(array.reshape(-1), column.type.value_type)
        return pa.FixedSizeListArray.from_arrays(flat, type=column.type)
    if column.name == "player":
        return pa.array(array, column.type, mask=array == "")
    return pa.array(array, column.type, from_pandas=column.name == "outcome")


def column_table(schema: Any) -> str:
    """A Markdown table of the columns with their types and meanings."""
    lines = ["| column | type | meaning |", "|---|---|---|"]
    for column in schema:
        length = getattr(column.type, "list_size", None)
        kind = column.type if length is None else f"{length} {column.type.value_type}"
        lines.append(f"| `{column.name}` | {kind} | {COLUMNS[column.name.partition('.')[0]]} |")
    return "\n".join(lines) + "\n"
