"""What trainings share; the modules are imported one by one, most need the extra `train`."""
