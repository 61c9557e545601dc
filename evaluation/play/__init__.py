"""Games and matches between agents of any kind, and games of a person against them."""
