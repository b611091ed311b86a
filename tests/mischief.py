"""Illegal acts for simulated rounds, under the name by which the tests know them; they are part of the simulator."""

from __future__ import annotations

from tichu_analytics.simulate.illegal import ACTED, INSERTED, KINDS
from tichu_analytics.simulate.mischief import Done, Mischief, play_with

__all__ = ["ACTED", "INSERTED", "KINDS", "Done", "Mischief", "play_with"]
