"""Charlesworth's four-player agent: a policy with several heads, and forward search with it."""
