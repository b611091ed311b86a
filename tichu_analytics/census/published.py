"""Published counts of the BrettspielWelt archive up to July 2025, and which of the codes here correspond to theirs.

They were counted by another program (frohlfing, notebook BSW_01_Datenbestand) over 2.4 million logs.
"""

from __future__ import annotations

from typing import Final, NamedTuple

#: How the page names the source.
SOURCE: Final = "published figures for the BrettspielWelt archive to July 2025"


class Figure(NamedTuple):
    """A count of rounds under one or several published codes, and the codes here that correspond.

    Attributes:
        published: the published codes with their names.
        rounds: rounds that have one of them as their first fault.
        codes: the codes here.
    """

    published: str
    rounds: int
    codes: tuple[str, ...]


#: Codes of a wrong score: the published table does not say how its two are told apart.
WRONG_SCORE: Final = ("T503", "T510", "T511", "T512", "T513")

#: Published counts of rounds by what is wrong with them.
ROUNDS: Final = (
    Figure("10 INVALID_CARD_LABEL", 0, ("T002",)),
    Figure("11 INVALID_CARD_COUNT", 0, ("T003",)),
    Figure("12 DUPLICATE_CARD", 10, ("T101", "T152")),
    Figure("13 CARD_NOT_IN_HAND", 0, ("T102", "T151", "T301")),
    Figure("14 CARD_ALREADY_PLAYED", 0, ("T302", "T303")),
    Figure("20 PASS_NOT_POSSIBLE", 0, ("T320", "T329")),
    Figure("21 WISH_NOT_FOLLOWED", 209, ("T312",)),
    Figure("22 COMBINATION_NOT_PLAYABLE", 0, ("T304", "T305", "T306", "T322", "T324")),
    Figure("23 PLAYER_NOT_ON_TURN", 2, ("T307", "T308", "T309", "T321", "T323", "T330")),
    Figure("24 HISTORY_TOO_SHORT", 0, ("T010", "T504")),
    Figure("25 HISTORY_TOO_LONG", 60, ("T327",)),
    Figure("30 DRAGON_NOT_GIVEN", 0, ("T401",)),
    Figure("31 DRAGON_GIVEN_TO_OWN_TEAM", 306, ("T404",)),
    Figure("32 DRAGON_GIVEN_WITHOUT_BEAT", 0, ("T402", "T403", "T405")),
    Figure("40 WISH_WITHOUT_MAHJONG", 0, ("T313",)),
    Figure("50 ANNOUNCEMENT_NOT_POSSIBLE", 286, ("T201", "T202", "T203", "T204")),
    Figure("60 SCORE_NOT_POSSIBLE and 61 SCORE_MISMATCH", 19_622, WRONG_SCORE),
)

#: Other published counts, by the name that they have in :meth:`tichu_analytics.census.count.Census.totals`.
TOTALS: Final = {
    "files": 2_411_514,
    "files_without_usable_round": 13_964,
    "games": 2_397_550,
    "games_without_fault": 2_317_858,
    "games_unfinished": 66_718,
    "games_overplayed": 1_959,
    "games_with_failed_round": 11_015,
    "games_with_player_change": 160_943,
    "games_without_fault_and_change": 2_160_767,
    "rounds_complete": 22_458_253,
    "rounds_complete_without_error": 22_437_758,
}

#: By year the games with 60 SCORE_NOT_POSSIBLE and all games.
YEARS: Final = {
    "2007": (927, 94_969),
    "2008": (1_944, 147_438),
    "2009": (3_111, 180_640),
    "2010": (2_794, 219_729),
    "2011": (27, 329_552),
    "2012": (23, 397_078),
    "2013": (8, 288_380),
    "2014": (5, 195_838),
    "2015": (7, 136_494),
    "2016": (5, 100_815),
    "2017": (7, 76_311),
    "2018": (1, 51_824),
    "2019": (0, 37_031),
    "2020": (0, 55_597),
    "2021": (1, 33_790),
    "2022": (1, 16_927),
    "2023": (1, 15_624),
    "2024": (0, 13_821),
    "2025": (0, 5_692),
}
