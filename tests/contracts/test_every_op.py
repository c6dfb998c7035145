"""What holds for every op: checked on the samples that the op families declare."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.autodiff.gradient_plan import gradient_plan
from millrace._src.core.dispatch import flatten_result
from millrace._src.core.op_def import Effects, OpDef, Traits
from millrace._src.core.op_registry import all_op_names, get_op
from millrace._src.engines.numpy.engine import NumpyEngine
from millrace._src.graph.func_graph import FuncGraph
from tests.contracts.calls import call, call_with, constants
from tests.contracts.sample import Sample, all_samples

SAMPLES = list(all_samples())
OPS = all_op_names()
_OTHER_SUITES = ("resource", "variant", "func", "list[func]")


def _is_tested_elsewhere(op: OpDef) -> bool:
    """Ops on handles, graphs and the world have their own tests: a sample of plain arrays cannot call them."""
    if not op.signature.outputs or any(a.is_ref for a in (*op.signature.inputs, *op.signature.outputs)):
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
    for kernel in op.rules.kernels.values():
        other = kernel.__code__
        assert other.co_varnames[1 : other.co_argcount] == op.signature.input_names


@pytest.mark.parametrize("name", [name for name in OPS if get_op(name).rules.checks])
def test_checks_take_the_inputs_and_attributes_of_the_kernel(name: str) -> None:
    op = get_op(name)
    assert op.rules.checks is not None
    code = op.rules.checks.__code__
    assert code.co_argcount == len(op.signature.input_names)
    assert set(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]) <= set(op.kernel_attrs)


@pytest.mark.parametrize("name", OPS)
def test_every_attribute_has_a_kind_and_its_default_is_valid(name: str) -> None:
    op = get_op(name)
    assert set(op.kernel_attrs) <= set(op.attr_kinds)
    for attr, default in op.attr_defaults.items():
        assert attr in op.attr_kinds, attr
        if default is not None:
            op.normalize_attrs({attr: default})


@pytest.mark.parametrize("name", OPS)
def test_every_trait_is_of_its_type(name: str) -> None:
    op = get_op(name)
    assert set(op.traits.constant_inputs) <= set(op.signature.input_names)
    assert isinstance(op.traits.effects, Effects) or callable(op.traits.effects)
    for trait in dataclasses.fields(Traits):
        value = getattr(op.traits, trait.name)
        if isinstance(trait.default, bool):
            assert isinstance(value, bool), trait.name
        elif trait.default is None:
            kinds = (str, int, Mapping, Enum)
            assert value is None or isinstance(value, kinds) or callable(value), trait.name


@pytest.mark.parametrize("name", OPS)
def test_every_op_is_documented(name: str) -> None:
    assert (get_op(name).kernel.__doc__ or "").strip()


@pytest.mark.parametrize("name", OPS)
def test_a_gradient_asks_only_for_what_the_op_has(name: str) -> None:
    op = get_op(name)
    plan = gradient_plan(op)
    if plan is None:
        return
    code = plan.function.__code__
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = {a.name for a in (*op.signature.inputs, *op.signature.outputs)} | set(op.attr_kinds)
    assert len(parameters) >= len(op.signature.outputs)
    assert set(parameters[len(op.signature.outputs) :]) <= known


def test_every_op_has_a_sample() -> None:
    sampled = {s.op for s in SAMPLES}
    missing = [name for name in OPS if name not in sampled and not _is_tested_elsewhere(get_op(name))]
    assert not missing, f"{len(missing)} ops have no sample in tests/ops: {', '.join(missing)}"


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_kernel_gives_the_declared_dtypes_and_the_shapes_of_the_shape_rule(sample: Sample) -> None:
    op, inputs, attrs, outputs = call(sample)
    kernel = NumpyEngine().bind(op, tuple(t.dtype for t in inputs), attrs)
    with np.errstate(all="ignore"):
        results = flatten_result(op, kernel(*[t._eager_array for t in inputs]))
    for result, output, dtype in zip(results, outputs, op.signature.output_dtypes(attrs), strict=True):
        assert output.dtype is dtype
        if not isinstance(result, (bytes, str)):
            assert np.asarray(result).dtype == dtype.np_dtype, f"{np.asarray(result).dtype} instead of {dtype}"
    for shapes in ("static", "unknown dimensions", "unknown rank"):
        for output, shape in zip(outputs, _inferred_shapes(op, sample, inputs, attrs, shapes), strict=True):
            assert shape.is_compatible_with(output.shape), f"{shapes}: rule says {shape}, kernel gives {output.shape}"
            if shapes == "static" and op.rules.shape is not None and not op.traits.host_only and not sample.random:
                assert shape.rank == output.shape.rank, f"the rule knows too little: {shape} instead of {output.shape}"


def _inferred_shapes(op: OpDef, sample: Sample, inputs: list[Any], attrs: dict[str, Any], shapes: str) -> list[Any]:
    """What the shape rule says if the inputs are constants, or placeholders of unknown dimensions or rank."""
    graph = FuncGraph("f")
    with graph.as_default():
        symbolic = []
        for tensor in inputs:
            if shapes == "static":
                symbolic.append(graph.constant(tensor._eager_array, tensor.dtype, "c"))
            else:
                shape = None if shapes == "unknown rank" else [None] * tensor.shape.rank
                symbolic.append(graph.add_placeholder(tensor.dtype, shape, "x"))
        operation = graph.add_operation(op, symbolic, attrs, graph.unique_name(op.name))
    return [t.shape for t in operation.outputs]


@pytest.mark.xla
@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.xla and not get_op(s.op).traits.host_only], ids=str)
def test_xla_gives_what_numpy_gives(sample: Sample) -> None:
    op, inputs, attrs, outputs = call(sample)
    if any(t.dtype.name == "string" for t in (*inputs, *outputs)):
        return
    arguments = [t for t, fixed in zip(inputs, constants(op, attrs), strict=True) if not fixed]

    @tf.function(jit_compile=True, autograph=False)
    def compiled(*tensors: Any) -> Any:
        remaining = iter(tensors)
        flat = [t if fixed else next(remaining) for t, fixed in zip(inputs, constants(op, attrs), strict=True)]
        return call_with(sample, flat, attrs)

    results = tf.nest.flatten(compiled(*arguments))
    for result, output in zip(results, outputs, strict=True):
        assert result.dtype is output.dtype
        assert result.shape == output.shape
        if not sample.random:
            _assert_close(result.numpy(), output.numpy(), sample.rtol)


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
