"""Evolving players, each a map from positions to moves."""
