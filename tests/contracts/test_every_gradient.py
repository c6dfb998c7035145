"""What holds for the gradient of every op, to second order: checked on the samples that the op families declare."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff import sweep_programs
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import all_op_names, get_op
from tests.contracts import gradient_cases as gc
from tests.contracts.gradient_cases import Case
from tests.contracts.sample import (
    GradientProgram,
    Sample,
    all_gradient_programs,
    all_gradient_samples,
    all_samples,
)

SAMPLES = [s for s in (*all_samples(), *all_gradient_samples()) if not s.random or s.grad]
DECLARED: list[Sample | GradientProgram] = [*(s for s in SAMPLES if s.grad), *all_gradient_programs()]


def _has_gradient(op: OpDef) -> bool:
    return op.rules.gradient is not None or op.rules.operation_gradient is not None


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
        reasons = (op.traits.not_differentiable, op.traits.no_gradient)
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
def test_the_program_of_a_tape_gives_what_its_sweep_gives(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = _case(number)
    if isinstance(case.expected, type):
        pytest.skip("the gradient is an error")

    def gradients(sweeps_before: int) -> list[Any]:
        monkeypatch.setattr(sweep_programs, "_SWEEPS_BEFORE", sweeps_before)
        monkeypatch.setattr(sweep_programs, "_forms", {})
        tf.random.set_seed(1)
        return gc.first_order(case, [case.inputs[i] for i in case.sources])

    for swept, computed in zip(gradients(1), gradients(0), strict=True):
        assert (swept is None) == (computed is None)
        if swept is not None:
            assert (swept.dtype, swept.shape) == (computed.dtype, computed.shape)
            np.testing.assert_allclose(computed.numpy(), swept.numpy(), rtol=1e-6, atol=1e-12)


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


_DIFFERENTIABLE = [n for n in all_op_names() if _has_gradient(get_op(n)) and any(s.op == n for s in SAMPLES)]


@pytest.mark.parametrize("name", _DIFFERENTIABLE)
def test_gradients_have_the_dtype_and_shape_of_their_sources(name: str) -> None:
    """For every sample, whatever its dtype: the empty ones, too."""
    for sample in SAMPLES:
        if sample.op == name:
            _check_likeness(gc.sample_case(sample))


def _check_likeness(case: Case) -> None:
    if isinstance(case.expected, type) or not case.sources:
        return
    sources, output_gradients = gc.flat_variables(case)
    _assert_alike(gc.first_order(case, sources, output_gradients), sources)
    if case.declared.no_second is None and output_gradients:
        try:
            second = gc.second_order(case, sources, output_gradients)
        except LookupError as error:
            assert "gradient registry has no entry" in str(error)
        else:
            _assert_alike(second, [*sources, *output_gradients])


def _assert_alike(gradients: list[Any], sources: list[Any]) -> None:
    for gradient, source in zip(gradients, sources, strict=True):
        if gradient is not None:
            assert gradient.dtype is source.dtype
            assert gradient.shape == source.shape


_SMALLER = {"float64": ("float32", "float16", "bfloat16"), "complex128": ("complex64",)}
_ERROR = {"float32": 2e-4, "complex64": 2e-4, "float16": 3e-2, "bfloat16": 2e-1}


_SINGLE = {"float64": "float32", "complex128": "complex64"}
_RENAMED = {("float64", "float32"): _SINGLE, ("complex128", "complex64"): _SINGLE}
"""What becomes of the dtypes in attributes: an op between real and complex numbers stays in one precision."""


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
    renamed = _RENAMED.get((name, dtype), {name: dtype})
    types = {tf.as_dtype(large): tf.as_dtype(small) for large, small in renamed.items()}
    attrs = {k: types.get(v, v) if isinstance(v, tf.DType) else v for k, v in sample.attrs.items()}
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


def _derivatives(
    case: Case, inputs: list[Any], output_gradients: list[Any], weights: list[Any], orders: int = 2
) -> list[Any]:
    """The first and, where there are any and they are wanted, the second derivatives of a case at any inputs."""
    moved = replace(case, inputs=inputs)
    sources = [inputs[i] for i in moved.sources]
    found = gc.first_order(moved, sources, output_gradients)
    if orders == 2 and case.declared.no_second is None and getattr(case.declared, "second", True):
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
    """The first case of each op with known ranks and with nothing known, the others in turn.

    All dimensions are known in the test of XLA, if not here. Samples that are others in every call are left out.
    """
    found, seen = [], dict.fromkeys((d.op for d in DECLARED), 0)
    for number, declared in enumerate(DECLARED):
        if isinstance(declared.grad if isinstance(declared, Sample) else None, type) or declared.op == "RandomGamma":
            continue
        kinds = ["rank", "nothing"] if seen[declared.op] == 0 else [("rank", "nothing")[seen[declared.op] % 2]]
        seen[declared.op] += 1
        if not declared.xla or get_op(declared.op).traits.host_only:
            kinds.insert(0, "dimensions")
        found += [pytest.param(number, known, id=f"{declared}, {known} known") for known in kinds]
    return found


@pytest.mark.parametrize(("number", "known"), _in_graphs())
def test_in_a_graph_the_derivatives_are_those_of_eager_mode(number: int, known: str) -> None:
    case, expected = _case(number), _eager(number)[2]
    parts = _arguments(number)
    arguments = [t for part in parts for t in part]

    @tf.function(autograph=False, input_signature=_specs(arguments, known))
    def derivatives(*tensors: Any) -> list[Any]:
        remaining = iter(tensors)
        found = _moved(number, tuple([next(remaining) for _ in part] for part in parts))
        return [tf.constant(False) if g is None else g for g in found]

    if getattr(case.declared, "needs_shapes", False) and known != "dimensions":
        with pytest.raises((NotImplementedError, ValueError), match="shape"):
            derivatives(*arguments)
        return
    _assert_equal(derivatives(*arguments), expected)


def _is_given(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _assert_equal(found: list[Any], expected: list[Any], name: str = "") -> None:
    assert len(found) == len(expected), name
    for i, (gradient, answer) in enumerate(zip(found, expected, strict=True)):
        if answer is None:
            assert gradient.dtype is tf.bool, f"{i}: a gradient where there is none in eager mode"
            continue
        assert gradient.dtype is answer.dtype, f"{i}: None instead of a gradient" if gradient.dtype is tf.bool else i
        assert gradient.shape == answer.shape, name
        scale = max(1.0, float(np.max(np.abs(gc.wide(answer)), initial=0.0)))
        tolerance = 1e-8 if answer.dtype.size >= 8 else 1e-3
        np.testing.assert_allclose(gc.wide(gradient), gc.wide(answer), tolerance, tolerance * scale, err_msg=name)


def _xla_groups() -> dict[str, list[int]]:
    """Cases that XLA takes, by the home of their op: they are compiled together, which is cheaper than one by one."""
    groups: dict[str, list[int]] = {}
    for number, declared in enumerate(DECLARED):
        refused = isinstance(declared.grad if isinstance(declared, Sample) else None, type)
        if declared.xla and not get_op(declared.op).traits.host_only and not refused:
            groups.setdefault(get_op(declared.op).kernel.__module__.partition("_src.")[2], []).append(number)
    return groups


_XLA = _xla_groups()


def _firsts(numbers: list[int], count: int) -> list[int]:
    """At most `count` cases of each op."""
    kept: list[int] = []
    for number in numbers:
        if sum(DECLARED[n].op == DECLARED[number].op for n in kept) < count:
            kept.append(number)
    return kept


@pytest.mark.xla
@pytest.mark.parametrize("home", _XLA)
def test_under_xla_the_gradients_are_those_of_eager_mode(home: str) -> None:
    _compare_under_xla(_firsts(_XLA[home], 2), orders=1)


@pytest.mark.xla
@pytest.mark.slow
@pytest.mark.parametrize("home", _XLA)
def test_under_xla_all_derivatives_are_those_of_eager_mode(home: str) -> None:
    _compare_under_xla(_XLA[home], orders=2)


def _compare_under_xla(numbers: list[int], orders: int) -> None:
    @tf.function(autograph=False, jit_compile=True)
    def derivatives(arguments: list[Any]) -> list[Any]:
        return [_numbers(_moved(n, a, orders)) for n, a in zip(numbers, arguments, strict=True)]

    for number, found in zip(numbers, derivatives([_arguments(n) for n in numbers]), strict=True):
        answers = _eager(number)[2]
        count = len(_case(number).sources)
        _assert_equal(found, _numbers(answers if orders == 2 else answers[:count]), str(DECLARED[number]))


def _numbers(gradients: list[Any]) -> list[Any]:
    return [g for g in gradients if g is not None]


def _arguments(number: int) -> tuple[list[Any], ...]:
    """The floating inputs, output gradients and weights of a case."""
    case = _case(number)
    output_gradients, weights, _ = _eager(number)
    is_of_variables = getattr(case.declared, "variables", False)
    return [] if is_of_variables else [t for t in case.inputs if _is_given(t)], output_gradients, weights


def _moved(number: int, arguments: tuple[list[Any], ...], orders: int = 2) -> list[Any]:
    """The derivatives of a case at other floating inputs."""
    case, (inputs, output_gradients, weights) = _case(number), arguments
    given = iter(inputs)
    return _derivatives(
        case, [next(given) if inputs and _is_given(t) else t for t in case.inputs], output_gradients, weights, orders
    )
