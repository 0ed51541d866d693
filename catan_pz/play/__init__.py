"""Playing and watching as a person: windows, terminals, and the session behind them."""
