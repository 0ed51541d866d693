"""What all tests of the examples share."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def quick_pictures():
    """Drawing takes longer than small trainings: tests/training/test_evaluation.py has pictures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("catan_pz.training.evaluation.draw_curve", lambda *_: b"picture")
        yield
