"""Measures of play in backgammon."""
