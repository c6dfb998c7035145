"""How often a loop will run, where that is known while compiling.

A list that grows in a loop needs its final size when XLA compiles. Most loops count:
what their condition reads follows from constants alone. That small part of condition
and body is run on the host, ahead of time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from millrace._src.core.op_def import Effects
from millrace._src.engines.numpy.codegen import compile_graph
from millrace._src.engines.numpy.engine import NumpyEngine

_MOST_TRIPS = 1_000_000


def trip_count(cond: Callable[..., Any], body: Callable[..., Any], state: Sequence[Any]) -> int | None:
    """The number of iterations of a loop, None if it depends on what only the compiled program computes.

    Args:
      cond: the lowered condition.
      body: the lowered body.
      state: the values of the loop variables at the entrance.
    """
    counters = _positions_behind(cond, {0})
    while counters is not None:
        behind = _positions_behind(body, counters)
        if behind is not None and behind <= counters:
            break
        counters = None if behind is None else counters | behind
    if counters is None or not all(isinstance(state[i], (np.ndarray, np.generic)) for i in counters):
        return None
    order = sorted(counters)
    return _count(_host_program(cond, order, [0]), _host_program(body, order, order), [state[i] for i in order])


def _count(keep: Callable[..., Any], step: Callable[..., Any], values: Sequence[Any]) -> int | None:
    for trips in range(_MOST_TRIPS):
        if not keep(*values)[0]:
            return trips
        values = step(*values)
    return None


def _host_program(lowered: Any, inputs: Sequence[int], outputs: Sequence[int]) -> Callable[..., Any]:
    """The part of a graph that computes some outputs from some inputs, for the NumPy engine."""
    chosen = [lowered.outputs[i] for i in outputs]
    return compile_graph(NumpyEngine(), lowered.graph, [lowered.inputs[i] for i in inputs], chosen, with_effects=False)


def _positions_behind(lowered: Any, outputs: set[int]) -> set[int] | None:
    """The inputs that some outputs of a graph are computed from; None if they depend on an effect."""
    positions = {id(t): i for i, t in enumerate(lowered.inputs)}
    found: set[int] = set()
    seen: set[int] = set()
    pending = [lowered.outputs[i] for i in outputs]
    while pending:
        tensor = pending.pop()
        if id(tensor) in positions:
            found.add(positions[id(tensor)])
        elif id(tensor) not in seen:
            seen.add(id(tensor))
            if tensor.op.effects is not Effects.NONE or tensor.dtype.name == "variant":
                return None
            pending += tensor.op.inputs
    return found
