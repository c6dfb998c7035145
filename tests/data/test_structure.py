"""Structures of elements: what is structure, what a leaf, and the flat tensors of an element."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.structure import Structure, common_spec, map_leaves, normalized, spec_of

Point = collections.namedtuple("Point", "x y")


def spec(*shape: int | None, dtype: Any = tf.int32) -> tf.TensorSpec:
    return tf.TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    "element", [1, (1, 2), {"b": 1, "a": (2, 3)}, Point(1, (2,)), ((), 1), (1, None)], ids=lambda e: str(e)
)
def test_an_element_is_packed_from_its_flat_tensors(element: Any) -> None:
    value = normalized(element)
    structure = Structure(spec_of(value))
    tensors = structure.flatten(value)
    assert [t.dtype for t in tensors] == list(structure.dtypes) and len(structure.shapes) == len(tensors)
    tf.nest.assert_same_structure(structure.pack(tensors), value)
    assert [t.numpy() for t in structure.flatten(structure.pack(tensors))] == [t.numpy() for t in tensors]


def test_the_tensors_of_a_dictionary_come_in_the_order_of_its_keys() -> None:
    value = normalized({"b": 1, "a": 2})
    assert [t.numpy() for t in Structure(spec_of(value)).flatten(value)] == [2, 1]


def test_a_list_becomes_one_tensor_and_a_tuple_stays() -> None:
    first, second = normalized(([1, 2], (3, [4])))
    assert first.numpy().tolist() == [1, 2]
    assert second[0].numpy() == 3 and second[1].numpy().tolist() == [4]


def test_an_element_of_another_structure_is_refused() -> None:
    structure = Structure((spec(), spec()))
    with pytest.raises((ValueError, TypeError)):
        structure.flatten(normalized((1, 2, 3)))
    with pytest.raises((ValueError, TypeError)):
        structure.flatten(normalized({"a": 1, "b": 2}))


def test_lists_and_ranges_are_leaves() -> None:
    assert map_leaves(lambda leaf: type(leaf).__name__, ([1], range(2), {"a": np.zeros(1)})) == (
        "list",
        "range",
        {"a": "ndarray"},
    )


def test_the_common_spec_forgets_dimensions_that_differ() -> None:
    assert common_spec(spec(2, 3), spec(2, 4)) == spec(2, None)
    assert common_spec({"a": spec(1)}, {"a": spec(2)}) == {"a": spec(None)}
    assert common_spec(spec(2), spec(2, 3)) == tf.TensorSpec(None, tf.int32)


@pytest.mark.parametrize("other", [spec(dtype=tf.int64), (spec(),), {"a": spec()}])
def test_other_dtypes_and_structures_have_no_common_spec(other: Any) -> None:
    assert common_spec(spec(), other) is None
