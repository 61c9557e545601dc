"""Evolving players, each a list of if-then rules."""
