import contextlib
import errno
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="takes the extra `train`")
pytest.importorskip("tensorboard", reason="takes the extra `train`")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from catan_pz.training.tensorboard import make_logger

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")


def logged(folder):
    """Steps and values by tag."""
    found = EventAccumulator(str(folder))
    found.Reload()
    tags = found.Tags()["scalars"]
    return {tag: [(one.step, one.value) for one in found.Scalars(tag)] for tag in tags}


def log(logger, step, **values):
    for name, value in values.items():
        logger.record(name, value)
    logger.dump(step)


@pytest.fixture
def full(monkeypatch):
    """A disk that fills up in the middle of an entry, and its switch."""
    disk = {"full": False}
    plain = Path.open

    class Half:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, data):
            self.file.write(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(path, mode="r", *rest, **more):
        file = plain(path, mode, *rest, **more)
        return Half(file) if disk["full"] and mode == "ab" else file

    monkeypatch.setattr(Path, "open", opened)
    return disk


def test_numbers_are_logged(tmp_path):
    logger = make_logger(tmp_path / "logs", 0, pytest.fail)
    log(logger, 1, a=1, b=np.float32(0.5), c=True, d="text")
    log(logger, 2, a=2)
    logger.record("hidden", 1, exclude="tensorboard")
    logger.dump(3)
    logger.close()
    assert logged(tmp_path / "logs") == {"a": [(1, 1), (2, 2)], "b": [(1, 0.5)], "c": [(1, 1)]}


def test_a_resumed_training_purges_what_came_after_its_checkpoint(tmp_path):
    first = make_logger(tmp_path, 0, pytest.fail)
    for step in (1, 2, 3):
        log(first, step, a=step)
    second = make_logger(tmp_path, 2, pytest.fail)
    log(second, 3, a=30)
    assert logged(tmp_path) == {"a": [(1, 1), (2, 2), (3, 30)]}


def test_a_full_disk_is_told_once_and_logs_go_on_where_there_is_room_again(tmp_path, full):
    told = []
    logger = make_logger(tmp_path, 0, told.append)
    log(logger, 1, a=1)
    full["full"] = True
    log(logger, 2, a=2)
    log(logger, 3, a=3)
    assert logged(tmp_path) == {"a": [(1, 1)]}
    assert told == ["TensorBoard's logs can't be written: [Errno 28] No space left on device."]
    full["full"] = False
    log(logger, 4, a=4)
    assert logged(tmp_path) == {"a": [(k, k) for k in (1, 2, 3, 4)]}
    full["full"] = True
    log(logger, 5, a=5)
    logger.close()
    assert len(told) == 2
    assert logged(tmp_path) == {"a": [(k, k) for k in (1, 2, 3, 4)]}


def test_a_disk_that_is_full_from_the_start(tmp_path, full):
    full["full"] = True
    told = []
    logger = make_logger(tmp_path / "logs", 0, told.append)
    log(logger, 1, a=1)
    logger.close()
    assert len(told) == 1
    full["full"] = False
    logger.close()
    assert logged(tmp_path / "logs") == {"a": [(1, 1)]}


def test_a_folder_that_can_not_be_made(tmp_path):
    (tmp_path / "logs").write_text("a file")
    told = []
    logger = make_logger(tmp_path / "logs", 0, told.append)
    log(logger, 1, a=1)
    with contextlib.closing(logger):
        assert len(told) == 1
