"""Makes the folder sample_logs: simulated games as logs, in an archive and as TGR records, and games with a fault each.

python -m benchmarks.make_samples [FOLDER]       writes the folder anew, the same bytes every time: half a minute
python -m benchmarks.make_samples --look 500     which of so many games has what; to choose loose games anew
"""

from __future__ import annotations

import io
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.faulty_logs import FAULTS, make_faulty
from benchmarks.faulty_records import RECORDS, make_record
from benchmarks.happenings import COMEBACK, happenings_of
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.formats.tgr.layout import pretty
from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate import SimulatedGame, simulate_games
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_cli.output import make_writer

SEED: Final = 1991
WANTS: Final = Wants(anomalies=1)

#: The loose games get ids from this number on.
FIRST: Final = 1001
#: Their numbers in the series, chosen since they are short and much happens in them; all are without a finding.
CHOSEN: Final = (1086, 1071, 1269, 1058, 1097, 1278, 1041, 1166, 1172, 1347, 1170)
#: Plain players call Tichu when others are out already, which the skilled ones do not; so one game is theirs.
CHOSEN_PLAIN: Final = 1207

#: The archive has so many games, this many in each month, from this number of the series on.
ARCHIVED: Final = 200
MONTHS: Final = ("201401", "201402", "201403", "201404", "201405")
FIRST_ARCHIVED: Final = 2001

#: What is told of each loose game, by the names of :mod:`benchmarks.happenings`.
TOLD: Final = {
    "wishes met by a bomb out of turn": "a wish met by a bomb out of turn",
    "wishes met by a bomb": "a wish met by a bomb",
    "bombs on one's own trick in place of taking it": "a bomb on one's own trick in place of taking it",
    "bombs on a bomb": "a bomb on a bomb",
    "bombs of five cards or more": "a bomb of five cards or more",
    "bombs on the Dragon": "a bomb on the Dragon",
    "bombs out of turn": "a bomb out of turn",
    "gifts of the Dragon's trick to a player who is out": "the Dragon's trick given to a player who is out",
    "calls of Tichu after somebody was out": "Tichu called when somebody is out already",
    "calls of Tichu before the exchange": "Tichu called before the exchange",
    "calls of Grand Tichu that were made": "Grand Tichu made",
    "calls of Grand Tichu that were not made": "Grand Tichu not made",
    "rounds with calls of both teams": "calls of both teams",
    "rounds of 400 points or more": "a double victory with Grand Tichu",
    "double victories": "a double victory",
    "substitutes between rounds": "a substitute between two rounds",
    "Dogs with the partner out": "the Dog led with the partner out",
    "Dogs as the last card": "the Dog as the last card",
    "wishes met with the help of the Phoenix": "a wish met with the help of the Phoenix",
    "wishes that nobody met": "a wish that nobody met",
    "plays with a Phoenix that can be read in two ways": "a Phoenix that can be read in two ways",
    f"games won by a team that was {COMEBACK} points behind": f"{COMEBACK} points behind, and won",
    "games that the players left before the end": "the players leave before the end",
}


#: So many of these in the table of the games, and so many places for each of them.
MOST_TOLD: Final = 4
MOST_PLACES: Final = 4


# Games --------------------------------------------------------------------------------------------------------------


def loose_games() -> list[SimulatedGame]:
    """The loose games, with their own ids."""
    found = [next(simulate_series(1, SEED, first=number, wants=WANTS)) for number in CHOSEN]
    found.append(next(simulate_games(1, SEED, first=CHOSEN_PLAIN)))
    games = []
    for number, one in enumerate(found, start=FIRST):
        game_id = str(number)
        game = read_game(one.text.encode(), f"{game_id}.tch", game_id)
        games.append(SimulatedGame(game_id, game, one.text, one.notes))
    return games


def archived_games() -> Iterator[SimulatedGame]:
    """The games of the archive, in its order: those of the series in which a check finds no error."""
    games = simulate_series(2 * ARCHIVED, SEED, first=FIRST_ARCHIVED, digits=4, wants=WANTS)
    sound = (one for one in games if all(finding.severity != "error" for finding in replay(one.game).findings))
    return islice(sound, ARCHIVED)


def member_of(place: int, game_id: str) -> str:
    """The name in the archive of its game at a place, counted from 0."""
    return f"{MONTHS[place * len(MONTHS) // ARCHIVED]}/{game_id}.tch"


def archive_of(games: Iterable[SimulatedGame]) -> bytes:
    """The archive. Members carry no time; how they are compressed may differ between versions of the library."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for place, one in enumerate(games):
            member = zipfile.ZipInfo(member_of(place, one.game_id))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            member.external_attr = 0o644 << 16
            archive.writestr(member, one.text.encode())
    return data.getvalue()


# Pages --------------------------------------------------------------------------------------------------------------

_README: Final = f"""# Sample logs

All games here are simulated: no person played them, and the names are made up. `python -m benchmarks.make_samples`
writes this folder anew, byte for byte; the seed is {SEED}.

| where | what |
|---|---|
| `{FIRST}.tch` to `{FIRST + len(CHOSEN)}.tch` | {len(CHOSEN) + 1} games as BrettspielWelt logs |
| `games.zip` | {ARCHIVED} more, in a folder for each of {len(MONTHS)} months |
| `tgr/` | the {len(CHOSEN) + 1} loose games once more, as TGR records: `tichu convert 1001.tch 1001.tgr.json` |
| `faulty/` | logs and records with something wrong in each: [faulty/README.md](faulty/README.md) |

Take the logs or the records into one run, not both: a record has the id of its log and other content, so that both
would get longer ids.

    tichu check sample_logs/*.tch sample_logs/games.zip
    tichu check sample_logs/tgr

More games of this kind: `tichu simulate --games 1000 --seed 1 --out more.zip`.

## The loose games

A check finds nothing in them, under `bsw` and under `official` alike. The last game is one of plain players, the
others are of players with some skill.

| game | rounds | result | above all |
|---|---:|---:|---|
{{games}}

What happens in them, how often, and where to find it. To look at the first one:

    tichu show {{first}}

| what | times | where first: game, round, line |
|---|---:|---|
{{happened}}

## The archive

{{archive}}
"""

_FAULTY_README: Final = """# Something is wrong in each of these

Simulated games of two rounds; the fault is in the second one. `tichu check sample_logs/faulty` reports just the
findings below (rule set `bsw`); `tichu explain CODE` tells more about one.

## BrettspielWelt logs

{logs}
## TGR records

{records}"""


def readme(loose: list[SimulatedGame], archive: bytes) -> str:
    """The README: what happens in which game, worked out by replaying all of them."""
    times: Counter[str] = Counter()
    places: dict[str, list[tuple[str, int, int]]] = {}
    games = [(one, replay(one.game)) for one in loose]
    for one, found in games:
        happened = list(happenings_of(found))
        times.update(happening.what for happening in happened)
        firsts = {happening.what: happening for happening in reversed(happened)}
        for what, first in firsts.items():
            places.setdefault(what, []).append((one.game_id, first.round, first.line))
    rows = []
    for one, found in games:
        rarest = sorted(TOLD, key=lambda what: len(places.get(what, ())))
        told = [TOLD[what] for what in rarest if any(game == one.game_id for game, _, _ in places.get(what, ()))]
        totals = f"{found.totals[0]} : {found.totals[1]}"
        rows.append(f"| {one.game_id} | {len(found.rounds)} | {totals} | {'; '.join(told[:MOST_TOLD])} |\n")
    happened_rows = []
    for what, text in TOLD.items():
        where = "; ".join([f"{game}, {number}, {line}" for game, number, line in places.get(what, ())[:MOST_PLACES]])
        happened_rows.append(f"| {text} | {times[what]} | {where} |\n")
    game, number, _ = places[next(iter(TOLD))][0]
    return _README.format(
        games="".join(rows).rstrip(),
        first=f"sample_logs/{game}.tch --round {number}",
        happened="".join(happened_rows).rstrip(),
        archive=_archive_text(archive),
    )


def _archive_text(archive: bytes) -> str:
    """What there is to say about the archive."""
    games: Counter[str] = Counter()
    rounds = 0
    for found in _replays(archive):
        rounds += len(found.rounds)
        games.update({happening.what for happening in happenings_of(found)})
        games.update({finding.code for finding in found.findings})
    lines = [
        f"{ARCHIVED} games with {rounds:,} rounds, played by members of one pool of {WANTS.players} players who differ"
        " in skill.",
        "The oddities of the archive of real logs are in them about as often as there, errors excepted: games with one",
        f"were passed over. In {games['substitutes between rounds']} games a substitute sits down between two rounds;"
        f" in {games['substitutes between deal and exchange']} the deal names others",
        f"than the exchange; {games['games that the players left before the end']} end before a team has 1000 points."
        " A check ends with exit code 0 and reports:",
        "",
        "| finding | what | games |",
        "|---|---|---:|",
        *[
            f"| {code} {CODES[code].name} | {CODES[code].title} | {games[code]} |"
            for code in sorted(games.keys() & CODES)
        ],
    ]
    return "\n".join(lines)


def _replays(archive: bytes) -> Iterator[GameReplay]:
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        for name in members.namelist():
            yield replay(read_game(members.read(name), name, Path(name).stem))


def faulty_readme(folder: Path) -> str:
    """The README of the faulty files, which lie in a folder, with what a check says about them."""
    said: dict[str, str] = {}
    for one in check_paths([str(folder)]):
        assert isinstance(one, CheckedGame)
        out = io.StringIO()
        writer = make_writer("text", out, out)
        for finding in one.findings:
            writer.finding(finding)
        said[one.path] = said.get(one.path, "") + out.getvalue()
    logs = "\n".join([_section(f"{one.file}.tch", one.says, said) for one in FAULTS])
    records = "\n".join([_section(one.file, one.says, said) for one in RECORDS])
    return _FAULTY_README.format(logs=logs, records=records)


def _section(name: str, says: str, said: dict[str, str]) -> str:
    return f"### {name}\n\n{says[0].upper()}{says[1:]}.\n\n```text\n{said[name]}```\n"


# The folder ---------------------------------------------------------------------------------------------------------


def record_files(games: list[SimulatedGame]) -> dict[str, bytes]:
    """The loose games as TGR records, as ``tichu convert`` writes them, by path."""
    return {
        f"tgr/{one.game_id}.tgr.json": pretty(document_of_log(one.text.encode(), one.game_id)).encode() for one in games
    }


def faulty_files() -> dict[str, bytes]:
    """The files with faults and their README, by path."""
    files = {f"faulty/{fault.file}.tch": make_faulty(fault).text.encode() for fault in FAULTS}
    files |= {f"faulty/{fault.file}": make_record(fault).encode() for fault in RECORDS}
    with tempfile.TemporaryDirectory() as folder:
        write_files(files, Path(folder))
        files["faulty/README.md"] = faulty_readme(Path(folder) / "faulty").encode()
    return files


def loose_files(games: list[SimulatedGame]) -> dict[str, bytes]:
    """The loose games, by path."""
    return {f"{one.game_id}.tch": one.text.encode() for one in games}


def make_folder() -> dict[str, bytes]:
    """The files of the folder by their path in it."""
    loose = loose_games()
    archive = archive_of(archived_games())
    return {
        "README.md": readme(loose, archive).encode(),
        "games.zip": archive,
        **loose_files(loose),
        **record_files(loose),
        **faulty_files(),
    }


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Writes files into a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def look(games: int) -> None:
    """Prints what is told of each game of the series, for those in which there is no finding."""
    for one in simulate_series(games, SEED, first=FIRST, digits=4, wants=WANTS):
        found = replay(one.game)
        has = {happening.what for happening in happenings_of(found)}
        if not found.findings:
            print(one.game_id, len(found.rounds), *sorted(has & set(TOLD)), sep="; ")


def main() -> int:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--look"]:
        look(int(arguments[1]))
        return 0
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent / "sample_logs"
    write_files(make_folder(), folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
