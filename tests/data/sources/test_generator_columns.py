"""Elements written into columns as they are yielded are those converted one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.data.blocks import Block
from millrace._src.data.sources import generator_columns
from millrace._src.data.sources.generator_columns import PlainElements
from millrace._src.data.sources.generator_elements import row_of
from millrace._src.data.structure import ElementStructure

VALUES = {
    "ints": st.integers(-(2**70), 2**70),
    "small ints": st.integers(-100, 100),
    "floats": st.floats(-100, 100),
    "bools": st.booleans(),
    "NumPy numbers": st.integers(-100, 100).map(np.int16),
    "arrays": st.lists(st.integers(0, 9), min_size=2, max_size=2).map(lambda v: np.array(v, np.int64)),
    "lists": st.lists(st.integers(0, 9), max_size=3),
    "texts": st.text(max_size=3) | st.binary(max_size=3),
}


def block_of(elements: list[Any], structure: ElementStructure) -> Block | None:
    """Returns elements as one block; None if they are not of one plain kind."""
    plain = PlainElements(structure)
    plain.take(len(elements), iter(elements))
    return None if plain.odd else plain.block()


def rows(elements: list[Any], structure: ElementStructure) -> Block | None:
    try:
        return Block.of_rows([row_of(element, structure) for element in elements])
    except (TypeError, ValueError, OverflowError, tf.errors.OpError):
        return None


@settings(max_examples=300, deadline=None)
@given(data=st.data(), dtype=st.sampled_from(["int32", "int64", "float32", "bool", "string"]))
def test_columns_are_those_of_single_rows(data: st.DataObject, dtype: str) -> None:
    kinds = data.draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=2))
    elements = data.draw(st.lists(st.one_of([VALUES[k] for k in kinds]), min_size=1, max_size=4))
    shape = data.draw(st.sampled_from([[], [None], [2], None]))
    structure = ElementStructure(tf.TensorSpec(shape, dtype))
    at_once = block_of(elements, structure)
    if at_once is None:
        return
    one_by_one = rows(elements, structure)
    assert one_by_one is not None
    np.testing.assert_array_equal(at_once.columns[0], one_by_one.columns[0])
    assert at_once.columns[0].dtype == one_by_one.columns[0].dtype


@pytest.mark.parametrize(
    ("elements", "spec"),
    [
        ([(1, 2.0), (3, 4.0)], (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32))),
        ([{"a": 1, "b": 2}, {"b": 4, "a": 3}], {"b": tf.TensorSpec([], tf.int32), "a": tf.TensorSpec([], tf.int32)}),
    ],
)
def test_flat_structures_are_converted_at_once(elements: list[Any], spec: Any) -> None:
    at_once, one_by_one = block_of(elements, ElementStructure(spec)), rows(elements, ElementStructure(spec))
    assert at_once is not None
    assert one_by_one is not None
    assert [c.tolist() for c in at_once.columns] == [c.tolist() for c in one_by_one.columns]


def test_elements_of_different_kinds_are_left_to_single_rows() -> None:
    assert block_of([1, 2.5], ElementStructure(tf.TensorSpec([], tf.float32))) is None
    assert block_of([(1,), [1]], ElementStructure((tf.TensorSpec([], tf.int32),))) is None


def test_a_block_ends_before_an_element_of_another_kind() -> None:
    plain = PlainElements(ElementStructure((tf.TensorSpec([], tf.int32), tf.TensorSpec([2], tf.float32))))
    values = iter([(1, np.ones(2)), (2, np.zeros(2)), (3, [4, 5]), (6, np.ones(2))])
    assert not plain.take(9, values)
    assert [type(x) for x in plain.elements()[0]] == [int, np.ndarray]
    assert plain.odd == [(3, [4, 5])]
    block = plain.block()
    assert block is not None
    assert [column.tolist() for column in block.columns] == [[1, 2], [[1, 1], [0, 0]]]
    assert block.columns[1].dtype == np.float32
    assert plain.take(9, values)
    assert (plain.count, plain.odd) == (1, [])


def test_a_block_has_as_many_elements_as_are_asked_for() -> None:
    plain, values = PlainElements(ElementStructure(tf.TensorSpec([], tf.int64))), iter(range(5))
    assert not plain.take(5, values)
    assert plain.count == 5
    assert plain.take(5, values)
    assert (plain.count, plain.block(), plain.elements()) == (0, None, [])


def test_large_arrays_come_in_smaller_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator_columns, "_MAX_BYTES", 100)
    plain, values = PlainElements(ElementStructure(tf.TensorSpec([4], tf.float64))), [np.ones(4)] * 5
    assert not plain.take(5, iter(values))
    assert plain.count == 3


def test_an_array_that_is_written_over_is_copied_at_once() -> None:
    def numbers() -> Iterator[Any]:
        element = {"a": np.zeros(2), "b": 0}
        for number in range(3):
            element["a"][:] = element["b"] = number  # type: ignore[index]
            yield element

    spec = {"a": tf.TensorSpec([2], tf.float64), "b": tf.TensorSpec([], tf.int32)}
    plain = PlainElements(ElementStructure(spec))
    plain.take(3, numbers())
    assert [x["b"] for x in plain.elements()] == [0, 1, 2]
    assert [x["a"].tolist() for x in plain.elements()] == [[0, 0], [1, 1], [2, 2]]
