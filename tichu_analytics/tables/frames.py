"""Arrow tables as pandas data frames without a loss: whole numbers stay whole numbers where something is null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """An Arrow table as a data frame with pandas' nullable types.

    Whole numbers become ``Int8`` to ``Int64`` (never floats, which would lose the lowest cards of a set), truth values
    ``boolean``, floats ``Float32`` and ``Float64``, vocabularies categories.
    """
    import pandas as pd
    import pyarrow as pa

    nullable: dict[Any, Any] = {
        pa.int8(): pd.Int8Dtype(),
        pa.int16(): pd.Int16Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.uint8(): pd.UInt8Dtype(),
        pa.uint16(): pd.UInt16Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.float32(): pd.Float32Dtype(),
        pa.float64(): pd.Float64Dtype(),
    }
    return table.to_pandas(types_mapper=nullable.get)
