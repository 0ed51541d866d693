"""Charlesworth's four-player agent: a policy of heads, and forward search on it."""
