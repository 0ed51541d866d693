"""Other people's tables: our agents at theirs, their players at ours, games recorded there."""
