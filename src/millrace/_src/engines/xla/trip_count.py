"""How often a loop will run, where that is known while compiling.

A list that grows in a loop needs its final size when XLA compiles. Most loops count: the values that the condition
reads follow from constants alone. That small part of condition and body is run on the host, ahead of time.

Tests: tests/control_flow/test_while_loop.py, tests/control_flow/test_while_gradient.py
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.context import eager_engine
from millrace._src.core.dispatch import flatten_result
from millrace._src.passes.optimized_graph import Value

_MAX_TRIPS = 100_000

Evaluator = Callable[[dict[Value, Any]], Any]
"""A function that computes one array from the values in a dict and adds intermediate values to the dict."""


class _UnknownError(Exception):
    """A value depends on values that only the compiled program computes."""


class Count(NamedTuple):
    """The number of iterations of a loop and the last values that are known before the loop runs."""

    trips: int
    """The number of iterations."""
    last: dict[int, Any]
    """The last values of the loop variables that count, by position."""


def count_iterations(cond: Any, body: Any, state: Sequence[Any]) -> Count | None:
    """Returns how a loop will end; None if that depends on values that only the compiled program computes.

    Args:
      cond: the lowered condition.
      body: the lowered body.
      state: the values of the loop variables at the entrance.
    """
    try:
        keep, needed_counters = _program(cond.inputs, [cond.outputs[0]])
        counters: dict[int, Evaluator] = {}
        while missing_counters := needed_counters - set(counters):
            for position in missing_counters:
                (counters[position],), behind = _programs(body.inputs, [body.outputs[position]])
                needed_counters = needed_counters | behind
    except _UnknownError:
        return None
    if not all(_is_known(state[i]) for i in counters):
        return None
    counters |= _further_counters(body, state, counters)
    return _count(keep, counters, {i: state[i] for i in counters}, (cond.inputs, body.inputs))


def _further_counters(body: Any, state: Sequence[Any], counters: Container[int]) -> dict[int, Evaluator]:
    """Returns further loop variables that count although the condition does not read them, as a gradient's loop has."""
    further_counters = {}
    for position, value in enumerate(body.outputs):
        is_whole = value.dtype.is_integer and value.shape.rank == 0
        if position in counters or not is_whole or not _is_known(state[position]):
            continue
        with contextlib.suppress(_UnknownError):
            step, behind = _program(body.inputs, [value])
            if all(i == position or i in counters for i in behind):
                further_counters[position] = step
    return further_counters


def _is_known(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _count(keep: Evaluator, counters: dict[int, Evaluator], values: dict[int, Any], inputs: Any) -> Count | None:
    for trips in range(_MAX_TRIPS):
        if not keep({inputs[0][i]: v for i, v in values.items()}):
            return Count(trips, values)
        known_values = {inputs[1][i]: v for i, v in values.items()}
        values = {i: step(known_values) for i, step in counters.items()}
    return None


def _program(inputs: Sequence[Value], outputs: Sequence[Value]) -> tuple[Evaluator, set[int]]:
    programs, behind = _programs(inputs, outputs)
    return programs[0], behind


def _programs(inputs: Sequence[Value], outputs: Sequence[Value]) -> tuple[list[Evaluator], set[int]]:
    """Returns evaluators of some values of a graph, and the positions of the inputs that the evaluators read."""
    positions = {value: i for i, value in enumerate(inputs)}
    read_positions: set[int] = set()
    return [_evaluator(value, positions, read_positions) for value in outputs], read_positions


def _evaluator(value: Value, positions: dict[Value, int], read: set[int]) -> Evaluator:
    if value in positions:
        read.add(positions[value])
        return lambda known: known[value]
    node = value.node
    if node is None:
        return lambda known: value.constant
    if not node.is_pure or node.holds_functions or value.dtype.name == "variant" or node.op_def.traits.host_only:
        raise _UnknownError
    arguments = [_evaluator(v, positions, read) for v in node.inputs]
    kernel = eager_engine().bind(node.op_def, tuple([v.dtype for v in node.inputs]), node.attrs)

    def compute(known: dict[Value, Any]) -> Any:
        if value not in known:
            results = flatten_result(node.op_def, kernel(*[a(known) for a in arguments]))
            known.update({v: np.asarray(r) for v, r in zip(node.outputs, results, strict=True)})
        return known[value]

    return compute
