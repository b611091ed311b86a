"""The folder of a data set: which parts are there, and what is known of them.

DATA/games/000000-0123456789abcdef.parquet   one file a table and part; so for the other tables
DATA/_dataset.json                           written last: a folder without it is no finished data set
DATA/_unfinished/                            while an export runs: what it is, and what is known of finished parts
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from tichu_analytics.formats.walk import UNFINISHED
from tichu_analytics.tables.files import read_json, write_json, writing
from tichu_analytics.tables.manifest import Info, is_header, is_info, key_of
from tichu_analytics.tables.places import Place
from tichu_analytics.tables.schema import TABLES

MANIFEST: Final = "_dataset.json"
WORK: Final = "_unfinished"
HEADER: Final = "export.json"


class Store:
    """A folder, here or at a URL, that is or becomes a data set.

    Attributes:
        folder: where it is.
        header: what the data set or the unfinished export there is about: empty if that
            cannot be read, None if there is none.
        is_finished: whether there is a finished data set.
        infos: what is known of the parts that are there, by their keys.
    """

    def __init__(self, folder: Place) -> None:
        """Looks at what is there.

        Raises:
            OSError: if a folder at a URL cannot be reached.
        """
        self.folder = folder
        manifest = read_json(folder / MANIFEST)
        work = read_json(folder / WORK / HEADER)
        self.is_finished = manifest is not None
        is_ours = (folder / MANIFEST).exists() or (folder / WORK / HEADER).exists()
        known = work if is_header(work) else manifest if is_header(manifest) else {}
        self.header: dict[str, Any] | None = known if is_ours else None
        self.infos: dict[str, Info] = {}
        parts = (manifest or {}).get("parts")
        for info in parts if isinstance(parts, list) else ():
            self._learn(info)
        for path in _by_name((folder / WORK).glob("part-*.json")):
            self._learn(read_json(path))

    def _learn(self, info: object) -> None:
        if is_info(info):
            self.infos[info["key"]] = info

    def is_foreign(self) -> bool:
        """Whether there are folders with the names of tables in which something lies that no export has made."""
        return self.header is None and any(
            not folder.is_dir() or any(key_of(path.stem) is None for path in folder.iterdir())
            for folder in (self.folder / name for name in TABLES)
            if folder.exists()
        )

    def is_without_manifest(self) -> bool:
        """Whether there are tables of a data set, but nothing that says what they are."""
        return self.header is None and any(self.files(name) for name in TABLES)

    def files(self, table: str) -> dict[str, Place]:
        """The complete files of a table, by the keys of their parts."""
        return dict(self._files(table))

    def _files(self, table: str) -> Iterator[tuple[str, Place]]:
        """The complete files of a table with the keys of their parts.

        A key may come twice from an object store, where a file that gets another name is copied first.
        """
        for path in _by_name((self.folder / table).glob("*.parquet")):
            key = key_of(path.stem)
            if key is not None and path.is_file():
                yield key, path

    def done(self, tables: Collection[str]) -> set[str]:
        """The keys of the parts of which all these tables are there, as long as they were when they were written."""
        files = {table: self.files(table) for table in tables}
        return {key for key, info in self.infos.items() if all(_is_there(info, key, t, files[t]) for t in tables)}

    def begin(self, header: dict[str, Any], tables: Iterable[str]) -> None:
        """Makes an unfinished export of the folder: from here on it is no data set until :meth:`finish`.

        Raises:
            CannotWrite: if the folder cannot be written to.
        """
        work = self.folder / WORK
        with writing(work):
            work.mkdir(exist_ok=True)
        write_json(work / HEADER, header)
        for info in self.infos.values():
            path = work / f"part-{info['key']}.json"
            if read_json(path) != info:
                write_json(path, info)
        with writing(self.folder / MANIFEST):
            (self.folder / MANIFEST).unlink(missing_ok=True)
        for table in tables:
            with writing(self.folder / table):
                (self.folder / table).mkdir(exist_ok=True)
        self.clean()

    def clean(self) -> None:
        """Removes what interrupted writing has left behind.

        Raises:
            CannotWrite: if that is not possible.
        """
        for folder in (self.folder, self.folder / WORK, *(self.folder / name for name in TABLES)):
            for path in folder.glob(f"{UNFINISHED}*"):
                with writing(path):
                    path.unlink(missing_ok=True)

    def note(self, info: Info) -> None:
        """Notes that a part is done.

        Raises:
            CannotWrite: if that cannot be written down.
        """
        self.infos[info["key"]] = info
        write_json(self.folder / WORK / f"part-{info['key']}.json", info)

    def drop(self) -> None:
        """Forgets all parts and removes their files.

        Raises:
            CannotWrite: if that is not possible.
        """
        self.infos.clear()
        self.header = None
        for name in TABLES:
            self._arrange(name, {})
        self._end_work()

    def finish(self, names: dict[str, str], tables: Collection[str], manifest: dict[str, Any]) -> None:
        """Makes a data set of the folder.

        Args:
            names: the names of its files without endings, by the keys of the parts; all other files of tables go.
            tables: the tables that it has.
            manifest: what goes into ``_dataset.json``.

        Raises:
            CannotWrite: if the folder cannot be written to.
        """
        for table in TABLES:
            self._arrange(table, names if table in tables else {})
        write_json(self.folder / MANIFEST, manifest, indent=1)
        self._end_work()

    def _end_work(self) -> None:
        """Removes the notes of the export; what others have put into their folder stays."""
        work = self.folder / WORK
        with writing(work):
            for path in [*work.glob("part-*.json"), work / HEADER]:
                path.unlink(missing_ok=True)
            if work.is_dir() and not any(work.iterdir()):
                work.rmdir()

    def _arrange(self, table: str, names: dict[str, str]) -> None:
        """Gives the files of a table their names and removes those that have none; an empty folder goes as well."""
        folder = self.folder / table
        files = list(self._files(table))
        kept = dict(files)
        for key, path in files:
            with writing(path):
                if key not in names or path != kept[key]:
                    path.unlink()
                elif path.stem != names[key]:
                    path.replace(path.with_name(f"{names[key]}.parquet"))
        if not names and folder.is_dir() and not any(folder.iterdir()):
            with writing(folder):
                folder.rmdir()


def _by_name(paths: Iterable[Place]) -> list[Place]:
    return sorted(paths, key=lambda path: path.name)


def _is_there(info: Info, key: str, table: str, files: dict[str, Place]) -> bool:
    known = info["files"].get(table)
    return isinstance(known, dict) and key in files and files[key].stat().st_size == known.get("bytes")
