"""What a learner is: its options, the games it takes, and one step of learning.

A learner is a frozen dataclass of options with a few methods, and `ludarium.agents.learning.run.train` runs it. What it
knows is a dictionary of arrays. All its random draws depend only on its seed and on its progress, so training is a
function of the options alone: it does not matter where it was stopped, even by `kill -9`.

| derive from | to learn from | and define |
|---|---|---|
| `SelfPlay` | numbered games | `start`, `learn`, `policy` |
| `Evolver` (`evolution.py`) | generations of a population | `start`, `generation`, `largest_generation`, `member` |
| `Learner` | anything else | `start`, `advance`, `policy`, `unit`, `budget` |

`docs/learners/writing.md` shows how to write one.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.measure import Measurement, measure
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.options import did_you_mean
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

LEARNING = 1
"""The stream of a seed that learning draws from."""
_MOST = 10**12


@dataclass(frozen=True)
class Takes:
    """Which games a learner takes.

    Attributes:
        seats: the number of seats it needs; 0: any.
        zero_sum: it needs games whose payoffs sum to zero.
        cooperative: it needs games in which all seats get the same.
        chance: it also takes games with chance.
        hidden: it also takes games with hidden information.
    """

    seats: int = 2
    zero_sum: bool = True
    cooperative: bool = False
    chance: bool = False
    hidden: bool = False

    def refuses(self, game: Game) -> bool:
        """Whether the learner does not take a game."""
        return (
            (self.seats not in (0, game.seats))
            or (self.zero_sum and not game.zero_sum)
            or (self.cooperative and not game.cooperative)
            or (bool(game.max_outcomes) and not self.chance)
            or (game.hidden_information and not self.hidden)
        )

    def __str__(self) -> str:
        if self == Takes(seats=0, zero_sum=False, chance=True, hidden=True):
            return "any game"
        seats = {0: "", 1: "one-seat ", 2: "two-seat "}.get(self.seats, f"{self.seats}-seat ")
        kind = "zero-sum games" if self.zero_sum else "cooperative games" if self.cooperative else "games"
        without = [
            *([] if self.chance else ["without chance"]),
            *([] if self.hidden else ["without hidden information"]),
        ]
        return " ".join([seats + kind, " and ".join(without)]).strip()


@dataclass(frozen=True, kw_only=True)
class Learner:
    """Options that all learners have; subclasses add their own and define how they learn.

    Attributes:
        game: the game's spec.
        seed: everything is a function of it; an integer from 0.
        checkpoints: the number of checkpoints, from 1, evenly spaced; the last is the end. The player is measured at
            each.
        test_games: the number of games, from 2, that measure the player at each checkpoint, against each opponent,
            split evenly over the seats.

    Raises:
        ValueError: for options out of range, or a game this learner does not take.
    """

    name: ClassVar[str]
    """What commands and specs call it: `ludarium train NAME`, the agent `NAME:RUN`."""
    preset: ClassVar[str] = ""
    """The preset that this class is: `"seed"` is the learner as its original author described it, `"modern"` is what we
    recommend; empty for a learner without presets."""
    takes: ClassVar[Takes] = Takes()
    numbers: ClassVar[str] = "games"
    """What the numbers of its kept checkpoints count, see `Checkpoint.number`."""
    variants: ClassVar[tuple[str, ...]] = ()
    """What may follow the name in the command, as in `sb3:maskable-ppo`; if there are any, one is required."""
    game: str
    seed: int = 0
    checkpoints: int = 10
    test_games: int = 400

    def __post_init__(self) -> None:
        if not isinstance(self.game, str):
            raise ValueError(f"{self.name}: game must be the spec of a game, not {self.game!r}")
        self.settle()
        self.check_at_least(1, "checkpoints", most=10**6)
        self.check_at_least(0, "seed", most=2**64 - 1)
        self.check_at_least(2, "test_games", most=10**7)
        self.check(self.learned)

    @cached_property
    def learned(self) -> Game:
        """The game that it learns."""
        return make_game(self.game)

    def __getstate__(self) -> dict[str, Any]:
        """The options alone: what follows from them is found again."""
        return {option.name: getattr(self, option.name) for option in fields(self)}

    def settle(self) -> None:
        """Replace defaults with values that follow from other options, by `fill`, so that they are on record."""

    def fill(self, option: str, unsettled: Any, value: Any) -> None:
        """Give an option a value if it still has the default that means "not settled yet"."""
        if getattr(self, option) == unsettled:
            object.__setattr__(self, option, value)

    # --- which options and games -------------------------------------------------------------------------------------

    def check(self, game: Game) -> None:
        """Refuse a game or an option value that this learner does not take."""
        if self.takes.refuses(game):
            raise ValueError(f"{self.name}: {game.spec} cannot be learned; it takes {self.takes}")

    def check_at_least(self, least: int, *options: str, most: int = _MOST) -> None:
        """Refuse options that are not integers from `least` to `most`: compiled code and memory can hold no more."""
        for option in options:
            value = getattr(self, option)
            if type(value) is not int or value < least:
                raise ValueError(f"{self.name}: {option} must be an integer of at least {least}, not {value!r}")
            if value > most:
                raise ValueError(f"{self.name}: {option} must be an integer of at most {most}, not {value!r}")

    def check_choice(self, option: str, *choices: str) -> None:
        """Refuse an option that is not one of the choices."""
        if getattr(self, option) not in choices:
            names = ", ".join(map(repr, choices))
            raise ValueError(f"{self.name}: {option} must be one of {names}, not {getattr(self, option)!r}")

    def check_number(self, least: float, most: float, *options: str) -> None:
        """Refuse options that are not numbers from `least` to `most`."""
        for option in options:
            value = getattr(self, option)
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
                raise ValueError(f"{self.name}: {option} must be a number from {least} to {most}, not {value!r}")

    def check_idle(self, why: str, *options: str) -> None:
        """Refuse options that would be ignored, if they differ from their defaults.

        Args:
            why: when they are ignored, for the error: `"without a memory to judge rules by"`.
            options: their names.
        """
        defaults = {field.name: field.default for field in fields(self)}
        for option in options:
            if getattr(self, option) != defaults[option]:
                raise ValueError(
                    f"{self.name}: {option} must be {defaults[option]!r}, not {getattr(self, option)!r}, {why}"
                )

    @classmethod
    def from_options(cls, options: Mapping[str, Any], variant: str = "") -> Self:
        """Make a learner from options by name; an integer will do for any number.

        Args:
            options: the options.
            variant: what follows the name and a colon in the command, such as `maskable-ppo` in `sb3:maskable-ppo`.

        Raises:
            ValueError: for an unknown option, or a value that is not allowed.
        """
        if variant:
            raise ValueError(f"{cls.name} has no variants, so {cls.name}:{variant} cannot be trained; use {cls.name}")
        options_of_class = {field.name: field for field in fields(cls)}
        for option in options:
            if option not in options_of_class:
                hint = did_you_mean(option, options_of_class)
                raise ValueError(
                    f"{cls.name}: unknown option {option!r}; {hint}the options are: {', '.join(options_of_class)}"
                )
        for option, field in options_of_class.items():
            if field.default is MISSING and option not in options:
                raise ValueError(f"{cls.name}: the option {option!r} is missing")
            if isinstance(field.default, bool) and type(options.get(option, True)) is not bool:
                raise ValueError(f"{cls.name}: {option} must be True or False, not {options[option]!r}")
        return cls(**options)

    # --- how it learns -----------------------------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """What the budget is counted in: `"games"`, `"decisions"` or `"generations"`, as `Checkpoint` calls them."""
        raise NotImplementedError

    @property
    def budget(self) -> int:
        """The number of units after which the run is over."""
        raise NotImplementedError

    def start(self, game: Game) -> Arrays:
        """What is known before the first game."""
        raise NotImplementedError

    def fits(self, game: Game, arrays: Arrays) -> bool:
        """Whether arrays from a file can belong to this learner: compiled code trusts their sizes."""
        return same_layout(arrays, self.start(game))

    def resume(self, folder: Path) -> Checkpoint | None:
        """For learners whose runs have files of their own: open the run in a folder, or a new one.

        Returns:
            The run so far; None if its files are those that `checkpoint.py` describes.

        Raises:
            ValueError: if the folder holds a run with other options, a damaged one, or something else.
        """
        return None

    def advance(self, game: Game, now: Checkpoint, until: int, parallel: Parallel) -> tuple[Checkpoint, dict[str, Any]]:
        """Learn a little more: for about a tenth of a second, or one generation.

        Args:
            game: the game.
            now: the run so far; its arrays may be changed in place.
            until: the next checkpoint, in units. Learners that can stop exactly there do so.
            parallel: maps functions over parts.

        Returns:
            The run after this step, and its line in the metrics, by name; empty for no line.
        """
        raise NotImplementedError

    def is_over(self, game: Game, now: Checkpoint) -> bool:
        """Whether the budget is used up."""
        return int(getattr(now, self.unit)) >= self.budget

    def counts(self, now: Checkpoint) -> dict[str, int]:
        """The counts that each line of the metrics begins with."""
        return {"games": now.games, "decisions": now.decisions}

    def plays(self, game: Game) -> bool:
        """Whether its player plays a game: the one that it has learned from, unless a subclass knows better."""
        return self.learned.spec == game.spec

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        """The player that plays by what was learned, without exploring."""
        raise NotImplementedError

    def measure(self, game: Game, now: Checkpoint) -> Measurement:
        """Measure that player in `test_games` games: see `ludarium.agents.learning.measure`."""
        return measure(game, self.policy(game, now.arrays), self.test_games, self.seed)

    def summary(self, line: Mapping[str, Any]) -> str:
        """A short text about a line of the metrics, shown while the learner runs."""
        return ""

    def ended(self, now: Checkpoint) -> str:
        """What people should know of a finished run besides its last metrics, in a line."""
        return ""

    # --- what it has learned -----------------------------------------------------------------------------------------

    def player(self, game: Game, arrays: Arrays) -> Agent:
        """The trained player as an agent. Keywords that subclasses add are the options of the agent `NAME:RUN`.

        Raises:
            ValueError: if it does not play the game, or an option is not allowed.
        """
        return CompiledAgent(self.name, self.policy(game, arrays))

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        """What it has learned that unfinished positions are worth, for players that look ahead.

        Raises:
            ValueError: if it learns no such thing.
        """
        raise ValueError(f"{self.name}: this learner does not say what positions are worth, so it is no evaluation")

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        """What is inside a player of this run, for `ludarium inspect`; by default, nothing that can be shown.

        Args:
            game: the game.
            arrays: what was learned.
            member: the player, by its place in the population; 0 if there is only one.
            watch: plays games with the player, and tells what moves do.

        Raises:
            ValueError: if there is nothing to show.
        """
        raise ValueError(f"{self.name}: there is nothing to inspect: this learner stores nothing in a readable form")


def same_layout(arrays: Arrays, expected: Arrays) -> bool:
    """Whether arrays have the names, types and shapes of others."""
    return arrays.keys() == expected.keys() and all(
        (array.dtype, array.shape) == (expected[name].dtype, expected[name].shape) for name, array in arrays.items()
    )


@dataclass(frozen=True, kw_only=True)
class SelfPlay(Learner):
    """A learner that learns from numbered games.

    Attributes:
        games: the number of games to learn from, from 1, which is the budget. Schedules are stretched over it.
    """

    games: int = 10_000

    def settle(self) -> None:
        self.check_at_least(1, "games")

    @property
    def unit(self) -> str:
        return "games"

    @property
    def budget(self) -> int:
        return self.games

    def learn(self, game: Game, arrays: Arrays, first: int, count: int) -> int:
        """Learn from games `first` to `first + count - 1`; return the number of their decisions.

        The dictionary and its arrays change. How the games are split into calls must not change what is learned.
        """
        raise NotImplementedError

    def advance(self, game: Game, now: Checkpoint, until: int, parallel: Parallel) -> tuple[Checkpoint, dict[str, Any]]:
        interval = self.games // self.checkpoints
        count = min(max(1, interval // 20), until - now.games)
        decisions = self.learn(game, now.arrays, now.games, count)
        return replace(now, games=now.games + count, decisions=now.decisions + decisions), {}
