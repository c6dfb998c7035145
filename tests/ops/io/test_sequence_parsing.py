"""parse_sequence_example and parse_single_sequence_example."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import millrace as tf


def _written(label: int, steps: list[tuple[float, float]]) -> bytes:
    train = tf.train
    features = [train.Feature(float_list=train.FloatList(value=step)) for step in steps]
    lists = train.FeatureLists(feature_list={"steps": train.FeatureList(feature=features)})
    context = train.Features(feature={"label": train.Feature(int64_list=train.Int64List(value=[label]))})
    return train.SequenceExample(context=context, feature_lists=lists).SerializeToString()


_CONTEXT = {"label": tf.io.FixedLenFeature([], tf.int64)}
_LISTS = {"steps": tf.io.FixedLenSequenceFeature([2], tf.float32)}
_FLOAT = st.floats(-100, 100, width=32)
_SEQUENCE = st.tuples(st.integers(-(2**63), 2**63 - 1), st.lists(st.tuples(_FLOAT, _FLOAT), max_size=4))


@given(st.lists(_SEQUENCE, min_size=1, max_size=5))
def test_what_was_written_is_read(rows: list[tuple[int, list[tuple[float, float]]]]) -> None:
    serialized = [_written(*row) for row in rows]
    context, lists, lengths = tf.io.parse_sequence_example(serialized, _CONTEXT, _LISTS)
    assert context["label"].numpy().tolist() == [label for label, _ in rows]
    assert lengths["steps"].numpy().tolist() == [len(steps) for _, steps in rows]
    for row, (label, steps) in enumerate(rows):
        read = [tuple(step) for step in lists["steps"].numpy()[row].tolist()]
        assert read == steps + [(0.0, 0.0)] * (len(read) - len(steps))
        single_context, single_lists = tf.io.parse_single_sequence_example(serialized[row], _CONTEXT, _LISTS)
        assert single_context["label"].numpy() == label
        assert single_lists["steps"].shape == [len(steps), 2]


def test_shapes_are_known_as_far_as_they_can_be() -> None:
    read = tf.function(lambda s: tf.io.parse_sequence_example(s, _CONTEXT, _LISTS))
    context, lists, lengths = read.get_concrete_function(tf.TensorSpec([None], tf.string)).structured_outputs
    assert (context["label"].shape, lengths["steps"].shape) == ([None], [None])
    assert lists["steps"].shape.as_list() == [None, None, 2]


def test_a_single_ragged_feature_of_the_context_is_a_vector() -> None:
    ragged = {"label": tf.io.RaggedFeature(tf.int64)}
    context, lists = tf.io.parse_single_sequence_example(_written(3, []), ragged)
    assert context["label"].numpy().tolist() == [3]
    assert lists == {}
