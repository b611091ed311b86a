"""The whole rulebook compiled by Numba: the same functions from the same source, nothing written twice."""

from __future__ import annotations

import types
from collections.abc import Callable, Container, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

from tichu_analytics.rules import calls, cards, combinations, play, scoring, turns, wish

#: The modules of the rulebook that hold rule functions, callees before callers.
RULE_MODULES: tuple[ModuleType, ...] = (cards, turns, combinations, wish, play, scoring, calls)


def rule_functions() -> dict[str, Callable[..., Any]]:
    """Every function of the rulebook by name, as it is interpreted; names are unique across the modules."""
    found: dict[str, Callable[..., Any]] = {}
    for module in RULE_MODULES:
        found |= {
            name: value
            for name, value in vars(module).items()
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__
        }
    return found


def compile_rulebook(**numba_options: Any) -> SimpleNamespace:
    """Compiles every rule function with ``numba.njit`` and returns them by name.

    Args:
        numba_options: passed on to ``numba.njit``.

    Raises:
        ImportError: if Numba is not installed.
    """
    return SimpleNamespace(**compile_modules(RULE_MODULES, **numba_options))


def compile_modules(
    modules: Sequence[ModuleType],
    entries: Container[str] | None = None,
    inlined: Container[str] = (),
    instead: Mapping[str, Any] = MappingProxyType({}),
    **numba_options: Any,
) -> dict[str, Any]:
    """Makes every function of some modules one that Numba compiles when it is first called.

    The functions are copied first, with globals in which each of these functions is its compiled copy, so that the
    interpreted ones stay as they are.

    Args:
        modules: callees before callers; no two functions in them have the same name.
        entries: the names of the functions that Python itself calls; all others can then only be called by compiled
            ones, which takes less time to compile. None: Python may call every one.
        inlined: the names of those of the others that become part of each function that calls them.
        instead: by name, what is taken in the place of some of the functions.
        numba_options: passed on to ``numba.njit``.

    Returns:
        The functions by name.

    Raises:
        ImportError: if Numba is not installed.
    """
    numba: Any = import_module("numba")
    compiled: dict[str, Any] = {}
    for module in modules:
        scope = dict(vars(module))
        scope.update({name: value for name, value in compiled.items() if name in scope})
        for name, value in vars(module).items():
            if name in instead:
                scope[name] = compiled[name] = instead[name]
            elif isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                copy = types.FunctionType(value.__code__, scope, name, value.__defaults__, value.__closure__)
                copy.__annotations__ = value.__annotations__
                is_entry = entries is None or name in entries
                more = {} if is_entry else {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
                if name in inlined:
                    more["forceinline"] = True
                scope[name] = compiled[name] = numba.njit(copy, **numba_options, **more)
    return compiled
