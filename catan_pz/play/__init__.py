"""Playing and watching games as a person: the desk, the terminal, and the shared session."""
