"""How often a loop will run, where that is known while compiling.

A list that grows in a loop needs its final size when XLA compiles. Most loops count:
what their condition reads follows from constants alone. That small part of condition
and body, also behind calls, is run on the host, ahead of time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.core.context import eager_engine
from millrace._src.core.dispatch import flatten_result
from millrace._src.core.op_def import Effects
from millrace._src.graph.control_deps import function_attrs

_MOST_TRIPS = 100_000

Evaluator = Callable[[dict[Any, Any]], Any]
"""Computes one tensor from the values that a dict holds; the dict keeps what was computed on the way."""


class _UnknownError(Exception):
    """A value depends on what only the compiled program computes."""


class Count(NamedTuple):
    """What is known of a loop before it runs."""

    trips: int
    """The number of iterations."""
    last: dict[int, Any]
    """The last values of the loop variables that count, by position."""


def counted(cond: Any, body: Any, state: Sequence[Any]) -> Count | None:
    """How a loop will end; None if that depends on what only the compiled program computes.

    Args:
      cond: the lowered condition.
      body: the lowered body.
      state: the values of the loop variables at the entrance.
    """
    try:
        keep, wanted = _program(cond.inputs, [cond.outputs[0]])
        counters: dict[int, Evaluator] = {}
        while missing := wanted - set(counters):
            for position in missing:
                (counters[position],), behind = _programs(body.inputs, [body.outputs[position]])
                wanted = wanted | behind
    except _UnknownError:
        return None
    if not all(_is_known(state[i]) for i in counters):
        return None
    counters |= _further_counters(body, state, counters)
    return _count(keep, counters, {i: state[i] for i in counters}, (cond.inputs, body.inputs))


def _further_counters(body: Any, state: Sequence[Any], counters: Container[int]) -> dict[int, Evaluator]:
    """Whole numbers that count though the condition does not read them: the gradient of a loop reads its own count."""
    found = {}
    for position, tensor in enumerate(body.outputs):
        is_whole = tensor.dtype.is_integer and tensor.shape.rank == 0
        if position in counters or not is_whole or not _is_known(state[position]):
            continue
        with contextlib.suppress(_UnknownError):
            step, behind = _program(body.inputs, [tensor])
            if all(i == position or i in counters for i in behind):
                found[position] = step
    return found


def _is_known(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _count(keep: Evaluator, counters: dict[int, Evaluator], values: dict[int, Any], inputs: Any) -> Count | None:
    for trips in range(_MOST_TRIPS):
        if not keep({_key(inputs[0][i]): v for i, v in values.items()}):
            return Count(trips, values)
        known = {_key(inputs[1][i]): v for i, v in values.items()}
        values = {i: step(known) for i, step in counters.items()}
    return None


def _program(inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[Evaluator, set[int]]:
    programs, behind = _programs(inputs, outputs)
    return programs[0], behind


def _programs(inputs: Sequence[Any], outputs: Sequence[Any]) -> tuple[list[Evaluator], set[int]]:
    """Evaluators of some tensors of a graph, and the positions of the inputs that they read."""
    positions = {_key(t): i for i, t in enumerate(inputs)}
    read: set[int] = set()
    return [_evaluator(t, positions, read) for t in outputs], read


def _evaluator(tensor: Any, positions: dict[Any, int], read: set[int]) -> Evaluator:
    key = _key(tensor)
    if key in positions:
        read.add(positions[key])
        return lambda known: known[key]
    operation = tensor.op
    if operation.static_values:
        constant = operation.static_values[tensor.value_index]
        return lambda known: constant
    bodies = function_attrs(operation)
    if bodies:
        return _through_call(tensor, bodies, positions, read)  # whose other results may have effects behind them
    if operation.effects is not Effects.NONE or tensor.dtype.name == "variant" or operation.op_def.host_only:
        raise _UnknownError
    arguments = [_evaluator(t, positions, read) for t in operation.inputs]
    kernel = eager_engine().bind(operation.op_def, tuple(t.dtype for t in operation.inputs), operation.attrs)

    def compute(known: dict[Any, Any]) -> Any:
        if key not in known:
            results = flatten_result(operation.op_def, kernel(*[a(known) for a in arguments]))
            known.update({_key(t): np.asarray(r) for t, r in zip(operation.outputs, results, strict=True)})
        return known[key]

    return compute


def _through_call(tensor: Any, bodies: Sequence[Any], positions: dict[Any, int], read: set[int]) -> Evaluator:
    """An output of a call: of what the called graph reads, only what this output needs."""
    operation = tensor.op
    if len(bodies) != 1 or len(bodies[0].inputs) != len(operation.inputs) or "f" not in operation.attrs:
        raise _UnknownError
    inner, behind = _program(bodies[0].inputs, [bodies[0].outputs[tensor.value_index]])
    given = {_key(bodies[0].inputs[i]): _evaluator(operation.inputs[i], positions, read) for i in behind}
    return lambda known: inner({key: outer(known) for key, outer in given.items()})


def _key(tensor: Any) -> tuple[int, int]:
    return id(tensor.op), tensor.value_index
