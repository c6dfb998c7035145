"""tf.RaggedTensorSpec."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.ops.array.answers import check_refusal

_S = tf.RaggedTensorSpec
_FLAT = tf.TensorSpec([None], tf.int32)


@pytest.mark.parametrize(
    ("spec", "text", "components"),
    [
        (
            _S([2, None]),
            "RaggedTensorSpec(TensorShape([2, None]), tf.float32, 1, tf.int64)",
            [tf.TensorSpec([None]), tf.TensorSpec([3], tf.int64)],
        ),
        (
            _S([2, None], ragged_rank=0),
            "RaggedTensorSpec(TensorShape([2, None]), tf.float32, 0, tf.int64)",
            [tf.TensorSpec([2, None])],
        ),
        (
            _S(ragged_rank=1),
            "RaggedTensorSpec(TensorShape(None), tf.float32, 1, tf.int64)",
            [tf.TensorSpec(None), tf.TensorSpec([None], tf.int64)],
        ),
        (
            _S([2, 3, 4], tf.int32, 2, tf.int32),
            "RaggedTensorSpec(TensorShape([2, 3, 4]), tf.int32, 2, tf.int32)",
            [tf.TensorSpec([None], tf.int32), tf.TensorSpec([3], tf.int32), tf.TensorSpec([None], tf.int32)],
        ),
        (
            _S([2, None, None, 3], ragged_rank=1),
            "RaggedTensorSpec(TensorShape([2, None, None, 3]), tf.float32, 1, tf.int64)",
            [tf.TensorSpec([None, None, 3]), tf.TensorSpec([3], tf.int64)],
        ),
        (
            _S([2, None], None, flat_values_spec=_FLAT),
            "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64, TensorSpec(shape=(None,), dtype=tf.int32, "
            "name=None))",
            [_FLAT, tf.TensorSpec([3], tf.int64)],
        ),
    ],
)
def test_components_of_a_spec(spec: Any, text: str, components: Any) -> None:
    assert repr(spec) == text
    assert spec._component_specs == components
    assert spec == pickle.loads(pickle.dumps(spec)) == type(spec)._deserialize(spec._serialize())
    assert hash(spec) == hash(pickle.loads(pickle.dumps(spec)))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((), {}, ValueError, "Must specify ragged_rank or a shape with a known rank."),
        (([2, None],), {"ragged_rank": 2}, ValueError, "Argument `ragged_rank` (2) must be less than rank (2)."),
        (([2, None],), {"ragged_rank": "a"}, TypeError, "Argument `ragged_rank` must be an int. Received a."),
        (([2, None], None), {}, ValueError, "At least one of dtype or flat_values_spec must be provided"),
        (
            ([2, None],),
            {"flat_values_spec": _FLAT},
            ValueError,
            "dtype must be the same as flat_values_spec.dtype",
        ),
    ],
)
def test_contradictions_are_refused(arguments: Any, options: Any, error: Any, words: str) -> None:
    check_refusal(lambda: _S(*arguments, **options), error, words)


def test_facts_of_a_spec() -> None:
    spec = _S([2, None], tf.int32, 1, tf.int32)
    assert (spec.shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype) == (
        tf.TensorShape([2, None]),
        tf.int32,
        1,
        tf.int32,
    )
    assert spec.flat_values_spec is None
    assert spec.value_type is tf.RaggedTensor
    assert _S([2]).value_type is tf.Tensor


def test_batches_of_ragged_tensors() -> None:
    spec = _S([2, None], tf.int32)
    assert spec._batch(3) == _S([3, 2, None], tf.int32)
    assert spec._batch(None)._unbatch() == spec
    assert spec._unbatch() == _S([None], tf.int32, 0)
    assert _S(ragged_rank=1)._batch(3) == _S(ragged_rank=2)
    for call in (lambda: _S([2, None], None, flat_values_spec=_FLAT)._batch(2),):
        check_refusal(call, ValueError, "Customized value_type is not supported.")


def test_legacy_structures() -> None:
    spec = _S([2, None], tf.int32)
    assert spec._to_legacy_output_types() == tf.int32
    assert spec._to_legacy_output_shapes() == tf.TensorShape([2, None])
    assert spec._to_legacy_output_classes() is spec


def test_compatibility() -> None:
    spec = _S([None, None], tf.int32)
    x = tf.ragged.constant([[1], [2, 3]])
    assert spec.is_compatible_with(x)
    assert spec.is_compatible_with(tf.RaggedTensor.from_uniform_row_length([1, 2], 2))
    assert spec.is_compatible_with(_S([3, None], tf.int32))
    others = (
        tf.constant([[1]]),
        [[1]],
        tf.TensorSpec([None, None], tf.int32),
        _S([None, None], tf.int64),
        _S([None, None, None], tf.int32),
        x.with_row_splits_dtype(tf.int32),
    )
    assert not any(spec.is_compatible_with(other) for other in others)
    dense = _S([None, None], tf.int32, 0)
    assert dense.is_compatible_with(tf.constant([[1]]))
    assert dense.is_compatible_with(tf.TensorSpec([None, None], tf.int32))
    assert not dense.is_compatible_with(x)


def test_the_order_of_specs() -> None:
    spec = _S([3, None], tf.int32)
    assert spec.is_subtype_of(_S([None, None], tf.int32))
    assert spec.is_subtype_of(_S(None, tf.int32, 1))
    assert not _S([None, None], tf.int32).is_subtype_of(spec)
    assert spec.most_specific_common_supertype([_S([4, None], tf.int32)]) == _S([None, None], tf.int32)
    assert spec.most_specific_common_supertype([_S([3, None], tf.int64)]) is None


def test_the_spec_of_a_value() -> None:
    x = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1], [2, 3]]), 2)
    assert _S.from_value(x) == tf.type_spec_from_value(x) == x._type_spec == _S([1, 2, None], tf.int32)
    with pytest.raises(AttributeError, match="flat_values"):
        _S.from_value([1])


def test_components_become_values() -> None:
    splits = tf.constant([0, 2, 4], tf.int64)
    x = _S([2, 2, 3])._from_components([tf.zeros([8]), splits, tf.constant([0, 2, 4, 6, 8], tf.int64)])
    assert x.shape.as_list() == [2, 2, 3]
    dense = _S([None], tf.int32, 0)._from_components([tf.constant([1, 2])])
    assert dense.numpy().tolist() == [1, 2]
    arrays = _S([2, None], tf.int32)._from_components([np.array([1, 2]), np.array([0, 1, 2])])
    assert isinstance(arrays, tf.compat.v1.ragged.RaggedTensorValue)
    with pytest.raises(ValueError, match=r"Tensor's shape \(3,\) is not compatible with supplied shape \(4,\)"):
        _S([3, None], tf.int32)._from_components([tf.constant([1, 2]), splits])
    values = _S([2, None], tf.int32)._to_components(tf.ragged.constant([[1], [2, 3]]))
    assert [value.numpy().tolist() for value in values] == [[1, 2, 3], [0, 1, 3]]


def test_a_value_of_another_ragged_rank_is_refused() -> None:
    spec, words = _S([1, None], tf.int32), "Ragged rank of value 2 does not match ragged rank of type 1."
    check_refusal(lambda: spec._to_tensor_list(tf.ragged.constant([[[1]]])), ValueError, words)
    words = "Expected a RaggedTensor if ragged rank=1 but got EagerTensor."
    check_refusal(lambda: spec._to_tensor_list(tf.constant([[1]])), ValueError, words)


def test_a_spec_is_used_before_the_first_ragged_tensor_is_made() -> None:
    program = (
        "import millrace as tf\n"
        "f = tf.function(lambda x: x, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])\n"
        "print(f.get_concrete_function().structured_outputs.shape)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "(None, None)"
