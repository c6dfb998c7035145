"""What holds for the gradient of every op, to second order: checked on the samples that the op families declare."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.op_def import OpDef, all_op_names, get_op
from tests.contracts import gradient_cases as gc
from tests.contracts.gradient_cases import Case
from tests.contracts.sample import GradientProgram, Sample, all_gradient_programs, all_samples

SAMPLES = [s for s in all_samples() if not s.random or s.grad]
DECLARED: list[Sample | GradientProgram] = [*(s for s in SAMPLES if s.grad), *all_gradient_programs()]


def _has_gradient(op: OpDef) -> bool:
    return op.gradient is not None or op.operation_gradient is not None


@functools.cache
def _case(number: int) -> Case:
    declared = DECLARED[number]
    return gc.sample_case(declared) if isinstance(declared, Sample) else gc.program_case(declared)


def _each() -> Any:
    return pytest.mark.parametrize("number", range(len(DECLARED)), ids=lambda i: str(DECLARED[i]))


def test_every_op_has_a_gradient_or_says_why_not() -> None:
    silent = []
    for name in all_op_names():
        op = get_op(name)
        reasons = (op.not_differentiable, op.no_gradient)
        if _has_gradient(op) + sum(r is not None for r in reasons) != 1 or "" in reasons:
            silent.append(name)
    assert not silent


def test_every_gradient_has_a_sample() -> None:
    checked = {d.op for d in DECLARED}
    missing = [n for n in all_op_names() if _has_gradient(get_op(n)) and n not in checked]
    assert not missing, f"{len(missing)} gradients have no sample: {', '.join(missing)}"


@pytest.mark.parametrize("program", [d for d in DECLARED if isinstance(d, GradientProgram)], ids=str)
def test_a_gradient_program_runs_its_op(program: GradientProgram) -> None:
    assert program.op in set(gc.operations_of(gc.program_case(program)))


@_each()
def test_the_gradient_is_the_derivative(number: int) -> None:
    case = _case(number)
    sources, output_gradients = gc.flat_variables(case)
    if isinstance(case.expected, type):
        with pytest.raises(case.expected):
            gc.first_order(case, sources, output_gradients)
        return
    gradients = gc.first_order(case, sources, output_gradients)
    if case.expected is None:
        gc.assert_is_slope(gradients, lambda x: gc.weighted_results(case, x, output_gradients), sources)
        return
    expected = case.expected(*[gc.wide(t) for t in (*output_gradients, *sources)])
    for gradient, answer in zip(gradients, expected, strict=True):
        assert (gradient is None) == (answer is None)
        if answer is not None:
            np.testing.assert_allclose(gc.wide(gradient), answer, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("number", [i for i, d in enumerate(DECLARED) if getattr(d, "held", ())])
def test_held_inputs_have_no_gradient(number: int) -> None:
    case = _case(number)
    held = [case.inputs[i] for i in sorted(case.held)]
    with tf.GradientTape() as tape:
        for tensor in held:
            tape.watch(tensor)
        results = case.function(*case.inputs)
    assert tape.gradient(results, held) == [None] * len(held)


@_each()
def test_the_second_gradient_is_the_derivative_of_the_first(number: int) -> None:
    case = _case(number)
    sources, output_gradients = gc.flat_variables(case)
    if isinstance(case.expected, type) or not getattr(case.declared, "second", True):
        return
    if case.declared.no_second is not None:
        try:
            gradients = gc.second_order(case, sources, output_gradients)
        except LookupError:
            return
        assert all(g is None for g in gradients)
        return
    gradients = gc.second_order(case, sources, output_gradients)
    count = len(sources)
    gc.assert_is_slope(
        gradients,
        lambda v: gc.weighted_gradients(case, v[:count], v[count:]),
        [*sources, *output_gradients],
    )


WITH_GRADIENT = [s for s in SAMPLES if _has_gradient(get_op(s.op))]


@pytest.mark.parametrize("sample", WITH_GRADIENT, ids=str)
def test_gradients_have_the_dtype_and_shape_of_their_sources(sample: Sample) -> None:
    """For every sample, whatever its dtype: the empty ones, too."""
    case = gc.sample_case(sample)
    if isinstance(case.expected, type) or not case.sources:
        return
    sources, output_gradients = gc.flat_variables(case)
    variables = [*sources, *output_gradients]
    _assert_alike(gc.first_order(case, sources, output_gradients), sources)
    if sample.no_second is None and output_gradients:
        try:
            second = gc.second_order(case, sources, output_gradients)
        except LookupError as error:
            assert "gradient registry has no entry" in str(error)
        else:
            _assert_alike(second, variables)


def _assert_alike(gradients: list[Any], sources: list[Any]) -> None:
    for gradient, source in zip(gradients, sources, strict=True):
        if gradient is not None:
            assert gradient.dtype is source.dtype
            assert gradient.shape == source.shape


_SMALLER = {"float64": ("float32", "float16", "bfloat16"), "complex128": ("complex64",)}
_ERROR = {"float32": 2e-4, "complex64": 2e-4, "float16": 3e-2, "bfloat16": 2e-1}


def _in_smaller_dtypes() -> list[Any]:
    found = []
    for number, declared in enumerate(DECLARED):
        if not isinstance(declared, Sample) or declared.grad is not True:
            continue
        for name in ("float64", "complex128"):
            for dtype in _SMALLER[name] if _has_dtype(declared, name) else ():
                if _allows(declared, name, dtype):
                    found.append(pytest.param(number, name, dtype, id=f"{declared} in {dtype}"))
    return found


def _has_dtype(sample: Sample, name: str) -> bool:
    return any(getattr(x, "dtype", None) == np.dtype(name) for x in _flat(sample.inputs))


def _flat(inputs: Any) -> list[Any]:
    return [x for part in inputs for x in (part if isinstance(part, list) else [part])]


def _allows(sample: Sample, name: str, dtype: str) -> bool:
    """Whether all inputs of a dtype may have another."""
    op = get_op(sample.op)
    for arg, value in zip(op.signature.inputs, sample.inputs, strict=True):
        if any(getattr(x, "dtype", None) == np.dtype(name) for x in _flat([value])):
            allowed = op.types.get(arg.type_attr) if arg.type_attr else None
            if allowed is None or tf.as_dtype(dtype) not in allowed:
                return False
    return True


@pytest.mark.parametrize(("number", "name", "dtype"), _in_smaller_dtypes())
def test_the_gradient_in_a_smaller_dtype_is_that_in_the_larger_rounded(number: int, name: str, dtype: str) -> None:
    sample = DECLARED[number]
    assert isinstance(sample, Sample)
    attrs = {k: tf.as_dtype(dtype) if v is tf.as_dtype(name) else v for k, v in sample.attrs.items()}
    small = [_cast(x, name, tf.as_dtype(dtype).as_numpy_dtype) for x in sample.inputs]
    large = [_cast(x, dtype, np.dtype(name)) for x in small]
    cases = [
        gc.sample_case(replace(sample, inputs=small, attrs=attrs)),
        gc.sample_case(replace(sample, inputs=large)),
    ]
    found, expected = (_gradients(case) for case in cases)
    for gradient, answer, source in zip(found, expected, [cases[0].inputs[i] for i in cases[0].sources], strict=True):
        assert (gradient is None) == (answer is None)
        if gradient is not None:
            assert gradient.dtype is source.dtype
            scale = max(1.0, float(np.max(np.abs(gc.wide(answer)), initial=0.0)))
            np.testing.assert_allclose(gc.wide(gradient), gc.wide(answer), atol=_ERROR[dtype] * scale, rtol=0)


def _cast(value: Any, name: str, kind: Any) -> Any:
    if isinstance(value, list):
        return [_cast(v, name, kind) for v in value]
    is_of = getattr(value, "dtype", None) == tf.as_dtype(name).as_numpy_dtype
    return np.asarray(value).astype(kind) if is_of else value


def _gradients(case: Case) -> list[Any]:
    sources = [case.inputs[i] for i in case.sources]
    return gc.first_order(case, sources)


def _derivatives(case: Case, inputs: list[Any], output_gradients: list[Any], weights: list[Any]) -> list[Any]:
    """The first and, where there are any, the second derivatives of a case at any inputs."""
    moved = replace(case, inputs=inputs)
    sources = [inputs[i] for i in moved.sources]
    found = gc.first_order(moved, sources, output_gradients)
    if case.declared.no_second is None and getattr(case.declared, "second", True):
        found += gc.second_order(moved, sources, output_gradients, weights)
    return found


@functools.cache
def _eager(number: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Output gradients, weights of the gradients, and the derivatives in eager mode."""
    case = _case(number)
    sources, output_gradients = gc.flat_variables(case)
    weights = gc.weights_of(gc.first_order(case, sources, output_gradients))
    return output_gradients, weights, _derivatives(case, case.inputs, output_gradients, weights)


def _specs(tensors: list[Any], known: str) -> list[Any]:
    shapes = {"dimensions": lambda t: t.shape, "rank": lambda t: [None] * t.shape.rank, "nothing": lambda t: None}
    return [tf.TensorSpec(shapes[known](t), t.dtype) for t in tensors]


def _in_graphs() -> list[Any]:
    """Cases whose samples are the same every time; shapes are known in the test of XLA, if not here."""
    found = []
    for number, declared in enumerate(DECLARED):
        if isinstance(declared.grad if isinstance(declared, Sample) else None, type) or declared.op == "RandomGamma":
            continue
        host = not declared.xla or get_op(declared.op).host_only
        for known in (*(["dimensions"] if host else []), "rank", "nothing"):
            found.append(pytest.param(number, known, id=f"{declared}, {known} known"))
    return found


@pytest.mark.parametrize(("number", "known"), _in_graphs())
def test_in_a_graph_the_derivatives_are_those_of_eager_mode(number: int, known: str) -> None:
    case = _case(number)
    output_gradients, weights, expected = _eager(number)
    inputs = [] if getattr(case.declared, "variables", False) else [t for t in case.inputs if _is_given(t)]
    parts = len(inputs), len(inputs) + len(output_gradients)
    arguments = [*inputs, *output_gradients, *weights]

    @tf.function(autograph=False, input_signature=_specs(arguments, known))
    def derivatives(*tensors: Any) -> list[Any]:
        given = iter(tensors[: parts[0]])
        moved = [next(given) if inputs and _is_given(t) else t for t in case.inputs]
        found = _derivatives(case, moved, [*tensors[parts[0] : parts[1]]], [*tensors[parts[1] :]])
        return [tf.constant(False) if g is None else g for g in found]

    if getattr(case.declared, "needs_shapes", False) and known != "dimensions":
        with pytest.raises((NotImplementedError, ValueError), match="shape"):
            derivatives(*arguments)
        return
    _assert_equal(derivatives(*arguments), expected)


def _is_given(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _assert_equal(found: list[Any], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    for i, (gradient, answer) in enumerate(zip(found, expected, strict=True)):
        if answer is None:
            assert gradient.dtype is tf.bool, f"{i}: a gradient where there is none in eager mode"
            continue
        assert gradient.dtype is answer.dtype, f"{i}: None instead of a gradient" if gradient.dtype is tf.bool else i
        assert gradient.shape == answer.shape
        scale = max(1.0, float(np.max(np.abs(gc.wide(answer)), initial=0.0)))
        tolerance = 1e-8 if answer.dtype.size >= 8 else 1e-3
        np.testing.assert_allclose(gc.wide(gradient), gc.wide(answer), atol=tolerance * scale, rtol=tolerance)
