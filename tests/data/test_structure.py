"""Structures of elements: what is structure, what a leaf, and the flat tensors of an element."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.data.structure import ElementStructure, common_spec, map_leaves, normalize, spec_of
from tests.data.composites import contents, plain, ragged, sparse

Point = collections.namedtuple("Point", "x y")


def spec(*shape: int | None, dtype: Any = tf.int32) -> tf.TensorSpec:
    return tf.TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    "element", [1, (1, 2), {"b": 1, "a": (2, 3)}, Point(1, (2,)), ((), 1), (1, None)], ids=lambda e: str(e)
)
def test_an_element_is_packed_from_its_flat_tensors(element: Any) -> None:
    value = normalize(element)
    structure = ElementStructure(spec_of(value))
    tensors = structure.flatten(value)
    assert [t.dtype for t in tensors] == list(structure.dtypes) and len(structure.shapes) == len(tensors)
    tf.nest.assert_same_structure(structure.pack(tensors), value)
    assert [t.numpy() for t in structure.flatten(structure.pack(tensors))] == [t.numpy() for t in tensors]


def test_the_tensors_of_a_dictionary_come_in_the_order_of_its_keys() -> None:
    value = normalize({"b": 1, "a": 2})
    assert [t.numpy() for t in ElementStructure(spec_of(value)).flatten(value)] == [2, 1]


def test_a_list_becomes_one_tensor_and_a_tuple_stays() -> None:
    first, second = normalize(([1, 2], (3, [4])))
    assert first.numpy().tolist() == [1, 2]
    assert second[0].numpy() == 3 and second[1].numpy().tolist() == [4]


def test_an_element_of_another_structure_is_refused() -> None:
    structure = ElementStructure((spec(), spec()))
    with pytest.raises((ValueError, TypeError)):
        structure.flatten(normalize((1, 2, 3)))
    with pytest.raises((ValueError, TypeError)):
        structure.flatten(normalize({"a": 1, "b": 2}))


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


def test_ragged_and_sparse_leaves_travel_as_variants() -> None:
    value = {"r": ragged(), "s": sparse(), "d": tf.constant(1)}
    structure = ElementStructure(spec_of(value))
    assert structure.dtypes == (tf.int32, tf.variant, tf.variant) and structure.shapes[1].rank is None
    tensors = structure.flatten(value)
    assert [t.shape.as_list() for t in tensors] == [[], [], [3]]
    assert plain(structure.pack(tensors)) == plain(value)
    rows = ElementStructure(spec_of((value["r"], value["s"]))).flatten_batch((value["r"], value["s"]))
    assert [t.shape.as_list() for t in rows] == [[3], [3, 3]]


def test_a_composite_that_is_not_of_the_spec_is_refused() -> None:
    with pytest.raises(TypeError, match="is not a value of RaggedTensorSpec"):
        ElementStructure(tf.RaggedTensorSpec([4, None], tf.int32)).flatten(ragged())


@pytest.mark.parametrize("value", [ragged(), sparse()], ids=["ragged", "sparse"])
def test_pipelines_carry_composites(value: Any) -> None:
    dataset = tf.data.Dataset.from_tensor_slices(value)
    rows = contents(dataset)
    assert contents(dataset.batch(2).unbatch()) == rows and contents(dataset.cache().repeat(2)) == 2 * rows
    assert contents(dataset.map(lambda x: x).prefetch(1)) == rows
    assert contents(dataset.map(lambda x: x, num_parallel_calls=2)) == rows
    assert contents(dataset.take(1).concatenate(dataset.skip(1))) == rows
    assert sorted(contents(dataset.shuffle(3, seed=1))) == sorted(rows)
    assert contents(dataset.enumerate()) == list(enumerate(rows))
    assert contents(tf.data.Dataset.from_tensors(value).flat_map(tf.data.Dataset.from_tensor_slices)) == rows
    assert [contents(window) for window in dataset.window(2)] == [rows[:2], rows[2:]]
    assert contents(dataset.window(2).flat_map(lambda window: window.batch(2))) == contents(dataset.batch(2))
    assert plain(dataset.take(1).get_single_element()) == rows[0]
    assert plain(iter(dataset).get_next_as_optional().get_value()) == rows[0]
    assert plain(tf.experimental.Optional.from_value(value).get_value()) == plain(value)


@pytest.mark.parametrize("value", [ragged(), sparse()], ids=["ragged", "sparse"])
def test_composites_are_state_of_loops_over_datasets(value: Any) -> None:
    assert plain(tf.data.Dataset.range(3).reduce(value, lambda state, _: state)) == plain(value)
    assert contents(tf.data.Dataset.range(2).scan(value, lambda state, x: (state, state))) == [plain(value)] * 2
    following = tf.function(lambda dataset: next(iter(dataset)))
    assert plain(following(tf.data.Dataset.from_tensors(value))) == plain(value)


def test_a_composite_state_may_grow() -> None:
    first = tf.RaggedTensor.from_row_lengths([1], [1])
    grown = tf.data.Dataset.range(2).reduce(first, lambda state, _: tf.concat([state, state], 0))
    assert plain(grown) == [[1]] * 4


def test_generators_yield_values_of_sparse_tensors() -> None:
    value = tf.compat.v1.SparseTensorValue([[0, 1]], np.int32([1]), [1, 2])
    spec = tf.SparseTensorSpec([None, 2], tf.int32)
    assert contents(tf.data.Dataset.from_generator(lambda: iter([value]), output_signature=spec)) == [[[0, 1]]]


@pytest.mark.parametrize("value", [ragged(), sparse()], ids=["ragged", "sparse"])
def test_generators_yield_composites(value: Any) -> None:
    dataset = tf.data.Dataset.from_generator(lambda: iter([value]), output_signature=tf.type_spec_from_value(value))
    assert contents(dataset) == [plain(value)]
    other = tf.RaggedTensorSpec([2, None], tf.int32)
    wrong = tf.data.Dataset.from_generator(lambda: iter([value]), output_signature=other)
    with pytest.raises(tf.errors.OpError, match="yielded an element of"):
        contents(wrong)


def test_padded_batches_of_composites_are_refused() -> None:
    for value in (ragged(), sparse()):
        with pytest.raises(
            TypeError, match="`padded_batch` is only supported for datasets that produce tensor elements"
        ):
            tf.data.Dataset.from_tensors(value).padded_batch(2)


def test_slices_of_composites_and_tensors_are_of_one_number() -> None:
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        tf.data.Dataset.from_tensor_slices(([1, 2], ragged()))
