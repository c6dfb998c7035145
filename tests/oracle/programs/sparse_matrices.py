"""Matrices in compressed rows (CSR) and accumulators of sparse gradients, through the raw ops that make them up."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import plain, staged


def _csr(tf, dense):
    """A CSR matrix of a dense one, as the variant tensor that the ops take."""
    dense = tf.constant(dense) if isinstance(dense, list) else dense
    return tf.raw_ops.DenseToCSRSparseMatrix(dense_input=dense, indices=tf.where(tf.not_equal(dense, 0)))


def _dense(tf, csr, dtype="float32"):
    return tf.raw_ops.CSRSparseMatrixToDense(sparse_input=csr, type=tf.as_dtype(dtype))


_A = [[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]]
_B = [[1.0, 0.0], [0.0, 4.0], [5.0, 0.0]]
_BATCH = [[[0.0, 2.0], [3.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]]
_SQUARE = [[4.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 2.0]]

globals().update(
    staged(
        round_trip=lambda tf: (lambda x: _dense(tf, _csr(tf, x)), tf.constant(_A)),
        round_trip_of_batches=lambda tf: (lambda x: _dense(tf, _csr(tf, x)), tf.constant(_BATCH)),
        round_trip_of_doubles=lambda tf: (lambda x: _dense(tf, _csr(tf, x), "float64"), tf.constant(_A, tf.float64)),
        round_trip_of_complex=lambda tf: (lambda x: _dense(tf, _csr(tf, x), "complex64"), tf.constant([[0j, 1 + 2j], [3j, 0]], tf.complex64)),
        from_coordinates=lambda tf: (lambda v: _dense(tf, tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=[[0, 1], [2, 0]], values=v, dense_shape=[3, 2])), tf.constant([5.0, 7.0])),
        to_coordinates=lambda tf: (lambda x: list(tf.raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=_csr(tf, x), type=tf.float32)), tf.constant(_A)),
        to_coordinates_of_batches=lambda tf: (lambda x: list(tf.raw_ops.CSRSparseMatrixToSparseTensor(sparse_matrix=_csr(tf, x), type=tf.float32)), tf.constant(_BATCH)),
        components=lambda tf: (lambda x: list(tf.raw_ops.CSRSparseMatrixComponents(csr_sparse_matrix=_csr(tf, x), index=0, type=tf.float32)), tf.constant(_A)),
        components_of_batches=lambda tf: (lambda x: [list(tf.raw_ops.CSRSparseMatrixComponents(csr_sparse_matrix=_csr(tf, x), index=i, type=tf.float32)) for i in (0, 1)], tf.constant(_BATCH)),
        components_out_of_range=lambda tf: (lambda x: list(tf.raw_ops.CSRSparseMatrixComponents(csr_sparse_matrix=_csr(tf, x), index=5, type=tf.float32)), tf.constant(_BATCH)),
        count=lambda tf: (lambda x: tf.raw_ops.SparseMatrixNNZ(sparse_matrix=_csr(tf, x)), tf.constant(_A)),
        count_of_batches=lambda tf: (lambda x: tf.raw_ops.SparseMatrixNNZ(sparse_matrix=_csr(tf, x)), tf.constant(_BATCH)),
        matmul=lambda tf: (lambda x, y: tf.raw_ops.SparseMatrixMatMul(a=_csr(tf, x), b=y), tf.constant(_A), tf.constant(_B)),
        matmul_of_flags=lambda tf: (lambda x, y: [tf.raw_ops.SparseMatrixMatMul(a=_csr(tf, x), b=y, transpose_a=True, transpose_b=True), tf.raw_ops.SparseMatrixMatMul(a=_csr(tf, x), b=tf.transpose(y), transpose_a=True, transpose_output=True)], tf.constant(_A), tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])),
        matmul_of_batches=lambda tf: (lambda x: tf.raw_ops.SparseMatrixMatMul(a=_csr(tf, x), b=x), tf.constant(_BATCH)),
        matmul_of_unlike=lambda tf: (lambda x: tf.raw_ops.SparseMatrixMatMul(a=_csr(tf, x), b=x), tf.constant(_A)),
        matmul_of_two=lambda tf: (lambda x, y: _dense(tf, tf.raw_ops.SparseMatrixSparseMatMul(a=_csr(tf, x), b=_csr(tf, y), type=tf.float32)), tf.constant(_A), tf.constant(_B)),
        matmul_of_two_with_flags=lambda tf: (lambda x: _dense(tf, tf.raw_ops.SparseMatrixSparseMatMul(a=_csr(tf, x), b=_csr(tf, x), type=tf.float32, transpose_b=True)), tf.constant(_A)),
        matmul_of_two_adjoint=lambda tf: (lambda x: _dense(tf, tf.raw_ops.SparseMatrixSparseMatMul(a=_csr(tf, x), b=_csr(tf, x), type=tf.float32, adjoint_a=True)), tf.constant(_A)),
        transpose=lambda tf: (lambda x: _dense(tf, tf.raw_ops.SparseMatrixTranspose(input=_csr(tf, x), type=tf.float32)), tf.constant(_A)),
        transpose_conjugated=lambda tf: (lambda x: _dense(tf, tf.raw_ops.SparseMatrixTranspose(input=_csr(tf, x), type=tf.complex64, conjugate=True), "complex64"), tf.constant([[0j, 1 + 2j], [3j, 0]], tf.complex64)),
        ordering=lambda tf: (lambda x: tf.raw_ops.SparseMatrixOrderingAMD(input=_csr(tf, x)), tf.constant(_SQUARE)),
        cholesky=lambda tf: (lambda x: _dense(tf, tf.raw_ops.SparseMatrixSparseCholesky(input=_csr(tf, x), permutation=tf.range(3), type=tf.float32)), tf.constant(_SQUARE)),
        cholesky_of_indefinite=lambda tf: (lambda x: _dense(tf, tf.raw_ops.SparseMatrixSparseCholesky(input=_csr(tf, x), permutation=tf.range(3), type=tf.float32)), tf.constant([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
        gradient_of_matmul=lambda tf: (lambda x, y: _gradient(tf, x, y), tf.constant(_A), tf.constant(_B)),
        wrong_type=lambda tf: (lambda x: tf.raw_ops.CSRSparseMatrixToDense(sparse_input=_csr(tf, x), type=tf.float64), tf.constant(_A)),
        no_matrix=lambda tf: (lambda x: tf.raw_ops.CSRSparseMatrixToDense(sparse_input=x, type=tf.float32), tf.constant(_A)),
    )
)


def _gradient(tf, x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        s = tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=tf.where(tf.not_equal(x, 0)), values=tf.gather_nd(x, tf.where(tf.not_equal(x, 0))), dense_shape=[2, 3])
        total = tf.reduce_sum(tf.raw_ops.SparseMatrixMatMul(a=s, b=y) ** 2)
    return tape.gradient(total, [x, y])


def _session(tf, build):
    """Runs what `build` makes in a v1 graph, step by step."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return [session.run(step) for step in build()]


def _accumulated(tf):
    a = tf.compat.v1.SparseConditionalAccumulator(tf.float32, [3])
    apply_one = a.apply_grad([0, 2], [1.0, 2.0])
    return [apply_one, a.apply_indexed_slices_grad(tf.IndexedSlices([3.0], [0])), a.num_accumulated(), a.take_grad(2), a.num_accumulated()]


def _dense_accumulated(tf):
    a = tf.compat.v1.ConditionalAccumulator(tf.float32, [2])
    return [a.apply_grad([1.0, 2.0]), a.apply_grad([3.0, 6.0]), a.num_accumulated(), a.take_grad(2), a.num_accumulated()]


globals().update(
    plain(
        accumulator_in_eager=lambda tf: tf.compat.v1.ConditionalAccumulator(tf.float32, [2]),
        sparse_accumulator_in_eager=lambda tf: tf.compat.v1.SparseConditionalAccumulator(tf.float32, [2]),
        accumulator_names=lambda tf: sorted(n for n in dir(tf.compat.v1.SparseConditionalAccumulator) if not n.startswith("_")),
        accumulated_in_a_session=lambda tf: _session(tf, lambda: _accumulated(tf)),
        dense_accumulated_in_a_session=lambda tf: _session(tf, lambda: _dense_accumulated(tf)),
    )
)
