"""Players: what they are asked, and the simplest of them."""
