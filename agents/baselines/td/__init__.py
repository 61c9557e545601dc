"""Temporal-difference learning: n-tuples on boards, a network where there are dice."""
