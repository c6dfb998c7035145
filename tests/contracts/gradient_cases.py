"""A differentiable function at a point, and its derivatives, analytic and numeric.

The first derivative of `f` is checked as that of the number `Re <dy, f(x)>` for a random `dy`, the second as that of
`Re <u, gradient(x, dy)>` for a random `u`: with respect to `x` and to `dy`. Both are compared with differences along
one random direction of all inputs together, which is as sharp as element by element and costs four evaluations.
A gradient that is None counts as zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import millrace as tf
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import get_op
from tests.contracts.calls import call, call_with, constants, regroup
from tests.contracts.sample import GradientProgram, Sample


@dataclass(frozen=True)
class Case:
    """A function of flat tensors, where it is evaluated, and what is known of its gradient."""

    op: OpDef
    function: Callable[..., list[Any]]
    """From all tensors to the results that have gradients."""
    inputs: list[Any]
    fixed: list[bool]
    """For each input, whether XLA must know it."""
    declared: Sample | GradientProgram

    held: frozenset[int] = frozenset()
    """The positions of inputs whose gradient is None."""

    @property
    def expected(self) -> Any:
        """The gradient where it is not the derivative: a function, or an error."""
        found = self.declared.grad if isinstance(self.declared, Sample) else self.declared.gradient
        return found if callable(found) else None

    @property
    def sources(self) -> list[int]:
        """The positions of the inputs to differentiate by."""
        return [i for i, t in enumerate(self.inputs) if _is_differentiable(t) and i not in self.held]

    def with_sources(self, sources: Sequence[Any]) -> list[Any]:
        """All inputs, those that are differentiated replaced."""
        inputs = list(self.inputs)
        for position, source in zip(self.sources, sources, strict=True):
            inputs[position] = source
        return inputs


def _is_differentiable(tensor: Any) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex


def sample_case(sample: Sample) -> Case:
    """The case of one call of an op."""
    op, inputs, attrs, _ = call(sample)

    def function(*tensors: Any) -> list[Any]:
        return [r for r in call_with(sample, list(tensors), attrs) if _is_differentiable(r)]

    held = regroup(op, list(range(len(inputs))), attrs)
    return Case(op, function, inputs, constants(op, attrs), sample, frozenset(held[name] for name in sample.held))


def program_case(program: GradientProgram) -> Case:
    """The case of a program."""
    run = tf.function(program.function) if program.traced else program.function

    def function(*tensors: Any) -> list[Any]:
        return [r for r in tf.nest.flatten(run(*tensors)) if hasattr(r, "dtype") and _is_differentiable(r)]

    inputs = [tf.Variable(x) if program.variables else tf.constant(x) for x in program.inputs]
    return Case(get_op(program.op), function, inputs, [False] * len(inputs), program)


def random_like(tensor: Any, seed: int) -> Any:
    """A normal array of the dtype and shape of a tensor, the same for the same seed."""
    rng = np.random.default_rng((seed, len(tensor.shape)))
    values = rng.normal(size=tensor.shape)
    if tensor.dtype.is_complex:
        values = values + 1j * rng.normal(size=tensor.shape)
    return tf.constant(np.asarray(values), tensor.dtype)


def first_order(case: Case, sources: Sequence[Any], output_gradients: Sequence[Any] | None = None) -> list[Any]:
    """The gradients of the sources, dense; of random output gradients where none are given."""
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        results = case.function(*case.with_sources(sources))
    if output_gradients is None:
        output_gradients = [random_like(r, i) for i, r in enumerate(results)]
    return dense(tape.gradient(results, list(sources), output_gradients=list(output_gradients)))


def second_order(
    case: Case, sources: Sequence[Any], output_gradients: Sequence[Any], weights: Sequence[Any] | None = None
) -> list[Any]:
    """The gradients of `Re <u, first_order>` by the sources and the output gradients; `u` is random if not given."""
    variables = [*sources, *output_gradients]
    with tf.GradientTape() as tape:
        for variable in variables:
            tape.watch(variable)
        gradients = [g for g in first_order(case, sources, output_gradients) if g is not None]
    if not gradients:
        return [None] * len(variables)
    return dense(tape.gradient(gradients, variables, output_gradients=list(weights or weights_of(gradients))))


def weights_of(gradients: Sequence[Any]) -> list[Any]:
    """Random weights for the gradients that are not None."""
    return [random_like(g, 100 + i) for i, g in enumerate([g for g in gradients if g is not None])]


def dense(gradients: Sequence[Any]) -> list[Any]:
    """Gradients as tensors; sparse ones made dense."""
    return [None if g is None else tf.convert_to_tensor(g) for g in gradients]


def weighted_results(case: Case, sources: Sequence[Any], output_gradients: Sequence[Any]) -> float:
    """`Re <dy, f(x)>`, whose gradient `first_order` is."""
    return inner(output_gradients, case.function(*case.with_sources(sources)))


def weighted_gradients(case: Case, sources: Sequence[Any], output_gradients: Sequence[Any]) -> float:
    """`Re <u, first_order>`, whose gradient `second_order` is."""
    gradients = first_order(case, sources, output_gradients)
    return inner(weights_of(gradients), [g for g in gradients if g is not None])


def inner(first: Sequence[Any], second: Sequence[Any]) -> float:
    """The real inner product of two lists of tensors; None is zero."""
    pairs = zip(first, second, strict=True)
    return float(sum(np.sum(np.real(np.conj(wide(a)) * wide(b))) for a, b in pairs if a is not None and b is not None))


def magnitude(first: Sequence[Any], second: Sequence[Any]) -> float:
    """What the inner product could be at most, were there no cancellation."""
    pairs = zip(first, second, strict=True)
    return float(sum(np.sum(np.abs(wide(a)) * np.abs(wide(b))) for a, b in pairs if a is not None and b is not None))


def wide(tensor: Any) -> Any:
    """The values of a tensor in double precision."""
    array = np.asarray(tensor.numpy())
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def slope(function: Callable[[list[Any]], float], variables: Sequence[Any], directions: Sequence[Any]) -> float:
    """The derivative of a function along a direction, by differences of fourth order."""
    precise = all(v.dtype.size >= (16 if v.dtype.is_complex else 8) for v in variables)
    step = 2e-4 if precise else 2e-2

    def at(distance: float) -> float:
        moved = []
        for variable, direction in zip(variables, directions, strict=True):
            value = tf.constant(wide(variable) + distance * wide(direction), variable.dtype)
            moved.append(tf.Variable(value) if isinstance(variable, tf.Variable) else value)
        return function(moved)

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def directions_of(variables: Sequence[Any]) -> list[Any]:
    """A random direction for each variable."""
    return [random_like(v, 200 + i) for i, v in enumerate(variables)]


def assert_is_slope(gradients: Sequence[Any], function: Callable[[list[Any]], float], variables: Sequence[Any]) -> None:
    """Compares the gradients of a function with its differences."""
    directions = directions_of(variables)
    actual, expected = inner(gradients, directions), slope(function, variables, directions)
    precise = all(v.dtype.size >= (16 if v.dtype.is_complex else 8) for v in variables)
    tolerance = (1e-6 if precise else 1e-2) * max(magnitude(gradients, directions), abs(expected)) + 1e-7
    if abs(actual - expected) <= tolerance:
        return
    lines = "\n".join(_part(i, gradients, function, variables, directions) for i in range(len(variables)))
    raise AssertionError(f"slope {actual:.9g} instead of {expected:.9g}; by variable:\n{lines}")


def _part(position: int, gradients: Any, function: Any, variables: Any, directions: Any) -> str:
    still = [tf.zeros_like(d) if i != position else d for i, d in enumerate(directions)]
    actual, expected = inner(gradients, still), slope(function, variables, still)
    missing = " (None)" if gradients[position] is None else ""
    return f"  {position}: {actual:.9g}{missing} instead of {expected:.9g}"


def flat_variables(case: Case) -> tuple[list[Any], list[Any]]:
    """The sources of a case, and random output gradients."""
    sources = [case.inputs[i] for i in case.sources]
    results = case.function(*case.inputs)
    return sources, [random_like(r, i) for i, r in enumerate(results)]


def operations_of(case: Case) -> Iterator[str]:
    """The types of the operations that the traced function of a case runs, those of its functions included."""
    concrete = tf.function(lambda *t: case.function(*t)).get_concrete_function(*case.inputs)
    graphs = [concrete.graph]
    while graphs:
        for operation in graphs.pop().get_operations():
            yield operation.type
            for value in operation.op_def.attr_kinds:
                held = operation.attrs.get(value)
                for function in held if isinstance(held, (list, tuple)) else (held,):
                    graph = getattr(function, "graph", function)
                    if hasattr(graph, "get_operations"):
                        graphs.append(graph)
