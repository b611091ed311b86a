"""Arrow columns out of NumPy buffers and lists of text.

``pyarrow.array`` would do the same, but its first call imports pandas where that is installed, which takes longer than
the export of many a file. Here the buffers are handed over as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

Numbers = np.ndarray[Any, np.dtype[Any]]


#: Bytes of text in a column at most.
_LONGEST_TEXT: Final = 2**31 - 1


def number_column(kind: pa.DataType, values: Numbers, nulls: Numbers | None = None) -> pa.Array:
    """A column of numbers or truth values.

    Args:
        kind: an Arrow type of fixed width; the values are converted to it and have to fit.
        values: the values, one a row.
        nulls: which rows are null.
    """
    if pa.types.is_boolean(kind):
        data = np.packbits(values.astype(np.bool_), bitorder="little")
    else:
        data = np.ascontiguousarray(values, kind.to_pandas_dtype())
    return pa.Array.from_buffers(kind, len(values), [_validity(nulls), pa.py_buffer(data)], _count(nulls))


def text_column(texts: Sequence[str | None]) -> pa.Array:
    """A column of text, in which None is null.

    Raises:
        pyarrow.ArrowInvalid: if it is more than two gigabytes.
    """
    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.zeros(len(texts) + 1, np.int64)
    ends[1:] = np.cumsum([len(one) for one in encoded])
    if ends[-1] > _LONGEST_TEXT:
        raise pa.ArrowInvalid("more text than a column can hold")
    ends = ends.astype(np.int32)
    nulls = np.fromiter((text is None for text in texts), np.bool_, len(texts))
    return pa.StringArray.from_buffers(
        len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)), _validity(nulls), _count(nulls)
    )


def word_column(words: Sequence[str], keys: Numbers, nulls: Numbers | None = None) -> pa.Array:
    """A column of words out of a list, as a dictionary with ``int8`` keys."""
    return pa.DictionaryArray.from_arrays(number_column(pa.int8(), keys, nulls), text_column(words))


def repeated(texts: Sequence[str], ends: Sequence[int]) -> pa.Array:
    """A column of text in which each text stands in all rows up to its end."""
    counts = np.diff([0, *ends]).astype(np.int64)
    keys = np.repeat(np.arange(len(texts), dtype=np.int32), counts)
    return pa.DictionaryArray.from_arrays(number_column(pa.int32(), keys), text_column(texts)).dictionary_decode()


def _validity(nulls: Numbers | None) -> pa.Buffer | None:
    """The bits that say which rows have a value; None if all have one."""
    if nulls is None or not nulls.any():
        return None
    return pa.py_buffer(np.packbits(~nulls, bitorder="little"))


def _count(nulls: Numbers | None) -> int:
    return 0 if nulls is None else int(nulls.sum())
