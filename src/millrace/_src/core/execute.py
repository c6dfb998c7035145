"""The one function that every op call passes through.

`execute` is the hottest code of the project, so it holds only the fast path: eager mode, nothing watching, inputs that
are tensors, and a kernel that was bound before for the same dtypes and attributes. Everything else (conversion of
inputs, graphs, tapes, first calls, errors) is in `dispatch`, which is found by name on first need because `dispatch`
imports tensors, and tensors import this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from millrace._src.core.context import state
from millrace._src.core.op_registry import find_late_bound

if TYPE_CHECKING:
    from millrace._src.core.op_def import OpDef

_ndarray, _ufunc = np.ndarray, np.ufunc
_dispatch: Any = None


def scalar_array(value: Any, dtype: Any) -> Any:
    """Returns the array, of no dimensions, of a scalar that a kernel returned."""
    if type(value) is bytes or dtype.np_dtype.kind == "O":
        array = np.empty((), dtype=object)
        array[()] = value
        return array
    return np.asarray(value)


def execute(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None = None) -> Any:
    """Runs one op call: computes it in eager mode, or adds it to the graph being built.

    Args:
      op: the op.
      inputs: one value per input of the signature; a list where the input is a list.
      attrs: attributes by name; an attribute that follows from the inputs or has a default may be left out.
      name: the name of the operation in a graph.

    Returns: A Tensor; a list of Tensors if the op has several outputs or one list of outputs; for an op
      without outputs the Operation in a graph and None in eager mode.
    """
    run = state.run
    if run is not None:
        try:
            if len(inputs) == 1:  # a comprehension is a call of its own in CPython 3.11
                (x,) = inputs
                kernel, dtype, wrap, _ = op.calls[(x.dtype, *attrs.items()) if attrs else (x.dtype,)]
                values: Any = (x._eager_array,)
            elif len(inputs) == 2:
                x, y = inputs
                kernel, dtype, wrap, _ = op.calls[(x.dtype, y.dtype, *attrs.items()) if attrs else (x.dtype, y.dtype)]
                values = (x._eager_array, y._eager_array)
            else:
                kernel, dtype, wrap, _ = op.calls[(*[x.dtype for x in inputs], *attrs.items())]
                values = [x._eager_array for x in inputs]
        except (KeyError, AttributeError, TypeError):
            pass
        else:
            try:
                result = run(kernel, *values)
            except Exception as error:
                return _slow().handle_failure(op, inputs, attrs, error)
            return wrap(result if dtype is None or type(result) is _ndarray else scalar_array(result, dtype), dtype)
    return (_dispatch or _slow()).execute(op, inputs, attrs, name)


def execute_binary(op: OpDef, x: Any, y: Any, name: str) -> Any:
    """Runs a call of an op of two inputs without attributes: the call that Python's operators make."""
    run = state.run
    if run is not None:
        try:
            kernel, dtype, wrap, _ = op.calls[x.dtype, y.dtype]
            a, b = x._eager_array, y._eager_array
        except (KeyError, AttributeError):
            x, y, dtypes = (_dispatch or _slow()).eager_pair(x, y)
            entry = op.calls.get(dtypes)
            if entry is None:
                return _dispatch.execute(op, (x, y), {}, name)
            kernel, dtype, wrap, _ = entry
            a, b = x._eager_array, y._eager_array
        try:
            if a.ndim or type(kernel) is not _ufunc:
                result = run(kernel, a, b)
            else:
                result = run(kernel, a, b, out=...)  # an array: making one of a scalar costs a quarter of the call
        except Exception as error:
            return _slow().handle_failure(op, (x, y), {}, error)
        return wrap(result if type(result) is _ndarray else scalar_array(result, dtype), dtype)
    return (_dispatch or _slow()).execute_binary(op, x, y, name)


def _slow() -> Any:
    """Returns the module with everything that is not the fast path."""
    global _dispatch
    if _dispatch is None:
        _dispatch = find_late_bound("slow_path")()
    return _dispatch
