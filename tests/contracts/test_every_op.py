"""What holds for every op: checked on the samples that the op families declare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.dispatch import flatten_result
from millrace._src.core.op_def import OpDef, all_op_names, get_op
from millrace._src.engines.numpy.engine import NumpyEngine
from millrace._src.graph.func_graph import FuncGraph
from tests.contracts.sample import Sample, all_samples

SAMPLES = list(all_samples())
OPS = all_op_names()
_OTHER_SUITES = ("resource", "variant", "func", "list[func]")


def _is_tested_elsewhere(op: OpDef) -> bool:
    """Ops on handles, graphs and the world have their own tests: a sample of plain arrays cannot call them."""
    if not op.signature.outputs:
        return True
    kinds = set(op.attr_kinds.values()) | {
        a.dtype.name for a in (*op.signature.inputs, *op.signature.outputs) if a.dtype
    }
    return (
        bool(kinds & set(_OTHER_SUITES)) or op.effects({}) is not op.effects({}).NONE if "func" not in kinds else True
    )


@pytest.mark.parametrize("name", OPS)
def test_the_signature_names_the_parameters_of_the_kernel(name: str) -> None:
    op = get_op(name)
    code = op.kernel.__code__
    assert code.co_varnames[1 : code.co_argcount] == op.signature.input_names
    for kernel in op.kernels.values():
        other = kernel.__code__
        assert other.co_varnames[1 : other.co_argcount] == op.signature.input_names


@pytest.mark.parametrize("name", OPS)
def test_every_attribute_has_a_kind_and_its_default_is_valid(name: str) -> None:
    op = get_op(name)
    assert set(op.kernel_attrs) <= set(op.attr_kinds)
    for attr, default in op.attr_defaults.items():
        assert attr in op.attr_kinds, attr
        if default is not None:
            op.normalize_attrs({attr: default})


@pytest.mark.parametrize("name", OPS)
def test_every_op_is_documented(name: str) -> None:
    assert (get_op(name).kernel.__doc__ or "").strip()


@pytest.mark.parametrize("name", OPS)
def test_a_gradient_asks_only_for_what_the_op_has(name: str) -> None:
    op = get_op(name)
    if op.gradient is None:
        return
    code = op.gradient.__code__
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = {a.name for a in (*op.signature.inputs, *op.signature.outputs)} | set(op.attr_kinds)
    assert len(parameters) >= len(op.signature.outputs)
    assert set(parameters[len(op.signature.outputs) :]) <= known


def test_every_op_has_a_sample() -> None:
    sampled = {s.op for s in SAMPLES}
    missing = [name for name in OPS if name not in sampled and not _is_tested_elsewhere(get_op(name))]
    assert not missing, f"{len(missing)} ops have no sample in tests/ops: {', '.join(missing)}"


def _tensors(sample: Sample) -> tuple[OpDef, list[Any], dict[str, Any], list[Any]]:
    """The op, its flat input tensors, complete attributes, and the results of an eager call."""
    op = get_op(sample.op)
    recorded: list[Any] = []

    class Recorder:
        watched = frozenset()

        def record(self, op: OpDef, inputs: Any, outputs: Any, attrs: dict[str, Any]) -> None:
            recorded.append((list(inputs), list(outputs), attrs))

    from millrace._src.core import context

    with context.tapes_scope((Recorder(),)):
        getattr(tf.raw_ops, sample.op)(
            **dict(zip(op.signature.input_names, sample.inputs, strict=True)), **sample.attrs
        )
    inputs, outputs, attrs = next(r for r in recorded if len(recorded) == 1 or r[1])
    return op, inputs, attrs, outputs


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_kernel_gives_the_declared_dtypes_and_the_shapes_of_the_shape_rule(sample: Sample) -> None:
    op, inputs, attrs, outputs = _tensors(sample)
    kernel = NumpyEngine().bind(op, tuple(t.dtype for t in inputs), attrs)
    with np.errstate(all="ignore"):
        results = flatten_result(op, kernel(*[t._value for t in inputs]))
    for result, output, dtype in zip(results, outputs, op.signature.output_dtypes(attrs), strict=True):
        assert output.dtype is dtype
        if not isinstance(result, (bytes, str)):
            assert np.asarray(result).dtype == dtype.np_dtype, f"{np.asarray(result).dtype} instead of {dtype}"
    for shapes in ("static", "unknown dimensions", "unknown rank"):
        for output, shape in zip(outputs, _inferred_shapes(op, sample, inputs, attrs, shapes), strict=True):
            assert shape.is_compatible_with(output.shape), f"{shapes}: rule says {shape}, kernel gives {output.shape}"
            if shapes == "static" and op.shape_rule is not None and not op.host_only and not sample.random:
                assert shape.rank == output.shape.rank, f"the rule knows too little: {shape} instead of {output.shape}"


def _inferred_shapes(op: OpDef, sample: Sample, inputs: list[Any], attrs: dict[str, Any], shapes: str) -> list[Any]:
    """What the shape rule says if the inputs are constants, or placeholders of unknown dimensions or rank."""
    graph = FuncGraph("f")
    with graph.as_default():
        symbolic = []
        for tensor in inputs:
            if shapes == "static":
                symbolic.append(graph.constant(tensor._value, tensor.dtype, "c"))
            else:
                shape = None if shapes == "unknown rank" else [None] * tensor.shape.rank
                symbolic.append(graph.add_placeholder(tensor.dtype, shape, "x"))
        operation = graph.add_operation(op, symbolic, attrs, graph.unique_name(op.name))
    return [t.shape for t in operation.outputs]


@pytest.mark.xla
@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.xla and not get_op(s.op).host_only], ids=str)
def test_xla_gives_what_numpy_gives(sample: Sample) -> None:
    op, inputs, attrs, outputs = _tensors(sample)
    if any(t.dtype.name == "string" for t in (*inputs, *outputs)):
        return
    arguments = [t for t, fixed in zip(inputs, _constants(op, attrs), strict=True) if not fixed]

    @tf.function(jit_compile=True, autograph=False)
    def call(*tensors: Any) -> Any:
        remaining = iter(tensors)
        flat = [t if fixed else next(remaining) for t, fixed in zip(inputs, _constants(op, attrs), strict=True)]
        return getattr(tf.raw_ops, sample.op)(**_regroup(op, flat, attrs), **sample.attrs)

    results = tf.nest.flatten(call(*arguments))
    for result, output in zip(results, outputs, strict=True):
        assert result.dtype is output.dtype
        assert result.shape == output.shape
        if not sample.random:
            _assert_close(result.numpy(), output.numpy(), sample.rtol)


def _constants(op: OpDef, attrs: dict[str, Any]) -> list[bool]:
    """For each flat input, whether it must be known when XLA compiles."""
    flags: list[bool] = []
    for arg in op.signature.inputs:
        size = 1
        if arg.is_list:
            size = len(attrs[arg.type_list_attr]) if arg.type_list_attr else attrs[arg.number_attr]
        flags += [arg.name in op.constant_inputs] * size
    return flags


def _regroup(op: OpDef, flat: list[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    grouped: dict[str, Any] = {}
    remaining = list(flat)
    for arg in op.signature.inputs:
        if arg.is_list:
            size = len(attrs[arg.type_list_attr]) if arg.type_list_attr else attrs[arg.number_attr]
            grouped[arg.name], remaining = remaining[:size], remaining[size:]
        else:
            grouped[arg.name] = remaining.pop(0)
    return grouped


def _assert_close(actual: Any, expected: Any, rtol: float | None) -> None:
    expected = np.asarray(expected)
    if expected.dtype.kind in "biuO":
        np.testing.assert_array_equal(actual, expected)
        return
    tolerance = rtol or {2: 1e-2, 4: 1e-5, 8: 1e-6 if expected.dtype.kind == "c" else 1e-10, 16: 1e-10}.get(
        expected.dtype.itemsize, 0.2
    )
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(np.asarray(actual).astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.grad], ids=str)
def test_the_gradient_is_that_of_finite_differences(sample: Sample) -> None:
    op, inputs, attrs, outputs = _tensors(sample)
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=o.shape.as_list()) for o in outputs]

    def total(*values: Any) -> float:
        results = tf.nest.flatten(
            getattr(tf.raw_ops, sample.op)(**_regroup(op, [tf.constant(v) for v in values], attrs), **sample.attrs)
        )
        return sum(
            float(np.sum(np.real(r.numpy() * w)))
            for r, w in zip(results, weights, strict=True)
            if r.dtype.is_floating or r.dtype.is_complex
        )

    sources = [t for t in inputs if t.dtype.name in ("float64", "complex128")]
    assert sources, "a gradient sample needs float64 or complex128 inputs"
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        results = tf.nest.flatten(getattr(tf.raw_ops, sample.op)(**_regroup(op, inputs, attrs), **sample.attrs))
        targets = [r for r in results if r.dtype.is_floating or r.dtype.is_complex]
    used = [
        tf.constant(w, dtype=r.dtype)
        for w, r in zip(weights, results, strict=True)
        if r.dtype.is_floating or r.dtype.is_complex
    ]
    gradients = tape.gradient(targets, sources, output_gradients=used)
    values = [t.numpy() for t in inputs]
    for position, tensor in enumerate(inputs):
        index = next((i for i, s in enumerate(sources) if s is tensor), None)
        if index is None or gradients[index] is None:
            continue
        gradient = tf.convert_to_tensor(gradients[index]).numpy()
        np.testing.assert_allclose(gradient, _numeric(total, values, position), rtol=sample.rtol or 1e-4, atol=1e-5)


def _numeric(total: Any, values: list[Any], position: int, step: float = 1e-6) -> Any:
    """The gradient by central differences; of a complex input, in TensorFlow's convention (the conjugate)."""
    base = np.array(values[position])
    result = np.zeros(base.shape, base.dtype)
    directions = (1.0, 1j) if base.dtype.kind == "c" else (1.0,)
    for index in np.ndindex(base.shape):
        for direction in directions:
            sides = []
            for sign in (1, -1):
                moved = base.copy()
                moved[index] += sign * step * direction
                sides.append(total(*values[:position], moved, *values[position + 1 :]))
            result[index] += direction * (sides[0] - sides[1]) / (2 * step)
    return result
