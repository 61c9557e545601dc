"""Players that do not learn by evolution: search, exact tables, hand-written experts, external engines."""
