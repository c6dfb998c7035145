"""Jacobians of eager tapes as programs.

A Jacobian takes a sweep for each element of the target. As with gradients (`sweep_programs`), a form of tape that comes
back gets a program: the sweep as a graph of one row, run on the unit seeds of all rows at once (`vectorize`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.autodiff.gradient_plan import stand_in_of
from millrace._src.autodiff.op_recording import PackedEntry
from millrace._src.autodiff.sweep_programs import (
    Run,
    SweepRunner,
    TapeForm,
    may_have_program,
    program_of,
    split_entries,
    sweep_on_placeholders,
)
from millrace._src.autodiff.tape import TapeEntry
from millrace._src.autodiff.vectorize import vectorize
from millrace._src.core.context import eager_engine, tapes_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.tensor import EagerTensor, tape_id
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.operation import Operation
from millrace._src.ops.batching import BatchedValue, spread


def compute_rows(entries: Sequence[TapeEntry | PackedEntry], target: EagerTensor, sources: Sequence[int]) -> Any:
    """Returns the gradients of each element of a target, computed by the program for tapes of this form.

    Args:
      entries: the entries of the tape, in order.
      target: the target, of a floating or complex dtype.
      sources: the numbers of the tensors to differentiate by.

    Returns: a list with a tensor, the elements of the target first, or None for each source; or None if there is no
      program.
    """
    shape, dtype = target._eager_array.shape, target.dtype
    seeds: dict[int, Any] = {tape_id(target): stand_in_of(shape, dtype)}
    if not may_have_program(entries, seeds):
        return None
    tape, form = split_entries(entries, seeds, sources)
    run = program_of(("rows", form), tape, _compile_rows)
    if run is None:
        return None
    count = target._eager_array.size
    unit_seeds = np.eye(count, dtype=dtype.np_dtype).reshape(count, *shape)
    return run(tape._replace(seeds=[EagerTensor(unit_seeds, dtype)]))


def _compile_rows(tape: TapeForm) -> Run | None:
    """Returns the program of the sweeps of all rows, or None if a sweep is not a function of arrays.

    Raises: NotImplementedError: if an op cannot be run on all rows at once.
    """
    swept = sweep_on_placeholders(tape)
    if swept is None:
        return None
    from millrace._src.passes.pipeline import optimize  # the first Jacobians need no optimizer

    count = tape.seeds[0]._eager_array.size
    positions = [i for i, result in enumerate(swept.results) if result is not None]
    with swept.graph.as_default(), tapes_scope(()):
        outputs = [swept.graph.capture(convert_to_tensor(swept.results[i])) for i in positions]
    graph = FuncGraph("jacobian")
    graph.outer_graph = None
    with graph.as_default(), tapes_scope(()):
        inputs = [
            _input(graph, t, count if position >= len(tape.values) else None) for position, t in enumerate(swept.inputs)
        ]
        given = {id(t.op): value for t, value in zip(swept.inputs, inputs, strict=True)}
        batches = vectorize(swept.graph, given, outputs, count, _refuse)
        rows = [graph.capture(spread(value, count)) for value in batches]
    program = eager_engine().compile(optimize(graph, [value.tensor for value in inputs], rows))
    results: list[Any] = [None] * len(swept.results)
    for position, tensor in zip(positions, rows, strict=True):
        results[position] = tensor
    return SweepRunner(program, swept.seeds, results)


def _input(graph: FuncGraph, tensor: Any, count: int | None) -> BatchedValue:
    """Makes the placeholder for an input of the sweep: a value of the tape, or the seeds of `count` rows."""
    leading = [] if count is None else [count]
    return BatchedValue(graph.add_placeholder(tensor.dtype, [*leading, *tensor.shape], "value"), count is not None)


def _refuse(operation: Operation, arguments: Sequence[BatchedValue], count: object) -> list[Any]:
    raise NotImplementedError(f"{operation.type} has no rule for all rows at once; the loop of the slow path has.")
