"""Encoders: a seat's observation in the form that a learner needs."""

from catan_pz.encoders.base import Encoder, Segment
from catan_pz.encoders.registry import as_encoder, load, names, register

__all__ = ["Encoder", "Segment", "as_encoder", "load", "names", "register"]
