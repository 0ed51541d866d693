"""A strong player written by hand, as rules on what one seat sees."""
