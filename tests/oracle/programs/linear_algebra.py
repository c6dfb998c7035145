"""matmul, einsum, tensordot and the basics of tf.linalg."""

# ruff: noqa: RUF059 (programs write what users write)
from __future__ import annotations

from tests.oracle.support import Approx, attempt

A = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]


def prog_matmul_basic(tf, np):
    """Matrices, transposes, adjoints."""
    a, b = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), tf.constant([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]])
    return [tf.matmul(a, b), tf.matmul(a, a, transpose_b=True), tf.matmul(a, a, transpose_a=True), tf.matmul(a, b, transpose_a=True, transpose_b=True), tf.matmul([[1 + 1j]], [[2j]], adjoint_a=True), tf.linalg.matmul(a, b)]


def prog_matmul_dtypes(tf, np):
    """All dtypes that have it; the others are refused."""
    out = []
    for d in "float16 bfloat16 float32 float64 int32 int64 complex64 complex128".split():
        x = tf.constant([[1, 2], [3, 4]], d)
        out.append(tf.matmul(x, x))
    return out + [attempt(lambda: tf.matmul(tf.constant([["a"]]), tf.constant([["b"]])), words=0), attempt(lambda: tf.matmul(tf.constant([[True]]), tf.constant([[True]])), words=0)]


def prog_matmul_batches(tf, np):
    """Batches broadcast."""
    x = tf.reshape(tf.range(12.0), [2, 2, 3])
    return [tf.matmul(x, x, transpose_b=True), tf.matmul(x, tf.ones([3, 1])), tf.matmul(tf.ones([4, 1, 2, 2]), x).shape, tf.matmul(tf.zeros([0, 2, 3]), tf.zeros([0, 3, 4])), tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])), tf.matmul(x, x, adjoint_b=True)]


def prog_matmul_errors(tf, np):
    """Wrong ranks, inner dimensions, dtypes, conflicting flags."""
    a = tf.ones([2, 3])
    return [attempt(lambda: tf.matmul(a, a), words=1), attempt(lambda: tf.matmul(a, [1.0, 2.0, 3.0]), words=0), attempt(lambda: tf.matmul(a, tf.ones([3, 2], tf.float64)), words=3), attempt(lambda: tf.matmul(a, a, transpose_a=True, adjoint_a=True), words=6), attempt(lambda: tf.matmul(tf.ones([2, 2, 3]), tf.ones([3, 3, 2])), words=0)]


def prog_matmul_errors_in_graph(tf, np):
    """Shape rule messages."""
    with tf.Graph().as_default():
        a = tf.zeros([2, 3])
        return [attempt(lambda: tf.matmul(a, a), words=9), attempt(lambda: tf.matmul(a, tf.zeros([3])), words=8), attempt(lambda: tf.matmul(tf.zeros([2, 2, 3]), tf.zeros([3, 3, 2])), words=6)]


def prog_matmul_output_type(tf, np):
    """int8 inputs with an int32 output."""
    x = tf.constant([[100, 100]], tf.int8)
    return [tf.matmul(x, x, transpose_b=True, output_type=tf.int32), tf.matmul([[1.0]], [[2.0]], output_type=tf.float32)]


def prog_matmul_sparse_flags(tf, np):
    """a_is_sparse gives the same product."""
    a = tf.constant([[0.0, 2.0], [0.0, 0.0]])
    return [tf.matmul(a, a, a_is_sparse=True), tf.matmul(a, tf.eye(2), b_is_sparse=True)]


def prog_matvec(tf, np):
    """matvec with transposes and batches."""
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return [tf.linalg.matvec(a, [1.0, 1.0]), tf.linalg.matvec(a, [1.0, 1.0], transpose_a=True), tf.linalg.matvec(tf.stack([a, a]), [[1.0, 0.0], [0.0, 1.0]]), attempt(lambda: tf.linalg.matvec(a, [1.0, 2.0, 3.0]), words=0)]


def prog_einsum_forms(tf, np):
    """Products, traces, sums, transposes, batches, ellipsis."""
    a, b, v = tf.reshape(tf.range(6.0), [2, 3]), tf.reshape(tf.range(12.0), [3, 4]), tf.constant([1.0, 2.0, 3.0])
    c = tf.reshape(tf.range(24.0), [2, 3, 4])
    return [
        tf.einsum("ij,jk->ik", a, b),
        tf.einsum("ij->ji", a),
        tf.einsum("ij->", a),
        tf.einsum("ii->", tf.eye(3)),
        tf.einsum("ii->i", tf.constant([[1.0, 2.0], [3.0, 4.0]])),
        tf.einsum("ij,j->i", a, v),
        tf.einsum("i,j->ij", v, v),
        tf.einsum("bij,bij->b", c, c),
        tf.einsum("...ij->...ji", c),
        tf.einsum("...ij,jk->...ik", tf.ones([2, 2, 3]), b),
        tf.einsum("ij,jk,kl->il", a, b, tf.ones([4, 1])),
        tf.einsum("ij,jk", a, b),
        tf.einsum("ij , jk -> ki", a, b),
    ]


def prog_einsum_dtypes(tf, np):
    """int, complex, half einsum."""
    return [tf.einsum("ij,jk->ik", tf.constant([[1, 2]], d), tf.constant([[3], [4]], d)) for d in "int32 int64 float16 bfloat16 float64 complex64".split()]


def prog_einsum_errors(tf, np):
    """Bad equations and shapes."""
    a = tf.ones([2, 3])
    return [attempt(lambda: tf.einsum("ij,jk->ik", a), words=2), attempt(lambda: tf.einsum("ij,jk->ik", a, a), words=2), attempt(lambda: tf.einsum("ijk->i", a), words=2), attempt(lambda: tf.einsum("ij->ik", a), words=2), attempt(lambda: tf.einsum("i!->i", a), words=2)]


def prog_einsum_gradients(tf, np):
    """Gradients of two einsums."""
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0], [7.0, 8.0]])
    out = []
    for equation in ("ij,jk->ik", "ij,ij->", "ij,kj->ik", "ij,j" if False else "ii,jk->k"):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = tf.einsum(equation, a, b)
        out.append(tape.gradient(y, [a, b]))
    return out


def prog_tensordot(tf, np):
    """tensordot with numbers and lists of axes."""
    a, b = tf.reshape(tf.range(6.0), [2, 3]), tf.reshape(tf.range(6.0), [3, 2])
    return [tf.tensordot(a, b, 1), tf.tensordot(a, a, [[0], [0]]), tf.tensordot(a, b, [[0, 1], [1, 0]]), tf.tensordot(a, b, 0).shape, tf.tensordot(a, a, axes=[1, 1]), tf.tensordot([1, 2], [[3], [4]], 1), attempt(lambda: tf.tensordot(a, a, 1), words=0), attempt(lambda: tf.tensordot(a, a, -1), words=3)]


def prog_matrix_transpose_and_diag(tf, np):
    """matrix_transpose, diag, diag_part, set_diag, trace, band_part."""
    x = tf.reshape(tf.range(6.0), [2, 3])
    l = tf.linalg
    return [l.matrix_transpose(x), l.diag([1, 2]), l.diag([[1.0], [2.0]]), l.diag_part(x), l.set_diag(x, [9.0, 8.0]), l.trace(x), l.band_part(x, 0, 1), l.band_part(x, -1, 0), l.tensor_diag([1, 2]), l.tensor_diag_part(tf.eye(2)), l.diag_part(x, k=1), l.diag([1, 2], k=-1), l.diag([1.0], num_rows=1, num_cols=3, padding_value=7.0), attempt(lambda: l.diag([1.0], num_rows=2, num_cols=3))]


def prog_inverse_and_determinant(tf, np):
    """inv, det, slogdet, and singular input."""
    a = tf.constant(A, tf.float64)
    l = tf.linalg
    return [l.inv(a), l.det(a), l.slogdet(a), l.logdet(a), l.inv(a, adjoint=True), attempt(lambda: l.inv([[1.0, 2.0], [2.0, 4.0]])), l.det([[1.0, 2.0], [2.0, 4.0]]), l.inv(tf.zeros([0, 0])), l.det(tf.stack([a, 2.0 * a])), attempt(lambda: l.inv([[1.0, 2.0]]))]


def prog_solve(tf, np):
    """solve, triangular_solve, lstsq, cholesky_solve."""
    a, b = tf.constant(A), tf.constant([[1.0], [2.0], [3.0]])
    l = tf.linalg
    lower = l.cholesky(a)
    return [l.solve(a, b), l.solve(a, b, adjoint=True), l.triangular_solve(lower, b), l.triangular_solve(lower, b, lower=True, adjoint=True), l.cholesky_solve(lower, b), l.lstsq(tf.constant([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), b), l.lstsq(a, b, l2_regularizer=0.1), attempt(lambda: l.solve(a, [[1.0]])), attempt(lambda: l.solve(tf.zeros([2, 2]), tf.ones([2, 1])))]


def prog_cholesky(tf, np):
    """Cholesky factors; non-positive input raises."""
    a = tf.constant(A)
    return [tf.linalg.cholesky(a), tf.linalg.cholesky(tf.stack([a, tf.eye(3)])), attempt(lambda: tf.linalg.cholesky([[-1.0]])), tf.linalg.cholesky(tf.zeros([0, 3, 3])), attempt(lambda: tf.linalg.cholesky([1.0]), words=3)]


def prog_eigen(tf, np):
    """Self-adjoint and general eigenvalues, up to sign of vectors."""
    a = tf.constant(A, tf.float64)
    w, v = tf.linalg.eigh(a)
    return [w, tf.abs(v), tf.linalg.eigvalsh(a), v @ tf.linalg.diag(w) @ tf.transpose(v), tf.sort(tf.math.real(tf.linalg.eigvals(a))), tf.linalg.eig(tf.constant([[2.0]]))[0]]


def prog_svd_and_qr(tf, np):
    """Singular values; factors multiply back."""
    a = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]], tf.float64)
    s, u, v = tf.linalg.svd(a)
    q, r = tf.linalg.qr(a)
    s2, u2, v2 = tf.linalg.svd(a, full_matrices=True)
    return [s, u @ tf.linalg.diag(s) @ tf.transpose(v), u.shape, v.shape, u2.shape, tf.linalg.svd(a, compute_uv=False), q @ r, tf.abs(r), q.shape, tf.linalg.qr(a, full_matrices=True)[0].shape]


def prog_lu_and_permutations(tf, np):
    """lu with its permutation; lu_reconstruct."""
    a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    lu, p = tf.linalg.lu(a)
    return [lu, p, tf.linalg.lu_reconstruct(lu, p), tf.linalg.lu_matrix_inverse(lu, p)]


def prog_expm_logm_pinv(tf, np):
    """Matrix exponential, square root, pseudo-inverse, rank."""
    a = tf.constant([[0.0, 1.0], [-1.0, 0.0]], tf.float64)
    return [tf.linalg.expm(a), tf.linalg.sqrtm(tf.constant([[4.0, 0.0], [0.0, 9.0]])), tf.linalg.pinv(tf.constant([[1.0, 2.0], [2.0, 4.0], [0.0, 1.0]], tf.float64)), tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]), tf.linalg.matrix_rank(tf.eye(3))]


def prog_linalg_gradients(tf, np):
    """Gradients of matmul, inv, det, cholesky, solve."""
    a, b = tf.constant(A, tf.float64), tf.constant([[1.0], [2.0], [3.0]], tf.float64)
    l = tf.linalg
    out = []
    for f in (lambda p, q: p @ q, lambda p, q: l.inv(p), lambda p, q: l.det(p), lambda p, q: l.cholesky(p), lambda p, q: l.solve(p, q), lambda p, q: l.slogdet(p)[1], lambda p, q: l.triangular_solve(p, q), lambda p, q: l.eigvalsh(p), lambda p, q: l.trace(p), lambda p, q: l.svd(p, compute_uv=False)):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = f(a, b)
        out.append(Approx(tape.gradient(y, [a, b]), 1e-6, 1e-8))
    return out


def prog_matmul_gradients_all_flags(tf, np):
    """matmul's gradient for the four transpositions."""
    a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0], [7.0, 8.0]])
    out = []
    for ta in (False, True):
        for tb in (False, True):
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                y = tf.matmul(a, b, transpose_a=ta, transpose_b=tb) * [[1.0, 2.0], [3.0, 4.0]]
            out.append(tape.gradient(y, [a, b]))
    return out


def prog_batch_matmul_gradient_broadcast(tf, np):
    """Broadcast batch dimensions are summed in the gradient."""
    a, b = tf.reshape(tf.range(8.0), [2, 2, 2]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.matmul(a, b)
    return tape.gradient(y, [a, b])


def prog_matmul_static_shapes(tf, np):
    """Static shapes with unknown dims."""
    out = []

    @tf.function(autograph=False)
    def f(a, b, c):
        out.extend(v.shape for v in (tf.matmul(a, b), tf.matmul(a, a, transpose_b=True), tf.matmul(c, b), tf.einsum("ij,jk->ik", a, b), tf.tensordot(a, b, 1), tf.linalg.matvec(a, [1.0, 2.0, 3.0]), tf.linalg.inv(tf.matmul(a, a, transpose_a=True)), tf.linalg.diag_part(a), tf.matmul(c, c, transpose_b=True)))
        return a

    f.get_concrete_function(tf.TensorSpec([None, 3]), tf.TensorSpec([3, 4]), tf.TensorSpec([None, None, 3]))
    return out


def prog_matmul_names_in_graph(tf, np):
    """MatMul, BatchMatMulV2, einsum and tensordot nodes."""
    with tf.Graph().as_default() as g:
        a = tf.zeros([2, 2], name="a")
        b = tf.zeros([3, 2, 2], name="b")
        tf.matmul(a, a)
        a @ a
        tf.matmul(b, b)
        tf.matmul(a, a, name="mine")
        tf.einsum("ij,jk->ik", a, a)
        tf.tensordot(a, a, 1)
        tf.linalg.inv(a)
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_kronecker_and_outer(tf, np):
    """Outer products through broadcasting and einsum; adjoint."""
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
    return [b * a, tf.linalg.adjoint(tf.constant([[1 + 2j, 3j]])), tf.reshape(tf.einsum("ij,kl->ikjl", a, b), [2, 2]), tf.linalg.einsum("i,i->", a[0], b[:, 0])]


def prog_tridiagonal(tf, np):
    """tridiagonal_solve and tridiagonal_matmul."""
    diags = tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])
    rhs = tf.constant([1.0, 2.0, 3.0])
    return [tf.linalg.tridiagonal_solve(diags, rhs), tf.linalg.tridiagonal_matmul(diags, rhs[:, None])]
