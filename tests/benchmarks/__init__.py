"""Measurements of speed and knowledge; reported, never a timed test."""
