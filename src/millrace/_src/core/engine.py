"""What an engine is: the Protocol that `execute` and functions rely on.

An engine binds single kernels for eager calls and compiles whole graphs. Core
knows only this interface; the engines live two layers above.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from millrace._src.core.array_namespace import Array, Xp


class Program(Protocol):
    """A compiled graph: takes the values of its inputs, gives the values of its outputs.

    The values are NumPy arrays, unless the program's attribute `tensor_class` names a kind of eager tensor that can
    hold the engine's own.
    """

    def __call__(self, *inputs: Array) -> Sequence[Array]: ...


class Engine(Protocol):
    """Runs kernels and graphs on one kind of array."""

    name: str
    xp: Xp

    def bind(self, op: Any, dtypes: tuple[Any, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """A callable on arrays for one op with fixed input dtypes and attributes."""

    def compile(self, graph: Any) -> Program:
        """A program for an `OptimizedGraph`: from the values of its inputs to those of its outputs."""
