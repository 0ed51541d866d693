"""Environments: PettingZoo's AEC interface, and a single-seat environment for Gymnasium."""
