"""Stable-Baselines3 and sb3-contrib: their models as agents, and their training."""
