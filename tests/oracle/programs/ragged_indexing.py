"""`x[...]` of ragged tensors: every kind of key at every place, with tensors as keys, and what is refused."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import outcome, plain, staged

_ROWS = [[["a", "b"], [], ["c"]], [], [["d"]], [["e", "f", "g"], ["h"]]]
_MATRIX = [[1, 2, 3], [], [4], [5, 6]]
_UNIFORM = [[[1, 2], [3, 4]], [], [[5, 6]]]

_KEYS = {
    "row": (0,),
    "last_row": (-1,),
    "empty_row": (1,),
    "row_out_of_range": (4,),
    "row_below_range": (-5,),
    "all": (slice(None),),
    "from": (slice(1, None),),
    "up_to": (slice(None, 2),),
    "between": (slice(1, 3),),
    "from_end": (slice(-2, None),),
    "up_to_end": (slice(None, -1),),
    "stride": (slice(None, None, 2),),
    "negative_stride": (slice(None, None, -1),),
    "negative_stride_between": (slice(3, 0, -2),),
    "beyond": (slice(2, 100),),
    "nothing": (slice(3, 1),),
    "zero_stride": (slice(None, None, 0),),
    "ellipsis": (...,),
    "new_axis": (None,),
    "two_new_axes": (None, None),
    "row_and_column": (0, 0),
    "row_and_last_column": (3, -1),
    "row_and_column_out_of_range": (0, 9),
    "row_and_slice": (0, slice(1, None)),
    "row_and_stride": (3, slice(None, None, -1)),
    "slice_and_slice": (slice(1, None), slice(None, 1)),
    "columns_from": (slice(None), slice(1, None)),
    "columns_up_to": (slice(None), slice(None, 2)),
    "columns_between": (slice(None), slice(1, 2)),
    "columns_from_end": (slice(None), slice(-1, None)),
    "columns_up_to_end": (slice(None), slice(None, -1)),
    "columns_stride": (slice(None), slice(None, None, 2)),
    "columns_negative_stride": (slice(None), slice(None, None, -1)),
    "columns_from_with_stride": (slice(None), slice(1, None, 2)),
    "columns_zero_stride": (slice(None), slice(None, None, 0)),
    "column": (slice(None), 0),
    "last_column": (slice(None), -1),
    "ellipsis_and_column": (..., 0),
    "ellipsis_and_slice": (..., slice(None, 1)),
    "column_and_ellipsis": (0, ...),
    "two_ellipses": (..., ...),
    "new_axis_and_row": (None, 0),
    "row_and_new_axis": (0, None),
    "new_axis_last": (..., None),
    "new_axis_between": (slice(None), None),
    "new_axis_between_and_slice": (slice(None), None, slice(None, 1)),
    "three_rows": (0, 0, 0),
    "three_slices": (slice(None), slice(None), slice(None, 1)),
    "row_then_slices": (0, slice(None), slice(1, None)),
    "row_column_slice": (0, 0, slice(1, None)),
    "slice_then_row": (slice(None), slice(None), 0),
    "slices_then_new_axis": (slice(None), slice(None), slice(None), None),
    "too_many": (0, 0, 0, 0),
    "text": ("a",),
    "float": (1.5,),
    "bool": (True,),
    "float_slice": (slice(0.5, None),),
    "text_slice": (slice("a", None),),
    "list": ([0, 1],),
    "column_slice_of_text": (slice(None), slice("a", None)),
}


def _values(tf):
    return {"deep": tf.ragged.constant(_ROWS), "matrix": tf.ragged.constant(_MATRIX), "uniform": tf.ragged.constant(_UNIFORM, ragged_rank=1)}


def _taken(kind, keys):
    return lambda tf: (lambda x: x[keys if len(keys) > 1 else keys[0]], _values(tf)[kind])


for _kind in ("deep", "matrix", "uniform"):
    globals().update(staged(**{f"{_kind}_{_name}": _taken(_kind, _keys) for _name, _keys in _KEYS.items()}))

globals().update(
    staged(
        tensor_row=lambda tf: (lambda x, i: x[i], tf.ragged.constant(_MATRIX), tf.constant(2)),
        tensor_row_of_int64=lambda tf: (lambda x, i: x[i], tf.ragged.constant(_ROWS), tf.constant(3, tf.int64)),
        negative_tensor_row=lambda tf: (lambda x, i: x[i], tf.ragged.constant(_MATRIX), tf.constant(-1)),
        tensor_row_out_of_range=lambda tf: (lambda x, i: x[i], tf.ragged.constant(_MATRIX), tf.constant(9)),
        tensor_row_and_column=lambda tf: (lambda x, i: x[i, i], tf.ragged.constant(_ROWS), tf.constant(0)),
        tensor_slice=lambda tf: (lambda x, i: x[i:], tf.ragged.constant(_MATRIX), tf.constant(1)),
        tensor_slice_of_columns=lambda tf: (lambda x, i: x[:, i:], tf.ragged.constant(_MATRIX), tf.constant(1)),
        tensor_stop_of_columns=lambda tf: (lambda x, i: x[:, :i], tf.ragged.constant(_MATRIX), tf.constant(2)),
        tensor_stride_of_columns=lambda tf: (lambda x, i: x[:, ::i], tf.ragged.constant(_MATRIX), tf.constant(2)),
        tensor_of_rank_one=lambda tf: (lambda x, i: x[i], tf.ragged.constant(_MATRIX), tf.constant([1])),
        tensor_of_floats=lambda tf: (lambda x, i: x[i], tf.ragged.constant(_MATRIX), tf.constant(1.0)),
        ragged_key=lambda tf: (lambda x: x[x], tf.ragged.constant(_MATRIX)),
        numpy_key=lambda tf, np: (lambda x: [x[np.int64(2)], x[np.array(0)], x[: np.int32(1)]], tf.ragged.constant(_MATRIX)),
        int32_splits=lambda tf: (lambda x: [x[1:], x[:, 1:], x[0]], tf.ragged.constant(_MATRIX, row_splits_dtype=tf.int32)),
        uniform_outer=lambda tf: (lambda x: [x[0], x[:, 1], x[:, :1], x[1, 0]], tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant(_MATRIX), 2)),
        uniform_outer_columns=lambda tf: (lambda x: x[:, 0, :1], tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant(_MATRIX), 2)),
        empty_rows=lambda tf: (lambda x: [x[0:], x[:, 1:], x[..., None]], tf.ragged.constant([], dtype=tf.int32, ragged_rank=1)),
        gradient_of_a_slice=lambda tf: (lambda v: _gradient(tf, v), tf.constant([1.0, 2.0, 3.0, 4.0])),
        gathered_rows=lambda tf: (lambda x: tf.gather(x, [3, 0, 0]), tf.ragged.constant(_ROWS)),
        slice_of_a_slice=lambda tf: (lambda x: x[1:][:, :1][0], tf.ragged.constant(_ROWS)),
        strided_rows_of_text=lambda tf: (lambda x: x[::2, ::-1], tf.ragged.constant(_ROWS)),
    )
)


def _gradient(tf, values):
    with tf.GradientTape() as tape:
        tape.watch(values)
        x = tf.RaggedTensor.from_row_lengths(values, [2, 0, 2])
        total = tf.reduce_sum(x[:, 1:]) * 3.0 + tf.reduce_sum(x[0]) + tf.reduce_sum(x[::-1][0] ** 2)
    return tape.gradient(total, values)


def _against_lists(tf):
    """Slices of rows and columns, compared with those of Python's lists: the differences, of which there are none."""
    x, out = tf.ragged.constant(_MATRIX), []
    for start in (None, -3, -1, 0, 1, 5):
        for stop in (None, -2, 0, 2, 7):
            for step in (None, 1, 2, -1, -2):
                if x[:, start:stop:step].to_list() != [row[start:stop:step] for row in _MATRIX]:
                    out.append(("columns", start, stop, step))
                if x[start:stop:step].to_list() != _MATRIX[start:stop:step]:
                    out.append(("rows", start, stop, step))
    return out


globals().update(plain(against_lists=_against_lists, error_of_a_bad_key=lambda tf: [outcome(lambda: tf.ragged.constant(_MATRIX)[key], 30) for key in ("a", 1.5, {}, (0, "b"))]))
