"""Values that a batch works out once a step, and only where somebody reads them."""

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from catan_pz.checks import not_possible
from catan_pz.encoders import Encoder, as_encoder, names

T = TypeVar("T")

_NOT_MADE: Final[Any] = object()


class PerStep(Generic[T]):
    """A value that is worked out when it is first read after a step.

    Args:
        make: works it out.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._value: T = _NOT_MADE

    def get(self) -> T:
        """The value for the games as they are now."""
        if self._value is _NOT_MADE:
            self._value = self._make()
        return self._value

    def forget(self) -> None:
        """The games have changed."""
        self._value = _NOT_MADE


def encoder_of(observation: bool | str | Encoder) -> Encoder | None:
    """The encoder that an option of `make_batch` names: True for "units", False for none.

    Raises:
        ValueError: for any but these.
    """
    if isinstance(observation, bool):
        return as_encoder("units") if observation else None
    known = isinstance(observation, Encoder) or (
        isinstance(observation, str) and observation in names()
    )
    if not known:
        allowed = f"True, False, an Encoder of catan_pz.encoders, or one of {names()}"
        raise not_possible("option observation", observation, allowed, names())
    return as_encoder(observation)
