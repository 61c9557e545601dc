"""Finished games against people, kept in a tournament's store: `ludarium report` counts the person as an entrant.

The store's seed and the number of a pair determine the dice and cards of a stored game. So while a store is open, the
table deals new games from that seed. Whoever reads the store knows the seed; so the numbers of pairs are drawn at
random from so many that nobody finds the next one, and no game is dealt twice.
"""

import secrets
from dataclasses import replace
from pathlib import Path

import numpy as np

from ludarium.envs.batch import FINISHED, TRUNCATED
from ludarium.envs.chance import child_key, secret_seed, seed_key
from ludarium.envs.episode import Episode
from ludarium.evaluation.play.match import FORFEIT
from ludarium.evaluation.report.content import read_store
from ludarium.evaluation.table.plan import ME, Plan
from ludarium.evaluation.table.refusal import Refusal
from ludarium.evaluation.table.standing import Standing
from ludarium.evaluation.tournament.schedule import PEOPLE, GameEntry, Tournament
from ludarium.evaluation.tournament.store import GameRow, Store, StoreError, move_type

_SEATS = 2
_PAIR_BITS = 62  # SQLite holds integers of 63


class PeoplesGames:
    """A store of games that a person has finished.

    Args:
        path: its file, which the first game that is kept makes.
        name: the person.

    Raises:
        StoreError: if the file is not a store, or the store of a tournament between agents.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._seed = secret_seed()
        if path.exists():
            tournament, *_ = read_store(path)
            if tournament.name != PEOPLE:
                raise StoreError(f"{path} holds the tournament {tournament.name!r}; give another file as --store")
            self._seed = tournament.seed

    @property
    def name(self) -> str:
        """The file's name."""
        return self._path.name

    def deal(self, plan: Plan) -> Plan:
        """The plan with dice or cards that the store can keep."""
        return replace(plan, seed=self._seed, pair=secrets.randbits(_PAIR_BITS))

    def keep(self, ended: Standing) -> str:
        """Add a finished game.

        Returns:
            Its key in the store, `EVENT:A:B:PAIR:LEG`.

        Raises:
            Refusal: if a store cannot hold the game.
        """
        self._check(ended)
        plan = ended.plan
        person = plan.people[0]
        opponent = plan.seats[1 - person]
        if opponent == self._name:
            raise Refusal(f"you have the name of the agent {opponent!r}; start the table with another --name", 409)
        known = Tournament((self._name,), (self._entry(plan),), PEOPLE, self._seed)
        if self._path.exists():
            known = read_store(self._path)[0]
        tournament = self._joined(known, plan, opponent)
        row = self._row(ended, tournament, opponent)
        with Store(self._path, (known if self._path.exists() else tournament).data()) as store:
            store.extend(tournament.data())
            before = store.count()
            store.add([row])
            if store.count() == before:
                raise Refusal("this game is in the store already", 409)
        return ":".join(map(str, row[:5]))

    def _check(self, ended: Standing) -> None:
        plan, game = ended.plan, ended.plan.made
        if not ended.over:
            raise Refusal("the game is not over yet; a store keeps finished games", 409)
        if game.seats != _SEATS or len(plan.people) != 1 or plan.names:
            raise Refusal("a store keeps games of one person with one agent", 409)
        if plan.start is not None or plan.script:
            raise Refusal("a store keeps games from the start, with the dice or cards that the table dealt", 409)
        if ended.taken_back:
            raise Refusal("moves were taken back, so this game does not count", 409)
        if plan.seed != self._seed:
            raise Refusal(f"it was not dealt for {self.name}: begin the game without a seed of your own", 409)

    @staticmethod
    def _entry(plan: Plan) -> GameEntry:
        return GameEntry(plan.game, 1, crossplay=plan.made.cooperative)

    def _joined(self, known: Tournament, plan: Plan, opponent: str) -> Tournament:
        """The tournament with the game and its two players among the others."""
        entry = self._entry(plan)
        games = {one.game: one for one in known.games}
        games.setdefault(entry.game, entry)
        agents = dict.fromkeys([*known.agents, self._name, opponent])
        return replace(known, agents=tuple(agents), games=tuple(games.values()))

    def _row(self, ended: Standing, tournament: Tournament, opponent: str) -> GameRow:
        """The game as it is stored, played once more."""
        plan, game = ended.plan, ended.plan.made
        seats = [tournament.agents.index(self._name if spec == ME else opponent) for spec in plan.seats]
        episode = Episode(game, child_key(seed_key(plan.seed), plan.pair), None, [])
        actions = [move.action for move in ended.moves]
        for action in actions:
            cheap = {way.action for way in game.resignations(episode.position)[:-1]}
            if action in cheap:
                raise Refusal("the agent might have won more than what was resigned, so this game does not count", 409)
            episode.play(action)
        ending, cause = (TRUNCATED if episode.truncated else FINISHED), ""
        if ended.loser is not None:
            episode.forfeit(ended.loser)
            ending, cause = FORFEIT + ended.loser, ended.ending
        a, b = sorted(seats)
        event = [entry.game for entry in tournament.games].index(plan.game)
        payoff_a, payoff_b = (float(episode.returns[seats.index(entrant)]) for entrant in (a, b))
        moves = np.array(actions, dtype=move_type(game)).tobytes()
        return GameRow(event, a, b, plan.pair, seats.index(a), payoff_a, payoff_b, ending, cause, moves)
