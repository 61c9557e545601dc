"""Lists of if-then rules that evolve."""
