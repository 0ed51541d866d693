"""Fingerprints tell apart what encoders give, and bear rounding."""

import json

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.encoders.fingerprint import fingerprint, fits
from catan_pz.observation.segments import PLACES


class Signed(encoders.Encoder):
    """Float numbers of both signs, changed a little."""

    name = "signed"
    segments = (encoders.Segment("signed", (54, 4), "(V, P)", low=-1.0),)

    def __init__(self, change):
        self.change = change

    def encode(self, units):
        vertices = units[..., PLACES["vertex_building"]].astype(np.float32) - 1
        return (vertices * self.change).reshape(*units.shape[:-1], 54, 4)


@pytest.mark.parametrize("name", encoders.names())
def test_each_encoder_has_one_that_fits_and_depends_on_every_segment(name):
    encoder = encoders.load(name)
    noted = json.loads(json.dumps(fingerprint(encoder)))
    assert fits(encoder, noted)
    for key, sums in noted.items():
        assert not fits(encoder, noted | {key: [1.01 * number for number in sums]})
    assert not fits(encoder, {})


def test_rounding_is_borne_and_changes_are_not():
    noted = fingerprint(Signed(1.0))
    assert fits(Signed(1 + 1e-6), noted)
    assert not fits(Signed(1.01), noted)
    assert not fits(Signed(-1.0), noted)
    one = np.ones(216, np.float32)
    one[7] = 0.5
    assert not fits(Signed(one), noted)


@pytest.mark.parametrize("change", [np.nan, "text"])
def test_an_encoder_that_refuses_the_samples_has_none(change):
    assert fingerprint(Signed(change)) is None
    assert fits(Signed(change), fingerprint(Signed(1.0)))
    assert fits(Signed(1.0), None)
