"""Machine code of one compiled function: taken out of Numba, and called without Numba.

Importing Numba takes longer than checking a thousand games, and all that it would do for a function that has been
compiled already is to find the code and to take arrays apart. Both are done here with llvmlite, on which Numba stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from tichu_analytics.bulk.cache import Code

_POINTER: Final = "p"
_NUMBER: Final = "n"


class Unusable(Exception):
    """Code that cannot be called; the text says why."""


def code_of(compiled: Any, examples: Iterable[Any]) -> Code:
    """The code of a function that Numba has compiled, without Python's way of calling it, for one kind of arguments.

    Args:
        compiled: the function.
        examples: arguments as it is to be called with.

    Raises:
        Unusable: if it takes its arguments in another way than :func:`callable_code` gives them.
    """
    (signature,) = compiled.signatures
    result = compiled.overloads[signature]
    name = result.fndesc.llvm_func_name
    function = result.library._final_module.get_function(name)
    taken = [_POINTER if _is_pointer(str(argument.type)) else _NUMBER for argument in function.arguments]
    if taken != [_POINTER, _POINTER, *(kind for example in examples for kind in _kinds(example))]:
        raise Unusable("this version of Numba passes arguments in a way that is not known here")
    return Code(name, result.library._get_compiled_object())


def _is_pointer(kind: str) -> bool:
    return kind == "ptr" or kind.endswith("*")


def _kinds(example: Any) -> list[str]:
    """How the parts of an argument are passed."""
    if isinstance(example, np.ndarray):
        return [_POINTER, _POINTER, _NUMBER, _NUMBER, _POINTER, *[_NUMBER] * (2 * example.ndim)]
    return [_NUMBER] * len(example)


def _parts(argument: Any) -> Iterable[int]:
    """The parts of an argument: of an array its owner (none), its size and place; of a tuple its numbers."""
    if not isinstance(argument, np.ndarray):
        return argument  # type: ignore[no-any-return]
    place = argument.__array_interface__["data"][0]
    return (0, 0, argument.size, argument.itemsize, place, *argument.shape, *argument.strides)


def callable_code(code: Code) -> Callable[..., int]:
    """Makes code ready to be called.

    The function takes arrays and tuples of whole numbers as the compiled one does, and gives a whole number. They have
    to be of the same types; nothing checks that.

    Raises:
        Unusable: if the code cannot be loaded.
    """
    import ctypes

    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code.binary))
        engine.finalize_object()
        address = engine.get_function_address(code.name)
    except RuntimeError as trouble:
        raise Unusable(f"the machine code cannot be loaded: {trouble}") from None
    if not address:
        raise Unusable("the machine code does not have what it should")
    function = ctypes.CFUNCTYPE(ctypes.c_int32)(address)
    word = ctypes.c_int64

    def call(*arguments: Any) -> int:
        result, trouble = word(), ctypes.c_void_p()
        parts = [word(part) for argument in arguments for part in _parts(argument)]
        status = function(ctypes.byref(result), ctypes.byref(trouble), *parts)
        if status:
            raise RuntimeError(f"the compiled pass has ended with {status}")
        return result.value

    # The code goes with the engine.
    call.engine = engine  # type: ignore[attr-defined]
    return call
