"""Players that look ahead: alpha-beta, Monte Carlo tree search, exact tables, exact endgames."""
