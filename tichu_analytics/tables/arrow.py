"""The declared tables as Arrow schemas, and how they are written as Parquet."""

from __future__ import annotations

from functools import cache
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from tichu_analytics.tables.describe import table_sentence
from tichu_analytics.tables.schema import SCHEMA_VERSION, TABLES, Column, Table

#: Rows of a row group at most.
ROW_GROUP: Final = 1_000_000
#: Higher levels take several times as long for a few per cent.
ZSTD_LEVEL: Final = 3


def arrow_type(column: Column) -> pa.DataType:
    """The Arrow type of a column; a vocabulary is a dictionary of texts with ``int8`` keys."""
    if column.type == "vocabulary":
        return pa.dictionary(pa.int8(), pa.string())
    return {
        "int8": pa.int8(),
        "int16": pa.int16(),
        "int32": pa.int32(),
        "int64": pa.int64(),
        "float32": pa.float32(),
        "bool": pa.bool_(),
        "string": pa.string(),
    }[column.type]


@cache
def arrow_schema(name: str) -> pa.Schema:
    """The Arrow schema of a table, with what each column means in its metadata under ``description``.

    Raises:
        KeyError: if there is no such table.
    """
    table = TABLES[name]
    return pa.schema(
        [
            pa.field(
                column.name, arrow_type(column), nullable=column.nullable, metadata={"description": column.meaning}
            )
            for column in table.columns
        ],
        metadata={
            "table": name,
            "description": table_sentence(table),
            "schema_version": str(SCHEMA_VERSION),
        },
    )


def parquet_bytes(table: pa.Table, declared: Table) -> pa.Buffer:
    """A table as the bytes of a Parquet file; the same rows always give the same bytes.

    Line numbers are kept as differences, sets of cards without a dictionary (hardly any of them comes twice).
    """
    lines = {column.name: "DELTA_BINARY_PACKED" for column in declared.columns if column.type == "int32"}
    plain = {column.name for column in declared.columns if column.is_mask} | lines.keys()
    out = pa.BufferOutputStream()
    pq.write_table(
        table,
        out,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=ZSTD_LEVEL,
        use_dictionary=[column.name for column in declared.columns if column.name not in plain],
        column_encoding=lines or None,
        data_page_version="1.0",
        version="2.6",
    )
    return out.getvalue()
