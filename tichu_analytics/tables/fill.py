"""Fills the tables with games: by the compiled pass as far as it vouches for rounds, else on the careful path."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from tichu_analytics.bulk.choice import BATCH_BYTES, BATCH_INPUTS, Way, is_for_batch, rules_of_logs
from tichu_analytics.formats.registry import read_input
from tichu_analytics.formats.sources import Input
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.tables.build import Builder

if TYPE_CHECKING:
    from tichu_analytics.bulk.engine import Engine

#: The ways of filling: ``compiled`` by the compiled pass if it can be loaded or compiled, ``kept`` if it can be loaded.
FillWay = Literal["careful", "kept", "compiled"]

#: Rounds after which progress is reported.
_REPORT = 100


def fill(
    builder: Builder, logs: Iterable[Input], rules: str, engine: FillWay, report: Callable[[int, int], None]
) -> None:
    """Adds games in their order.

    Args:
        builder: the tables.
        logs: the games.
        rules: a rule set, or ``auto``.
        engine: the way; the rows do not depend on it.
        report: is told the rounds and bytes done since the last time.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    tally = builder.tally
    reported = size = waiting = 0
    batch: list[Input] = []

    def careful(one: Input) -> None:
        builder.add(replay(read_input(one), rules), one.game_id)

    passed = _pass(rules, engine == "kept") if engine != "careful" else None
    add_batch = None
    if passed is not None:
        from tichu_analytics.tables.vouched import Filler

        name = rules_of_logs(rules)
        add_batch = Filler(builder, passed, name, get_rule_set(name).options, careful).add

    with rare_collections():
        for log in logs:
            size += len(log.data)
            if add_batch is not None and is_for_batch(log):
                batch.append(log)
                waiting += len(log.data)
                if waiting < BATCH_BYTES and len(batch) < BATCH_INPUTS:
                    continue
                add_batch(batch)
            else:
                if batch and add_batch is not None:
                    add_batch(batch)
                careful(log)
            batch = []
            waiting = 0
            if tally.rounds - reported >= _REPORT:
                report(tally.rounds - reported, size)
                reported = tally.rounds
                size = 0
        if batch and add_batch is not None:
            add_batch(batch)
    report(tally.rounds - reported, size)


@lru_cache(maxsize=4)
def _pass(rules: str, is_to_be_kept: bool) -> Engine | None:
    """The compiled pass, held from part to part; None if there is none.

    Args:
        rules: a rule set, or ``auto``.
        is_to_be_kept: it is not to be compiled, only loaded from where it is kept.
    """
    way = Way(get_rule_set(rules_of_logs(rules)).options, "compiled")
    way.prepare(0)
    if way.is_kept or not is_to_be_kept:
        way.load()
    return way.compiled
