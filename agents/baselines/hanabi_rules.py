"""The agent `hanabi-rules`: published players of Hanabi that are lists of rules, and lists of your own."""

from ludarium.agents.agent import takes
from ludarium.agents.compiled.hanabi_rules.lists import RULE_LISTS
from ludarium.agents.compiled.hanabi_rules.players import check_game, read_rules, rule_player
from ludarium.agents.values.playouts import judged_by_playouts
from ludarium.envs.episode import check_choice
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_ORDERS, _BELIEFS = ("place", "age"), ("marginal", "exact")


@takes(check_game)
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
    return judged_by_playouts(rule_player(game, entries, by_age=order == "age", exact=beliefs == "exact"))
