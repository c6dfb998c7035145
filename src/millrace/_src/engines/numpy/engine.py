"""The NumPy engine: runs eager kernels and compiled graphs, needs no compiler, takes any op and any shape."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.dtypes import DType
from millrace._src.core.engine import Program
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_signature import places
from millrace._src.engines.numpy.codegen import compile_graph
from millrace._src.engines.numpy.namespace import xp


def bind_kernel(
    op: OpDef,
    dtypes: tuple[DType, ...],
    attrs: dict[str, Any],
    convert_function: Callable[[Any], Any],
    *,
    namespace: Any = xp,
    engine: str = "numpy",
) -> Callable[..., Any]:
    """A callable on arrays for an op with fixed dtypes and attributes.

    `convert_function` turns the value of a function attribute into a callable on arrays; `namespace` is the
    engine's `xp`.
    """
    if op.specializer is not None and engine not in op.kernels:
        special = op.specializer(namespace, dtypes, attrs)
        if special is not None:
            return special
    kernel = op.select_kernel(engine)
    kinds = op.attr_kinds
    given: dict[str, Any] = {}
    for name in op.kernel_attrs:
        value = attrs[name] if name in attrs else op.attr_defaults[name]
        kind = kinds[name]
        if kind == "func":
            value = convert_function(value)
        elif kind == "list[func]":
            value = [convert_function(v) for v in value]
        given[name] = value
    bound = functools.partial(kernel, namespace, **given)
    if any(arg.is_list for arg in op.signature.inputs):
        return _grouping(op, attrs, bound)
    return bound


def _grouping(op: OpDef, attrs: dict[str, Any], bound: Callable[..., Any]) -> Callable[..., Any]:
    """Collects the arrays of list inputs into lists before calling the kernel."""
    arguments = list(places(op.signature.inputs, attrs))
    if len(arguments) == 1:
        return lambda *arrays: bound(list(arrays))
    parts = [slice(at.start, at.stop) if arg.is_list else at.start for arg, at in arguments]
    return lambda *arrays: bound(*[list(arrays[p]) if type(p) is slice else arrays[p] for p in parts])


class NumpyEngine:
    """Runs ops with NumPy (and SciPy's special functions)."""

    name = "numpy"
    xp = xp

    def bind(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any]:
        """A callable on arrays for one op."""
        return bind_kernel(op, dtypes, attrs, self._callable)

    def compile(self, graph: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> Program:
        """A straight-line program for a graph."""
        return compile_graph(self, graph, inputs, outputs)

    def _callable(self, function: Any) -> Callable[..., Any]:
        """A function attribute as a callable on arrays; compiled once per function."""
        return function_program(self, function)


def function_program(engine: NumpyEngine, function: Any) -> Callable[..., Any]:
    """The compiled program of a FuncGraph, kept with the graph."""
    graph = getattr(function, "graph", function)
    program = graph.programs.get(engine.name)
    if program is None:
        program = engine.compile(graph, graph.inputs, graph.outputs)
        graph.programs[engine.name] = program
    return program


def make_engine() -> NumpyEngine:
    """The engine of eager mode."""
    return NumpyEngine()
