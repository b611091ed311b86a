"""The rulebook: every rule of Tichu, once, as pure functions on integers.

A set of cards is a mask (see :mod:`.cards`), a combination a small tuple of integers (:mod:`.combinations`).
No function here holds state or knows of logs; each also compiles under Numba unchanged (:mod:`.compiled`).
"""
