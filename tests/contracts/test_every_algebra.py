"""What ops declare of their algebra (`core/op_algebra.py`) holds to the bit, for every dtype that they take."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.op_algebra import Comparison, ElementOrder, Total
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import all_op_names, get_op
from millrace._src.engines.numpy.engine import NumpyEngine
from millrace._src.engines.numpy.namespace import xp
from millrace._src.ops.nn.epilogues import run_steps
from tests.contracts.calls import call
from tests.contracts.sample import Sample, all_samples

OPS = [get_op(name) for name in all_op_names()]
SAMPLES = all_samples()

OPERATORS = {
    Comparison.EQUAL: operator.eq,
    Comparison.NOT_EQUAL: operator.ne,
    Comparison.LESS: operator.lt,
    Comparison.LESS_EQUAL: operator.le,
    Comparison.GREATER: operator.gt,
    Comparison.GREATER_EQUAL: operator.ge,
}


def declaring(trait: str) -> list[OpDef]:
    """The ops that declare a fact."""
    return [op for op in OPS if getattr(op.traits, trait)]


def samples_of(ops: list[OpDef]) -> list[Sample]:
    names = {op.name for op in ops}
    return [sample for sample in SAMPLES if sample.op in names]


def dtypes_of(op: OpDef, kinds: str = "biufc") -> list[DType]:
    """The dtypes of the first input of an op, of some kinds."""
    attr = op.signature.inputs[0].type_attr
    taken = op.types[attr] if attr is not None else [op.signature.inputs[0].dtype]
    dtypes = [as_dtype(dtype) for dtype in taken]
    return [d for d in dtypes if d.np_dtype.kind in kinds and not d.is_quantized]


def edge_values(dtype: DType) -> Any:
    """Numbers of a dtype, extreme ones among them."""
    kind, np_dtype = dtype.np_dtype.kind, dtype.np_dtype
    if kind == "b":
        return np.array([True, False])
    if kind in "iu":
        limits = np.iinfo(np_dtype)
        return np.array([limits.min, limits.max, 0, 1, 7], np_dtype)
    floats = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan]
    return (
        np.array(floats, np_dtype)
        if kind == "f"
        else np.array([complex(a, b) for a in floats for b in floats], np_dtype)
    )


def run(op: OpDef, *arrays: Any, **attrs: Any) -> Any:
    dtypes = tuple(as_dtype(array.dtype) for array in arrays)
    kernel = NumpyEngine().bind(op, dtypes, op.normalize_attrs({**inferred(op, dtypes), **attrs}))
    with np.errstate(all="ignore"):
        return kernel(*arrays)


def inferred(op: OpDef, dtypes: tuple[DType, ...]) -> dict[str, DType]:
    return {arg.type_attr: d for arg, d in zip(op.signature.inputs, dtypes, strict=True) if arg.type_attr is not None}


def bits(array: Any) -> Any:
    return np.asarray(array).dtype, np.asarray(array).shape, np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("op", declaring("neutral_operands"), ids=lambda op: op.name)
def test_a_neutral_operand_changes_nothing(op: OpDef) -> None:
    tried = 0
    for neutral in op.traits.neutral_operands:
        for dtype in dtypes_of(op, neutral.kinds):
            x = edge_values(dtype)
            operands = [x, x]
            operands[neutral.argument] = np.full_like(x, neutral.value)
            assert bits(run(op, *operands)) == bits(x), (neutral, dtype)
            tried += 1
    assert tried


@pytest.mark.parametrize("op", declaring("is_involution"), ids=lambda op: op.name)
def test_an_involution_undoes_itself(op: OpDef) -> None:
    for dtype in dtypes_of(op):
        x = edge_values(dtype)
        assert bits(run(op, run(op, x))) == bits(x), dtype


@pytest.mark.parametrize("op", declaring("comparison"), ids=lambda op: op.name)
def test_a_comparison_is_that_of_its_sign(op: OpDef) -> None:
    for dtype in dtypes_of(op, "iuf"):
        values = edge_values(dtype)
        x, y = (array.ravel() for array in np.meshgrid(values, values))
        assert run(op, x, y).tolist() == OPERATORS[op.traits.comparison](x, y).tolist(), dtype


@pytest.mark.parametrize("op", declaring("summand_signs"), ids=lambda op: op.name)
def test_a_sum_adds_with_the_declared_signs(op: OpDef) -> None:
    for dtype in dtypes_of(op, "iuf"):
        x, y = np.array([9, 8], dtype.np_dtype), np.array([5, 2], dtype.np_dtype)
        first, second = op.traits.summand_signs
        assert run(op, x, y).tolist() == [first * 9 + second * 5, first * 8 + second * 2]


@pytest.mark.parametrize("op", declaring("formula"), ids=lambda op: op.name)
def test_a_formula_is_what_the_kernel_computes(op: OpDef) -> None:
    values = [np.array([0.5, 2.0, 3.0]), np.array([4.0, 0.25, 2.0])]
    arrays = [np.array([12, 30], np.int32), np.array([4, 5], np.int32)] if op.name == "FloorDiv" else values
    inputs = arrays if op.signature.inputs[0].is_list else arrays[: len(op.signature.inputs)]
    attrs = {"N": 2, "T": as_dtype(arrays[0].dtype)} if op.signature.inputs[0].is_list else {}
    found = run(op, *inputs, **attrs) if not attrs else getattr(tf.raw_ops, op.name)(inputs=inputs).numpy()
    np.testing.assert_allclose(found, op.traits.formula(*inputs), rtol=1e-12)


@pytest.mark.parametrize("op", declaring("total"), ids=lambda op: op.name)
def test_a_total_is_a_sum_or_a_mean(op: OpDef) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    reduce = {Total.SUM: np.sum, Total.MEAN: np.mean}[op.traits.total]
    np.testing.assert_allclose(run(op, x, np.array([0, 1], np.int32)), reduce(x, axis=(0, 1)))


@pytest.mark.parametrize("op", declaring("counts_elements"), ids=lambda op: op.name)
def test_elements_are_counted(op: OpDef) -> None:
    assert run(op, np.zeros((2, 3, 4)), out_type=as_dtype("int32")) == 24


def test_a_conjunction_is_true_where_all_inputs_are() -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    for op in declaring("is_conjunction"):
        assert run(op, x, y).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    "sample",
    samples_of([op for op in OPS if op.traits.element_order.keeps_elements or op.traits.is_conversion]),
    ids=str,
)
def test_kept_elements_are_those_of_the_first_input(sample: Sample) -> None:
    op, inputs, _, (output,) = call(sample)
    before, after = inputs[0]._eager_array, output._eager_array
    if op.traits.element_order is ElementOrder.SAME:
        assert after.ravel().tolist() == before.ravel().tolist() or np.isnan(before.astype("f8")).any()
    elif before.shape == after.shape and before.dtype == after.dtype:
        assert bits(after) == bits(before)


@pytest.mark.parametrize("op", declaring("is_reduction"), ids=lambda op: op.name)
def test_a_reduction_over_no_axes_is_the_input(op: OpDef) -> None:
    for dtype in dtypes_of(op):
        x = edge_values(dtype)
        assert bits(run(op, x, np.zeros(0, np.int32))) == bits(x), dtype


def test_ops_of_the_families_declare_their_facts() -> None:
    assert {op.name for op in declaring("comparison")} == {
        *("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")
    }
    assert {"TensorListPushBack", "TensorListPopBack", "TensorListSetItem"} == {
        op.name for op in OPS if op.traits.list_growth is not None
    }


def test_only_ops_whose_compiled_values_differ_tell_the_values_that_do() -> None:
    telling = [op for op in OPS if op.rules.exact_when is not None]
    assert telling and all(op.traits.values_differ_when_compiled is not None for op in telling)


@pytest.mark.parametrize("op", declaring("epilogue_step"), ids=lambda op: op.name)
def test_a_step_is_what_the_op_does_to_each_element(op: OpDef) -> None:
    fact = op.traits.epilogue_step
    step = fact(op.default_attrs) if callable(fact) else fact
    values = edge_values(as_dtype("float32"))
    x, vector = np.repeat(values[:, None], len(values), axis=1), values
    arrays = [x, vector] if step.has_operand else [x]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(op, *arrays), run_steps(xp, x, [step], arrays[1:]))
    assert len(op.signature.inputs) == len(arrays)


@pytest.mark.parametrize("op", declaring("epilogue_op"), ids=lambda op: op.name)
def test_an_op_with_an_epilogue_takes_what_the_op_takes(op: OpDef) -> None:
    fused = get_op(op.traits.epilogue_op)
    assert [a.name for a in fused.signature.inputs] == [*(a.name for a in op.signature.inputs), "operands"]
    assert fused.attr_kinds == {**op.attr_kinds, "steps": "list[string]", "N": "int"}
    assert fused.attr_defaults == op.attr_defaults


@pytest.mark.parametrize("op", declaring("is_gradient_mask"), ids=lambda op: op.name)
def test_a_mask_multiplies_by_zero_or_one(op: OpDef) -> None:
    for dtype in dtypes_of(op, "iuf"):
        gradients, features = (a.ravel() for a in np.meshgrid(edge_values(dtype), edge_values(dtype)))
        factors = run(op, np.ones_like(features), features)
        assert set(factors.tolist()) <= {0, 1}
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(run(op, gradients, features), gradients * factors)


@pytest.mark.parametrize("op", declaring("spreads_to_selected_of"), ids=lambda op: op.name)
def test_a_gradient_of_a_selection_goes_to_what_was_selected(op: OpDef) -> None:
    rank = 5 if op.traits.spreads_to_selected_of.endswith("3D") else 4
    attrs = {"ksize": [1, *[2] * (rank - 2), 1], "strides": [1, *[2] * (rank - 2), 1], "padding": "SAME"}
    x = np.random.RandomState(0).permutation(5 ** (rank - 2) * 6).reshape(2, *[5] * (rank - 2), 3).astype(np.float32)
    y = getattr(tf.raw_ops, op.traits.spreads_to_selected_of)(input=x, **attrs).numpy()
    spread = getattr(tf.raw_ops, op.name)(orig_input=x, orig_output=y, grad=y, **attrs).numpy()
    np.testing.assert_array_equal(spread, np.where(np.isin(x, y), x, 0))
