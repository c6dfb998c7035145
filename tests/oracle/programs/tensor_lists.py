"""The ops on lists of tensors, one by one, eager and in graphs."""

from __future__ import annotations

from typing import Any

from tests.oracle.programs._list_helpers import both, outcome


def _rows(tf: Any, values: Any, shape: Any = -1) -> Any:
    return tf.raw_ops.TensorListFromTensor(tensor=tf.constant(values), element_shape=tf.constant(shape, tf.int32))


def _stacked(tf: Any, handle: Any, shape: Any = -1, count: int = -1) -> Any:
    return tf.raw_ops.TensorListStack(
        input_handle=handle, element_shape=tf.constant(shape, tf.int32), element_dtype=tf.float32, num_elements=count
    )


_PAIRS = [[1.0, 2.0], [3.0, 4.0]]


def prog_list_set_item(tf: Any, np: Any) -> Any:
    def put(index: int, item: Any, shape: Any = -1, **kwargs: Any) -> Any:
        handle = _rows(tf, _PAIRS, shape)
        return _stacked(tf, tf.raw_ops.TensorListSetItem(input_handle=handle, index=index, item=item, **kwargs))

    return [
        both(tf, lambda: put(1, [9.0, 9.0])),
        both(tf, lambda: put(2, [9.0, 9.0])),
        both(tf, lambda: put(-1, [9.0, 9.0])),
        both(tf, lambda: put(3, [9.0, 9.0], resize_if_index_out_of_bounds=True)),
        outcome(lambda: put(0, [9.0], [2]), 12),
        both(tf, lambda: put(0, [9, 9])),
    ]


def prog_list_push_pop(tf: Any, np: Any) -> Any:
    raw = tf.raw_ops

    def pop(handle: Any, shape: Any = -1) -> Any:
        return raw.TensorListPopBack(input_handle=handle, element_shape=shape, element_dtype=tf.float32)[1]

    def reserve(n: int) -> Any:
        return raw.TensorListReserve(element_shape=-1, num_elements=n, element_dtype=tf.float32)

    def full() -> Any:
        handle = raw.EmptyTensorList(element_shape=-1, max_num_elements=1, element_dtype=tf.float32)
        for _ in range(2):
            handle = raw.TensorListPushBack(input_handle=handle, tensor=1.0)
        return raw.TensorListLength(input_handle=handle)

    return [
        both(tf, lambda: _stacked(tf, raw.TensorListPushBack(input_handle=_rows(tf, _PAIRS), tensor=[5.0, 6.0]))),
        outcome(lambda: raw.TensorListPushBack(input_handle=_rows(tf, _PAIRS, [2]), tensor=[5.0]), 12),
        outcome(lambda: raw.TensorListPushBack(input_handle=_rows(tf, _PAIRS), tensor=[5, 6])),
        both(tf, lambda: pop(_rows(tf, _PAIRS))),
        both(tf, lambda: pop(reserve(0))),
        both(tf, lambda: pop(reserve(1))),
        both(tf, lambda: pop(reserve(1), [2])),
        both(tf, full),
    ]


def prog_list_get_item(tf: Any, np: Any) -> Any:
    def get(handle: Any, index: int, shape: Any, dtype: Any = tf.float32) -> Any:
        return tf.raw_ops.TensorListGetItem(input_handle=handle, index=index, element_shape=shape, element_dtype=dtype)

    def partly() -> Any:
        handle = tf.raw_ops.TensorListReserve(element_shape=-1, num_elements=3, element_dtype=tf.float32)
        return tf.raw_ops.TensorListSetItem(input_handle=handle, index=1, item=[1.0, 2.0])

    return [
        both(tf, lambda: get(_rows(tf, _PAIRS), 1, [2])),
        both(tf, lambda: get(_rows(tf, _PAIRS), 2, [2])),
        both(tf, lambda: get(partly(), 0, -1)),
        outcome(lambda: get(_rows(tf, _PAIRS), 0, [2], tf.int32)),
    ]


def prog_list_stack(tf: Any, np: Any) -> Any:
    return [
        both(tf, lambda: _stacked(tf, _rows(tf, _PAIRS), [2], 2)),
        both(tf, lambda: _stacked(tf, _rows(tf, _PAIRS), [2], 3)),
        both(tf, lambda: _stacked(tf, _rows(tf, _PAIRS), [3])),
        outcome(lambda: _stacked(tf, _rows(tf, [1, 2]))),
    ]


def prog_list_gather_scatter(tf: Any, np: Any) -> Any:
    raw = tf.raw_ops

    def gather(indices: Any) -> Any:
        return raw.TensorListGather(
            input_handle=_rows(tf, _PAIRS), indices=indices, element_shape=-1, element_dtype=tf.float32
        )

    def scatter(count: int) -> Any:
        return raw.TensorListScatterV2(tensor=_PAIRS, indices=[2, 0], element_shape=-1, num_elements=count)

    def into(indices: Any) -> Any:
        return raw.TensorListScatterIntoExistingList(
            input_handle=_rows(tf, _PAIRS), tensor=[[9.0, 9.0]], indices=indices
        )

    return [
        both(tf, lambda: gather([1, 0, 1])),
        both(tf, lambda: gather([2])),
        both(tf, lambda: _stacked(tf, raw.TensorListScatter(tensor=_PAIRS, indices=[2, 0], element_shape=-1))),
        both(tf, lambda: _stacked(tf, scatter(5))),
        both(tf, lambda: _stacked(tf, scatter(-1))),
        both(tf, lambda: _stacked(tf, scatter(1))),
        both(tf, lambda: _stacked(tf, into([1]))),
        both(tf, lambda: _stacked(tf, into([0, 1]))),
    ]


def prog_list_concat(tf: Any, np: Any) -> Any:
    def concat(handle: Any, shape: Any = -1, leading: Any = ()) -> Any:
        return tf.raw_ops.TensorListConcatV2(
            input_handle=handle,
            element_shape=tf.constant(shape, tf.int32),
            leading_dims=tf.constant(list(leading), tf.int64),
            element_dtype=tf.float32,
        )

    def partly(*items: Any) -> Any:
        handle = tf.raw_ops.TensorListReserve(element_shape=-1, num_elements=2, element_dtype=tf.float32)
        for index, item in enumerate(items):
            handle = tf.raw_ops.TensorListSetItem(input_handle=handle, index=index, item=item)
        return handle

    rows = [[[1.0, 2.0]], [[3.0, 4.0]]]
    return [
        both(tf, lambda: concat(_rows(tf, rows))),
        both(tf, lambda: concat(_rows(tf, rows), [-1, 2])),
        both(tf, lambda: concat(_rows(tf, rows), [2, 2])),
        both(tf, lambda: concat(partly([1.0], [1.0, 2.0]))),
        both(tf, lambda: concat(partly([[1.0]], [[1.0, 2.0]]))),
        both(tf, lambda: concat(partly([1.0]), -1, [1, 3])),
        both(tf, lambda: concat(partly([1.0]))),
        both(tf, lambda: concat(partly(), [-1, 2])),
        both(tf, lambda: concat(partly(1.0))),
        both(tf, lambda: concat(partly(), [])),
    ]


def prog_list_split(tf: Any, np: Any) -> Any:
    def split(values: Any, lengths: Any, shape: Any = -1) -> Any:
        handle = tf.raw_ops.TensorListSplit(
            tensor=values, element_shape=tf.constant(shape, tf.int32), lengths=tf.constant(lengths, tf.int64)
        )
        return tf.raw_ops.TensorListLength(input_handle=handle)

    return [
        both(tf, lambda: split(_PAIRS, [1, 1])),
        both(tf, lambda: split(_PAIRS, [1, 2])),
        both(tf, lambda: split(_PAIRS, [1])),
        both(tf, lambda: split(_PAIRS, [-1, 3])),
        outcome(lambda: split(_PAIRS, [1, 1], [2, 3]), 8),
        outcome(lambda: split(1.0, [1]), 8),
        outcome(lambda: split(_PAIRS, 2), 8),
    ]


def prog_list_size_and_shape(tf: Any, np: Any) -> Any:
    raw = tf.raw_ops

    def shape_of(shape: Any, dtype: Any) -> Any:
        handle = raw.TensorListReserve(
            element_shape=tf.constant(shape, tf.int32), num_elements=2, element_dtype=tf.float32
        )
        return raw.TensorListElementShape(input_handle=handle, shape_type=dtype)

    def resized(size: int) -> Any:
        return _stacked(tf, raw.TensorListResize(input_handle=_rows(tf, _PAIRS), size=size))

    return [
        both(tf, lambda: shape_of([-1, 2], tf.int32)),
        both(tf, lambda: shape_of(-1, tf.int64)),
        both(tf, lambda: resized(3)),
        both(tf, lambda: resized(1)),
        both(tf, lambda: resized(-1)),
        outcome(lambda: raw.TensorListReserve(element_shape=-1, num_elements=-1, element_dtype=tf.float32), 8),
        outcome(lambda: raw.TensorListLength(input_handle=tf.constant(1.0))),
    ]


def prog_list_arithmetic(tf: Any, np: Any) -> Any:
    raw = tf.raw_ops

    def partly(n: int) -> Any:
        handle = raw.TensorListReserve(element_shape=-1, num_elements=n, element_dtype=tf.float32)
        return raw.TensorListSetItem(input_handle=handle, index=0, item=[1.0, 1.0])

    def both_lists(other: Any) -> Any:
        return raw.TensorListConcatLists(input_a=_rows(tf, _PAIRS, [2]), input_b=other, element_dtype=tf.float32)

    return [
        both(tf, lambda: _stacked(tf, tf.zeros_like(_rows(tf, _PAIRS)))),
        both(tf, lambda: _stacked(tf, tf.add_n([_rows(tf, _PAIRS), _rows(tf, _PAIRS)]))),
        both(tf, lambda: _stacked(tf, tf.add_n([partly(2), _rows(tf, _PAIRS)]))),
        outcome(lambda: tf.add_n([partly(3), _rows(tf, _PAIRS)]), 8),
        outcome(lambda: tf.add_n([_rows(tf, [1, 2]), _rows(tf, [1.0, 2.0])]), 8),
        both(tf, lambda: _stacked(tf, both_lists(_rows(tf, _PAIRS, [2])))),
        outcome(lambda: both_lists(_rows(tf, [1, 2])), 3),
        outcome(lambda: both_lists(_rows(tf, [[1.0]], [1])), 8),
    ]
