"""Players to compare with: simple ones, hand-written experts, and learners that do not evolve."""
