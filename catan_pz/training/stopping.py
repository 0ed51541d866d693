"""Trainings that stop when they are asked to."""

from typing import Any

from catan_pz.training.console import say


class Stoppable:
    """A training that may be asked to stop, by Ctrl-C for example.

    Attributes:
        stopping: whether it was asked.
    """

    stopping = False

    def stop(self, *_: Any) -> None:
        """Save and stop after this update.

        Raises:
            KeyboardInterrupt: when called a second time, to stop at once.
        """
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True
        say("Stopping after this update; once more to stop at once, without saving.")
