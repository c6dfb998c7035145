"""Calls from a NumPy program to functions that a compiling engine runs.

A function with `jit_compile=True` stays a call in the graph of its caller: a *cluster*. So does a part of a graph that
`passes.clustering` gives to a compiling engine, where that is faster; see `compiled_parts`. What the engine returns is
an array of its own that may still be computed. Such an array stays as it is on its way to another cluster or out of the
program, and becomes a NumPy array, which means waiting, only where a kernel reads it. Variables need no care: their
storage keeps the array of the engine that wrote last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.engine import Engine, Program, Run
from millrace._src.core.op_checks import exactness_check_of_op
from millrace._src.core.resources import resource_of
from millrace._src.core.tensor import wait_for_array
from millrace._src.engines.binding import bind_checks, bind_kernel
from millrace._src.engines.tiers import compile_for_call
from millrace._src.engines.variable_cells import Cell
from millrace._src.graph.function_factory import body_of, must_compile
from millrace._src.passes.abstract_arrays import stand_in
from millrace._src.passes.exactness import refused_inputs
from millrace._src.passes.optimized_graph import Node, OptimizedGraph, Value


def is_cluster(node: Node) -> bool:
    """Returns whether a node calls what a compiler compiles: a function, or a part of the graph around."""
    return node.calls_function and (bool(node.graphs) or any(map(must_compile, node.functions)))


def unread_values(graph: OptimizedGraph) -> set[Value]:
    """Returns the inputs of a graph, and the results of its clusters, that no kernel reads.

    Such a value goes from the caller or a cluster to another cluster or to the caller. A graph without clusters has no
    such values: its caller passes NumPy arrays.
    """
    clusters = {node for node in graph.nodes if is_cluster(node)}
    if not clusters:
        return set()
    values = {*graph.inputs, *[value for node in clusters for value in node.outputs]}
    for node in graph.nodes:
        if node not in clusters:
            values.difference_update(refused_inputs(node) if node.only_checks else node.inputs)
    return {value for value in values if not value.dtype.is_handle}


def check_run(node: Node) -> Run:
    """Returns the checks of a node alone; arrays that the checks do not read may be of any engine."""
    exactness_check = exactness_check_of_op(node.op_def, node.attrs)
    check = exactness_check or bind_checks(node.op_def, node.attrs)
    assert check is not None  # or else the node would not have been taken apart
    read_values = set(refused_inputs(node))
    is_read = [exactness_check is not None or value in read_values for value in node.inputs]

    def run(*arguments: Any) -> Sequence[Any]:
        check(*[a if read else _shape_only(a) for a, read in zip(arguments, is_read, strict=True)])
        return ()

    return run


def skip_checks(node: Node, kernel: Callable[..., Any], engine: Engine) -> Callable[..., Any]:
    """Returns the kernel of a node whose checks another node makes: values that it refuses give some result.

    The other node may run later, and then raises the error at its own position among the effects.
    """
    read_values = {value for value in refused_inputs(node) if value.constant is None}
    is_read = [value in read_values for value in node.inputs]
    bare_kernel = bind_kernel(
        node.op_def, node.attrs, engine=engine.name, xp=engine.xp, convert_function=_no_function, with_checks=False
    )

    def run(*arrays: Any) -> Any:
        try:
            return kernel(*arrays)
        except errors.OpError:
            return bare_kernel(*[np.zeros_like(a) if read else a for a, read in zip(arrays, is_read, strict=True)])

    return run


def _no_function(function: object) -> Callable[..., Any]:
    raise TypeError(f"An op with checks has a function as an attribute: {function!r}.")


def _shape_only(argument: Any) -> Any:
    """Returns what has the shape and dtype of an argument; a variable's array may be another engine's."""
    if type(argument) is not np.ndarray:
        return stand_in(argument.shape, argument.dtype)
    if argument.dtype.kind != "O":
        return argument
    storage = resource_of(argument)
    held = storage.held
    return storage if held is None else Cell(stand_in(held.shape, held.dtype), storage.name)


def cluster_run(function: object, unread: Iterable[int] = ()) -> Run:
    """Returns the compiled program of a function; NumPy arrays are its results but for those at `unread`.

    A function that the compiler refuses raises the error when the function is called: the call may stand in a branch
    that is never taken.
    """
    graph = body_of(function)
    try:
        program = compile_for_call(graph)
    except errors.OpError as error:
        return _refusing(type(error), error.message)
    indices = [i for i in range(len(graph.outputs)) if i not in set(unread)]
    run = program.run if program.takes_pending else _reading(program)
    return _wait_for_arrays(run, indices) if indices else run


def _refusing(kind: Any, message: str) -> Run:
    def run(*arguments: Any) -> Sequence[Any]:
        raise kind(None, None, message)

    return run


def _reading(program: Program) -> Run:
    """Returns a program of another engine, which takes NumPy arrays only."""
    return lambda *arguments: program.run(*map(wait_for_array, arguments))


def _wait_for_arrays(run: Callable[..., Any], indices: Sequence[int]) -> Run:
    """Returns a function that waits for some of its results."""

    def run_with_arrays_arrived(*arguments: object) -> Sequence[Any]:
        results = list(run(*arguments))
        for index in indices:
            if type(results[index]) is not np.ndarray:
                results[index] = wait_for_array(results[index])
        return results

    return run_with_arrays_arrived
