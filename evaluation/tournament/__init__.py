"""Tournaments: who meets whom, games played on any number of workers, a store that loses none, and tables."""
