"""Environments can be copied and pickled in the middle of a game: what all of them share of that."""

from typing import Any


class Pickled:
    """Pickles as any object does, and is read by the version that wrote it alone."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), _VERSION: _version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        written = state.pop(_VERSION, "an older version")
        if written != _version():
            raise ValueError(
                f"{type(self).__name__}: it was pickled by ludarium {written}, and this is {_version()}; make it anew"
            )
        vars(self).update(state)


_VERSION = "ludarium"


def _version() -> str:
    from ludarium import __version__

    return __version__
