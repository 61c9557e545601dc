"""Games and matches between agents of any kind, and a person's game against them."""
