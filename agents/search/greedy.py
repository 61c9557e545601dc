"""The greedy agent: looks one action ahead and takes what is worth most."""

from ludarium.agents.agent import takes
from ludarium.agents.search.evaluations import evaluation_of
from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy


def _check_game(game: Game) -> None:
    if game.name == "hanabi":
        from ludarium.agents.hanabi.players import check_game
    else:
        from ludarium.agents.search.one_ply import check_game
    check_game(game)


@takes(_check_game)
def greedy(game: Game, *, evaluation: str | Evaluation | None = "") -> Policy:
    """Take the action whose result has the best static evaluation; ties are broken at random.

    Backgammon is played by `pubeval`, Hanabi by the rule list of Piers; every other game by the evaluations of
    `ludarium.agents.values.evaluations`. In a game without one this means: win if a single action wins, avoid losing
    by a single action, otherwise play anything. An action that leads to a chance node is judged before chance decides.

    Args:
        game: the game.
        evaluation: another evaluation: one of the game by name; `"none"`, the returns so far; or see
            `ludarium.agents.specs`.

    Raises:
        ValueError: for other games with hidden information, where the result of an action cannot be seen; or for an
            unknown evaluation.
    """
    if game.name == "backgammon" and evaluation == "":
        from ludarium.agents.backgammon.pubeval import pubeval

        return pubeval(game)
    if game.name == "hanabi" and evaluation == "":
        from ludarium.agents.hanabi.players import rule_list

        return rule_list(game, name="piers", order="age")
    return one_ply(game, evaluation_of(game, evaluation))
