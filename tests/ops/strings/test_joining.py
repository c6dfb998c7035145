"""tf.strings.join, reduce_join and unsorted_segment_join."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.array.answers import check_refusal

_LETTERS = np.array([[b"a", b"b"], [b"c", b"d"]], dtype=object)
_CUBE = np.array(list(b"abcdefgh"), dtype="S1").astype(object).reshape(2, 2, 2)

SAMPLES = [
    Sample("StringJoin", inputs=([_LETTERS, np.array(b"-", dtype=object)],), attrs={"separator": "\udcff"}),
    Sample("StringJoin", inputs=([np.zeros((0, 2), dtype=object)],)),
    Sample("ReduceJoin", inputs=(_CUBE, np.array([0, 2], np.int32)), attrs={"keep_dims": True}),
    Sample("ReduceJoin", inputs=(np.array(b"a", dtype=object), np.array([], np.int32))),
    Sample("UnsortedSegmentJoin", inputs=(_LETTERS, np.array([1, 1]), np.array(3, np.int32)), attrs={"separator": "-"}),
    Sample("UnsortedSegmentJoin", inputs=(np.zeros([0], dtype=object), np.zeros([0], np.int32), np.array(2))),
]


@pytest.mark.parametrize(
    ("inputs", "separator", "expected"),
    [
        (["a", "b"], "", b"ab"),
        ([["a", "b"], "c"], "-", [b"a-c", b"b-c"]),
        ([], "", b""),
        ([b"\xff", "b"], "é", b"\xff\xc3\xa9b"),
        ([["a", "b"], ["c", "d"], "e"], "", [b"ace", b"bde"]),
    ],
)
def test_join_puts_elements_of_the_same_index_together(inputs: Any, separator: str, expected: Any) -> None:
    assert np.asarray(tf.strings.join(inputs, separator).numpy()).tolist() == expected


def test_join_takes_a_vector_as_a_list_of_scalars() -> None:
    assert tf.strings.join(tf.constant(["a", "b"])).numpy() == b"ab"


def test_join_refuses_different_shapes_and_other_dtypes() -> None:
    join = tf.strings.join
    shapes = "Input shapes do not match: [2] vs. [1] [Op:StringJoin]"
    check_refusal(lambda: join([["a", "b"], ["c"]]), tf.errors.InvalidArgumentError, shapes)
    check_refusal(lambda: join(["a", 1]), TypeError, "Cannot convert 1 to EagerTensor of dtype string")
    check_refusal(lambda: join("abc"), TypeError, "Expected list for 'inputs' argument to 'string_join' Op, not 'abc'.")
    check_refusal(lambda: join(["a"], separator=1), TypeError, "Expected string for argument 'separator' not 1.")


def test_join_knows_its_static_shape() -> None:
    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 2], tf.string), tf.TensorSpec([], tf.string)])
    def f(x, y):
        joined = tf.strings.join([y, x])
        assert joined.shape.as_list() == [None, 2]
        return joined

    assert f(tf.constant([["a", "b"]]), tf.constant("-")).numpy().tolist() == [[b"-a", b"-b"]]


@pytest.mark.parametrize(
    ("axis", "options", "expected"),
    [
        (None, {}, b"abcd"),
        (0, {}, [b"ac", b"bd"]),
        (1, {"separator": " "}, [b"a b", b"c d"]),
        ([0, 1], {}, b"acbd"),
        ([1, 0], {"separator": "-"}, b"a-b-c-d"),
        (-1, {"keepdims": True}, [[b"ab"], [b"cd"]]),
        ([], {}, [[b"a", b"b"], [b"c", b"d"]]),
        (None, {"keepdims": True}, [[b"abcd"]]),
    ],
)
def test_reduce_join_lets_the_first_axis_vary_fastest(axis: Any, options: dict[str, Any], expected: Any) -> None:
    assert np.asarray(tf.strings.reduce_join(_LETTERS, axis, **options).numpy()).tolist() == expected


def test_reduce_join_of_nothing_is_an_empty_string() -> None:
    assert tf.strings.reduce_join(tf.zeros([2, 0], tf.string), 1).numpy().tolist() == [b"", b""]
    assert tf.strings.reduce_join(tf.zeros([0], tf.string)).numpy() == b""
    assert tf.strings.reduce_join("a").numpy() == b"a"


def test_reduce_join_of_unknown_rank_joins_everything() -> None:
    f = tf.function(tf.strings.reduce_join, autograph=False, input_signature=[tf.TensorSpec(None, tf.string)])
    assert f(tf.constant(_LETTERS)).numpy() == b"abcd"


def test_reduce_join_refuses_axes_that_do_not_exist_or_come_twice() -> None:
    reduce_join = tf.strings.reduce_join
    missing = "Invalid reduction dimension 2 for input with 2 dimension(s)"
    check_refusal(lambda: reduce_join(_LETTERS, 2), tf.errors.OutOfRangeError, missing)
    twice = "Duplicate reduction dimension -2"
    check_refusal(lambda: reduce_join(_LETTERS, [0, -2]), tf.errors.InvalidArgumentError, twice)


def test_the_old_reduce_join_takes_the_old_names() -> None:
    assert tf.compat.v1.reduce_join(_LETTERS, 0, True).numpy().tolist() == [[b"ac", b"bd"]]
    assert tf.compat.v1.strings.reduce_join(_LETTERS, reduction_indices=[1]).numpy().tolist() == [b"ab", b"cd"]


@pytest.mark.parametrize(
    ("inputs", "ids", "count", "separator", "expected"),
    [
        (["this", "is", "a", "test"], [0, 1, 0, 1], 2, ":", [b"this:a", b"is:test"]),
        (["a"], [1], 3, "", [b"", b"a", b""]),
        (_LETTERS, [0, 0], 1, "-", [[b"a-c", b"b-d"]]),
        (_LETTERS, [[0, 1], [0, 1]], 2, "-", [b"a-c", b"b-d"]),
    ],
)
def test_unsorted_segment_join(inputs: Any, ids: Any, count: int, separator: str, expected: Any) -> None:
    assert tf.strings.unsorted_segment_join(inputs, ids, count, separator).numpy().tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["a"], [-1], 2), "segment_ids are not allowed to exceed num_segments or to have negative values."),
        ((["a"], [5], 2), "segment_ids are not allowed to exceed num_segments or to have negative values."),
        ((["a"], [0], -1), "Number of segments must be non-negative but got -1"),
        (("a", 0, 1), "Segment_id cannot have rank 0"),
        ((["a"], [0], [1]), "Number of segments must be a scalar"),
    ],
)
def test_unsorted_segment_join_refuses(arguments: Any, words: str) -> None:
    check_refusal(lambda: tf.strings.unsorted_segment_join(*arguments), tf.errors.InvalidArgumentError, words)


def test_the_plus_operator_joins_strings() -> None:
    assert (tf.constant(["a", "b"]) + "c").numpy().tolist() == [b"ac", b"bc"]
    assert ("x" + tf.constant("y")).numpy() == b"xy"


def test_a_segment_has_no_separator_after_empty_texts_at_its_start() -> None:
    join = tf.strings.unsorted_segment_join
    assert join(["", "", "bb", ""], [0, 0, 0, 0], 1, separator="-").numpy().tolist() == [b"bb-"]
    assert join([["", "a"], ["b", ""]], [0, 0], 1, separator="-").numpy().tolist() == [[b"b", b"a-"]]
