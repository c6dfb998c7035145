"""tf.RaggedTensor: parts, variations and Python's protocols."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.ops.ragged.ragged_tensor import add_supported_value_type

_FLAT = [[1, 2], [], [3]]
_DEEP = [[[1, 2], []], [[3]]]


def test_no_dense_value_is_a_ragged_tensor() -> None:
    assert not isinstance(tf.constant([[0.0], [1.0]]), tf.RaggedTensor)


def test_the_constructor_is_private() -> None:
    with pytest.raises(ValueError, match="RaggedTensor constructor is private; please use one of the factory methods"):
        tf.RaggedTensor([1], None)


def test_what_is_no_tensor_is_refused_as_values() -> None:
    with pytest.raises(TypeError, match=r"type\(values\) must be one of: Tensor, RaggedTensor, got \[1\]"):
        tf.RaggedTensor(values=[1], row_partition=None, internal=True)


def test_parts_of_a_ragged_tensor() -> None:
    x = tf.ragged.constant(_DEEP)
    assert x.shape.as_list() == x.get_shape().as_list() == [2, None, None]
    assert (x.ragged_rank, x.dtype) == (2, tf.int32)
    assert x.values.to_list() == [[1, 2], [], [3]]
    assert x.flat_values.numpy().tolist() == [1, 2, 3]
    assert x.row_splits.numpy().tolist() == [0, 2, 3]
    assert [s.numpy().tolist() for s in x.nested_row_splits] == [[0, 2, 3], [0, 2, 2, 3]]
    assert [s.numpy().tolist() for s in x.nested_row_lengths()] == [[2, 1], [2, 0, 1]]
    assert [s.numpy().tolist() for s in x.nested_value_rowids()] == [[0, 0, 1], [0, 0, 2]]
    assert x.value_rowids().numpy().tolist() == [0, 0, 1]
    assert x.row_starts().numpy().tolist() == [0, 2]
    assert x.row_limits().numpy().tolist() == [2, 3]
    assert x.nrows().dtype == tf.int64
    assert x.nrows(tf.int32).dtype == tf.int32
    assert int(x.nrows()) == 2
    assert x.uniform_row_length is None
    assert x.consumers() == []


def test_a_uniform_dimension_is_part_of_the_static_shape() -> None:
    x = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1, 2], [], [3], [4]]), 2)
    assert x.shape.as_list() == [2, 2, None]
    assert int(x.uniform_row_length) == 2
    assert x.with_flat_values([1.0, 2.0, 3.0, 4.0]).shape.as_list() == [2, 2, None]
    assert x.with_row_splits_dtype(tf.int32).shape.as_list() == [2, 2, None]


def test_other_values_in_the_same_rows() -> None:
    x = tf.ragged.constant(_DEEP)
    assert x.with_flat_values(["a", "b", "c"]).to_list() == [[[b"a", b"b"], []], [[b"c"]]]
    assert x.with_values([7, 8, 9]).to_list() == [[7, 8], [9]]
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
        x.with_flat_values([1, 2])
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        x.with_values(tf.ragged.constant([[1], [2], [3]], row_splits_dtype=tf.int32))


def test_row_splits_of_another_dtype() -> None:
    x = tf.ragged.constant(_DEEP)
    assert x.with_row_splits_dtype(tf.int64) is x
    narrow = x.with_row_splits_dtype("int32")
    assert {splits.dtype for splits in narrow.nested_row_splits} == {tf.int32}
    with pytest.raises(ValueError, match=r"Argument `row_splits` dtype must be int32 or int64\. Received tf\.int16"):
        x.with_row_splits_dtype(tf.int16)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (_FLAT, "<tf.RaggedTensor [[1, 2], [], [3]]>"),
        ([[1, 2], [3, 4]], "<tf.RaggedTensor [[1, 2],\n [3, 4]]>"),
        ([[[1, 2], []], [[3], [4]]], "<tf.RaggedTensor [[[1, 2], []],\n [[3], [4]]]>"),
        ([["a", "b"], ["c"]], "<tf.RaggedTensor [[b'a', b'b'], [b'c']]>"),
        ([[1.5, 2.25], []], "<tf.RaggedTensor [[1.5, 2.25], []]>"),
        ([[np.nan, -1], [3.123456789]], "<tf.RaggedTensor [[nan, -1.0], [3.1234567]]>"),
        ([[1 + 2j], []], "<tf.RaggedTensor [[(1+2j)], []]>"),
        ([[True], []], "<tf.RaggedTensor [[True], []]>"),
        ([[], []], "<tf.RaggedTensor [[], []]>"),
        (
            [list(range(2000)), [1]],
            "<tf.RaggedTensor [[0, 1, 2, ..., 1997, 1998, 1999], [1]]>",
        ),
    ],
)
def test_a_ragged_tensor_prints_as_nested_lists(value: Any, expected: str) -> None:
    x = tf.ragged.constant(value)
    assert repr(x) == str(x) == expected


def test_a_symbolic_ragged_tensor_prints_its_components() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.ragged.placeholder(tf.int32, 1)
        assert repr(x) == (
            'tf.RaggedTensor(values=Tensor("RaggedPlaceholder/flat_values:0", dtype=int32), '
            'row_splits=Tensor("RaggedPlaceholder/row_splits_0:0", shape=(None,), dtype=int64))'
        )


def test_values_as_arrays_and_lists() -> None:
    x = tf.ragged.constant(_FLAT)
    rows = x.numpy()
    assert rows.dtype == object
    assert [row.tolist() for row in rows] == x.to_list() == _FLAT
    uniform = tf.ragged.constant([[1, 2], [3, 4]]).numpy()
    assert uniform.dtype == np.int32
    assert uniform.tolist() == [[1, 2], [3, 4]]
    assert tf.ragged.constant([], ragged_rank=1).numpy().shape == (0, 0)
    assert tf.RaggedTensor.from_row_lengths(np.zeros([0, 2]), [0, 0]).numpy().shape == (2, 0, 2)


def test_arrays_and_lists_need_eager_mode() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with pytest.raises(ValueError, match=r"RaggedTensor\.numpy\(\) is only supported in eager mode\."):
            x.numpy()
        with pytest.raises(ValueError, match=r"to_list can only be used in eager mode\."):
            x.to_list()
        return x

    assert f(tf.ragged.constant(_FLAT)).to_list() == _FLAT


def test_a_ragged_tensor_has_no_truth_no_hash_and_no_length() -> None:
    x = tf.ragged.constant(_FLAT)
    with pytest.raises(TypeError, match=r"RaggedTensor may not be used as a boolean\."):
        bool(x)
    with pytest.raises(TypeError, match=r"RaggedTensor is unhashable\."):
        hash(x)
    with pytest.raises(TypeError, match=r"object of type 'RaggedTensor' has no len\(\)"):
        len(x)
    with pytest.raises(TypeError, match="float"):
        float(x)


def test_iteration_gives_the_rows() -> None:
    assert [row.numpy().tolist() for row in tf.ragged.constant(_FLAT)] == _FLAT
    assert [row.to_list() for row in tf.ragged.constant(_DEEP)] == _DEEP


def test_a_ragged_tensor_stands_for_a_tensor_but_is_none() -> None:
    x = tf.ragged.constant(_FLAT)
    assert tf.is_tensor(x)
    assert not isinstance(x, tf.Tensor)
    with pytest.raises(ValueError, match="RaggedTensor"):
        tf.convert_to_tensor(x)
    assert np.array(x, dtype=object).shape == ()


def test_nest_takes_a_ragged_tensor_apart() -> None:
    x = tf.ragged.constant(_DEEP)
    parts = tf.nest.flatten(x, expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[1, 2, 3], [0, 2, 3], [0, 2, 2, 3]]
    assert tf.nest.pack_sequence_as(x, parts, expand_composites=True).to_list() == _DEEP


def test_users_may_note_things_on_a_ragged_tensor() -> None:
    x = tf.ragged.constant(_FLAT)
    x._keras_mask = None
    assert x._keras_mask is None
    with pytest.raises(AttributeError):
        x.values = 1


def test_copies_and_pickles() -> None:
    x = tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1, 2], [], [3], [4]]), 2)
    for copied in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert copied.to_list() == x.to_list()
        assert copied.shape == x.shape


# --- through functions, branches and loops ---------------------------------------------------------------------------


def _uniform() -> Any:
    return tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1, 2], [], [3], [4]]), 2)


def test_ragged_tensors_pass_through_functions() -> None:
    traces = []

    @tf.function
    def double(x: Any) -> Any:
        traces.append(x._type_spec)
        return {"x": x * 2, "rows": [x.nrows()]}

    assert double(tf.ragged.constant(_FLAT))["x"].to_list() == [[2, 4], [], [6]]
    assert double(tf.ragged.constant([[5], [6], []]))["x"].to_list() == [[10], [12], []]
    assert len(traces) == 1
    result = double(_uniform())["x"]
    assert result.shape.as_list() == traces[1].shape.as_list() == [2, 2, None]


def test_an_input_signature_takes_rows_of_any_number() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[spec])
    def lengths(x: Any) -> Any:
        return x.row_lengths()

    assert lengths(tf.ragged.constant(_FLAT)).numpy().tolist() == [2, 0, 1]
    assert lengths(tf.ragged.constant([[1]])).numpy().tolist() == [1]
    with pytest.raises(TypeError):
        lengths(tf.ragged.constant(_DEEP))


def test_ragged_tensors_are_captured() -> None:
    x = tf.ragged.constant(_FLAT)

    @tf.function
    def add(y: Any) -> Any:
        return x + y

    assert add(tf.constant(1)).to_list() == [[2, 3], [], [4]]


def test_branches_return_ragged_tensors() -> None:
    @tf.function
    def choose(flag: Any, x: Any) -> Any:
        return tf.cond(flag, lambda: x[:, :1], lambda: x[:, ::-1])

    x = tf.ragged.constant(_FLAT)
    assert choose(tf.constant(True), x).to_list() == [[1], [], [3]]
    assert choose(tf.constant(False), x).to_list() == [[2, 1], [], [3]]


def test_ragged_tensors_are_loop_variables() -> None:
    x = tf.ragged.constant([[1.0], [2.0, 3.0]])

    def loop(x: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 3, lambda i, x: (i + 1, x * 2.0), [tf.constant(0), x])[1]

    assert loop(x).to_list() == tf.function(loop)(x).to_list() == [[8.0], [16.0, 24.0]]


def test_gradients_of_functions_of_ragged_tensors() -> None:
    values = tf.constant([1.0, 2.0, 3.0])

    @tf.function
    def total(x: Any) -> Any:
        return tf.reduce_sum((x * x).flat_values)

    with tf.GradientTape() as tape:
        tape.watch(values)
        y = total(tf.RaggedTensor.from_row_splits(values, [0, 2, 3]))
    assert tape.gradient(y, values).numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_known_shape_can_be_noted() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None], tf.int32)])
    def f(x: Any) -> Any:
        x._set_shape([2, 2, None])
        assert x.shape.as_list() == [2, 2, None]
        assert x._shape_invariant_to_type_spec([None, 2, None]) == tf.RaggedTensorSpec([None, 2, None], tf.int32)
        return x

    assert f(_uniform()).shape.as_list() == [2, 2, None]
    with pytest.raises(ValueError, match="not compatible"):
        tf.ragged.constant(_FLAT)._set_shape([4, None])


# --- values of a class of their own ----------------------------------------------------------------------------------


class _Span(tf.experimental.ExtensionType):
    """Two numbers for each value."""

    start: tf.Tensor
    stop: tf.Tensor

    @property
    def shape(self) -> Any:
        return self.start.shape

    @property
    def dtype(self) -> Any:
        return self.start.dtype

    def __getitem__(self, key: Any) -> Any:
        return _Span(self.start[key], self.stop[key])

    class Spec:
        """The type of spans."""

        @property
        def shape(self) -> Any:
            return self.start.shape

        @property
        def dtype(self) -> Any:
            return self.start.dtype


def test_values_may_be_of_a_class_of_their_own() -> None:
    spans = _Span([1, 2, 3], [4, 5, 6])
    with pytest.raises(ValueError, match="_Span"):
        tf.RaggedTensor.from_row_splits(spans, [0, 2, 3])
    add_supported_value_type(_Span)
    x = tf.RaggedTensor.from_row_splits(spans, [0, 2, 3])
    assert x.shape.as_list() == [2, None]
    assert x[0].stop.numpy().tolist() == [4, 5]
    assert len(tf.nest.flatten(x, expand_composites=True)) == 3

    @tf.function
    def lengths(x: Any) -> Any:
        assert x._type_spec.flat_values_spec == spans._type_spec
        return x.with_values(x.values.stop - x.values.start)

    assert lengths(x).to_list() == [[3, 3], [3]]
    with pytest.raises(ValueError, match=r"Customized value_type is not supported\."):
        x._type_spec._batch(2)
