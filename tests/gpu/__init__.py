"""Everything that only a GPU can show, by one command: `python -m tests.gpu`."""
