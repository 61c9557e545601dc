"""What a run goes without, to show what it is worth: words of the rule language, and kinds of changes."""

from collections.abc import Mapping
from typing import NamedTuple

from ludarium.agents.lcs.language import FEATURES, NUMBER
from ludarium.agents.lcs.operators import CHANGES, Rules
from ludarium.agents.lcs.tables import names_in


class Without(NamedTuple):
    """What is left out.

    Attributes:
        features: features of the rule language, by number.
        changes: kinds of changes; see `CHANGES`.
    """

    features: frozenset[int]
    changes: frozenset[str]

    @property
    def other_changes(self) -> Mapping[str, int]:
        """The kinds of changes that remain, and their shares."""
        return {kind: share for kind, share in CHANGES.items() if kind not in self.changes}

    def check_list(self, rules: Rules) -> None:
        """Refuse a list that has what is left out.

        Raises:
            ValueError: with the words.
        """
        found = self.features & {*rules["feature"].ravel().tolist(), *rules["order"].ravel().tolist()}
        if found:
            words = ", ".join(FEATURES[number].name for number in sorted(found))
            raise ValueError(f"lcs: the list of origin has {words}, so a run without must have origin=random")


def left_out(names: str) -> Without:
    """What the names in a text stand for, as in `"good,bad,exception"`.

    Raises:
        ValueError: for what is neither a feature nor a kind of change, or if no kind of change remains.
    """
    known = names_in(names)
    for name in known:
        if name not in NUMBER and name not in CHANGES:
            raise ValueError(
                f"lcs: without must be features or changes of rules, not {name!r}; the features are "
                f"{', '.join(NUMBER)}; the changes are {', '.join(CHANGES)}"
            )
    found = Without(
        frozenset(NUMBER[name] for name in known if name in NUMBER),
        frozenset(name for name in known if name in CHANGES),
    )
    if not found.other_changes:
        raise ValueError(f"lcs: without must leave a kind of change: one of {', '.join(CHANGES)}")
    return found
