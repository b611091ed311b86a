"""A path as findings write it, to be pasted, with archive and line: ``logs.zip!/201401/2011.tch:274``."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from tichu_analytics.formats.remote import is_url

_LINE: Final = re.compile(r"(.+):([0-9]{1,9}):?", re.DOTALL)


class Named(NamedTuple):
    """What a path names.

    Attributes:
        path: the file or folder to read.
        member: the whole path of one game inside an archive; None for all that is in ``path``.
        line: a line of the log; None if none is named.
    """

    path: str
    member: str | None = None
    line: int | None = None


def as_named(path: str) -> Named:
    """Takes a path apart; a file that is there under the whole name is that, whatever signs the name has.

    A path that is not there, nor a part of it, is returned as it is, for the reader to say so.
    """
    if _is_there(path):
        return Named(path)
    ends = _LINE.fullmatch(path)
    # In an archive only names with the ending of a log are read, so that a number behind a colon is no part of one.
    name, line = (path, None) if ends is None else (ends[1], int(ends[2]))
    if line is not None and _is_there(name):
        return Named(name, line=line)
    at = name.find("!/")
    while at > 0:
        if Path(name[:at]).is_file():
            return Named(name[:at], name, line)
        at = name.find("!/", at + 1)
    return Named(path)


def _is_there(path: str) -> bool:
    return path == "-" or is_url(path) or os.path.lexists(path)
