"""The greedy agent: looks one action ahead and takes what is worth most."""

from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import evaluation_of
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy


def greedy(game: Game) -> Policy:
    """The action whose result the game's static evaluation likes best; ties are broken at random.

    Backgammon is played by `pubeval`, Hanabi by the rule list of Piers; every other game by the evaluations of
    `ludarium.agents.values.evaluations`. Where a game has none, that means: win if a single action wins, avoid to
    lose by a single action, otherwise anything. An action that leads to a chance node is judged before the chance.

    Raises:
        ValueError: for other games with hidden information, where the result of an action cannot be seen.
    """
    if game.name == "backgammon":
        from ludarium.agents.values.pubeval import pubeval

        return pubeval(game)
    if game.name == "hanabi":
        from ludarium.agents.baselines.hanabi_rules import rule_list

        return rule_list(game, name="piers")
    return one_ply(game, evaluation_of(game))
