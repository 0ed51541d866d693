"""Other people's tables: their games with players of this package, and their players here."""
