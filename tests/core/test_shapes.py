from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.core.shapes import TensorShape, as_shape, broadcast_static_shapes, unknown_shape

UNKNOWN = TensorShape(None)
PARTIAL = TensorShape([1, None, 3])
FULL = TensorShape([2, 3])
SCALAR = TensorShape([])

dimensions = st.none() | st.integers(0, 4)
shapes = st.builds(TensorShape, st.none() | st.lists(dimensions, max_size=4))


class Index:
    def __index__(self) -> int:
        return 3


def sizes(shape: TensorShape) -> list[int | None] | None:
    return None if shape.rank is None else shape.as_list()


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ([1, None], [1, None]), (3, [3]), ((), []), ([1, np.int64(3)], [1, 3]), (np.array([3, 4]), [3, 4]),
        (np.array(3), [3]), ([np.array(3)], [3]), ({1: 2}, [1]), (range(3), [0, 1, 2]), (iter([1, 2]), [1, 2]),
        (b"ab", [97, 98]), ([2**70], [2**70]), ([True], [1]), ([Index()], [3]), (TensorShape([1]), [1]), (None, None),
    ],
)  # fmt: skip
def test_what_makes_a_shape(dims: Any, expected: list[int | None] | None) -> None:
    assert sizes(TensorShape(dims)) == expected


def test_tensors_make_shapes() -> None:
    assert TensorShape([tf.constant(3)]) == [3]
    assert TensorShape(tf.constant([3, 4])) == [3, 4]


# Recorded from TensorFlow 2.21.
@pytest.mark.parametrize(
    ("dims", "error", "message"),
    [
        ([1, -1], ValueError, "Dimension -1 must be >= 0"),
        (-1, ValueError, "Dimension -1 must be >= 0"),
        (
            [1, 2.0],
            TypeError,
            "Dimension value must be integer or None or have an __index__ method, got value '2.0' with type "
            "'<class 'float'>'",
        ),
        (
            [1, "a"],
            TypeError,
            "Dimension value must be integer or None or have an __index__ method, got value ''a'' with type "
            "'<class 'str'>'",
        ),
        (
            [[1]],
            TypeError,
            "Dimension value must be integer or None or have an __index__ method, got value '[1]' with type "
            "'<class 'list'>'",
        ),
        (
            1.5,
            TypeError,
            "Dimension value must be integer or None or have an __index__ method, got value '1.5' with type "
            "'<class 'float'>'",
        ),
        (
            "abc",
            TypeError,
            "Failed to convert ''abc'' to a shape: ''a''could not be converted to a dimension. A shape should either "
            "be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None]).",
        ),
        ([np.array([3])], TypeError, "only integer scalar arrays can be converted to a scalar index"),
    ],
)
def test_what_is_no_shape(dims: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        TensorShape(dims)
    assert str(caught.value) == message


def test_text() -> None:
    assert (str(UNKNOWN), repr(UNKNOWN)) == ("<unknown>", "TensorShape(None)")
    assert (str(PARTIAL), repr(PARTIAL)) == ("(1, None, 3)", "TensorShape([1, None, 3])")
    assert (str(SCALAR), repr(SCALAR)) == ("()", "TensorShape([])")
    assert str(TensorShape([3])) == "(3,)"


def test_equality() -> None:
    assert FULL == [2, 3] and FULL == (2, 3) and TensorShape((2, 3)) == FULL and FULL != [2]
    assert UNKNOWN == None and TensorShape(None) == UNKNOWN and UNKNOWN != FULL  # noqa: E711
    assert TensorShape([None]) == [None] and TensorShape([None]) != [1]
    assert TensorShape([1]) == 1 and FULL != "a" and TensorShape([1]) != [-1]
    assert hash(PARTIAL) == hash((1, None, 3))


def test_properties() -> None:
    assert (UNKNOWN.rank, PARTIAL.rank, SCALAR.rank) == (None, 3, 0)
    assert (UNKNOWN.ndims, PARTIAL.ndims) == (None, 3)
    assert (sizes(UNKNOWN), sizes(PARTIAL)) == (None, [1, None, 3])
    assert [bool(shape) for shape in (UNKNOWN, SCALAR, FULL, TensorShape([None]))] == [False, True, True, True]
    assert [shape.is_fully_defined() for shape in (UNKNOWN, PARTIAL, FULL)] == [False, False, True]
    assert [shape.num_elements() for shape in (UNKNOWN, PARTIAL, FULL, SCALAR)] == [None, None, 6, 1]
    assert TensorShape([0, None]).num_elements() is None
    assert PARTIAL.as_list() == [1, None, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (len, "Cannot take the length of shape with unknown rank."),
        (list, "Cannot iterate over a shape with unknown rank."),
        (TensorShape.as_list, "as_list() is not defined on an unknown TensorShape."),
        (TensorShape.assert_is_fully_defined, "Shape <unknown> is not fully defined"),
        (lambda shape: shape[::2], "Steps are not yet handled"),
    ],
)
def test_what_needs_the_rank(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        call(UNKNOWN)
    assert str(error.value) == message


def test_indexing() -> None:
    assert (PARTIAL[0], PARTIAL[1], PARTIAL[-1], FULL[np.int64(1)]) == (1, None, 3, 3)
    assert PARTIAL[1:] == [None, 3] and PARTIAL[::-1] == [3, None, 1] and isinstance(PARTIAL[:1], TensorShape)
    with pytest.raises(IndexError, match="tuple index out of range"):
        PARTIAL[5]
    with pytest.raises(TypeError):
        PARTIAL["a"]  # type: ignore[call-overload]
    assert tuple(FULL) == (2, 3) and 3 in FULL and 7 not in FULL
    assert np.zeros(FULL).shape == (2, 3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(1, 3), [None, None]), (slice(1, None), None), (slice(None, 2), [None, None]), (slice(-2, None), None),
        (slice(None), None), (slice(None, -1), None), (slice(3, 1), []), (slice(0, -1), None),
    ],
)  # fmt: skip
def test_slices_of_an_unknown_shape(key: slice, expected: list[None] | None) -> None:
    assert sizes(UNKNOWN[key]) == expected
    assert UNKNOWN[0] is None


def test_merging_collects_what_is_known() -> None:
    assert UNKNOWN.merge_with(FULL) is FULL
    assert PARTIAL.merge_with([1, 2, None]) == [1, 2, 3]
    with pytest.raises(ValueError, match=r"^Shapes \(1, None, 3\) and \(2, 2, None\) are not compatible$"):
        PARTIAL.merge_with([2, 2, None])
    with pytest.raises(ValueError, match=r"^Shapes \(1, None, 3\) and \(2, 2\) are not compatible$"):
        PARTIAL.merge_with([2, 2])


def test_concatenation() -> None:
    assert FULL + FULL == [2, 3, 2, 3] and FULL + [1] == [2, 3, 1] and [1] + FULL == [1, 2, 3] and FULL + 3 == [2, 3, 3]
    assert (FULL + UNKNOWN).dims is None and (UNKNOWN + FULL).dims is None and (FULL + None).dims is None
    assert FULL.concatenate([None]) == [2, 3, None]


def test_compatibility() -> None:
    assert (
        PARTIAL.is_compatible_with([1, 5, 3])
        and PARTIAL.is_compatible_with(None)
        and not PARTIAL.is_compatible_with(FULL)
    )
    with pytest.raises(TypeError, match="Failed to convert ''a'' to a shape"):
        PARTIAL.is_compatible_with("a")
    PARTIAL.assert_is_compatible_with([1, 5, 3])
    with pytest.raises(ValueError, match=r"^Shapes \(2, 3\) and \[2, 4\] are incompatible$"):
        FULL.assert_is_compatible_with([2, 4])


def test_rank_claims() -> None:
    assert UNKNOWN.with_rank(3) == [None, None, None] and FULL.with_rank(2) == FULL
    assert UNKNOWN.with_rank_at_least(2).dims is None and FULL.with_rank_at_least(1) == FULL
    assert UNKNOWN.with_rank_at_most(2).dims is None and FULL.with_rank_at_most(2) == FULL
    for call, message in [
        (lambda: FULL.with_rank(3), r"^Shape \(2, 3\) must have rank 3$"),
        (lambda: FULL.with_rank_at_least(3), r"^Shape \(2, 3\) must have rank at least 3$"),
        (lambda: PARTIAL.with_rank_at_most(2), r"^Shape \(1, None, 3\) must have rank at most 2$"),
        (lambda: FULL.assert_has_rank(3), r"^Shape \(2, 3\) must have rank 3$"),
        (lambda: FULL.assert_same_rank(PARTIAL), r"^Shapes \(2, 3\) and \(1, None, 3\) must have the same rank$"),
        (PARTIAL.assert_is_fully_defined, r"^Shape \(1, None, 3\) is not fully defined$"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    UNKNOWN.assert_has_rank(2)
    FULL.assert_same_rank(UNKNOWN)
    FULL.assert_is_fully_defined()


def test_generalization() -> None:
    assert PARTIAL.most_specific_compatible_shape([1, 2, 3]) == [1, None, 3]
    assert PARTIAL.most_specific_compatible_shape([1, 2]).dims is None
    assert FULL.most_specific_compatible_shape([2, 4]) == [2, None]
    assert FULL.most_specific_common_supertype([TensorShape([2, 4])]) == [2, None]
    assert FULL.most_specific_common_supertype([FULL, UNKNOWN]) == UNKNOWN
    assert FULL.most_specific_common_supertype([3]) is None
    assert FULL.most_specific_common_supertype([]) is FULL


def test_subtypes() -> None:
    assert FULL.is_subtype_of(TensorShape([None, 3])) and not TensorShape([None, 3]).is_subtype_of(FULL)
    assert FULL.is_subtype_of(UNKNOWN) and not UNKNOWN.is_subtype_of(FULL) and UNKNOWN.is_subtype_of(UNKNOWN)
    assert not FULL.is_subtype_of([2, 3])


@given(shapes, shapes)
def test_a_merge_is_below_both_and_a_generalization_above_both(a: TensorShape, b: TensorShape) -> None:
    above = a.most_specific_compatible_shape(b)
    assert a.is_subtype_of(above) and b.is_subtype_of(above)
    if a.is_compatible_with(b):
        below = a.merge_with(b)
        assert below.is_subtype_of(a) and below.is_subtype_of(b)


@given(shapes)
def test_shapes_survive_pickles_and_protos(shape: TensorShape) -> None:
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert TensorShape(shape.as_proto()) == shape
    assert TensorShape.experimental_from_proto(shape.experimental_as_proto()) == shape


def test_of_trusts_its_argument() -> None:
    assert TensorShape.of((1, None)) == [1, None]
    assert TensorShape.of(None) == UNKNOWN
    assert as_shape(FULL) is FULL and as_shape([1]) == [1]
    assert unknown_shape() == UNKNOWN and unknown_shape(2) == [None, None]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 2], [3, 1], [3, 2]), ([None], [None], [None]), ([None], [1], [None]), ([None], [5], [5]),
        ([5], [None], [5]),
        ([1, None], [2, 1], [2, None]), (None, [0], None), ([], [2], [2]), ([0], [1], [0]), ([4, 3], [3], [4, 3]),
    ],
)  # fmt: skip
def test_broadcasting(a: Any, b: Any, expected: list[int | None] | None) -> None:
    assert sizes(tf.broadcast_static_shape(TensorShape(a), TensorShape(b))) == expected
    assert sizes(tf.broadcast_static_shape(TensorShape(b), TensorShape(a))) == expected


def test_shapes_that_do_not_broadcast() -> None:
    with pytest.raises(ValueError) as error:
        tf.broadcast_static_shape(TensorShape([4, None]), TensorShape([3, 3]))
    assert str(error.value) == (
        "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either "
        "equal or one of them is 1. Received: (4, None) and (3, 3)."
    )


@given(st.lists(st.lists(st.sampled_from([1, 3]), max_size=3), max_size=3))
def test_broadcasting_agrees_with_numpy(dims: list[list[int]]) -> None:
    assert tuple(broadcast_static_shapes(*dims)) == np.broadcast_shapes(*map(tuple, dims))


def test_a_shape_converts_to_a_tensor() -> None:
    for dims, dtype, expected in [
        ([], None, tf.int32),
        ([2], None, tf.int32),
        ([2**40], None, tf.int64),
        ([2], tf.int64, tf.int64),
    ]:
        tensor = tf.convert_to_tensor(TensorShape(dims), dtype)
        assert tensor.dtype is expected and tensor.numpy().tolist() == dims
    with pytest.raises(ValueError, match=r"^Cannot convert a partially known TensorShape \(2, None\) to a Tensor\.$"):
        tf.convert_to_tensor(TensorShape([2, None]))
    with pytest.raises(TypeError, match=r"Allowed dtypes are tf\.int32 and tf\.int64"):
        tf.convert_to_tensor(FULL, tf.float32)


@pytest.mark.parametrize(("dims", "culprit"), [("ab", "'a'"), ({"a": 1}, "'a'"), (np.zeros([1, 2]), "array([0., 0.])")])
def test_an_iterable_of_no_dimensions_is_shown_as_a_whole(dims: Any, culprit: str) -> None:
    with pytest.raises(TypeError) as caught:
        tf.TensorShape(dims)
    assert str(caught.value).startswith(f"Failed to convert '{dims!r}' to a shape: '{culprit}'could not be converted")


def test_dims_are_dimension_objects_and_elements_are_integers() -> None:
    shape = TensorShape([2, None, 3])
    assert UNKNOWN.dims is None and TensorShape([]).dims == []
    dims = shape.dims
    assert dims is not None and all(type(dim) is tf.compat.v1.Dimension for dim in dims)
    assert [dim.value for dim in dims] == [2, None, 3] and [dim.value for dim in shape[:2].dims] == [2, None]
    assert (shape[0], shape[1], list(shape), shape.as_list()) == (2, None, [2, None, 3], [2, None, 3])
    assert type(shape[0]) is int
    assert dims[0].is_compatible_with(2) and not dims[0].is_compatible_with(3) and dims[1].is_compatible_with(3)
    assert repr(dims) == "[Dimension(2), Dimension(None), Dimension(3)]"
    assert repr(shape) == "TensorShape([2, None, 3])" and str(shape) == "(2, None, 3)"


def test_dims_make_shapes_and_tensors() -> None:
    shape = TensorShape([2, 3])
    assert TensorShape(shape.dims) == shape == shape.dims
    assert TensorShape([shape.dims[0] * 2, None]) == [4, None]
    assert tf.zeros(shape.dims).shape == tf.reshape(tf.zeros([6]), shape.dims).shape == shape
    assert tf.constant(shape.dims).numpy().tolist() == [2, 3]
    assert [part.shape for part in tf.split(tf.zeros([4]), shape.dims[0])] == [[2], [2]]
    assert np.zeros(shape.dims).shape == (2, 3) and list(range(shape.dims[1])) == [0, 1, 2]


def test_dims_are_read_only_and_stay_with_copies() -> None:
    shape = TensorShape([2, None])
    with pytest.raises(AttributeError):
        shape.dims = [1]  # type: ignore[misc]
    for made in (pickle.loads(pickle.dumps(shape)), copy.deepcopy(shape), copy.copy(shape)):
        assert made.as_list() == [2, None] and repr(made.dims) == "[Dimension(2), Dimension(None)]"
    assert pickle.loads(pickle.dumps(UNKNOWN)).dims is None
    assert hash(shape) == hash(TensorShape([2, None]))
