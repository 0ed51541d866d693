"""Trainings that are asked to stop."""

import pytest

from catan_pz.training.stopping import Stoppable


def test_the_second_time_a_training_stops_at_once(capsys):
    training = Stoppable()
    assert not training.stopping
    training.stop()
    assert training.stopping
    assert "once more to stop at once" in "".join(capsys.readouterr())
    with pytest.raises(KeyboardInterrupt):
        training.stop()
    assert not Stoppable().stopping
