"""Maps from positions to moves that evolve."""
