"""Standard streams that the shell has closed (`<&-`) lead nowhere, so that no file takes their place."""

import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed_streams() -> None:
    """From now on, closed standard input is empty, and what goes to closed output is lost.

    Otherwise the next file that is opened would get the number of the closed one, and programs that are started would
    read from it, or write to it.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < len(_STREAMS):
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
