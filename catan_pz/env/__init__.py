"""Environments: PettingZoo's AEC interface, and one seat for Gymnasium."""
