"""How sparse tensors come to be, what they say of themselves, how they print, and what is refused."""

from __future__ import annotations

import copy
import pickle

from tests.oracle.programs._composite_helpers import outcome, plain, sparse, sparse_floats, staged, traced
from tests.oracle.support import printed


def _made(tf):
    return tf.sparse.SparseTensor


def _in_graph(tf, call):
    with tf.Graph().as_default():
        return call()


globals().update(
    plain(
        made=lambda tf: [_made(tf)([[0, 1], [2, 0]], values, [3, 2]) for values in ([1, 2], [1.5, 2.0], ["a", "b"], [True, False])],
        made_by_keywords=lambda tf: _made(tf)(indices=[[0]], values=[1], dense_shape=[3]),
        made_of_tensors=lambda tf: _made(tf)(tf.constant([[0]], tf.int64), tf.constant([1], tf.int8), tf.constant([3], tf.int64)),
        made_of_int32_indices=lambda tf: _made(tf)(tf.constant([[0]]), tf.constant([1]), tf.constant([3])),
        made_of_arrays=lambda tf, np: _made(tf)(np.array([[0, 1]]), np.array([2.5]), np.array([2, 2])),
        made_of_nothing=lambda tf: _made(tf)(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [3, 2]),
        made_of_empty_lists=lambda tf: _made(tf)([], [], [3, 2]),
        made_out_of_order=lambda tf: _made(tf)([[2, 0], [0, 1]], [1, 2], [3, 2]),
        made_out_of_bounds=lambda tf: _made(tf)([[9, 0]], [1], [3, 2]),
        made_of_scalar_shape=lambda tf: _made(tf)(tf.zeros([1, 0], tf.int64), [5], tf.zeros([0], tf.int64)),
        properties=lambda tf: (lambda s: [s.indices, s.values, s.dense_shape, s.shape, s.get_shape(), s.dtype])(sparse(tf)),
        graph_and_op=lambda tf: [outcome(lambda: getattr(sparse(tf), name)) for name in ("graph", "op", "name")],
        graph_properties=lambda tf: _in_graph(tf, lambda: (lambda s: [s.shape, s.dtype, s.values.name, s.op.type])(sparse(tf))),
        repr=lambda tf: [repr(s) for s in (sparse(tf), sparse_floats(tf), _made(tf)([[0]], ["a"], [3]), tf.sparse.eye(3))],
        str=lambda tf: str(sparse(tf)),
        repr_in_graph=lambda tf: _in_graph(tf, lambda: repr(sparse(tf))),
        tf_print=lambda tf: printed(lambda: tf.print(sparse(tf), [sparse(tf)]))["stderr"],
        tf_print_in_a_function=lambda tf: printed(lambda: tf.function(lambda s: tf.print(s) and None)(sparse(tf)))["stderr"],
        equality=lambda tf: (lambda s: [s == s, s == sparse(tf), s != s, hash(s) == hash(s), s in [s]])(sparse(tf)),
        copied=lambda tf: [copy.copy(sparse(tf)), copy.deepcopy(sparse(tf))],
        pickled=lambda tf: pickle.loads(pickle.dumps(sparse(tf))),
        truth=lambda tf: bool(sparse(tf)),
        length=lambda tf: len(sparse(tf)),
        iterated=lambda tf: list(sparse(tf)),
        indexed=lambda tf: sparse(tf)[0],
        indexed_by_slices=lambda tf: sparse(tf)[:2, 1:],
        as_array=lambda tf, np: np.array(sparse(tf)).dtype.name,
        numpy_method=lambda tf: sparse(tf).numpy(),
        eval_method=lambda tf: sparse(tf).eval(),
        consumers=lambda tf: sparse(tf).consumers(),
        attributes=lambda tf: sorted(name for name in dir(tf.sparse.SparseTensor) if not name.startswith("_")),
        is_tensor=lambda tf: [tf.is_tensor(sparse(tf)), isinstance(sparse(tf), tf.Tensor), tf.SparseTensor is tf.sparse.SparseTensor, tf.debugging.is_numeric_tensor(sparse(tf))],
        with_values=lambda tf: [sparse(tf).with_values([8, 9]), sparse(tf).with_values(["a", "b"])],
        with_too_few_values=lambda tf: sparse(tf).with_values([8]),
        set_shape=lambda tf: (lambda s: [s.set_shape([3, None]), s.shape])(sparse(tf)),
        set_shape_unlike=lambda tf: sparse(tf).set_shape([4, 2]),
        set_attribute=lambda tf: setattr(sparse(tf), "values", 1),
        value_object=lambda tf: (lambda v: [type(v).__name__, v._fields, v.indices, v.values])(tf.compat.v1.SparseTensorValue([[0]], [1], [3])),
        from_value=lambda tf: [_made(tf).from_value(sparse(tf)), _made(tf).from_value(tf.compat.v1.SparseTensorValue([[0]], [1], [3]))],
        from_bad_value=lambda tf: _made(tf).from_value(5),
        convert=lambda tf: [tf.compat.v1.convert_to_tensor_or_sparse_tensor(sparse(tf)), tf.compat.v1.convert_to_tensor_or_sparse_tensor([1])],
        convert_of_other_dtype=lambda tf: tf.compat.v1.convert_to_tensor_or_sparse_tensor(sparse(tf), tf.float32),
        convert_to_tensor=lambda tf: tf.convert_to_tensor(sparse(tf)),
        variable_of=lambda tf: tf.Variable(sparse(tf)),
        type_spec=lambda tf: [tf.type_spec_from_value(s) for s in (sparse(tf), sparse_floats(tf), _made(tf)([[0]], ["a"], [3]))],
        nest_flatten=lambda tf: [tf.nest.flatten([sparse(tf)]), tf.nest.flatten([sparse(tf)], expand_composites=True), tf.nest.is_nested(sparse(tf))],
        nest_map=lambda tf: tf.nest.map_structure(lambda t: t * 1, sparse(tf), expand_composites=True),
        nest_pack=lambda tf: tf.nest.pack_sequence_as(sparse(tf), [[[0, 0]], [1], [3, 2]], expand_composites=True),
        nest_same_structure=lambda tf: [outcome(lambda: tf.nest.assert_same_structure(sparse(tf), o, expand_composites=True)) for o in (sparse(tf), sparse_floats(tf), tf.constant(1), _made(tf)([[0]], [1], [3]))],
        eye=lambda tf: [tf.sparse.eye(3), tf.sparse.eye(2, 3), tf.sparse.eye(3, 2, dtype=tf.int32), tf.sparse.eye(0)],
        eye_of_text=lambda tf: tf.sparse.eye(2, dtype=tf.string),
        eye_below_zero=lambda tf: tf.sparse.eye(-1),
        from_dense=lambda tf: [tf.sparse.from_dense(v) for v in ([[0, 1], [2, 0]], [0.0, 1.5], [["", "a"]], [True, False], [[[0, 3]]])],
        from_dense_of_a_number=lambda tf: tf.sparse.from_dense(5),
        from_dense_of_nan=lambda tf: tf.sparse.from_dense([float("nan"), 0.0, -0.0]),
        from_dense_of_ragged=lambda tf: tf.sparse.from_dense(tf.ragged.constant([[1], []])),
        placeholder=lambda tf: _in_graph(tf, lambda: (lambda s: [s.shape, s.dtype])(tf.compat.v1.sparse_placeholder(tf.float32, [3, None]))),
        placeholder_of_unknown=lambda tf: _in_graph(tf, lambda: (lambda s: [s.shape, s.indices.shape, s.values.shape])(tf.compat.v1.sparse_placeholder(tf.float32))),
        placeholder_in_eager=lambda tf: tf.compat.v1.sparse_placeholder(tf.float32),
        values_and_indices_unlike=lambda tf: _made(tf)([[0, 1]], [1, 2], [3, 2]),
        indices_and_shape_unlike=lambda tf: _made(tf)([[0, 1]], [1], [3]),
        indices_of_rank_one=lambda tf: _made(tf)([0, 1], [1], [3]),
        values_of_rank_two=lambda tf: _made(tf)([[0]], [[1]], [3]),
        shape_of_rank_two=lambda tf: _made(tf)([[0]], [1], [[3]]),
        indices_of_floats=lambda tf: _made(tf)([[0.5]], [1], [3]),
        shape_of_floats=lambda tf: _made(tf)([[0]], [1], [3.5]),
        shape_of_text=lambda tf: _made(tf)([[0]], [1], ["a"]),
        shape_of_none=lambda tf: _made(tf)([[0]], [1], [None]),
        values_of_none=lambda tf: _made(tf)([[0]], [None], [3]),
        values_mixed=lambda tf: _made(tf)([[0], [1]], [1, "a"], [3]),
        nothing_given=lambda tf: _made(tf)(),
        negative_shape=lambda tf: _made(tf)([[0]], [1], [-3]),
    )
)

globals().update(
    staged(
        made_in_call=lambda tf: (lambda i, v: tf.sparse.SparseTensor(i, v, [3, 2]), tf.constant([[0, 1]], tf.int64), tf.constant([5])),
        argument_and_result=lambda tf: (lambda s: {"same": s, "parts": (s.indices, s.values, s.dense_shape)}, sparse(tf)),
        identity=lambda tf: (lambda s: [tf.identity(s), tf.stop_gradient(s)], sparse(tf)),
        identity_of_floats=lambda tf: (lambda s: tf.identity(s), sparse_floats(tf)),
        shape_of=lambda tf: (lambda s: [tf.shape(s), tf.shape(s, tf.int64), tf.size(s), tf.rank(s)], sparse(tf)),
        shape_n=lambda tf: (lambda s: tf.shape_n([s.values, s.dense_shape]), sparse(tf)),
        from_dense_in_call=lambda tf: (tf.sparse.from_dense, tf.constant([[0, 1], [2, 0]])),
        from_dense_of_text=lambda tf: (tf.sparse.from_dense, tf.constant([["", "b"], ["c", ""]])),
        to_dense=lambda tf: (tf.sparse.to_dense, sparse(tf)),
        to_dense_default=lambda tf: (lambda s: tf.sparse.to_dense(s, default_value=-1), sparse(tf)),
        to_dense_of_text=lambda tf: (lambda s: [tf.sparse.to_dense(s), tf.sparse.to_dense(s, "z")], tf.sparse.SparseTensor([[0, 1]], ["a"], [2, 2])),
        to_dense_of_bools=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor([[0, 1]], [True], [2, 2])),
        to_dense_unvalidated=lambda tf: (lambda s: tf.sparse.to_dense(s, validate_indices=False), tf.sparse.SparseTensor([[1, 1], [0, 0]], [1, 2], [2, 2])),
        to_dense_unvalidated_repeats=lambda tf: (lambda s: tf.sparse.to_dense(s, validate_indices=False), tf.sparse.SparseTensor([[1, 1], [1, 1]], [1, 2], [2, 2])),
        to_dense_out_of_bounds=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor([[0, 5]], [1], [3, 2])),
        to_dense_below_bounds=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor([[0, -1]], [1], [3, 2])),
        to_dense_out_of_order=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor([[1, 0], [0, 0]], [1, 2], [3, 2])),
        to_dense_repeated=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor([[0, 0], [0, 0]], [1, 2], [3, 2])),
        to_dense_of_nothing=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [3, 2])),
        to_dense_of_vector=lambda tf: (tf.sparse.to_dense, tf.sparse.SparseTensor([[1]], [5], [3])),
        to_dense_of_tensor=lambda tf: (tf.sparse.to_dense, tf.constant([1])),
        to_dense_of_bad_default=lambda tf: (lambda s: tf.sparse.to_dense(s, "a"), sparse(tf)),
        to_dense_v1=lambda tf: (lambda i, v: tf.compat.v1.sparse_to_dense(i, [3, 2], v, 9), tf.constant([[0, 1], [2, 0]]), tf.constant([5, 7])),
        to_dense_v1_of_scalar=lambda tf: (lambda i: [tf.compat.v1.sparse_to_dense(i, [4], 1), tf.compat.v1.sparse_to_dense(2, [4], 7)], tf.constant([0, 2])),
        spread=lambda tf: (lambda s: tf.sparse.to_dense(tf.sparse.reorder(s)), tf.sparse.SparseTensor([[2, 0], [0, 1]], [1, 2], [3, 2])),
    )
)
globals().update(
    staged(
        "graph",
        "xla",
        to_dense_compiled=lambda tf: (lambda s: tf.sparse.to_dense(s, validate_indices=False), sparse(tf)),
        argument_and_result_compiled=lambda tf: (lambda s: s.with_values(s.values * 2), sparse(tf)),
    )
)
globals().update(
    traced(
        spec_of_parts=lambda tf: (lambda s: [s, s.indices, s.values, s.dense_shape, tf.sparse.to_dense(s), tf.shape(s)], tf.SparseTensorSpec([3, None], tf.int32)),
        spec_of_unknown_rank=lambda tf: (lambda s: [s, s.indices, s.dense_shape, tf.sparse.to_dense(s)], tf.SparseTensorSpec(None, tf.int32)),
        spec_of_made=lambda tf: (lambda i, v, d: [tf.sparse.SparseTensor(i, v, [3, 4]), tf.sparse.SparseTensor(i, v, d)], tf.TensorSpec([None, 2], tf.int64), tf.TensorSpec([None], tf.int32), tf.TensorSpec([2], tf.int64)),
        spec_of_from_dense=lambda tf: (lambda x: tf.sparse.from_dense(x), tf.TensorSpec([3, None], tf.float32)),
        spec_of_ops=lambda tf: (lambda s: [tf.sparse.reorder(s), tf.sparse.transpose(s), tf.sparse.reshape(s, [2, 6]), tf.sparse.expand_dims(s, 0), tf.sparse.concat(0, [s, s]), tf.sparse.slice(s, [0, 0], [2, 2]), tf.sparse.reduce_sum(s, 1), tf.sparse.retain(s, [True]), s * 2.0], tf.SparseTensorSpec([3, 4], tf.float32)),
        spec_of_matmul=lambda tf: (lambda s, d: [tf.sparse.sparse_dense_matmul(s, d), tf.sparse.sparse_dense_matmul(d, s, adjoint_a=True)], tf.SparseTensorSpec([3, 4], tf.float32), tf.TensorSpec([4, 5], tf.float32)),
        spec_of_split=lambda tf: (lambda s: tf.sparse.split(s, 2, 1), tf.SparseTensorSpec([3, 4], tf.float32)),
        spec_of_unknown_ops=lambda tf: (lambda s: [tf.sparse.reorder(s), tf.sparse.transpose(s), tf.sparse.reduce_sum(s, 1), tf.sparse.fill_empty_rows(s, 0.0)[0]], tf.SparseTensorSpec([None, None], tf.float32)),
    )
)
