"""Learners that evolve: a population of players that compete and breed."""
