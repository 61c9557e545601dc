"""The presets of a learner: each is a class of its own, with its own options.

`"seed"` is the learner as its original author described it, `"modern"` is what we recommend; others have names of their
own. A learner without presets is a `Presets` of one class.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ludarium.agents.agent import Agent
from ludarium.agents.learning.learner import Learner, Takes
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.options import did_you_mean


@dataclass(frozen=True)
class Presets:
    """A learner by name.

    Attributes:
        classes: one for each preset; the first is the one that counts where no preset is given.
        of_old_run: which preset wrote the options of a run whose manifest does not name one; by default the first.
        dropped: options that earlier versions stored, each with the values that say nothing now. A run with another
            value cannot be read.
        agent: makes the agent `NAME:PATH` of a path and options, for learners whose agents also come from elsewhere
            than the folders of runs; None: `Learner.player` makes it.
        of_file: what a run that starts from a file would begin with, if there are such files.

    Raises:
        ValueError: if the classes have different names, or two have the same preset.
    """

    classes: tuple[type[Learner], ...]
    of_old_run: Callable[[Mapping[str, Any]], str] | None = None
    dropped: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    agent: Callable[..., Agent] | None = None
    of_file: Callable[[str, Game], tuple[Learner, Arrays]] | None = None

    def __post_init__(self) -> None:
        presets = {kind.preset for kind in self.classes}
        if len({kind.name for kind in self.classes}) != 1 or len(presets) < len(self.classes):
            raise ValueError(f"the classes of a learner have one name and different presets, not {self.classes}")

    @property
    def name(self) -> str:
        """What commands and specs call the learner."""
        return self.classes[0].name

    @property
    def names(self) -> list[str]:
        """The presets; none for a learner without any."""
        return [kind.preset for kind in self.classes if kind.preset]

    @property
    def options(self) -> list[str]:
        """The names of all options that any preset has."""
        return list(dict.fromkeys(option for kind in self.classes for option in _options(kind)))

    @property
    def takes(self) -> Takes:
        """Which games it takes."""
        return self.classes[0].takes

    @property
    def player(self) -> Callable[..., Agent]:
        """The function whose keywords are the options of the agent `NAME:PATH`."""
        return self.agent or self.classes[0].player

    def learner(self, options: Mapping[str, Any], preset: str = "", variant: str = "") -> Learner:
        """A learner from options by name; an integer will do for any number.

        Args:
            options: the options.
            preset: the preset; `""` for the first.
            variant: what follows the name and a colon in the command, such as `maskable-ppo` in `sb3:maskable-ppo`.

        Raises:
            ValueError: for an unknown preset or option, or a value that is not allowed.
        """
        kind = self.kind(preset)
        options_of_preset = _options(kind)
        for option in () if kind.variants else options:
            if option not in options_of_preset:
                raise ValueError(f"{self._full(kind)}: unknown option {option!r}; {self._where(option, options, kind)}")
        return kind.from_options(options, variant)

    def of_run(self, options: Mapping[str, Any], preset: str | None) -> Learner:
        """The learner that wrote the manifest of a run.

        Args:
            options: the options in the manifest.
            preset: the preset in the manifest; None if it names none.

        Raises:
            ValueError: if this version has no such preset, or lacks an option that matters.
        """
        if lacking := self.lacks(options, preset):
            raise ValueError(f"trained with {lacking}, which this version does not have; train again")
        kind = self._kind_of_run(options, preset)
        kept = {option: value for option, value in options.items() if option not in self._gone(kind, options)}
        return kind.from_options(kept)

    def lacks(self, options: Mapping[str, Any], preset: str | None) -> str:
        """An option of a run that this version no longer has, with a value that matters, as text; empty if none is."""
        gone = self._gone(self._kind_of_run(options, preset), options)
        return next(
            (f"{option}={options[option]!r}" for option in gone if options[option] not in self.dropped[option]), ""
        )

    def _kind_of_run(self, options: Mapping[str, Any], preset: str | None) -> type[Learner]:
        if preset is None and self.of_old_run is not None:
            preset = self.of_old_run(options)
        return self.kind(preset or "")

    def _gone(self, kind: type[Learner], options: Mapping[str, Any]) -> list[str]:
        return [option for option in options if option in self.dropped and option not in _options(kind)]

    def kind(self, preset: str = "") -> type[Learner]:
        """The class of a preset; by default the first.

        Raises:
            ValueError: for an unknown preset.
        """
        if not preset:
            return self.classes[0]
        for kind in self.classes:
            if kind.preset == preset:
                return kind
        if not self.names:
            raise ValueError(f"{self.name} has no presets, so --preset {preset} cannot be given")
        raise ValueError(f"{self.name}: unknown preset {preset!r}; the presets are: {', '.join(self.names)}")

    def _full(self, kind: type[Learner]) -> str:
        return f"{self.name} --preset {kind.preset}" if kind.preset else self.name

    def _where(self, option: str, options: Mapping[str, Any], kind: type[Learner]) -> str:
        """Where an option that a class does not have may be found."""
        having = [f"{other.preset!r}" for other in self.classes if option in _options(other)]
        if having:
            return f"it is an option of the preset{'s' if len(having) > 1 else ''} {' and '.join(having)}"
        values, value = self.dropped.get(option, ()), options[option]
        if value in values and self.of_old_run is not None and (now := self.of_old_run(options)) != kind.preset:
            return f"{option}={value!r} is the preset {now!r} now"
        return f"{did_you_mean(option, _options(kind))}the options are: {', '.join(_options(kind))}"


def _options(kind: type[Learner]) -> list[str]:
    return [option.name for option in fields(kind)]
