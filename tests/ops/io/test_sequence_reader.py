"""The reader of SequenceExamples; tests/oracle/programs/io_examples.py compares it with TensorFlow on odd messages."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.ops.io.example_fields import Field, FieldLayout
from millrace._src.ops.io.sequence_reader import read_sequences
from tests.oracle.programs._messages import floats, ints, sequence, texts

_CONTEXT = Field(b"a", tf.int64, FieldLayout.RAGGED)
_LIST = Field(b"x", tf.int64, FieldLayout.SPARSE)


def test_contexts_and_lists_become_columns() -> None:
    data = [sequence({"a": ints(1, 2)}, {"x": [ints(3), b"", ints(4, 300)]}), b"", sequence({}, {"x": []})]
    (context,), (column,) = read_sequences(data, [_CONTEXT], [_LIST], None)
    assert (context.values.tolist(), context.counts.tolist()) == ([1, 2], [2, -1, -1])
    assert (column.values.tolist(), column.counts.tolist()) == ([3, 4, 300], [1, 0, 2])
    assert column.lengths.tolist() == [3, -1, 0]


def test_protobufs_own_messages_are_read() -> None:
    train = tf.train
    features = [train.Feature(bytes_list=train.BytesList(value=[b"p", b""])), train.Feature()]
    lists = train.FeatureLists(feature_list={"x": train.FeatureList(feature=features)})
    context = train.Features(feature={"a": train.Feature(int64_list=train.Int64List(value=[-1]))})
    data = train.SequenceExample(context=context, feature_lists=lists).SerializeToString()
    (column,), (words,) = read_sequences([data], [_CONTEXT], [Field(b"x", tf.string, FieldLayout.RAGGED)], None)
    assert column.values.tolist() == [-1]
    assert (words.values.tolist(), words.counts.tolist()) == ([b"p", b""], [2, 0])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"hello", "Invalid protocol message input, example id: n"),
        (sequence({"a": floats(1)}), "Name: n, Context feature: a.  Data types don't match. Expected type: int64"),
        (sequence({}, {"x": [ints(1), texts(b"")]}), "Name: n, Feature list: x, Index: 1.  Data types don't match."),
        (sequence({}, {"x": [ints(1) + ints(2)]}), "Error in sequence feature x in example n"),
    ],
)
def test_what_is_not_as_it_should_be_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        read_sequences([data], [_CONTEXT], [_LIST], [b"n"])
    assert str(caught.value).startswith(words)
