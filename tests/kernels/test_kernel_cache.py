"""The cache of CUDA kernels, which is numba's own, fails with a warning alone."""

from types import SimpleNamespace
from typing import Any

import pytest

from catan_pz.kernels import cache as kernel_cache
from catan_pz.kernels import notices
from catan_pz.kernels.cache import use_kernel_cache
from catan_pz.kernels.stamp import stamp_of


class FakeCache:
    """Numba's cache of a kernel."""

    def __init__(self) -> None:
        self._cache_file = SimpleNamespace(_source_stamp="numba's")
        self.error: Exception | None = None
        self.cache_path = "missing"
        self.flushed = 0

    def load_overload(self, signature: Any, context: Any) -> Any:
        if self.error:
            raise self.error
        return signature

    save_overload = load_overload

    def flush(self) -> None:
        self.flushed += 1


class FakeKernel:
    """A dispatcher of a kernel."""

    _cache: Any = None

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def enable_caching(self) -> None:
        if self._error:
            raise self._error
        self._cache = FakeCache()


def kernel() -> None:
    """What is compiled."""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_warned", set())


def test_kernels_are_stamped_with_all_sources(caplog) -> None:
    made = FakeKernel()
    use_kernel_cache(made, kernel)
    assert made._cache._cache_file._source_stamp == stamp_of(__name__)
    assert made._cache.load_overload("found", None) == "found"
    assert caplog.messages == []


@pytest.mark.parametrize("error", [EOFError(), OSError("full"), ValueError("no pickle")])
def test_files_that_can_not_be_used_are_told_once(error: Exception, caplog) -> None:
    made = FakeKernel()
    use_kernel_cache(made, kernel)
    made._cache._cache.error = error
    for _ in range(2):
        assert made._cache.load_overload("a", None) is None
        assert made._cache.save_overload("a", None) is None
    assert len(caplog.messages) == 1
    assert made._cache.flushed == 2


def test_numbas_own_stamp_is_never_enough(monkeypatch, caplog) -> None:
    def unreadable(_module: str) -> str:
        raise OSError("a source can't be read")

    monkeypatch.setattr(kernel_cache, "stamp_of", unreadable)
    made = FakeKernel()
    use_kernel_cache(made, kernel)
    assert made._cache is None
    assert len(caplog.messages) == 1
