"""A learning classifier system for Hanabi: readable if-then rules that evolve."""
