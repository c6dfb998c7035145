"""Backward sweeps of eager tapes as programs.

A training loop makes the same tape again and again: the same ops in the same order on the same shapes. Running a
sweep op by op costs more than the arithmetic of a small model. So the *form* of a tape is looked up: everything on
which a sweep depends but the values. A form that has come back a few times is swept once on placeholders, in a graph.
From then on the graph's program on the NumPy engine computes the gradients: the same kernels in the same order, with
nothing between the kernels.

Not every sweep can be such a program. The sweep goes op by op where another tape watches, where a rule is the user's
own Python code or has effects, and where the tape holds a function with its own gradient. The sweep also goes op by op
if a program fails, and then names the error. A tape of more than `_MAX_BYTES` is swept op by op too: such a sweep
frees values as it goes, and the time that a program saves does not matter there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from millrace._src.autodiff.backprop import sweep
from millrace._src.autodiff.op_recording import PackedEntry, Recording
from millrace._src.autodiff.tape import TapeEntry
from millrace._src.core.context import eager_engine, executing_eagerly, state, tapes_scope
from millrace._src.core.engine import Program
from millrace._src.core.execute import scalar_array
from millrace._src.core.indexed_slices import IndexedSlices, gradient_tensors
from millrace._src.core.op_def import Effects
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor
from millrace._src.graph.func_graph import FuncGraph
from millrace._src.graph.traversal import find_required_operations
from millrace._src.ops import raw
from millrace._src.ops.state import fill_like_variable
from millrace._src.passes import constant_folding

_SWEEPS_BEFORE = 10
"""The sweeps of a form op by op before the form gets a program, which takes as long to make as ten or twenty sweeps."""
_MAX_FORMS = 256
_MAX_BYTES = 16 << 20

_forms: dict[Any, Any] = {}
"""From forms to programs; to the number of sweeps so far for a form without a program; to None if there can be none."""


class OnesSeed:
    """The gradient of a target by itself: a tensor of ones, made on demand."""

    __slots__ = ("target",)

    def __init__(self, target: Any) -> None:
        self.target = target

    def tensor(self) -> Any:
        """Makes the ones, in the target's shape and dtype."""
        target = self.target
        if target.dtype.is_resource:
            return fill_like_variable(target, 1)
        if isinstance(target, EagerTensor) and executing_eagerly():
            return EagerTensor(np.ones(target._eager_array.shape, target._eager_array.dtype), target.dtype)
        return raw.OnesLike(x=target)


def materialize(seed: object) -> Any:
    """Returns the gradient of a target as a tensor."""
    return seed.tensor() if type(seed) is OnesSeed else seed


class TapeForm(NamedTuple):
    """A tape and the wanted gradients, taken apart for all entries together."""

    recordings: Sequence[Recording]
    links: Sequence[int]
    """For the inputs of all entries: the slot of the tensor, 0 for a tensor whose gradient is not asked for."""
    made: Sequence[int]
    """For the outputs of all entries: the slot of the tensor, 0 for a tensor without a gradient."""
    values: Sequence[EagerTensor]
    shapes: Sequence[tuple[int, ...]]
    seeds: Sequence[Any]
    """The gradients of the targets: `OnesSeed`, or eager tensors."""
    seed_slots: Sequence[int]
    source_slots: Sequence[int]


Run = Callable[[TapeForm], "list[Any] | None"]
"""Computes the gradients of a tape; None if the program failed."""


def run_compiled_sweep(
    entries: Sequence[TapeEntry | PackedEntry], seeds: dict[int, Any], sources: Sequence[int]
) -> list[Any] | None:
    """Returns the gradients that a sweep finds, computed by the program for tapes of this form.

    Args:
      entries: the entries of the tape, in order.
      seeds: the gradients of the targets, by tensor number.
      sources: the numbers of the tensors to differentiate by.

    Returns: a gradient or None for each source; or None if there is no program.
    """
    if not may_have_program(entries, seeds):
        return None
    tape, form = split_entries(entries, seeds, sources)
    run = program_of(form, tape, _compile_sweep)
    return None if run is None else run(tape)


def may_have_program(entries: Sequence[TapeEntry | PackedEntry], seeds: dict[int, Any]) -> bool:
    """Returns whether nothing but arrays decides a sweep that begins now."""
    if state.tapes or state.graph is not None or set(map(type, entries)) != {tuple}:
        return False
    return all(map(_has_value, seeds.values()))


def program_of(form: object, tape: TapeForm, compiled: Callable[[TapeForm], Run | None]) -> Run | None:
    """Returns the program for tapes of a form, made when the form has come back a few times; None without a program.

    Args:
      form: the form, and whatever else `compiled` depends on.
      tape: a tape of this form.
      compiled: makes the program.
    """
    entry = _forms.get(form, 0)
    if type(entry) is int:
        if entry < _SWEEPS_BEFORE:
            _forms[form] = entry + 1
            if len(_forms) > _MAX_FORMS:
                _forget_some()
            return None
        try:
            entry = compiled(tape)
        except Exception:  # the sweep op by op meets the same error, and names it
            entry = None
        _forms[form] = entry
    program: Run | None = entry
    return program


def _forget_some() -> None:
    """Drops the forms that were seen a few times only; if most forms have programs, drops all forms."""
    rare = [form for form, use_count in _forms.items() if type(use_count) is int]
    for form in rare if len(rare) > _MAX_FORMS // 2 else list(_forms):
        _forms.pop(form, None)


def _has_value(seed: object) -> bool:
    """Returns whether a seed is an array, or ones in the shape of an array."""
    tensor = seed.target if type(seed) is OnesSeed else seed
    return isinstance(tensor, EagerTensor) and tensor._eager_array.dtype.kind != "O"


def split_entries(entries: Sequence[Any], seeds: dict[int, Any], sources: Sequence[int]) -> tuple[TapeForm, Any]:
    """Returns the tape with slots for tape numbers, and the key of the tape's form.

    Slots count from 1: the sources first, then the outputs in the order of the tape.
    """
    recordings, inputs, outputs, values, shapes = zip(*entries, strict=True)
    chain = itertools.chain.from_iterable
    slots: Any = dict(zip(sources, itertools.count(1)))
    slots.update(zip(chain(outputs), itertools.count(len(sources) + 1)))
    slots[0] = 0
    slot, nowhere = slots.get, itertools.repeat(0)
    tensors = list(chain(values))
    tape = TapeForm(
        recordings,
        tuple(map(slot, chain(inputs), nowhere)),
        tuple(map(slot, chain(outputs))),
        tensors,
        tuple(chain(shapes)),
        list(seeds.values()),
        tuple(map(slot, seeds, nowhere)),
        tuple(map(slot, sources)),
    )
    constants = [r.constants(v) for r, v in zip(recordings, values, strict=True) if r.constant_positions]
    value_shapes = [t._eager_array.shape for t in tensors]
    seed_forms = [_form_of_seed(s) for s in tape.seeds]
    return tape, (
        recordings,
        tape.links,
        tape.made,
        tuple(value_shapes),
        tape.shapes,
        tuple(seed_forms),
        tape.seed_slots,
        tape.source_slots,
        tuple(constants),
    )


def _form_of_seed(seed: Any) -> tuple[Any, ...]:
    """Returns the part of a form that a seed decides: ones are made by the program, other seeds are inputs."""
    if type(seed) is OnesSeed:
        return seed.target._eager_array.shape, seed.target.dtype, 1
    return seed._eager_array.shape, seed.dtype


# --- building --------------------------------------------------------------------------------------------------------


class SweptGraph(NamedTuple):
    """A sweep as a graph.

    Attributes:
      graph: the graph.
      inputs: the placeholders for the values of the tape, and for the given seeds.
      seeds: the positions, among the seeds of the tape, of the seeds that are inputs.
      results: the gradients: None, tensors, IndexedSlices.
    """

    graph: FuncGraph
    inputs: list[Any]
    seeds: list[int]
    results: list[Any]


def _compile_sweep(tape: TapeForm) -> Run | None:
    """Returns the program of a sweep, or None if the sweep is not a function of arrays."""
    swept = sweep_on_placeholders(tape)
    if swept is None:
        return None
    from millrace._src.passes.pipeline import optimize  # the first gradients need no optimizer

    outputs = [swept.graph.capture(part) for result in swept.results for part in gradient_tensors(result)]
    program = eager_engine().compile(optimize(swept.graph, swept.inputs, outputs))
    return SweepRunner(program, swept.seeds, swept.results)


def sweep_on_placeholders(tape: TapeForm) -> SweptGraph | None:
    """Sweeps a tape on placeholders; returns None if the sweep is not a function of arrays, or takes much memory."""
    if sum(t._eager_array.nbytes for t in tape.values) > _MAX_BYTES or not all(r.may_compile for r in tape.recordings):
        return None
    graph = FuncGraph("gradient")
    graph.outer_graph = None
    graph.copies_constants = True
    with graph.as_default(), tapes_scope(()):
        values = [_placeholder(graph, t.dtype, t._eager_array.shape) for t in tape.values]
        seeds = [_symbolic_seed(graph, s) for s in tape.seeds]
        gradients = {p: s for p, s in zip(tape.seed_slots, seeds, strict=True) if p}
        gradients_found = sweep(
            reversed(_symbolic_entries(graph, tape, values)), gradients, frozenset(tape.source_slots)
        )
        results = [gradients_found.get(p) for p in tape.source_slots]
        outputs: list[Any] = [graph.capture(part) for result in results for part in gradient_tensors(result)]
    given_seeds = [i for i, s in enumerate(seeds) if s.op.op_def.traits.is_placeholder]
    inputs = [*values, *(seeds[i] for i in given_seeds)]
    sources = [t.op for t in inputs]
    needed_operations = find_required_operations(graph.get_operations(), [t.op for t in outputs], stop=sources)
    if graph.captures or any(op.effects not in (Effects.NONE, Effects.READS) for op in needed_operations):
        return None  # a stand-in for a tensor whose shape alone is kept is among the captures
    return SweptGraph(graph, inputs, given_seeds, results)


def _symbolic_seed(graph: FuncGraph, seed: Any) -> Any:
    target = seed.target if type(seed) is OnesSeed else seed
    shape, dtype = target._eager_array.shape, target._eager_array.dtype
    if type(seed) is OnesSeed and target._eager_array.size <= constant_folding.LARGEST:
        return graph.constant(np.ones(shape, dtype), target.dtype, "seed")
    return _placeholder(graph, target.dtype, shape)


def _placeholder(graph: FuncGraph, dtype: Any, shape: Sequence[int]) -> Any:
    return graph.add_placeholder(dtype, TensorShape(shape), "value")


def _symbolic_entries(graph: FuncGraph, tape: TapeForm, values: Sequence[Any]) -> list[TapeEntry]:
    """Yields the entries of the tape on placeholders; tensors are numbered by their positions."""
    links, output_numbers, shapes = iter(tape.links), iter(tape.made), iter(tape.shapes)
    pairs = iter(zip(tape.values, values, strict=True))
    entries = []
    for recording in tape.recordings:
        input_ids = [next(links) for _ in recording.call.dtypes]
        output_ids = [next(output_numbers) for _ in recording.follows]
        own_values = [next(pairs) for _ in recording.value_positions]
        for index in recording.constant_positions:
            value = own_values[index][0]
            own_values[index] = value, graph.constant(value._eager_array, value.dtype, "value")
        own_shapes = [next(shapes) for _ in recording.shape_positions]
        stand_ins = [_placeholder(graph, d, s) for d, s in zip(recording.shape_dtypes(), own_shapes, strict=True)]
        saved_values = recording.gather_saved([symbolic for _, symbolic in own_values], stand_ins)
        specs = recording.output_specs(own_shapes)
        entries.append(TapeEntry(recording.call.op, recording.call.attrs, input_ids, output_ids, specs, saved_values))
    return entries


class SweepRunner:
    """Calls a program and gives its results the structure of gradients.

    Args:
      program: takes the arrays of the tape's values and of some seeds, returns the arrays of the gradients.
      seeds: the positions of the seeds that the program takes.
      results: the symbolic gradients: None, tensors, IndexedSlices.
    """

    def __init__(
        self,
        program: Program,
        seeds: Sequence[int],
        results: Sequence[Any],
    ) -> None:
        self.program = program
        self._run = program.quiet_run()
        self._seeds = seeds
        self._parts = [len(gradient_tensors(r)) for r in results]
        self._dtypes = [t.dtype for r in results for t in gradient_tensors(r)]

    def __call__(self, tape: TapeForm) -> list[Any] | None:
        """Returns the gradients, or None if the program failed."""
        arrays = [t._eager_array for t in tape.values]
        arrays += [materialize(tape.seeds[i])._eager_array for i in self._seeds]
        try:
            results = self._run(*arrays)
        except Exception:  # the sweep op by op meets the same error, and names it
            return None
        tensors = iter([_tensor(a, d) for a, d in zip(results, self._dtypes, strict=True)])
        return [_gradient(parts, tensors) for parts in self._parts]


def _gradient(parts: int, tensors: Iterator[EagerTensor]) -> Any:
    """Returns the next gradient: None for a gradient without parts, else a tensor or IndexedSlices."""
    if parts < 2:
        return next(tensors) if parts else None
    return IndexedSlices(*[next(tensors) for _ in range(parts)])


def _tensor(array: Any, dtype: Any) -> EagerTensor:
    return EagerTensor(array if type(array) is np.ndarray else scalar_array(array, dtype), dtype)
