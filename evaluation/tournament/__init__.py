"""Tournaments: who meets whom, games played wherever there is room, a store that loses none, and tables."""
