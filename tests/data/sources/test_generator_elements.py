"""Elements of generators, one by one: what is kept of an element, and what its arrays are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.sources.generator_elements import copy_mutable, row_of
from millrace._src.data.structure import ElementStructure


def test_what_is_kept_does_not_change_with_the_element() -> None:
    element: Any = {"array": np.zeros(2), "list": [[1], 2], "tuple": (bytearray(b"a"), "b")}
    copy = copy_mutable(element)
    element["array"][:] = 1
    element["list"][0].append(3)
    element["tuple"][0][:] = b"c"
    element["more"] = 0
    assert copy["array"].tolist() == [0, 0]
    assert copy["list"] == [[1], 2]
    assert copy["tuple"] == (b"a", "b")
    assert len(copy) == 3


def test_what_cannot_be_copied_is_kept_as_it_is() -> None:
    generator = (x for x in "ab")
    assert copy_mutable(generator) is generator
    tensor = tf.constant(1)
    assert copy_mutable([tensor])[0] is tensor


def test_an_element_is_read_by_its_structure() -> None:
    spec = {"b": (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.string)), "a": tf.TensorSpec([], tf.float32)}
    row = row_of({"a": 1, "b": (2.5, ["x", b"y"])}, ElementStructure(spec))
    assert [array.tolist() for array in row] == [1.0, 2, [b"x", b"y"]]
    assert [array.dtype for array in row] == [np.float32, np.int32, object]
    with pytest.raises(TypeError, match="did not match the expected structure"):
        row_of({"a": 1}, ElementStructure(spec))


_OPTIONAL = tf.OptionalSpec(tf.TensorSpec([None], tf.float32))


def test_a_leaf_may_be_a_composite_value() -> None:
    def elements() -> Any:
        yield 1, tf.experimental.Optional.from_value(tf.constant([1.0, 2.0]))
        yield 2, tf.experimental.Optional.empty(tf.TensorSpec([None], tf.float32))

    dataset = tf.data.Dataset.from_generator(elements, output_signature=(tf.TensorSpec([], tf.int32), _OPTIONAL))
    assert dataset.element_spec[1] == _OPTIONAL
    found = [(int(number), part.get_value().numpy().tolist() if part.has_value() else None) for number, part in dataset]
    assert found == [(1, [1.0, 2.0]), (2, None)]

    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    spec = tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32, indices_shape=[None])
    (given,) = tf.data.Dataset.from_generator(lambda: iter([slices]), output_signature=spec)
    assert given.values.numpy().tolist() == [[1.0, 1.0]] and given.indices.numpy().tolist() == [0]


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        (3, r"TensorSpec\(shape=\(\), dtype=tf.int32, name=None\)"),
        (
            tf.experimental.Optional.from_value([1, 2]),
            r"OptionalSpec\(TensorSpec\(shape=\(2,\), dtype=tf.int32, name=None\),?\)",
        ),
        (object, "<class 'type'>"),
    ],
)
def test_a_leaf_that_is_no_value_of_its_spec_is_refused(element: Any, shown: str) -> None:
    dataset = tf.data.Dataset.from_generator(lambda: iter([element]), output_signature=_OPTIONAL)
    words = f"`generator` yielded an element of {shown} where an element of OptionalSpec"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        list(dataset)
