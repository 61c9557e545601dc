"""Estimates and their uncertainty: pure functions of numbers, independent of games and agents."""
