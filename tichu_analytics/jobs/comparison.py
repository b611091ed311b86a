"""Which games have the same id, found out while the first games are checked already."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import BinaryIO

from tichu_analytics.formats.ids import NewIds, Same, distinct_ids
from tichu_analytics.formats.remote import is_url


class Comparison:
    """Compares the ids of all games, while others check games already if that is possible.

    Args:
        paths, stdin: as for :func:`tichu_analytics.formats.ids.distinct_ids`.
        is_aside: whether others may go on meanwhile; what comes on standard input or from a URL is read by one at a
            time.
    """

    def __init__(self, paths: Sequence[str], stdin: BinaryIO | None, is_aside: bool) -> None:
        self._paths = paths
        self._stdin = stdin
        self._found: tuple[NewIds, list[Same]] | None = None
        self._trouble: BaseException | None = None
        self._thread: Thread | None = None
        if is_aside and stdin is None and not any(map(is_url, paths)):
            self._thread = Thread(target=self._compare, daemon=True)
            self._thread.start()
        else:
            self._compare()

    def _compare(self) -> None:
        try:
            by_number, same = distinct_ids(self._paths, self._stdin)
            self._found = NewIds(by_number), same
        except BaseException as trouble:
            self._trouble = trouble

    @property
    def is_over(self) -> bool:
        """Whether the ids are known."""
        return self._thread is None or not self._thread.is_alive()

    def new_ids(self) -> NewIds:
        """The new ids of games, which are waited for."""
        return self._result()[0]

    def same(self) -> list[Same]:
        """The ids that several games have."""
        return self._result()[1]

    def _result(self) -> tuple[NewIds, list[Same]]:
        if self._thread is not None:
            self._thread.join()
        if self._found is None:
            assert self._trouble is not None
            raise self._trouble
        return self._found
