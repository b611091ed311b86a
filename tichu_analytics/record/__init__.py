"""What a log says, as immutable objects with the line of every element. What is true is worked out by ``replay``."""

from tichu_analytics.record.hand import Hand
from tichu_analytics.record.model import (
    Call,
    Deal,
    Event,
    EventKind,
    Game,
    Gift,
    Places,
    Problem,
    Result,
    Round,
)

__all__ = ["Call", "Deal", "Event", "EventKind", "Game", "Gift", "Hand", "Places", "Problem", "Result", "Round"]
