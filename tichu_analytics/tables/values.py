"""Values of an answer as text: how each type of DuckDB is read, and how a value is written for people and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_WHOLE: Final = frozenset(
    {
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "UHUGEINT",
    }
)
_AS_THEY_ARE: Final = _WHOLE | {"BOOLEAN", "DOUBLE", "FLOAT", "VARCHAR", "JSON", '"NULL"'}
#: Types that Arrow or pandas has no type of its own for: they are handed over as DuckDB writes them.
_NOT_IN_ARROW: Final = ("UHUGEINT", "BIT", "BIGNUM", "VARINT", "VARIANT", "GEOMETRY", "UNION(", "TIME WITH TIME ZONE")


def is_number(type_: str) -> bool:
    """Whether a type of DuckDB, by its name, is one of numbers."""
    return type_ in _WHOLE or type_ in ("DOUBLE", "FLOAT", "BIGNUM") or type_.startswith("DECIMAL(")


def _element(type_: str) -> str:
    """The type of what is in a list of lists; a type that is no list is its own."""
    while type_.endswith("]"):
        type_ = type_[: type_.rindex("[")]
    return type_


def as_rows(types: Sequence[str]) -> list[str]:
    """What to select for rows of Python values, as SQL with the columns by number.

    Truth values, numbers, texts and lists of them come as they are; dates, times, structures and all else as the text
    that DuckDB writes for it, which also has a form for what Python has no value for, such as an endless date.
    """
    chosen = []
    for number, type_ in enumerate(types, 1):
        element = _element(type_)
        if type_ == "FLOAT":
            # The shortest text that gives the same number back: 0.1 and not 0.10000000149011612.
            chosen.append(f"CAST(CAST(#{number} AS VARCHAR) AS DOUBLE)")
        elif element in _AS_THEY_ARE or element.startswith(("DECIMAL(", "ENUM(")):
            chosen.append(f"#{number}")
        else:
            chosen.append(f"CAST(#{number} AS VARCHAR)")
    return chosen


def as_arrow(types: Sequence[str]) -> list[str]:
    """What to select for an Arrow table, as SQL with the columns by number; only what Arrow has no type for is text."""
    return [
        f"CAST(#{number} AS VARCHAR)" if any(word in type_ for word in _NOT_IN_ARROW) else f"#{number}"
        for number, type_ in enumerate(types, 1)
    ]


def narrowed(table: pa.Table, names: Iterable[str], types: Sequence[str]) -> pa.Table:
    """An Arrow table with the names of the answer, and with sums of whole numbers as ``int64`` wherever they fit.

    DuckDB adds whole numbers up in 128 bits, for which Arrow has only decimals.
    """
    import pyarrow as pa

    for index, type_ in enumerate(types):
        if type_ == "HUGEINT" and pa.types.is_decimal(table.schema.field(index).type):
            try:
                column = table.column(index).cast(pa.int64())
            except pa.ArrowInvalid:
                continue
            table = table.set_column(index, table.schema.field(index).name, column)
    return table.rename_columns(list(names))


def nullable_frame(table: pa.Table, *, small: bool = False) -> pd.DataFrame:
    """An Arrow table as a data frame with nullable integers and truth values, never floats in the place of integers.

    Args:
        table: the table.
        small: keep whole numbers as small as they are. By default all are ``Int64``, since pandas adds and multiplies
            small ones without room for the result: 100 and 95 in ``Int8`` make -61.
    """
    import pandas as pd
    import pyarrow as pa

    kept = {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
    }
    dtypes = (kept if small else dict.fromkeys(kept, pd.Int64Dtype())) | {
        pa.int64(): pd.Int64Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
    }
    if not small:
        wide = [field.with_type(pa.int64()) if field.type in kept else field for field in table.schema]
        table = table.cast(pa.schema(wide))
    frame = table.to_pandas(types_mapper=dtypes.get, date_as_object=False)
    for index, column in enumerate(table.itercolumns()):
        # In lists, too, a null makes pandas write floats; and whole numbers that are too wide become decimals.
        if pa.types.is_nested(column.type):
            frame.isetitem(index, pd.Series(column.to_pylist(), dtype=object))
        elif pa.types.is_decimal(column.type) and column.type.scale == 0:
            whole = [None if value is None else int(value) for value in column.to_pylist()]
            frame.isetitem(index, pd.Series(whole, dtype=object))
    return frame


def value_text(value: Any) -> str:
    """A value of an answer as text; null is an empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join('null' if item is None else value_text(item) for item in value)}]"
    return str(value)


def value_json(value: Any) -> str:
    """A value of an answer as JSON in ASCII: numbers exactly as they are, NaN and infinity as null."""
    if value is None or isinstance(value, (bool, int, str)):
        return json.dumps(value)
    if isinstance(value, float):
        return json.dumps(value) if math.isfinite(value) else "null"
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else "null"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_json, value))}]"
    return json.dumps(str(value))


def unique_names(names: Iterable[str]) -> list[str]:
    """Names of columns made unique: the second ``n`` is ``n_2``, the third ``n_3``, or the next number that is free."""
    wanted = list(names)
    taken = set(wanted)
    seen: set[str] = set()
    unique = []
    for name in wanted:
        chosen, number = name, 1
        while chosen in seen or (number > 1 and chosen in taken):
            number += 1
            chosen = f"{name}_{number}"
        seen.add(chosen)
        unique.append(chosen)
    return unique
