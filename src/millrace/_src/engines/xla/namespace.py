"""jax.numpy as the array namespace of kernels, with its differences to NumPy levelled.

The counterpart of `engines.numpy.namespace`: the same extras under the same names, so
that a kernel is one text for both. Control flow becomes `jax.lax` control flow; the
variables among its operands are carried through as values (see `cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np

from millrace._src.core.array_namespace import Array
from millrace._src.engines.xla.cells import Cell, is_concrete

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

    is_xla = True
    special = jax.scipy.special
    lax = jax.lax
    """For kernels of the XLA engine alone (`kernel_for("xla")`)."""

    def __getattr__(self, name: str) -> Any:
        value = getattr(jnp, name)
        setattr(self, name, value)
        return value

    @staticmethod
    def astype(x: Array, dtype: Any) -> Array:
        """`x` converted element-wise."""
        return jnp.asarray(x).astype(dtype)

    @staticmethod
    def bitcast(x: Array, dtype: Any) -> Array:
        """The bytes of `x` as another dtype; the last axis grows or shrinks with the width."""
        return jax.lax.bitcast_convert_type(x, dtype)

    @staticmethod
    def scatter(x: Array, index: Any, updates: Array, mode: str) -> Array:
        """A copy of `x` with `updates` combined at `x[index]`."""
        return getattr(jnp.asarray(x).at[index], _SCATTER_METHODS[mode])(updates)

    @staticmethod
    def matmul(a: Array, b: Array) -> Array:
        """Matrix product that keeps the dtype; small floats accumulate in float32."""
        if a.dtype.name in _WIDENED:
            return jnp.matmul(a, b, preferred_element_type=jnp.float32).astype(a.dtype)
        return jnp.matmul(a, b)

    @staticmethod
    def sum(x: Array, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Sum that keeps the dtype."""
        return jnp.sum(x, axis=axis, dtype=dtype or x.dtype, keepdims=keepdims)

    @staticmethod
    def prod(x: Array, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Product that keeps the dtype."""
        return jnp.prod(x, axis=axis, dtype=dtype or x.dtype, keepdims=keepdims)

    @staticmethod
    def cumsum(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
        """Cumulative sum that keeps the dtype."""
        return jnp.cumsum(x, axis=axis, dtype=dtype or x.dtype)

    @staticmethod
    def cumprod(x: Array, axis: int | None = None, dtype: Any = None) -> Array:
        """Cumulative product that keeps the dtype."""
        return jnp.cumprod(x, axis=axis, dtype=dtype or x.dtype)

    @staticmethod
    def cond(predicate: Array, then: Callable[..., Any], otherwise: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """`lax.cond`, or a plain choice if the predicate is known while compiling."""
        if is_concrete(predicate):
            return then(*operands) if predicate else otherwise(*operands)
        arrays, cells, rebuild = _split(operands, [_is_host(item) for item in operands])
        outputs, values = jax.lax.cond(
            predicate, _branch(then, rebuild), _branch(otherwise, rebuild), arrays, _values(cells)
        )
        _write_back(cells, values)
        return outputs

    @staticmethod
    def switch(index: Array, branches: Sequence[Callable[..., Any]], operands: Sequence[Any]) -> Any:
        """`lax.switch`; an index out of range takes the last branch."""
        last = len(branches) - 1
        if is_concrete(index):
            return branches[int(index) if 0 <= int(index) <= last else last](*operands)
        arrays, cells, rebuild = _split(operands, [_is_host(item) for item in operands])
        chosen = jnp.where((index < 0) | (index > last), last, index)
        outputs, values = jax.lax.switch(chosen, [_branch(b, rebuild) for b in branches], arrays, _values(cells))
        _write_back(cells, values)
        return outputs

    @staticmethod
    def while_loop(cond: Callable[..., Any], body: Callable[..., Any], state: Sequence[Any]) -> Any:
        """`lax.while_loop` over the arrays of the state and the values of its variables.

        Host constants that the body only passes on (its captures) stay constants.
        """
        passed_on = getattr(body, "passed_on", [False] * len(state))
        arrays, cells, rebuild = _split(state, [p and _is_host(item) for p, item in zip(passed_on, state, strict=True)])
        positions = _moving(state, [p and _is_host(item) for p, item in zip(passed_on, state, strict=True)])

        def loop_cond(carry: Any) -> Any:
            return jnp.reshape(cond(*rebuild(*carry)[0])[0], ())

        def loop_body(carry: Any) -> Any:
            operands, inner = rebuild(*carry)
            outputs = body(*operands)
            kept = [jnp.asarray(outputs[p], a.dtype) for p, a in zip(positions, carry[0], strict=True)]
            return kept, _values(inner)

        start = ([jnp.asarray(a) for a in arrays], _values(cells))
        outputs, values = jax.lax.while_loop(loop_cond, loop_body, start)
        _write_back(cells, values)
        result: list[Any] = list(state)
        for position, output in zip(positions, outputs, strict=True):
            result[position] = output
        return result


def _is_host(item: Any) -> bool:
    """Whether a value is known while compiling."""
    return isinstance(item, (np.ndarray, np.generic))


def _moving(operands: Sequence[Any], fixed: Sequence[bool]) -> list[int]:
    """The positions of the arrays that are operands of the compiled construct."""
    return [i for i, item in enumerate(operands) if not isinstance(item, Cell) and not fixed[i]]


def _split(
    operands: Sequence[Any], fixed: Sequence[bool]
) -> tuple[list[Any], list[Cell], Callable[..., tuple[list[Any], list[Cell]]]]:
    """Separates arrays from variables; the third result puts new ones back in their places.

    Operands that are `fixed` are neither: they are put back as they were.
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


def _branch(function: Callable[..., Any], rebuild: Callable[..., tuple[list[Any], list[Cell]]]) -> Callable[..., Any]:
    def run(arrays: Sequence[Any], values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        operands, cells = rebuild(arrays, values)
        outputs = [o if isinstance(o, Cell) else jnp.asarray(o) for o in function(*operands)]
        return [o for o in outputs if not isinstance(o, Cell)], _values(cells)

    return run


def _values(cells: Sequence[Cell]) -> list[Any]:
    return [jnp.asarray(np.zeros((), np.float32) if c.value is None else c.value) for c in cells]


def _write_back(cells: Sequence[Cell], values: Sequence[Any]) -> None:
    for cell, value in zip(cells, values, strict=True):
        cell.value = value


xp = XlaNamespace()
