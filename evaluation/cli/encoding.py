"""Characters that the terminal cannot show are replaced, so that no name or sign ends a run."""

import codecs
import io
import sys

_SIMILAR = {"±": "+-", "–": "-", "−": "-", "…": "...", "½": "1/2", "·": ".", "×": "x", "µ": "u", "→": "->"}
_HANDLER = "ludarium.similar"


def _similar(error: UnicodeError) -> tuple[str, int]:
    """Similar characters in ASCII for those that cannot be encoded, `?` where there are none."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(_SIMILAR.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


codecs.register_error(_HANDLER, _similar)


def replace_what_cannot_be_shown() -> None:
    """From now on, standard output and standard error replace characters that their encoding does not have."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)
