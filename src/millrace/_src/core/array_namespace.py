"""What a kernel may use: the array namespace `xp`.

A kernel is written once and runs on several engines. It therefore never
imports NumPy or JAX; it gets `xp`, an object that offers NumPy's function
names plus the few functions below that NumPy and jax.numpy spell differently.
Each engine supplies its own `xp` and levels the differences there, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

Array: TypeAlias = Any
"""An array of the running engine: `numpy.ndarray`, or a jax.numpy array while XLA compiles."""


class Xp(Protocol):
    """NumPy's functions by name, and the engine-neutral extras below."""

    engine: str
    """The name of the engine; only `kernel_part` asks for it."""
    special: Any
    """The functions of `scipy.special` that both engines have."""

    def __getattr__(self, name: str) -> Any: ...

    def astype(self, x: Array, dtype: Any) -> Array:
        """`x` converted element-wise to the NumPy dtype `dtype`."""

    def bitcast(self, x: Array, dtype: Any) -> Array:
        """The bytes of `x` seen as NumPy dtype `dtype`; the last axis grows or shrinks with the width."""

    def scatter(self, x: Array, index: Any, updates: Array, mode: str) -> Array:
        """A copy of `x` with `updates` combined at `x[index]`; `mode` is set, add, sub, mul, div, min or max."""

    def cond(
        self, predicate: Array, then: Callable[..., Any], otherwise: Callable[..., Any], operands: Sequence[Any]
    ) -> Any:
        """`then(*operands)` where the scalar `predicate` is true, else `otherwise(*operands)`."""

    def switch(self, index: Array, branches: Sequence[Callable[..., Any]], operands: Sequence[Any]) -> Any:
        """`branches[index](*operands)`; an index out of range takes the last branch."""

    def while_loop(self, cond: Callable[..., Any], body: Callable[..., Any], state: Sequence[Any]) -> Any:
        """Applies `body` to `state` while `cond(*state)` holds."""


class XlaXp(Xp, Protocol):
    """What the forms of kernels for XLA may use besides."""

    lax: Any
    """`jax.lax`."""
