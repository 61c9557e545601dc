"""Nim for Ludarium: a game and an agent, which `pyproject.toml` offers through entry points."""
