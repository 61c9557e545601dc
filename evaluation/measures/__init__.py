"""How good an agent is: exact measures on small games, fixed yardsticks, tactics."""
