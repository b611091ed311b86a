"""A data set as an object: its tables, questions to it, and whether it is what it should be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tichu_analytics.tables.files import read_json
from tichu_analytics.tables.manifest import is_manifest
from tichu_analytics.tables.places import Place, UrlPath, place
from tichu_analytics.tables.schema import SCHEMA_VERSION, TABLES, Table
from tichu_analytics.tables.store import HEADER, MANIFEST, WORK

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa
    import pyarrow.dataset

    from tichu_analytics.tables.query import Answer, Asker

#: Rows of a table that a notebook shows.
_SHOWN: Final = 10


class NoDataset(ValueError):
    """A folder that is no data set, or not a whole one, or of another version; the text says which."""


class NoTable(NoDataset, AttributeError):
    """A table that the data set does not have."""


class Dataset:
    """The tables that an export has written.

    >>> data = Dataset("out")  # doctest: +SKIP
    >>> data.hands.to_pandas(where="has(held, 'Dr')")  # doctest: +SKIP
    >>> data.sql("select call, count(*) from hands group by call").to_pandas()  # doctest: +SKIP

    Each table is an attribute with its name, ``data.hands``, or ``data["hands"]``. ``tichu schema`` and docs/tables.md
    explain the columns.

    Attributes:
        path: the folder, a path of this machine or a URL.
        info: what ``_dataset.json`` says: versions, rule set, inputs, what was read, kept and left out, and why.
        tables: the names of the tables that it has.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens a data set.

        Raises:
            NoDataset: if there is none, if its export was not finished, if a file is missing or cut short, or if it has
                been written by a version whose tables cannot be read.
        """
        self.path = place(path)
        self.info = _manifest(self.path)
        self.tables: list[str] = list(self.info["tables"])
        self._files = {table: _files(self.path, self.info, table) for table in self.tables}
        self._asker: Asker | None = None

    def __getattr__(self, name: str) -> TableView:
        if name in TABLES:
            return self.table(name)
        tables = self.__dict__.get("tables", ())
        raise AttributeError(f"a data set has no attribute {name!r}; its tables are {', '.join(tables)}")

    def __getitem__(self, name: str) -> TableView:
        return self.table(name)

    def __reduce__(self) -> tuple[type[Dataset], tuple[str]]:
        # A copy, also in another process, opens the data set anew: a connection cannot be taken along.
        return Dataset, (os.fspath(self.path),)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        return f"Dataset({os.fspath(self.path)!r}: {self.info['games']:,} games, {self.info['rounds']:,} rounds)"

    def _repr_html_(self) -> str:
        from html import escape

        from tichu_analytics.view.escape import for_terminal

        rows = "".join(
            f"<tr><td>{table}</td><td style='text-align:right'>{count:,}</td></tr>"
            for table, count in self.info["rows"].items()
        )
        head = "<tr><th>table</th><th>rows</th></tr>"
        where = escape(for_terminal(os.fspath(self.path)))
        return f"<p>Data set <code>{where}</code></p><table>{head}{rows}</table>"

    def table(self, name: str) -> TableView:
        """A table by its name.

        Raises:
            NoTable: if the data set has no such table.
        """
        if name not in self.tables:
            raise NoTable(
                f"{self.path} has no table {name!r}; it was exported with {', '.join(self.tables)}"
                if name in TABLES
                else f"there is no table {name!r}; the tables are {', '.join(TABLES)}"
            )
        return TableView(self, TABLES[name])

    def files(self, table: str) -> list[Place]:
        """The Parquet files of a table, in the order of its rows."""
        return list(self._files[table])

    def arrow_dataset(self, table: str) -> pyarrow.dataset.Dataset:
        """A table as a ``pyarrow.dataset.Dataset``, which reads only what is asked of it."""
        import pyarrow.dataset

        from tichu_analytics.tables.arrow import arrow_schema

        files = self._files[table]
        system = None
        paths = [os.fspath(path) for path in files]
        if files and isinstance(files[0], UrlPath):
            system, folder = files[0].parent.system()
            paths = [f"{folder}/{path.name}" for path in files]
        return pyarrow.dataset.dataset(paths, schema=arrow_schema(table), format="parquet", filesystem=system)

    def sql(self, sql: str) -> Answer:
        """Answers one SELECT (DuckDB) over the tables, with the card functions ``cards``, ``has`` and so on.

        The query can read the data set and nothing else, and change nothing; :meth:`connect` gives a connection
        without these walls.

        Returns:
            The answer, with ``to_pandas()``, ``to_arrow()``, and an iterator over its rows.

        Raises:
            QueryRefused: for anything but one SELECT.
            QueryFailed: if DuckDB cannot answer it; the text says why.
        """
        return self.asker().ask(sql)

    def asker(self) -> Asker:
        """What answers questions about this data set; made when it is first needed, and kept."""
        from tichu_analytics.tables.query import Asker

        if self._asker is None:
            self._asker = Asker({table: self.arrow_dataset(table) for table in self.tables})
        return self._asker

    def connect(self) -> duckdb.DuckDBPyConnection:
        """An ordinary DuckDB connection with a view for each table and the card functions, for work of one's own.

        Unlike :meth:`sql` it can do all that DuckDB can: write files, read others, define tables. SQL that others have
        written does not belong there.
        """
        import duckdb

        from tichu_analytics.tables.query import macros

        connection = duckdb.connect()
        if isinstance(self.path, UrlPath):
            connection.register_filesystem(self.path.system()[0])
        connection.execute(macros())
        for table in self.tables:
            paths = ", ".join("'" + os.fspath(path).replace("'", "''") + "'" for path in self._files[table])
            connection.execute(f'create view "{table}" as select * from read_parquet([{paths}])')
        return connection

    def validate(self) -> list[str]:
        """Compares the files with the declaration of the tables.

        Returns:
            What is wrong, one sentence each, with the file: other columns or types than declared, nulls where there
            may be none, values out of bounds or not in the vocabulary, another number of rows than noted. Nothing in a
            sound data set.
        """
        from tichu_analytics.tables.validate import validate_files

        return validate_files(self.path, self.info, self._files)


class TableView:
    """A table of a data set; nothing is read before it is asked for.

    Attributes:
        declared: its declaration, with the meaning of each column.
    """

    def __init__(self, data: Dataset, declared: Table) -> None:
        self._data = data
        self.declared = declared

    @property
    def name(self) -> str:
        """Its name."""
        return self.declared.name

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return [column.name for column in self.declared.columns]

    @property
    def files(self) -> list[Place]:
        """Its Parquet files, in the order of the rows."""
        return self._data.files(self.name)

    def __len__(self) -> int:
        return int(self._data.info["rows"][self.name])

    def __repr__(self) -> str:
        return f"<table {self.name}: {len(self):,} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        from html import escape

        title = f"<p><code>{self.name}</code>: {len(self):,} rows, each {escape(self.declared.row)}</p>"
        first = self._data.asker().ask(f'select * from "{self.name}" limit {_SHOWN}')
        return title + first._repr_html_()

    def to_arrow(self, columns: Sequence[str] | None = None, where: str | None = None) -> pa.Table:
        """The rows as an Arrow table with the declared types.

        Args:
            columns: names of the columns that are wanted; all by default.
            where: an SQL expression that picks the rows, such as ``has(held, 'Dr') and call = 'none'``.

        Raises:
            ValueError: for a column that the table does not have.
            QueryRefused, QueryFailed: for an expression that is none or cannot be worked out.
        """
        if isinstance(columns, str):
            raise ValueError(f"columns is a list of names, such as [{columns!r}]")
        for column in columns or ():
            if column not in self.columns:
                raise ValueError(f"{self.name} has no column {column!r}; it has {', '.join(self.columns)}")
        if where is None:
            return self._data.arrow_dataset(self.name).to_table(columns=None if columns is None else list(columns))
        from tichu_analytics.tables.arrow import arrow_schema

        picked = self._data.asker().filtered(self.name, where).to_arrow().cast(arrow_schema(self.name))
        return picked if columns is None else picked.select(list(columns))

    def to_pandas(
        self, columns: Sequence[str] | None = None, where: str | None = None, *, small: bool = False
    ) -> pd.DataFrame:
        """The rows as a data frame with nullable types: whole numbers are never floats.

        Args:
            columns, where: as for :meth:`to_arrow`.
            small: keep whole numbers in the small types of the files, which saves memory, but sums and products of
                them overflow without a word in pandas; by default all are ``Int64``.

        Raises:
            ValueError: as :meth:`to_arrow` does.
        """
        from tichu_analytics.tables.values import nullable_frame

        return nullable_frame(self.to_arrow(columns, where), small=small)


def _manifest(path: Place) -> dict[str, Any]:
    """The content of ``_dataset.json``.

    Raises:
        NoDataset: if it is not there or not what it should be.
    """
    try:
        os.fspath(path).encode()
        is_there, is_begun, is_path = (path / MANIFEST).is_file(), (path / WORK / HEADER).is_file(), path.exists()
    except OSError as trouble:
        raise NoDataset(f"{path} cannot be opened: {trouble.strerror or trouble}") from None
    except ValueError:
        raise NoDataset(f"{os.fspath(path)!a} is no name of a folder that can be opened here") from None
    if not is_there:
        if is_begun:
            raise NoDataset(f"the export to {path} was not finished; the same 'tichu export' again goes on with it")
        what = f"it has no {MANIFEST}" if is_path else "there is no such folder"
        raise NoDataset(f"{path} is no data set ({what}); 'tichu export' makes one from logs")
    info = read_json(path / MANIFEST)
    version = None if info is None else info.get("schema_version")
    if type(version) is int and version != SCHEMA_VERSION:
        raise NoDataset(f"{path} has tables of version {version}, and this is version {SCHEMA_VERSION}; export it anew")
    if type(version) is not int or not is_manifest(info):
        raise NoDataset(f"{path / MANIFEST} is damaged; 'tichu export --force' makes the data set anew")
    return info


def _files(path: Place, info: dict[str, Any], table: str) -> list[Place]:
    """The files of a table.

    Raises:
        NoDataset: if one is missing or has another size than when it was written.
    """
    files: list[Place] = []
    # One list of a folder at a URL tells all sizes.
    listed = {file.name: file for file in (path / table).iterdir()} if isinstance(path, UrlPath) else {}
    for part in info["parts"]:
        file = path / table / f"{part['name']}.parquet"
        file = listed.get(file.name, file)
        wanted = part["files"][table].get("bytes")
        try:
            size = file.stat().st_size
        except OSError:
            raise NoDataset(f"{file} is missing; the same 'tichu export' again makes it anew") from None
        if size != wanted:
            raise NoDataset(f"{file} has {size} bytes instead of {wanted}; the same 'tichu export' again makes it anew")
        files.append(file)
    return files
