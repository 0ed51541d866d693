"""Other people's tables: our agents there, and their players here."""
