"""Columns about straights in hands: whether an opponent could beat them."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.bases import Derived, Source
from tichu_analytics.stats.masks import FIRST_BITS, HELD_STRAIGHTS, ranks_of

#: All that the opponents' hands have from each rank on that is higher than the lowest of a straight: as many ranks in a
#: row, of which the Phoenix may stand for one. Above the lowest rank there is none of the Mah Jong, which it cannot be.
_HIGHER: Final = Source(
    "higher",
    "(SELECT straights.game_id, straights.round, straights.seat, straights.rank, bool_or("
    "bit_count((others.ranks >> (4 * starts.low)) & ((CAST(1 AS BIGINT) << (4 * straights.length)) - 1) & "
    f"{FIRST_BITS}) + others.phoenix >= straights.length) AS there "
    f"FROM {HELD_STRAIGHTS} AS straights JOIN "
    f"(SELECT game_id, round, seat, {ranks_of('held')} AS ranks, (held >> 54) & 1 AS phoenix FROM hands) AS others "
    "ON others.game_id = straights.game_id AND others.round = straights.round "
    "AND (others.seat + straights.seat) % 2 = 1 JOIN (SELECT range AS low FROM range(2, 11)) AS starts "
    "ON starts.low > straights.low AND starts.low + straights.length <= 15 GROUP BY ALL)",
    "higher.game_id = in_row.game_id AND higher.round = in_row.round AND higher.seat = in_row.seat "
    "AND higher.rank = in_row.rank",
    ("hands",),
)

OF_STRAIGHTS: Final[tuple[Derived, ...]] = (
    Derived(
        "higher_straight",
        "whether the hand of an opponent after the exchange has a straight of as many cards and a higher rank, with or "
        "without the Phoenix",
        "in_row",
        "coalesce(higher.there, false)",
        _HIGHER,
    ),
)
