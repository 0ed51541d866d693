"""Measurements of speed and knowledge, which are reported and never tested."""
