"""Published players of Hanabi that are lists of rules, and lists of your own.

The players are those of Osawa 2015, "Solving Hanabi: estimating hands by opponent's actions in cooperative game with
incomplete information" (internal, outer), of van den Bergh, Hommelberg, Kosters & Spieksma 2016, "Aspects of the
cooperative card game Hanabi" (vdb), and of Walton-Rivers, Williams, Bartle, Perez-Liebana & Lucas 2017, "Evaluating and
modelling Hanabi-playing agents" (the others), as the program of the last ones plays them. `docs/hanabi_rules.md` says
what the rules are.
"""

from ludarium.agents.compiled.hanabi_rules.players import read_rules, rule_player
from ludarium.envs.episode import check_choice
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

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

_ORDERS, _BELIEFS = ("place", "age"), ("marginal", "exact")


def rule_list(
    game: Game, *, name: str = "piers", rules: str = "", order: str = "place", beliefs: str = "marginal"
) -> Policy:
    """The policy of a list of rules for a game of Hanabi.

    Args:
        game: the game.
        name: a list of `RULE_LISTS`.
        rules: a list of your own instead: `play-safe-card,play-probably-safe-card:0.6@spare-life,…`.
        order: which card of a hand is first: by `"place"`, where each new card is put where the old one was, as in the
            program of Walton-Rivers et al., or by `"age"`, the oldest.
        beliefs: `"marginal"` considers each of one's own cards alone, `"exact"` all together.

    Raises:
        ValueError: if there is no such list, the rules cannot be read, or the game is not Hanabi with observations that
            show knowledge.
    """
    if name not in RULE_LISTS:
        raise ValueError(f"hanabi: there is no rule list {name!r}; known: {', '.join(RULE_LISTS)}")
    check_choice("hanabi: order", order, _ORDERS)
    check_choice("hanabi: beliefs", beliefs, _BELIEFS)
    entries = read_rules(rules or RULE_LISTS[name])
    return rule_player(game, entries, by_age=order == "age", exact=beliefs == "exact")
