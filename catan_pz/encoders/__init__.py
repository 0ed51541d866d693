"""Encoders: what a seat sees, in the form that a learner wants."""

from catan_pz.encoders.base import Encoder, Segment
from catan_pz.encoders.registry import as_encoder, load, names, register

__all__ = ["Encoder", "Segment", "as_encoder", "load", "names", "register"]
