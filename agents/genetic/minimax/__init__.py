"""The learner `minimax`: evaluations whose weights evolve, played by a search."""
