"""Lists of arrays: versions share their storage, yet none changes when others are written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import millrace as tf
from millrace._src.engines.tensor_lists import TensorList, from_items, from_rows

UNKNOWN = tf.TensorShape(None)


def scalars(values: Any) -> TensorList:
    return from_items([np.float32(v).reshape(()) for v in values], UNKNOWN, tf.float32)


def content(one: TensorList) -> list[Any]:
    return [None if item is None else float(item) for item in one.items()]


STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "push", "pop", "get", "resize"]), st.integers(0, 20), st.integers(0, 6)),
    max_size=40,
)


@settings(deadline=None, max_examples=150)
@given(STEPS)
def test_versions_behave_like_copies(steps: list[tuple[str, int, int]]) -> None:
    versions = [(scalars([0.0, 1.0, 2.0]), [0.0, 1.0, 2.0])]
    for number, (kind, which, index) in enumerate(steps):
        one, model = versions[which % len(versions)]
        item, model = np.float32(number).reshape(()), list(model)
        if kind == "push":
            one, model = one.push(item), [*model, float(number)]
        elif kind == "pop" and model:
            (one, last), expected = one.pop(np.zeros(0, np.int32)), model.pop()
            assert float(last) == (expected or 0.0)
        elif kind == "set" and index < len(model):
            one = one.set(index, item)
            model[index] = float(number)
        elif kind == "get" and index < len(model):
            assert float(one.get(index, np.zeros(0, np.int32))) == (model[index] or 0.0)
        elif kind == "resize":
            one, model = one.resize(index), [*model, *[None] * 6][:index]
        versions.append((one, model))
    assert [content(one) for one, _ in versions] == [model for _, model in versions]


def test_a_chain_of_writes_shares_one_storage() -> None:
    one = first = TensorList(tf.float32, UNKNOWN, 1000)
    for i in range(1000):
        one = one.set(i, np.float32(i).reshape(()))
    assert one._version.items is not None and len(one._version.items) == 1000
    assert first._version.items is None
    assert first.items() == [None] * 1000


def test_unset_elements_read_as_zeros_of_the_others_shape() -> None:
    one = TensorList(tf.float32, UNKNOWN, 2).set(1, np.ones(3, np.float32))
    assert one.get(0, -1).tolist() == [0.0] * 3
    assert one.stack(-1, 2).tolist() == [[0.0] * 3, [1.0] * 3]


def test_sums_treat_unset_elements_as_zero() -> None:
    a = TensorList(tf.float32, UNKNOWN, 3).set(1, np.ones((), np.float32))
    total = a + scalars([1.0, 2.0, 3.0])
    assert content(total) == [1.0, 3.0, 3.0]
    assert content(a) == [None, 1.0, None]


def test_strings_and_nested_lists() -> None:
    names = from_rows(np.array([b"a", b"b"], dtype=object), UNKNOWN, tf.string)
    assert names.resize(3).stack(np.zeros(0, np.int32), -1).tolist() == [b"a", b"b", b""]
    assert names.zeros_like().stack(-1, -1).tolist() == [b"", b""]


def test_a_full_list_refuses_another_element() -> None:
    one = TensorList(tf.float32, UNKNOWN, 0, capacity=1).push(np.ones(()))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tried to push item into a full list"):
        one.push(np.ones(()))
