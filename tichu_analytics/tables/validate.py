"""Compares the files of a data set with the declaration of the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tichu_analytics.tables.arrow import arrow_schema
from tichu_analytics.tables.places import Place, UrlPath
from tichu_analytics.tables.schema import TABLES, Column, Table


def validate_files(path: Place, info: Mapping[str, Any], files: Mapping[str, Sequence[Place]]) -> list[str]:
    """What is wrong with the files of a data set, one sentence each.

    Args:
        path: the folder of the data set.
        info: the content of its ``_dataset.json``.
        files: the files of each table.
    """
    wrong = []
    for name, paths in files.items():
        rows = 0
        for file in paths:
            shown = f"{file.parent.name}/{file.name}"
            try:
                with pq.ParquetFile(file.open() if isinstance(file, UrlPath) else file) as parquet:
                    rows += parquet.metadata.num_rows
                    wrong += [f"{shown}: {what}" for what in _file_problems(parquet, TABLES[name])]
            except (OSError, pa.ArrowException) as trouble:
                wrong.append(f"{shown}: cannot be read ({str(trouble).splitlines()[0]})")
        expected = info["rows"].get(name)
        if rows != expected:
            wrong.append(f"{name}: has {rows} rows instead of {expected}")
    return wrong


def _file_problems(parquet: pq.ParquetFile, declared: Table) -> list[str]:
    schema = arrow_schema(declared.name)
    # What a column means may have been put into better words since.
    if not parquet.schema_arrow.equals(schema, check_metadata=False):
        return [f"does not have the columns of {declared.name} as they are declared"]
    wrong = []
    for group in range(parquet.metadata.num_row_groups):
        wrong += table_problems(parquet.read_row_group(group), declared)
    return wrong


def table_problems(table: pa.Table, declared: Table) -> list[str]:
    """What is wrong with rows in memory, one sentence each."""
    if table.schema.names != [column.name for column in declared.columns]:
        return [f"does not have the columns of {declared.name} as they are declared"]
    return [
        f"column {column.name} {what}"
        for column in declared.columns
        for what in _column_problems(table.column(column.name), column)
    ]


def _column_problems(values: pa.ChunkedArray, column: Column) -> list[str]:
    wrong = []
    if values.null_count and not column.nullable:
        wrong.append(f"has {values.null_count} nulls and may have none")
    if column.type == "vocabulary":
        words = pc.unique(values.cast(pa.string())).drop_null().to_pylist()
        strange = [word for word in words if word not in column.vocabulary]
        if strange:
            wrong.append(f"has words that are not in its vocabulary: {', '.join(map(repr, strange[:5]))}")
    elif column.low is not None and column.high is not None and len(values) > values.null_count:
        ends = pc.min_max(values)
        low, high = ends["min"].as_py(), ends["max"].as_py()
        if low < column.low or high > column.high:
            wrong.append(f"has values from {low} to {high}, and may have {column.low} to {column.high}")
    return wrong
