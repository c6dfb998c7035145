"""parse_example and parse_single_example; values and messages are compared with TensorFlow's in tests/oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import millrace as tf
from tests.oracle.programs._messages import example, floats, ints, texts

_RAGGED = {"a": tf.io.RaggedFeature(tf.int64)}


def _written(numbers: list[int], word: bytes) -> bytes:
    train = tf.train
    feature = {
        "numbers": train.Feature(int64_list=train.Int64List(value=numbers)),
        "word": train.Feature(bytes_list=train.BytesList(value=[word])),
    }
    return train.Example(features=train.Features(feature=feature)).SerializeToString()


@given(st.lists(st.tuples(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3), st.binary()), max_size=15))
def test_what_was_written_is_read(rows: list[tuple[list[int], bytes]]) -> None:
    described = {
        "numbers": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
        "word": tf.io.FixedLenFeature([], tf.string),
    }
    serialized = tf.constant([_written(*row) for row in rows], tf.string)
    parsed = tf.io.parse_example(serialized, described)
    longest = max([len(numbers) for numbers, _ in rows], default=0)
    assert parsed["word"].numpy().tolist() == [word for _, word in rows]
    assert parsed["numbers"].numpy().tolist() == [numbers + [0] * (longest - len(numbers)) for numbers, _ in rows]


def test_a_batch_of_unknown_size_keeps_the_known_dimensions() -> None:
    described = {
        "a": tf.io.FixedLenFeature([2, 3], tf.float32),
        "b": tf.io.FixedLenSequenceFeature([4], tf.int64, allow_missing=True),
    }

    def shapes(shape: Any) -> Any:
        read = tf.function(lambda s: tf.io.parse_example(s, described))
        found = read.get_concrete_function(tf.TensorSpec(shape, tf.string)).structured_outputs
        return found["a"].shape, found["b"].shape

    for batch in ([None], [5], []):
        assert [shape.as_list() for shape in shapes(batch)] == [[*batch, 2, 3], [*batch, None, 4]]
    assert [shape.rank for shape in shapes(None)] == [None, None]


def test_a_single_ragged_feature_is_a_vector() -> None:
    assert tf.io.parse_single_example(example(a=ints(1, 2)), _RAGGED)["a"].numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="serialized must have statically-known rank to parse ragged features"):
        tf.function(lambda s: tf.io.parse_example(s, _RAGGED)).get_concrete_function(tf.TensorSpec(None, tf.string))


def test_a_tensor_that_may_be_no_scalar_is_checked_as_the_graph_runs() -> None:
    described = {"a": tf.io.FixedLenFeature([], tf.int64)}
    signature = [tf.TensorSpec(None, tf.string)]
    read = tf.function(lambda s: tf.io.parse_single_example(s, described)["a"], input_signature=signature)
    assert read(example(a=ints(3))).numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input serialized must be a scalar"):
        read([example(a=ints(3))])


def test_an_image_and_its_label_are_read() -> None:
    """The usual Example of image pipelines: bytes of any length beside a label."""
    images = [bytes([n % 256]) * (100 + 37 * n) for n in range(40)]
    serialized = [example(image=texts(image), label=ints(n), size=floats(n, 2)) for n, image in enumerate(images)]
    described = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "size": tf.io.FixedLenFeature([2], tf.float32),
    }
    parsed = tf.io.parse_example(serialized, described)
    assert parsed["image"].numpy().tolist() == images
    np.testing.assert_array_equal(parsed["label"], np.arange(40))
    np.testing.assert_array_equal(parsed["size"], [[n, 2] for n in range(40)])


def test_nothing_flows_back() -> None:
    default = tf.constant([1.0])
    described: dict[str, Any] = {"a": tf.io.FixedLenFeature([1], tf.float32, default)}
    with tf.GradientTape() as tape:
        tape.watch(default)
        found = tf.io.parse_example([b""], described)["a"]
    assert tape.gradient(found, default) is None


def test_descriptions_are_a_dictionary_that_is_not_empty() -> None:
    for features, text in (({}, "empty"), (None, "None")):
        with pytest.raises(ValueError, match=rf"^Invalid argument: features cannot be {text}\.$"):
            tf.io.parse_single_example(b"", features)
        with pytest.raises(ValueError, match=f"^Argument `features` cannot be None or falsy. Got {features}"):
            tf.io.parse_example([b""], features)
    for parse, serialized in ((tf.io.parse_single_example, b""), (tf.io.parse_example, [b""])):
        with pytest.raises(TypeError, match=r"`features` must be a dictionary from names to descriptions. Got \['a'\]"):
            parse(serialized, ["a"])
