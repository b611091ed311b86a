"""How many processes this machine has room for; apart from them, since asking costs nothing and starting them does."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
