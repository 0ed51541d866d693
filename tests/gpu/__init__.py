"""All checks that need a GPU, in one command: `python -m tests.gpu`."""
