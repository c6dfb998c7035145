"""A node of a function makes its table or queue once."""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf

raw = tf.raw_ops
TABLE: dict[str, Any] = {"key_dtype": tf.int64, "value_dtype": tf.int64}


def _table_size(handle: Any, key: Any) -> Any:
    raw.LookupTableInsertV2(table_handle=handle, keys=key, values=key)
    return raw.LookupTableSizeV2(table_handle=handle)


def _queue_size(handle: Any, element: Any) -> Any:
    raw.QueueEnqueueV2(handle=handle, components=[element])
    return raw.QueueSizeV2(handle=handle)


MAKES = [
    (lambda: raw.MutableHashTableV2(**TABLE), _table_size, [1, 2, 3]),
    (lambda: raw.MutableHashTableV2(**TABLE, shared_name="kept"), _table_size, [1, 2, 3]),
    (lambda: raw.AnonymousMutableHashTable(**TABLE), _table_size, [1, 1, 1]),
    (lambda: raw.FIFOQueueV2(component_types=[tf.int64]), _queue_size, [1, 2, 3]),
]


@pytest.mark.parametrize(("make", "use", "sizes"), MAKES)
def test_an_object_of_a_function_stays_from_call_to_call(make: Any, use: Any, sizes: list[int]) -> None:
    call = tf.function(lambda x: use(make(), x))
    assert [int(call(tf.constant(k, tf.int64))) for k in (5, 6, 7)] == sizes


def test_two_nodes_make_two_objects() -> None:
    @tf.function
    def call(x: Any) -> Any:
        first, second = (raw.MutableHashTableV2(**TABLE) for _ in range(2))
        raw.LookupTableInsertV2(table_handle=first, keys=x, values=x)
        return raw.LookupTableSizeV2(table_handle=first), raw.LookupTableSizeV2(table_handle=second)

    assert [int(size) for size in call(tf.constant(5, tf.int64))] == [1, 0]


def test_eager_calls_make_objects_of_their_own() -> None:
    first, second = (raw.MutableHashTableV2(**TABLE) for _ in range(2))
    assert _table_size(first, tf.constant(5, tf.int64)).numpy() == 1
    assert raw.LookupTableSizeV2(table_handle=second).numpy() == 0
