"""Slices as users write them, as files hold them, and as boxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from millrace._src.checkpoint.bundle.tensor_slices import (
    WHOLE,
    Box,
    TensorSlice,
    box_size,
    index_of,
    intersection,
    parse_shape_and_slice,
    relative,
    without,
)
from millrace._src.proto.tensor_slice_pb2 import TensorSliceProto
from tests.ops.array.answers import check_refusal

_e = tf.errors


def test_a_slice_is_read_and_written() -> None:
    part = TensorSlice.parse("0,5:-")
    assert (part.starts, part.lengths) == ((0, 0), (5, WHOLE))
    assert str(part) == "0,5:-"
    assert part.box((10, 20)) == ((0, 5), (0, 20))
    assert part.shape_in((10, 20)) == (5, 20)
    assert TensorSlice.parse("") == TensorSlice.whole(0)
    assert TensorSlice.parse("-:") == TensorSlice.whole(1)
    assert parse_shape_and_slice("+6 +0,6") == ((6,), TensorSlice((0,), (6,)))
    assert parse_shape_and_slice("10 4,6")[1].shape_in((10,)) == (6,)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("6", _e.InvalidArgumentError, "Need least two elements in shape_and_slice specification: 6"),
        ("6,0", _e.InvalidArgumentError, "Need least two elements in shape_and_slice specification: 6,0"),
        ("6 ", _e.InternalError, "Mismatching ranks: shape = [6], slice = "),
        ("6 0,6:0,6", _e.InternalError, "Mismatching ranks: shape = [6], slice = 0,6:0,6"),
        ("6 0", _e.InvalidArgumentError, "Expected a pair of numbers or '-' but got '0': string = 0"),
        ("6 0,", _e.InvalidArgumentError, "Expected a pair of numbers or '-' but got '0,': string = 0,"),
        ("6 0,6,1", _e.InvalidArgumentError, "Expected a pair of numbers or '-' but got '0,6,1': string = 0,6,1"),
        ("6 a,b", _e.InvalidArgumentError, "Expected a pair of numbers or '-' but got 'a,b': string = a,b"),
        ("6 99999999999999999999,6", _e.InvalidArgumentError, "Expected a pair of numbers or '-' but got '9999"),
        ("6 0,7", _e.InternalError, "Extent in dimension 0 out of bounds: shape = [6], slice = 0,7"),
        ("6 7,1", _e.InternalError, "Extent in dimension 0 out of bounds: shape = [6], slice = 7,1"),
        ("6 9223372036854775807,6", _e.InternalError, "Extent in dimension 0 out of bounds: shape = [6], slice = 92"),
        ("6 -1,3", _e.InvalidArgumentError, "Expected non-negative start and positive length but got start = -1, len"),
        ("6 0,0", _e.InvalidArgumentError, "Expected non-negative start and positive length but got start = 0, length"),
        ("x 0,1", _e.InvalidArgumentError, "Non numerical dimension in shape_and_slice: x 0,1"),
        ("6  0,6", _e.InvalidArgumentError, "Non numerical dimension in shape_and_slice: 6  0,6"),
        ("-1 -", _e.InvalidArgumentError, "Non numerical dimension in shape_and_slice: -1 -"),
        ("4294967296 4294967296 0,1:0,1", _e.InvalidArgumentError, "Too many elements in shape_and_slice: 4294967296"),
        ("99999999999999999999 -", _e.InvalidArgumentError, "Non numerical dimension in shape_and_slice: 9999999999"),
    ],
)
def test_other_texts_are_refused(text: str, error: type[Exception], words: str) -> None:
    check_refusal(lambda: parse_shape_and_slice(text), error, words)


@pytest.mark.parametrize("text", ["0,5:-", "-", "", "3,1:2,2:-"])
def test_protos_keep_slices(text: str) -> None:
    part = TensorSlice.parse(text)
    assert TensorSlice.from_proto(TensorSliceProto.FromString(part.to_proto().SerializeToString())) == part


def test_protos_that_are_no_slices_are_refused() -> None:
    for start, length in ((-1, 3), (0, -2), (0, -(1 << 63))):
        proto = TensorSliceProto()
        proto.extent.add(start=start, length=length)
        check_refusal(lambda proto=proto: TensorSlice.from_proto(proto), _e.DataLossError, "Invalid slice of a tensor:")


_SHAPE = (4, 3, 5)
_BOXES = st.tuples(
    *(st.tuples(st.integers(0, size), st.integers(0, size)).map(lambda pair: (min(pair), max(pair))) for size in _SHAPE)
)


def _marked(boxes: list[Box]) -> np.ndarray:
    counts = np.zeros(_SHAPE, int)
    for box in boxes:
        counts[index_of(box)] += 1
    return counts


@given(_BOXES, _BOXES)
def test_boxes_meet_and_part_like_sets(box: Box, other: Box) -> None:
    common = intersection(box, other)
    assert ((_marked([box]) & _marked([other])) == _marked([common] if common else [])).all()
    rest = without([box], other)
    expected = (_marked([box]) - _marked([other])).clip(0)
    assert (_marked(rest) == expected).all() or not box_size(box)
    if common:
        assert (_marked([box])[index_of(box)][index_of(relative(common, box))] == 1).all()
