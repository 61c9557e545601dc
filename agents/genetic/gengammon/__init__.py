"""Gengammon: networks for backgammon that evolve by imitating experts."""
