"""What a ragged tensor says of itself: properties, methods, printed forms, iteration, copies, Python's own functions."""

from __future__ import annotations

import copy
import pickle

from tests.oracle.programs._composite_helpers import deep, floats, numbers, plain, staged, traced, wide, words
from tests.oracle.support import attempt, printed

_LONG = [list(range(30)), [], list(range(3))]


def _both(tf):
    return [numbers(tf), deep(tf), wide(tf)]


globals().update(
    plain(
        shapes=lambda tf: [[x.shape, x.get_shape(), x.ragged_rank, x.dtype, x.uniform_row_length] for x in _both(tf)],
        shapes_of_uniform=lambda tf: [(x.shape, x.ragged_rank) for x in (tf.RaggedTensor.from_uniform_row_length(tf.range(6), 2), tf.RaggedTensor.from_uniform_row_length(numbers(tf), 3), tf.RaggedTensor.from_uniform_row_length([], 0, nrows=4))],
        consumers_and_name=lambda tf: [attempt(lambda: numbers(tf).name), attempt(lambda: numbers(tf).consumers())],
        repr=lambda tf: [repr(x) for x in (*_both(tf), floats(tf), words(tf), tf.ragged.constant([[True], []]), tf.ragged.constant([]))],
        str=lambda tf: [str(x) for x in (*_both(tf), floats(tf), words(tf), tf.ragged.constant([[]], dtype=tf.int32))],
        repr_of_long_rows=lambda tf: repr(tf.ragged.constant(_LONG)),
        repr_of_many_rows=lambda tf: repr(tf.ragged.constant([[i] * (i % 4) for i in range(40)])),
        repr_of_huge=lambda tf: repr(tf.RaggedTensor.from_row_lengths(tf.range(3000), [1000, 0, 2000])),
        repr_of_floats=lambda tf: repr(tf.ragged.constant([[1.0, 2.5, 1e-10], [], [1 / 3, float("nan")]])),
        repr_of_half=lambda tf: [repr(tf.cast(floats(tf), dtype)) for dtype in (tf.float16, tf.bfloat16, tf.complex64)],
        repr_in_graph=lambda tf: _in_graph(tf, lambda: [repr(numbers(tf)), str(deep(tf))]),
        format=lambda tf: [f"{numbers(tf)}", format(numbers(tf)), f"{numbers(tf)!r:.10}"],
        tf_print=lambda tf: [printed(lambda: tf.print(x))["stderr"] for x in (*_both(tf), floats(tf), words(tf))],
        tf_print_of_long_rows=lambda tf: [printed(lambda: tf.print(tf.ragged.constant(_LONG), summarize=n))["stderr"] for n in (3, -1)],
        tf_print_in_a_dict=lambda tf: printed(lambda: tf.print("x:", {"a": numbers(tf)}, [deep(tf)], sep="|"))["stderr"],
        tf_print_in_a_function=lambda tf: printed(lambda: tf.function(lambda x: tf.print(x) and None)(numbers(tf)))["stderr"],
        strings_format=lambda tf: [tf.strings.format("<{}>", [numbers(tf)]), tf.strings.format("{} {}", (numbers(tf), deep(tf)))],
        to_list=lambda tf: [x.to_list() for x in (*_both(tf), floats(tf), words(tf), tf.ragged.constant([], ragged_rank=2))],
        numpy=lambda tf: [_nested(x.numpy()) for x in (*_both(tf), words(tf))],
        numpy_of_equal_rows=lambda tf: [tf.ragged.constant([[1, 2], [3, 4]]).numpy(), tf.RaggedTensor.from_uniform_row_length(tf.range(6), 2).numpy(), tf.ragged.constant([[], []]).numpy()],
        numpy_in_graph=lambda tf: _in_graph(tf, lambda: attempt(lambda: numbers(tf).numpy())),
        to_list_in_graph=lambda tf: _in_graph(tf, lambda: attempt(lambda: numbers(tf).to_list())),
        iteration=lambda tf: [list(x) for x in _both(tf)],
        iteration_in_graph=lambda tf: _in_graph(tf, lambda: attempt(lambda: list(numbers(tf)))),
        rows_unpacked=lambda tf: (lambda a, b, c: [a, b, c])(*numbers(tf)),
        length=lambda tf: len(numbers(tf)),
        truth=lambda tf: bool(numbers(tf)),
        truth_of_scalar_rows=lambda tf: [1] if tf.ragged.constant([[1]]) else [2],
        as_index=lambda tf: [1, 2][tf.ragged.constant([[1]])],
        as_int=lambda tf: int(tf.ragged.constant([[1]])),
        hashed=lambda tf: hash(numbers(tf)),
        in_a_set=lambda tf: {numbers(tf)},
        contains=lambda tf: 3 in numbers(tf),
        set_item=lambda tf: numbers(tf).__setitem__(0, 1),
        equality=lambda tf: [numbers(tf) == numbers(tf), numbers(tf) != 1, numbers(tf) == None, numbers(tf) != None],  # noqa: E711
        equality_with_unlike=lambda tf: numbers(tf) == tf.ragged.constant([[1]]),
        equality_with_text=lambda tf: numbers(tf) == "a",
        array_of=lambda tf, np: [np.array(numbers(tf)).dtype.name, np.array(numbers(tf)).shape],
        asarray_of_equal_rows=lambda tf, np: np.asarray(tf.ragged.constant([[1, 2], [3, 4]])).shape,
        copied=lambda tf: [copy.copy(numbers(tf)), copy.deepcopy(numbers(tf))],
        pickled=lambda tf: pickle.loads(pickle.dumps(numbers(tf))),
        type_spec=lambda tf: [tf.type_spec_from_value(x) for x in (*_both(tf), words(tf), tf.RaggedTensor.from_uniform_row_length(numbers(tf), 3))],
        is_tensor=lambda tf: [tf.is_tensor(numbers(tf)), isinstance(numbers(tf), tf.Tensor), tf.debugging.is_numeric_tensor(numbers(tf))],
        is_symbolic=lambda tf: tf.is_symbolic_tensor(numbers(tf)),
        nest_flatten=lambda tf: [tf.nest.flatten({"a": numbers(tf)}), tf.nest.flatten([numbers(tf)], expand_composites=True), tf.nest.is_nested(numbers(tf))],
        nest_pack=lambda tf: tf.nest.pack_sequence_as(numbers(tf), [tf.constant([4, 5, 6]), tf.constant([0, 2, 2, 3], tf.int64)], expand_composites=True),
        nest_map=lambda tf: tf.nest.map_structure(lambda t: t + 1 if t.dtype == tf.int32 else t, deep(tf), expand_composites=True),
        nest_map_whole=lambda tf: tf.nest.map_structure(lambda x: x * 2, [numbers(tf), {"b": deep(tf)}]),
        nest_same_structure=lambda tf: [attempt(lambda: tf.nest.assert_same_structure(numbers(tf), other, expand_composites=True)) for other in (numbers(tf) + 1, deep(tf), tf.constant(1), tf.cast(numbers(tf), tf.float32))],
        attributes=lambda tf: sorted(name for name in dir(tf.RaggedTensor) if not name.startswith("_")),
        unknown_attribute=lambda tf: numbers(tf).nothing,
        set_attribute=lambda tf: setattr(numbers(tf), "shape", [1]),
        subclass_check=lambda tf: [issubclass(tf.RaggedTensor, tf.Tensor), tf.RaggedTensor.__name__, tf.RaggedTensor.__module__.split(".")[0] != "builtins"],
        graph_values=lambda tf: _in_graph(tf, lambda: [numbers(tf).shape, numbers(tf).ragged_rank, deep(tf).shape, wide(tf).shape]),
        from_numpy_lists=lambda tf, np: tf.ragged.constant([np.arange(3), [], np.int32([7])]),
    )
)


def _in_graph(tf, call):
    with tf.Graph().as_default():
        return call()


def _nested(array):
    if getattr(getattr(array, "dtype", None), "kind", "") == "O":
        return ["object", [_nested(part) for part in array]]
    return array


globals().update(
    staged(
        values=lambda tf: (lambda x: [x.values, x.flat_values, x.row_splits, x.nested_row_splits], deep(tf)),
        row_methods=lambda tf: (lambda x: [x.row_lengths(), x.row_starts(), x.row_limits(), x.value_rowids(), x.nrows()], numbers(tf)),
        row_methods_of_no_rows=lambda tf: (lambda x: [x.row_lengths(), x.row_starts(), x.row_limits(), x.value_rowids(), x.nrows()], tf.ragged.constant([], ragged_rank=1)),
        row_methods_of_uniform=lambda tf: (lambda x: [x.row_lengths(), x.row_starts(), x.row_limits(), x.value_rowids(), x.nrows(), x.row_splits], tf.RaggedTensor.from_uniform_row_length(tf.range(6), 2)),
        row_lengths_of_axes=lambda tf: (lambda x: [x.row_lengths(axis=a) for a in (1, 2)], deep(tf)),
        row_lengths_of_uniform_axis=lambda tf: (lambda x: x.row_lengths(axis=2), wide(tf)),
        row_lengths_of_axis_zero=lambda tf: (lambda x: x.row_lengths(axis=0), deep(tf)),
        row_lengths_of_axis_three=lambda tf: (lambda x: x.row_lengths(axis=3), deep(tf)),
        row_lengths_of_negative_axis=lambda tf: (lambda x: x.row_lengths(axis=-1), deep(tf)),
        nrows_as_int32=lambda tf: (lambda x: x.nrows(out_type=tf.int32), deep(tf)),
        nested_row_lengths=lambda tf: (lambda x: [list(x.nested_row_lengths()), list(x.nested_value_rowids())], deep(tf)),
        bounding_shape=lambda tf: (lambda x: [x.bounding_shape(), x.bounding_shape(axis=0), x.bounding_shape(axis=2), x.bounding_shape(axis=[0, 2]), x.bounding_shape(out_type=tf.int32)], deep(tf)),
        bounding_shape_of_uniform=lambda tf: (lambda x: [x.bounding_shape(), x.bounding_shape(axis=2)], wide(tf)),
        bounding_shape_of_no_rows=lambda tf: (lambda x: x.bounding_shape(), tf.ragged.constant([], ragged_rank=1)),
        bounding_shape_of_bad_axis=lambda tf: (lambda x: x.bounding_shape(axis=5), deep(tf)),
        with_values=lambda tf: (lambda x: [x.with_values(x.values + 1), x.with_values(tf.stack([x.values, x.values], 1))], numbers(tf)),
        with_values_too_few=lambda tf: (lambda x: x.with_values([1]), numbers(tf)),
        with_values_of_rank_zero=lambda tf: (lambda x: x.with_values(1), numbers(tf)),
        with_values_ragged=lambda tf: (lambda x: x.with_values(tf.ragged.constant([[1], [], [2, 3]])), numbers(tf)),
        with_flat_values=lambda tf: (lambda x: [x.with_flat_values([4.0, 5.0, 6.0]), x.with_flat_values(["a", "b", "c"])], deep(tf)),
        with_flat_values_too_few=lambda tf: (lambda x: x.with_flat_values([1]), deep(tf)),
        with_row_splits_dtype=lambda tf: (lambda x: [s for d in (tf.int32, tf.int64) for s in x.with_row_splits_dtype(d).nested_row_splits], deep(tf)),
        with_row_splits_dtype_of_float=lambda tf: (lambda x: x.with_row_splits_dtype(tf.float32), deep(tf)),
        merge_dims=lambda tf: (lambda x: [x.merge_dims(0, 1), x.merge_dims(1, 2), x.merge_dims(0, 2), x.merge_dims(-2, -1), x.merge_dims(1, 1)], deep(tf)),
        merge_dims_of_uniform=lambda tf: (lambda x: [x.merge_dims(0, 1), x.merge_dims(1, 2), x.merge_dims(0, 2)], wide(tf)),
        merge_dims_turned=lambda tf: (lambda x: x.merge_dims(2, 1), deep(tf)),
        merge_dims_out_of_range=lambda tf: (lambda x: x.merge_dims(0, 5), deep(tf)),
        merge_dims_of_text=lambda tf: (lambda x: x.merge_dims("a", 1), deep(tf)),
        as_argument_and_result=lambda tf: (lambda x: {"same": x, "parts": (x.values, x.nrows())}, numbers(tf)),
        shape_of=lambda tf: (lambda x: tf.shape(x).row_partitions[0].row_splits(), numbers(tf)),
        identity=lambda tf: (lambda x: [tf.identity(x), tf.stop_gradient(x)], deep(tf)),
        ensured_rows=lambda tf: (lambda x: tf.ensure_shape(x, [3, None]), numbers(tf)),
        set_shape=lambda tf: (lambda x: x.set_shape([3, None]), numbers(tf)),
    )
)

globals().update(
    traced(
        spec_of_values=lambda tf: (lambda x: [x.values, x.flat_values, x.row_splits, x.row_lengths(), x.value_rowids(), x.nrows()], tf.RaggedTensorSpec([None, None, None], tf.int32)),
        spec_of_known_rows=lambda tf: (lambda x: [x, x.values, x.row_splits, x.row_lengths(), x.to_tensor(), x.bounding_shape()], tf.RaggedTensorSpec([4, None], tf.float32)),
        spec_of_uniform_inner=lambda tf: (lambda x: [x, x.values, x.to_tensor(), x.to_tensor(shape=[4, 5, 2]), x.to_tensor(shape=[None, 5, None])], tf.RaggedTensorSpec([None, None, 2], tf.int32, ragged_rank=1)),
        spec_of_uniform_outer=lambda tf: (lambda x: [x, x.values, x.row_splits, x.row_lengths()], tf.RaggedTensorSpec([None, 3, None], tf.int32, ragged_rank=2)),
        spec_of_factories=lambda tf: (lambda v, s: [tf.RaggedTensor.from_row_splits(v, s), tf.RaggedTensor.from_row_lengths(v, s), tf.RaggedTensor.from_row_starts(v, s), tf.RaggedTensor.from_value_rowids(v, s), tf.RaggedTensor.from_value_rowids(v, s, 7), tf.RaggedTensor.from_row_limits(v, s)], tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.int64)),
        spec_of_factories_of_known_sizes=lambda tf: (lambda v, s: [tf.RaggedTensor.from_row_splits(v, s), tf.RaggedTensor.from_row_lengths(v, s), tf.RaggedTensor.from_row_starts(v, s), tf.RaggedTensor.from_row_limits(v, s)], tf.TensorSpec([6, 2], tf.int32), tf.TensorSpec([4], tf.int64)),
        spec_of_uniform_factory=lambda tf: (lambda v, n: [tf.RaggedTensor.from_uniform_row_length(v, 2), tf.RaggedTensor.from_uniform_row_length(v, n), tf.RaggedTensor.from_uniform_row_length(v, 2, 5)], tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int64)),
        spec_of_from_tensor=lambda tf: (lambda x: [tf.RaggedTensor.from_tensor(x), tf.RaggedTensor.from_tensor(x, padding=0), tf.RaggedTensor.from_tensor(x, ragged_rank=2), tf.RaggedTensor.from_tensor(x, lengths=[1, 2])], tf.TensorSpec([2, 3, 4], tf.int32)),
        spec_of_unknown_from_tensor=lambda tf: (lambda x: [tf.RaggedTensor.from_tensor(x), tf.RaggedTensor.from_tensor(x, padding=0)], tf.TensorSpec([None, None], tf.int32)),
        spec_of_sparse=lambda tf: (lambda x: [x.to_sparse(), tf.RaggedTensor.from_sparse(x.to_sparse())], tf.RaggedTensorSpec([4, None], tf.float32)),
        spec_of_merged=lambda tf: (lambda x: [x.merge_dims(0, 1), x.merge_dims(1, 2), x.merge_dims(0, 2)], tf.RaggedTensorSpec([4, None, None], tf.float32)),
        spec_of_slices=lambda tf: (lambda x: [x[0], x[1:], x[:, 1:], x[:, :2], x[1, 0], x[..., tf.newaxis], x[:2]], tf.RaggedTensorSpec([4, None, None], tf.float32)),
        spec_of_reductions=lambda tf: (lambda x: [tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_sum(x, 1), tf.reduce_sum(x, 2), tf.reduce_mean(x, [1, 2]), tf.reduce_max(x, 1, keepdims=True)], tf.RaggedTensorSpec([4, None, None], tf.float32)),
        spec_of_joins=lambda tf: (lambda x: [tf.concat([x, x], 0), tf.concat([x, x], 1), tf.stack([x, x]), tf.stack([x, x], 1), tf.tile(x, [2, 2]), tf.expand_dims(x, 1), tf.gather(x, [0, 1])], tf.RaggedTensorSpec([4, None], tf.float32)),
        spec_of_math=lambda tf: (lambda x: [x + 1, x * x, x > 0, tf.exp(x), tf.cast(x, tf.int32), tf.ones_like(x), tf.size(x), tf.rank(x)], tf.RaggedTensorSpec([4, None], tf.float32)),
        spec_of_int32_splits=lambda tf: (lambda x: [x, x + 1, x[1:], tf.concat([x, x], 1), x.row_lengths(), x.nrows()], tf.RaggedTensorSpec([None, None], tf.float32, row_splits_dtype=tf.int32)),
        spec_of_unknown_rank=lambda tf: (lambda x: [x, x.values, x + 1], tf.RaggedTensorSpec(None, tf.float32, ragged_rank=1)),
        spec_of_strings=lambda tf: (lambda x: [tf.strings.split(x), tf.strings.bytes_split(x), tf.strings.unicode_decode(x, "UTF-8"), tf.strings.length(tf.strings.split(x))], tf.TensorSpec([None], tf.string)),
        spec_of_range=lambda tf: (lambda x: [tf.ragged.range(x), tf.ragged.range(x, x), tf.ragged.stack([x, x])], tf.TensorSpec([None], tf.int32)),
    )
)
