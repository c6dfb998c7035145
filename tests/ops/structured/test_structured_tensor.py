"""tf.experimental.StructuredTensor: factories, shapes, items, in functions, branches and datasets."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import millrace as tf

ST = tf.experimental.StructuredTensor
RowPartition = tf.experimental.RowPartition
_ONE = {"a": [1, 2, 3], "b": [[4, 5], [6]], "c": "x"}
_VECTOR = [{"a": 1, "b": [4, 5]}, {"a": 2, "b": [6]}]
_MATRIX = [[{"a": 1}], [{"a": 2}, {"a": 3}], []]
_NESTED = [{"d": {"x": 1, "y": [2.5]}, "e": [{"z": "q"}]}, {"d": {"x": 2, "y": []}, "e": []}]
_DEEP = [[[{"x": 1, "y": [1, 2]}], []], [[{"x": 2, "y": []}, {"x": 3, "y": [4]}]]]


def _shown(value: Any) -> Any:
    """Returns a result as plain Python."""
    if isinstance(value, ST):
        return value.to_pyval()
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    return value.numpy().tolist() if isinstance(value, tf.Tensor) and value.shape.rank else value.numpy()


def test_text_shows_fields_and_shape() -> None:
    assert repr(ST.from_pyval(_ONE)) == str(ST.from_pyval(_ONE))
    assert str(ST.from_pyval({"b": [[1], []], "a": {"c": 1}})) == (
        "<StructuredTensor(\n"
        "    fields={\n"
        '        "a": <StructuredTensor(\n'
        "                fields={\n"
        '                    "c": tf.Tensor(1, shape=(), dtype=int32)},\n'
        "                shape=())>,\n"
        '        "b": <tf.RaggedTensor [[1], []]>},\n'
        "    shape=())>"
    )
    assert str(ST.from_pyval({})) == "<StructuredTensor(\n    fields={\n        },\n    shape=())>"


@pytest.mark.parametrize(
    ("pyval", "shape", "nrows", "partitions"),
    [
        (_ONE, [], None, []),
        (_VECTOR, [2], 2, []),
        (_MATRIX, [3, None], 3, [[0, 1, 3, 3]]),
        (_DEEP, [2, None, None], 2, [[0, 2, 3], [0, 1, 1, 3]]),
    ],
)
def test_shapes(pyval: Any, shape: Any, nrows: Any, partitions: Any) -> None:
    st = ST.from_pyval(pyval)
    assert st.shape.as_list() == shape
    assert st.rank == len(shape)
    assert st.nrows() is None if nrows is None else st.nrows().numpy() == nrows
    assert [partition.row_splits().numpy().tolist() for partition in st.row_partitions] == partitions


def test_fields_in_the_order_given() -> None:
    assert ST.from_fields({"z": 1, "a": 2}).field_names() == ("z", "a")


def test_values_of_fields_and_paths() -> None:
    st = ST.from_pyval(_NESTED)
    assert _shown(st.field_value("d")) == [{"x": 1, "y": [2.5]}, {"x": 2, "y": []}]
    assert _shown(st.field_value(("d", "x"))) == [1, 2]
    assert st.field_value(("e", "z")).to_list() == [[b"q"], []]
    assert st.field_value(()) is st
    for missing in ("q", ("d", "q")):
        with pytest.raises(KeyError, match="q"):
            st.field_value(missing)
    with pytest.raises(KeyError, match="Field path"):
        st.field_value(("d", "x", "w"))


# --- from_fields -----------------------------------------------------------------------------------------------------


def test_the_shape_is_found_in_the_fields() -> None:
    ragged = tf.ragged.constant([[1, 2], [3]])
    st = ST.from_fields({"a": ragged, "b": ragged * 2}, shape=[None, None])
    assert st.to_pyval() == [[{"a": 1, "b": 2}, {"a": 2, "b": 4}], [{"a": 3, "b": 6}]]
    dense = ST.from_fields({"a": [[1, 2], [3, 4]]}, shape=[None, None])
    assert dense.shape.as_list() == [2, 2]
    assert dense.row_partitions[0].static_uniform_row_length == 2
    assert ST.from_fields_and_rank({"a": ragged}, 2).shape.as_list() == [2, None]
    assert ST.from_fields_and_rank({"a": ragged}, 1).to_pyval() == [{"a": [1, 2]}, {"a": [3]}]


def test_the_shape_is_given_where_there_are_no_fields() -> None:
    assert ST.from_fields({}).to_pyval() == {}
    assert ST.from_fields({}, shape=[3]).to_pyval() == [{}, {}, {}]
    assert ST.from_fields({}, shape=[None], nrows=2).to_pyval() == [{}, {}]
    partition = RowPartition.from_row_lengths([1, 2])
    assert ST.from_fields({}, shape=[None, None], row_partitions=[partition]).to_pyval() == [[{}], [{}, {}]]
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 0)])
    assert ST.from_shape(shape).to_pyval() == [[{}], []]


def test_structured_fields() -> None:
    inner = ST.from_fields({"x": [1, 2]}, shape=[2])
    assert ST.from_fields({"a": inner, "b": [3, 4]}, shape=[2]).to_pyval() == [
        {"a": {"x": 1}, "b": 3},
        {"a": {"x": 2}, "b": 4},
    ]
    assert ST.from_fields({"a": inner, "b": 3}).to_pyval() == {"a": [{"x": 1}, {"x": 2}], "b": 3}


def test_variables_become_tensors() -> None:
    assert isinstance(ST.from_fields({"a": tf.Variable([1, 2])}).field_value("a"), tf.Tensor)


def test_dtypes_of_sizes() -> None:
    short = tf.ragged.constant([[1, 2], [3]], row_splits_dtype=tf.int32)
    st = ST.from_fields({"a": short}, shape=[None, None])
    assert st.row_partitions[0].dtype is tf.int32
    both = ST.from_fields({"a": short, "b": tf.ragged.constant([[1, 2], [3]])}, shape=[None, None])
    assert both.row_partitions[0].dtype is tf.int64
    assert both.field_value("a").row_splits.dtype is tf.int64
    again = both.with_shape_dtype(tf.int32)
    assert again.row_partitions[0].dtype is again.field_value("b").row_splits.dtype is tf.int32


# --- other shapes ----------------------------------------------------------------------------------------------------


def test_partitions_of_the_first_dimension() -> None:
    st = ST.from_pyval([{"foo": 12}, {"foo": 33}, {"foo": 99}])
    rows = st.partition_outer_dimension(RowPartition.from_row_lengths([2, 0, 1]))
    assert rows.to_pyval() == [[{"foo": 12}, {"foo": 33}], [], [{"foo": 99}]]
    twice = rows.partition_outer_dimension(RowPartition.from_row_lengths([1, 2]))
    assert twice.to_pyval() == [[[{"foo": 12}, {"foo": 33}]], [[], [{"foo": 99}]]]
    uniform = st.partition_outer_dimension(RowPartition.from_uniform_row_length(3, 3))
    assert uniform.shape.as_list() == [1, 3]
    nested = ST.from_pyval(_NESTED).partition_outer_dimension(RowPartition.from_row_lengths([1, 1]))
    assert nested.to_pyval() == [[_NESTED[0] | {"e": [{"z": b"q"}]}], [_NESTED[1]]]


def test_partitions_are_checked() -> None:
    st = ST.from_pyval([{"foo": 12}, {"foo": 33}, {"foo": 99}])
    with pytest.raises(TypeError, match="row_partition must be a RowPartition"):
        st.partition_outer_dimension([2, 0, 1])
    with pytest.raises(ValueError, match=r"Shape \(\) must have rank at least 1"):
        ST.from_pyval({"a": 1}).partition_outer_dimension(RowPartition.from_row_lengths([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not form a valid RaggedTensor"):
        st.partition_outer_dimension(RowPartition.from_row_lengths([2, 0]))


def test_partitions_of_another_dtype_make_both_int64() -> None:
    st = ST.from_fields_and_rank({"a": tf.ragged.constant([[1], [2]], row_splits_dtype=tf.int32)}, 1)
    rows = st.partition_outer_dimension(RowPartition.from_row_lengths([2]))
    assert rows.row_partitions[0].dtype is rows.field_value("a").row_splits.dtype is tf.int64


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ((0, 1), [[_DEEP[0][0][0]], [], _DEEP[1][0]]),
        ((1, 2), [_DEEP[0][0], _DEEP[1][0]]),
        ((0, 2), [_DEEP[0][0][0], *_DEEP[1][0]]),
        ((-3, -1), [_DEEP[0][0][0], *_DEEP[1][0]]),
        ((1, 1), _DEEP),
    ],
)
def test_dimensions_are_merged(axes: tuple[int, int], expected: Any) -> None:
    merged = ST.from_pyval(_DEEP).merge_dims(*axes)
    assert merged.to_pyval() == expected
    assert merged.rank == 3 - (axes[1] - axes[0])


def test_dimensions_that_cannot_be_merged() -> None:
    st = ST.from_pyval(_MATRIX)
    with pytest.raises(ValueError, match=r"Expected outer_axis \(1\) to be less than or equal to inner_axis \(0\)"):
        st.merge_dims(1, 0)
    with pytest.raises(ValueError, match="inner_axis=2 out of bounds: expected -2<=inner_axis<2"):
        st.merge_dims(0, 2)


# --- items -----------------------------------------------------------------------------------------------------------

_FIRST = {"d": {"x": 1, "y": [2.5]}, "e": [{"z": b"q"}]}


@pytest.mark.parametrize(
    ("pyval", "key", "expected"),
    [
        (_NESTED, 0, _FIRST),
        (_NESTED, -2, _FIRST),
        (_NESTED, slice(0, 1), [_FIRST]),
        (_NESTED, (0, "d"), _FIRST["d"]),
        (_NESTED, (slice(None), "d", "x"), [1, 2]),
        (_NESTED, (0, "e", 0, "z"), b"q"),
        (_NESTED, (0, "d", "y", 0), 2.5),
        (_NESTED, (), [_FIRST, _NESTED[1]]),
        (_ONE, "a", [1, 2, 3]),
        (_ONE, ("b", 1), [6]),
        (_ONE, slice(None), _ONE | {"c": b"x"}),
        (_MATRIX, 1, [{"a": 2}, {"a": 3}]),
        (_MATRIX, (1, 0), {"a": 2}),
        (_MATRIX, (1, 0, "a"), 2),
        (_MATRIX, (slice(None), slice(0, 1)), [[{"a": 1}], [{"a": 2}], []]),
        (_MATRIX, slice(None, None, 2), [[{"a": 1}], []]),
        ([{}, {}, {}], slice(1, None), [{}, {}]),
        ([[{}], []], 0, [{}]),
        ([{}, {}], 0, {}),
    ],
)
def test_items(pyval: Any, key: Any, expected: Any) -> None:
    assert _shown(ST.from_pyval(pyval)[key]) == expected


@pytest.mark.parametrize(
    ("pyval", "key", "error", "words"),
    [
        (_NESTED, None, ValueError, "Slicing not supported for tf.newaxis"),
        (_NESTED, ..., ValueError, "Slicing not supported for Ellipsis"),
        (_NESTED, (0, "nope"), KeyError, "nope"),
        (_NESTED, (slice(None), slice(None)), ValueError, "Key for indexing a StructuredTensor must be a string"),
        (_NESTED, (slice(None), "e", 0), ValueError, "Cannot index into an inner ragged dimension"),
        (_NESTED, "d", TypeError, "Only integers, slices"),
        (_ONE, 0, ValueError, "must be a string or a full slice"),
        (_ONE, "zz", KeyError, "zz"),
    ],
)
def test_items_that_do_not_exist(pyval: Any, key: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ST.from_pyval(pyval)[key]


def test_structures_are_iterated() -> None:
    assert [part.to_pyval() for part in ST.from_pyval(_VECTOR)] == _VECTOR
    with pytest.raises(ValueError, match="must be a string or a full slice"):
        iter(ST.from_pyval(_ONE))


# --- promote ---------------------------------------------------------------------------------------------------------


def test_fields_are_promoted() -> None:
    st = ST.from_pyval([{"docs": [{"tokens": [1, 2]}, {"tokens": [3]}]}, {"docs": [{"tokens": [7]}]}])
    promoted = st.promote(("docs", "tokens"), "docs_tokens")
    assert promoted.field_value("docs_tokens").to_list() == [[1, 2, 3], [7]]
    assert promoted.field_names() == ("docs", "docs_tokens")
    deep = ST.from_pyval([{"a": {"b": [{"c": [1]}, {"c": [2, 3]}]}}]).promote(("a", "b", "c"), "z")
    assert deep.field_value(("a", "z")).to_list() == [[1, 2, 3]]
    one = ST.from_pyval({"a": [{"b": 1}, {"b": 2}]}).promote(("a", "b"), "c")
    assert one.field_value("c").numpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("path", "name", "error", "words"),
    [
        ("docs", "x", ValueError, "source_path must be a list or tuple"),
        (("docs",), "x", ValueError, "source_path must have length at least two"),
        (("docs", "tokens"), ("a", "b"), ValueError, "new_name is not a string"),
        (("docs", "q"), "x", KeyError, "q"),
    ],
)
def test_promotions_are_checked(path: Any, name: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        ST.from_pyval([{"docs": [{"tokens": [1]}]}]).promote(path, name)


# --- a value like any other ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pyval", [_ONE, _VECTOR, _MATRIX, _NESTED, _DEEP])
def test_structured_tensors_pass_through_functions_and_nests(pyval: Any) -> None:
    st = ST.from_pyval(pyval)
    expected = st.to_pyval()
    assert tf.function(lambda x: x, autograph=False)(st).to_pyval() == expected
    flat = tf.nest.flatten(st, expand_composites=True)
    assert tf.nest.pack_sequence_as(st, flat, expand_composites=True).to_pyval() == expected
    assert tf.identity(st).to_pyval() == expected
    assert tf.cond(tf.constant(True), lambda: st, lambda: st).to_pyval() == expected
    assert pickle.loads(pickle.dumps(st)).to_pyval() == expected
    assert bool(st == ST.from_pyval(pyval))
    assert st._type_spec == ST.from_pyval(pyval)._type_spec


def test_structured_tensors_in_graphs() -> None:
    @tf.function(autograph=False)
    def change(st: Any) -> Any:
        with pytest.raises(ValueError, match="only supported in eager mode"):
            st.to_pyval()
        assert st.shape.as_list() == [2]
        st = st.with_updates({"z": st.field_value("a") * 2})
        return st.partition_outer_dimension(RowPartition.from_row_lengths([0, 2])), st[1]

    rows, last = change(ST.from_pyval(_VECTOR))
    assert rows.to_pyval() == [[], [{"a": 1, "b": [4, 5], "z": 2}, {"a": 2, "b": [6], "z": 4}]]
    assert last.to_pyval() == {"a": 2, "b": [6], "z": 4}


def test_fields_cannot_be_set() -> None:
    st = ST.from_pyval(_VECTOR)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `q`"):
        st.q = 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(st)


# --- batches ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pyval", [_VECTOR, _MATRIX, _NESTED, _DEEP])
def test_structured_tensors_are_elements_of_datasets(pyval: Any) -> None:
    st = ST.from_pyval(pyval)
    rows = st.to_pyval()
    assert [element.to_pyval() for element in tf.data.Dataset.from_tensors(st)] == [rows]
    slices = tf.data.Dataset.from_tensor_slices(st)
    assert [element.to_pyval() for element in slices] == rows
    assert [part for element in slices.batch(2) for part in element.to_pyval()] == rows


def test_rows_are_mapped() -> None:
    st = ST.from_pyval(_VECTOR)
    totals = tf.map_fn(
        lambda row: row.field_value("a") + tf.reduce_sum(row.field_value("b")), st, fn_output_signature=tf.int32
    )
    assert totals.numpy().tolist() == [10, 8]
