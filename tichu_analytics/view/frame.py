"""A scene as rows of styled text: what a terminal draws step by step, and the transcript of every position."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from tichu_analytics.record.notation import mask_cards
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.view.columns import cell_width, cut, fit
from tichu_analytics.view.faces import FACES, SYMBOLS
from tichu_analytics.view.saying import PLACES, Words, pair_text
from tichu_analytics.view.scenes import Laid, RoundView, Scene, round_view
from tichu_analytics.view.sheet import Paper, encodable, finding_rows, rank_name

#: How a piece of text looks: a suit, a special card, or its weight.
Style = Literal["", "S", "B", "G", "R", "special", "bold", "dim", "mark", "error", "warning", "note"]

#: Whose hands are shown: all, only that of the seat to act, or that of one seat.
Hands = Literal["open", "seat"] | int

#: The widest column of names, and the fewest cells that rows are broken to.
_NAME: Final = 14
_FEWEST: Final = 20
_CALLS: Final = {"": "", "tichu": "Tichu", "grand": "Grand Tichu"}


class Span(NamedTuple):
    """A piece of text in one style; it is not broken, blanks between pieces may be."""

    text: str
    style: Style = ""


Row = list[Span]


class Look(NamedTuple):
    """How frames are drawn.

    Attributes:
        width: cells to a row, None for rows of any length.
        encoding: what the text will be encoded in; characters that it does not have become escapes.
        symbols: cards have the symbols of their suits in place of letters.
        hands: whose hands are shown.
    """

    width: int | None = None
    encoding: str = "utf-8"
    symbols: bool = False
    hands: Hands = "open"


def card_span(card: int, look: Look, *, marked: bool = False) -> Span:
    """A card: its code, or rank and symbol; a marked one stands in brackets."""
    face = FACES[card]
    text = f"{face.rank}{SYMBOLS[face.suit]}" if look.symbols and face.suit else face.code
    style: Style = "special" if not face.suit else face.suit  # type: ignore[assignment]
    return Span(f"[{text}]" if marked else text, style)


def cards_row(cards: Iterable[int], look: Look, marked: int = 0) -> Row:
    """Cards with blanks between them."""
    row: Row = []
    for card in cards:
        if row:
            row.append(Span(" "))
        row.append(card_span(card, look, marked=bool(marked >> card & 1)))
    return row


def words_row(words: Words, labels: Iterable[str], look: Look) -> Row:
    """A sentence; players stand out."""
    named = list(labels)
    row: Row = []
    for part in words:
        if isinstance(part, str):
            row.append(Span(part))
        elif isinstance(part, int):
            row.append(Span(named[part], "bold"))
        else:
            row += cards_row(part, look)
    return row


def laid_row(laid: Laid, view: RoundView, look: Look) -> Row:
    """A play that lies on the table."""
    row = cards_row(laid.cards, look)
    by = " by "
    if laid.words and len(laid.cards) == 1:
        row.append(Span(f" {laid.words}"))
    elif laid.words:
        row.append(Span(f": {laid.words}"))
        by = ", by "
    return [*row, Span(f"{by}{view.labels[laid.seat]}", "dim")]


def frame_rows(game: GameReplay, view: RoundView, index: int, look: Look) -> list[Row]:
    """A scene: where it is, the four seats, the table, what happened, what is wrong.

    Args:
        game: the game.
        view: the round, one of :func:`round_view`.
        index: the number of the scene in its round, from 0.
        look: how it is drawn.

    Returns:
        Rows that are no wider than ``look.width``, as far as they can be broken.
    """
    scene = view.scenes[index]
    rows = [_head(game, view, scene)]
    rows += [_seat(view, scene, seat, look) for seat in range(4)]
    rows += _table(view, scene, look)
    rows.append(words_row(scene.said, view.labels, look))
    found = scene.findings
    if index == 0 and view.one is game.rounds[0]:
        found = (*(finding for finding in game.findings if finding.round is None), *found)
    for finding in found:
        rows += _finding(finding, look)
    folded = []
    for row in rows:
        shown = [Span(encodable(span.text, Paper(None, look.encoding)), span.style) for span in row]
        folded += [shown] if look.width is None else fold(shown, max(look.width, _FEWEST))
    return folded


def _head(game: GameReplay, view: RoundView, scene: Scene) -> Row:
    """Where in the game the scene is."""
    parts = [f"Round {view.one.number} of {len(game.rounds)}"]
    if scene.trick:
        parts.append(f"trick {scene.trick}")
    if scene.move:
        parts.append(f"move {scene.move}")
    parts.append(f"line {scene.line}")
    total = view.one.total_after if scene.kind == "result" else view.one.total_before
    parts.append(f"total {pair_text(total)}")
    return [Span(", ".join(parts), "bold")]


def _seat(view: RoundView, scene: Scene, seat: int, look: Look) -> Row:
    """A seat: who is to act, what was called, points taken, cards."""
    width = min(_NAME, max(map(cell_width, view.names)))
    row = [
        Span(">" if scene.turn == seat else " ", "mark"),
        Span(f" {seat} {fit(view.names[seat], width)} ", "bold" if scene.turn == seat else ""),
        Span(f"{scene.points[seat]:>4} ", "dim"),
    ]
    if scene.calls[seat]:
        row += [Span(f" {_CALLS[scene.calls[seat]]} ", "mark")]
    row.append(Span(" "))
    cards = scene.hands[seat]
    if seat in scene.finish:
        row.append(Span(f"out {PLACES[scene.finish.index(seat)]}", "dim"))
        if not cards:
            return row
        row.append(Span(" "))
    if not cards:
        row.append(Span("not known" if seat in scene.active else "no cards", "dim"))
    elif _open(scene, seat, look):
        row += cards_row(mask_cards(cards), look, scene.marked[seat])
    else:
        count = cards.bit_count()
        row.append(Span("1 card" if count == 1 else f"{count} cards", "dim"))
    return row


def _open(scene: Scene, seat: int, look: Look) -> bool:
    """Whether the hand of a seat is shown."""
    if look.hands == "open":
        return True
    return seat == (scene.turn if look.hands == "seat" else look.hands)


def _table(view: RoundView, scene: Scene, look: Look) -> list[Row]:
    """The wish, and the plays of the trick, the last one first."""
    rows: list[Row] = []
    if scene.wish:
        rows.append([Span("  wish:  "), Span(rank_name(scene.wish), "mark")])
    start = "  table: "
    for laid in reversed(scene.table):
        rows.append([Span(start), *laid_row(laid, view, look)])
        start = "         "
    if scene.passed:
        rows.append(
            [Span("         passed: ", "dim"), Span(", ".join(view.labels[seat] for seat in scene.passed), "dim")]
        )
    return rows


def _finding(finding: Finding, look: Look) -> list[Row]:
    rows: list[Row] = []
    start = ">>> "
    for text in finding_rows(finding, Paper(None, look.encoding)):
        rows.append([Span(start, finding.severity), Span(text, finding.severity)])
        start = "    "
    return rows


def fold(row: Row, width: int, hang: int = 9) -> list[Row]:
    """Breaks a row at blanks so that no part is wider than ``width``; a word that is wider is cut.

    Args:
        row: the row.
        width: cells to a row.
        hang: by how many blanks the parts after the first are moved in, where there is room for that.
    """
    if sum(cell_width(span.text) for span in row) <= width:
        return [row]
    indent = min(hang, width // 4)
    parts: list[Row] = [[]]
    used = 0
    for word in _words(row):
        size = sum(cell_width(piece.text) for piece in word)
        is_blank = not word[0].text.strip(" ")
        if used + size > width:
            if is_blank:
                used = width  # a blank at a break
                continue
            if parts[-1]:
                parts.append([Span(" " * indent)])
                used = indent
        for piece in word:
            shown = cut(piece.text, width - used)
            if shown:
                parts[-1].append(Span(shown, piece.style))
                used += cell_width(shown)
    return parts


def _words(row: Row) -> Iterator[Row]:
    """The row as words and the blanks between them; a word may be in several styles."""
    word: Row = []
    for text, style in row:
        for piece in re.findall(r" +|[^ ]+", text):
            if word and (piece[0] == " ") != (word[-1].text[0] == " "):
                yield word
                word = []
            word.append(Span(piece, style))
    if word:
        yield word


def row_text(row: Row) -> str:
    """A row as plain text, without blanks at its end."""
    return "".join(span.text for span in row).rstrip(" ")


def transcript(game: GameReplay, view: RoundView, look: Look, first: int = 0) -> Iterator[str]:
    """A round position by position, as plain text.

    Args:
        game: the game.
        view: the round.
        look: how it is drawn.
        first: the scene to begin with.

    Yields:
        The text of every scene, which ends with an empty line.
    """
    for index in range(first, len(view.scenes)):
        yield "".join(f"{row_text(row)}\n" for row in frame_rows(game, view, index, look)) + "\n"


def game_transcript(game: GameReplay, look: Look | None = None) -> str:
    """Every position of a whole game as plain text.

    Args:
        game: the game.
        look: how it is drawn; by default plain, with rows of any length.
    """
    look = look or Look()
    views = (round_view(one, game.game.places) for one in game.rounds)
    return "".join(text for view in views for text in transcript(game, view, look))
