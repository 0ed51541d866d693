"""Shared parts of trainings; import the modules one by one, most need the extra `train`."""
