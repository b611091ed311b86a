"""Names that a user gives to files and folders: an empty one, as an unset variable of a shell leaves it, is none.

Python takes an empty path for the current folder, which nobody meant who has written ``--out "$OUT"``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import typer

_Value = TypeVar("_Value")


def _refusing(what: str) -> Callable[[_Value], _Value]:
    """A function that gives back what is named, or refuses it if it, or one of several, is empty."""

    def given(value: _Value) -> _Value:
        if any(one == "" for one in (value if isinstance(value, list) else [value])):
            raise typer.BadParameter(f"the name of the {what} is empty")
        return value

    return given


#: For ``callback`` of an argument or an option that names one thing, or several.
a_file = _refusing("file")
a_folder = _refusing("folder")
a_data_set = _refusing("data set")
