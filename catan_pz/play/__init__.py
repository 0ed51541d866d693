"""Playing and watching as a person: the desk, the terminal, and the session behind them."""
