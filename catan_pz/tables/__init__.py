"""Play on other systems: our agents at their tables, their players at ours, recorded games."""
