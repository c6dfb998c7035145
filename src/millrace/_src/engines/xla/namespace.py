"""jax.numpy as the array namespace of kernels, with its differences to NumPy levelled.

This module is the counterpart of `engines.numpy.namespace`: it has the same extra functions under the same names, so
that a kernel is one text for both engines. Control flow becomes `jax.lax` control flow, which carries the values of the
variables among the operands (see `variable_cells`).

Tests: tests/contracts/test_every_op.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

from millrace._src.core import errors
from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.array_namespace import Array, CompilingXp
from millrace._src.core.dtypes import DType
from millrace._src.core.shapes import TensorShape
from millrace._src.engines.variable_cells import Cell
from millrace._src.engines.xla import lists
from millrace._src.engines.xla.compile_time_constants import is_concrete
from millrace._src.engines.xla.ffi import convolve, multiply
from millrace._src.engines.xla.lists import DenseList
from millrace._src.engines.xla.trip_count import Count, count_iterations

_WIDENED = frozenset(
    "float16 bfloat16 float8_e5m2 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz".split()
)
_SCATTER_METHODS = {
    "set": "set",
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "div": "divide",
    "min": "min",
    "max": "max",
}


class XlaNamespace:
    """The `xp` of the XLA engine, used while JAX traces."""

    engine = "xla"
    special = jax.scipy.special
    lax = jax.lax
    """For kernels of the XLA engine alone (`kernel_for("xla")`)."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(jnp, name)
        setattr(self, name, value)
        return value

    @staticmethod
    def astype(x: Array, dtype: DTypeLike) -> Array:
        """Converts `x` element-wise."""
        return jnp.asarray(x).astype(dtype)

    @staticmethod
    def cast(x: Array, dtype: Any) -> Array:
        """Converts `x` as `tf.cast` does, where negative numbers wrap around in an unsigned type."""
        x, dtype = jnp.asarray(x), np.dtype(dtype)
        if dtype.kind != "u" or x.dtype.kind in "iub":
            return x.astype(dtype)
        return jnp.where(x < 0, x.astype(np.int64).astype(dtype), x.astype(dtype))  # XLA would make negatives 0

    @staticmethod
    def abs(x: Array) -> Array:
        """Returns absolute values; of a complex number with an infinite part infinity, whatever the other part is."""
        x = jnp.asarray(x)
        if x.dtype.kind != "c":
            return jnp.abs(x)
        return jnp.where(jnp.isinf(x), jnp.inf, jnp.abs(x))

    @staticmethod
    def are_known(*arrays: Array) -> bool:
        """Returns whether the values of all arrays are known while compiling."""
        return all(_is_host(array) for array in arrays)

    @staticmethod
    def add_at(total: Array, index: object, values: Array) -> Array:
        """Returns `total` with `values` added at the positions `index`, no two of which are the same."""
        return total.at[index].add(values)

    @staticmethod
    def bitcast(x: Array, dtype: DTypeLike) -> Array:
        """Reads the bytes of `x` as another dtype; the last axis grows or shrinks with the width."""
        return jax.lax.bitcast_convert_type(x, dtype)

    @staticmethod
    def scatter(x: Array, index: object, updates: Array, mode: str, *, may_change: bool = False) -> Array:
        """Returns a copy of `x` with `updates` combined at `x[index]`."""
        return getattr(jnp.asarray(x).at[index], _SCATTER_METHODS[mode])(updates)

    @staticmethod
    def may_hold(condition: Array) -> bool:
        """Returns whether some element of `condition` is true, or may be true when the compiled program runs."""
        return bool(condition.any()) if is_concrete(condition) else True

    run_convolution = staticmethod(convolve)
    multiply_transposed = staticmethod(multiply)

    @staticmethod
    def matmul(a: Array, b: Array) -> Array:
        """Multiplies matrices and keeps the dtype; small floats accumulate in float32."""
        if a.dtype.name in _WIDENED:
            return jnp.matmul(a, b, preferred_element_type=jnp.float32).astype(a.dtype)
        return jnp.matmul(a, b)

    @staticmethod
    def sum(x: Array, axis: Any = None, dtype: object = None, keepdims: bool = False) -> Array:
        """Sums elements and keeps the dtype."""
        return jnp.sum(x, axis=axis, dtype=dtype or x.dtype, keepdims=keepdims)

    @staticmethod
    def prod(x: Array, axis: Any = None, dtype: object = None, keepdims: bool = False) -> Array:
        """Multiplies elements and keeps the dtype."""
        return jnp.prod(x, axis=axis, dtype=dtype or x.dtype, keepdims=keepdims)

    @staticmethod
    def cumsum(x: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
        """Computes cumulative sums and keeps the dtype."""
        return jnp.cumsum(x, axis=axis, dtype=dtype or x.dtype)

    @staticmethod
    def cumprod(x: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array:
        """Computes cumulative products and keeps the dtype."""
        return jnp.cumprod(x, axis=axis, dtype=dtype or x.dtype)

    @staticmethod
    def add(a: Array, b: Array) -> Array:
        """Adds arrays; of two lists, adds the elements."""
        return a + b if isinstance(a, DenseList) else jnp.add(a, b)

    @staticmethod
    def reserve_list(dtype: DType, element_shape: Any, length: Any, capacity: Any) -> DenseList:
        """Makes a list of unset elements that may grow to `capacity`, -1 or unknown for any number."""
        room = int(capacity) if is_concrete(capacity) and capacity >= 0 else None
        return lists.reserve(dtype, lists.declared_shape(element_shape), int(length), room)

    @staticmethod
    def list_of_rows(dtype: DType, element_shape: ShapeLike, tensor: Array) -> DenseList:
        """Makes a list of the rows of an array."""
        return lists.from_rows(tensor, lists.declared_shape(element_shape), dtype)

    @staticmethod
    def list_of_pieces(dtype: DType, element_shape: ShapeLike, pieces: Sequence[Array]) -> DenseList:
        """Makes a list of arrays, which must have one shape."""
        if any(piece.shape != pieces[0].shape for piece in pieces):
            raise errors.UnimplementedError(None, None, "All lengths have to be the same")
        element = lists.declared_shape(element_shape)
        if not pieces:
            return lists.reserve(dtype, element, 0, 0)
        return lists.from_rows(jnp.stack(pieces), element, dtype)

    @staticmethod
    def declared_shape(vector: Any) -> TensorShape:
        """Returns a shape given as a vector (or -1), as far as the value is known."""
        return lists.declared_shape(vector)

    @staticmethod
    def cond(predicate: Array, then: Callable[..., Any], otherwise: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Calls `lax.cond`, or makes a plain choice if the predicate is known while compiling."""
        if is_concrete(predicate):
            return then(*operands) if predicate else otherwise(*operands)
        arrays, cells, rebuild = _split(operands, [_is_host(item) for item in operands])
        branches = _branches([then, otherwise], rebuild, arrays, cells)
        outputs, values = jax.lax.cond(predicate, *branches, arrays, _values(cells))
        _write_back(cells, values)
        return outputs

    @staticmethod
    def switch(index: Array, branches: Sequence[Callable[..., Any]], operands: Sequence[Any]) -> Any:
        """Calls `lax.switch`; an index out of range takes the last branch."""
        last = len(branches) - 1
        if is_concrete(index):
            return branches[int(index) if 0 <= int(index) <= last else last](*operands)
        arrays, cells, rebuild = _split(operands, [_is_host(item) for item in operands])
        position = jnp.where((index < 0) | (index > last), last, index)
        outputs, values = jax.lax.switch(position, _branches(branches, rebuild, arrays, cells), arrays, _values(cells))
        _write_back(cells, values)
        return outputs

    @staticmethod
    def while_loop(cond: Callable[..., Any], body: Callable[..., Any], state: Sequence[Any]) -> Any:
        """Calls `lax.while_loop` over the arrays of the state and the values of the variables in the state.

        A constant of the host that the body only passes on, as a capture is, stays a constant.
        """
        passed_on = getattr(body, "passed_on", [False] * len(state))
        is_fixed = [p and _is_host(item) for p, item in zip(passed_on, state, strict=True)]
        positions = _moving(state, is_fixed)
        arrays, cells, rebuild = _split(state, is_fixed)

        def loop_cond(carry: Any) -> Any:
            return jnp.reshape(cond(*rebuild(*carry)[0])[0], ())

        def loop_body(carry: Any) -> Any:
            operands, inner = rebuild(*carry)
            outputs = body(*operands)
            new_arrays = [_like(outputs[p], a) for p, a in zip(positions, carry[0], strict=True)]
            return new_arrays, _values(inner)

        start = ([_operand(a) for a in arrays], _values(cells))
        count: Count | None = None
        lengths: list[int | None] = [None] * len(arrays)
        if any(isinstance(item, DenseList) for item in arrays):
            count = count_iterations(cond, body, state)
            if count is not None and not count.trips:
                return list(state)  # no iteration runs: the lists have no room for a push
            try:
                settled, lengths = _settle(loop_body, start, None if count is None else count.trips)
            except lists.EmptyListError:
                if count is not None:
                    raise
                return list(state)  # an iteration would fail, so no iteration runs
            start = (settled, start[1])
        outputs, values = jax.lax.while_loop(loop_cond, loop_body, start)
        _write_back(cells, values)
        result: list[Any] = list(state)
        for position, output, length in zip(positions, outputs, lengths, strict=True):
            result[position] = lists.release(output, state[position], length)
        for position, last in ({} if count is None else count.last).items():
            result[position] = np.asarray(last)
        return result


def _operand(item: object) -> Any:
    """Returns a value as an operand of a compiled construct."""
    return item if isinstance(item, DenseList) else jnp.asarray(item)


def _like(item: Any, first: Any) -> Any:
    """Returns a loop variable after an iteration, as an operand like `first`, the operand before.

    Raises: UnknownWhileCompilingError: if the variable has another shape.
    """
    if isinstance(item, DenseList):
        return item.mark() if first.cleared is not None else item
    if item.shape != first.shape:
        raise errors.UnknownWhileCompilingError(
            f"a loop variable has shape {first.shape} before an iteration and shape {item.shape} after it; while XLA "
            "compiles, every shape must stay"
        )
    return jnp.asarray(item, first.dtype)


def _settle(body: Callable[..., Any], start: Any, trips: int | None) -> tuple[list[Any], list[int | None]]:
    """Returns the loop variables with lists of the loop's types, and the lengths of the lists after the loop.

    The body is traced again until the types of the lists stay the same.
    """
    operands, values = start
    lengths: list[int | None] | None = None
    while True:
        after, _ = jax.eval_shape(body, (operands, values))
        if lengths is None:
            lengths = [lists.length_after(b, a, trips) for b, a in zip(operands, after, strict=True)]
        settled = [lists.settle(b, a, trips) for b, a in zip(operands, after, strict=True)]
        if all(s is b for s, b in zip(settled, operands, strict=True)):
            return settled, lengths
        operands = settled


def _is_host(item: object) -> bool:
    """Returns whether a value is known while compiling."""
    return isinstance(item, (np.ndarray, np.generic))


def _moving(operands: Sequence[Any], fixed: Sequence[bool]) -> list[int]:
    """Returns the positions of the arrays that are operands of the compiled construct."""
    return [i for i, item in enumerate(operands) if not isinstance(item, Cell) and not fixed[i]]


def _split(
    operands: Sequence[Any], fixed: Sequence[bool]
) -> tuple[list[Any], list[Cell], Callable[..., tuple[list[Any], list[Cell]]]]:
    """Separates arrays from variables; the third result puts new arrays and variables back in their positions.

    An operand that is `fixed` is in neither list; the third result puts it back unchanged.
    """
    cells = list({id(item): item for item in operands if isinstance(item, Cell)}.values())
    number = {id(cell): i for i, cell in enumerate(cells)}
    positions = _moving(operands, fixed)

    def rebuild(arrays: Sequence[Any], values: Sequence[Any]) -> tuple[list[Any], list[Cell]]:
        fresh = [cell.like(value) for cell, value in zip(cells, values, strict=True)]
        rebuilt = [fresh[number[id(item)]] if isinstance(item, Cell) else item for item in operands]
        for position, array in zip(positions, arrays, strict=True):
            rebuilt[position] = array
        return rebuilt, fresh

    return [operands[p] for p in positions], cells, rebuild


def _branches(
    functions: Sequence[Callable[..., Any]], rebuild: Callable[..., Any], arrays: Sequence[Any], cells: Sequence[Cell]
) -> list[Callable[..., Any]]:
    """Returns the branches as functions that return values of the same types."""
    branches = [_branch(function, rebuild) for function in functions]
    if any(isinstance(item, DenseList) and item.may_be_empty for item in arrays):
        branches = _possible(branches, arrays, cells)
    stand_ins = [getattr(function, "stand_ins", ()) for function in functions]
    has_lists = any(t.dtype.name == "variant" for t in getattr(functions[0], "outputs", ()))
    if not has_lists and not any(map(any, stand_ins)):
        return branches
    result_types = [jax.eval_shape(branch, arrays, _values(cells))[0] for branch in branches]
    models = [_model(column, flags) for column, flags in zip(zip(*result_types), zip(*stand_ins), strict=True)]
    return [_conforming(branch, models) for branch in branches]


def _model(results: Sequence[Any], are_stand_ins: Sequence[bool]) -> Any:
    """Returns the type to which the results of all branches conform: of lists, or of the result that is computed."""
    if isinstance(results[0], DenseList):
        return lists.common_type(results)
    computed = [r for r, is_stand_in in zip(results, are_stand_ins, strict=True) if not is_stand_in]
    return computed[0] if computed and len(computed) < len(results) else None


def _possible(branches: Sequence[Callable[..., Any]], arrays: Sequence[Any], cells: Sequence[Cell]) -> list[Any]:
    """Replaces each branch that would take an element from an empty list by another branch.

    Raises: EmptyListError: if all branches would take an element from an empty list.
    """
    possible = []
    for branch in branches:
        try:
            jax.eval_shape(branch, arrays, _values(cells))
        except lists.EmptyListError as error:
            failure = error
        else:
            possible.append(branch)
    if not possible:
        raise failure
    return [branch if branch in possible else possible[0] for branch in branches]


def _conforming(branch: Callable[..., Any], models: Sequence[Any]) -> Callable[..., Any]:
    def run(arrays: Sequence[Any], values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        outputs, changes = branch(arrays, values)
        return [o if m is None else _conform(o, m) for o, m in zip(outputs, models, strict=True)], changes

    return run


def _conform(output: Any, model: Any) -> Any:
    """Returns a result of a branch in the type of a model: a stand-in of another shape is zeros."""
    if isinstance(output, DenseList):
        return lists.conform(output, model)
    return output if output.shape == model.shape else jnp.zeros(model.shape, model.dtype)


def _branch(function: Callable[..., Any], rebuild: Callable[..., tuple[list[Any], list[Cell]]]) -> Callable[..., Any]:
    def run(arrays: Sequence[Any], values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        operands, cells = rebuild(arrays, values)
        outputs = [o if isinstance(o, Cell) else _operand(o) for o in function(*operands)]
        return [o for o in outputs if not isinstance(o, Cell)], _values(cells)

    return run


def _values(cells: Sequence[Cell]) -> list[Any]:
    return [jnp.asarray(np.zeros((), np.float32) if c.value is None else c.value) for c in cells]


def _write_back(cells: Sequence[Cell], values: Sequence[Any]) -> None:
    for cell, value in zip(cells, values, strict=True):
        cell.value = value


xp = cast(CompilingXp, XlaNamespace())  # `__getattr__` gives what the class does not define
