"""Published players of Hanabi that are lists of rules.

They are those of Osawa 2015, "Solving Hanabi: estimating hands by opponent's actions in cooperative game with
incomplete information" (internal, outer), of van den Bergh, Hommelberg, Kosters & Spieksma 2016, "Aspects of the
cooperative card game Hanabi" (vdb), and of Walton-Rivers, Williams, Bartle, Perez-Liebana & Lucas 2017, "Evaluating and
modelling Hanabi-playing agents" (the others), as the program of the last ones plays them. `docs/hanabi_rules.md` says
what the rules are.
"""

RULE_LISTS: dict[str, str] = {
    "piers": "play-probably-safe-card:0@hail-mary,play-safe-card,play-probably-safe-card:0.6@spare-life,"
    "tell-useful-card,tell-dispensable@few-hints,osawa-discard,discard-oldest-first,tell-randomly,discard-randomly",
    "iggi": "play-if-certain,play-safe-card,tell-useful-card,osawa-discard,discard-oldest-first,legal-random",
    "internal": "play-safe-card,osawa-discard,tell-playable-card,tell-randomly,discard-randomly",
    "outer": "play-safe-card,osawa-discard,tell-playable-card-outer,tell-unknown,discard-randomly",
    "cautious": "play-if-certain,play-safe-card,tell-useful-card,osawa-discard,discard-randomly,tell-randomly",
    "vdb": "play-probably-safe-card:0.6@spare-life,play-safe-card@last-life,discard-probably-useless-card:0.99,"
    "tell-useful-card,tell-useless-card,tell-most-information:0,discard-probably-useless-card:0",
    "flawed": "play-safe-card,play-probably-safe-card:0.25,tell-randomly,osawa-discard,discard-oldest-first,"
    "discard-randomly",
    "legal-random": "legal-random",
}
"""The lists by name; if no rule applies, the action is a random legal one."""
