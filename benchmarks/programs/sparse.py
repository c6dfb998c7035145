"""Sparse tensors of a million elements: matrices 10,000 x 10,000, and 10,000 x 1,000 where a dense result is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row

ROWS = tuple(
    Row(key, f"{title}, a million elements", "ms", reach=0.0, beyond="tensorflow")
    for key, title in (
        ("sparse_matmul", "sparse x dense of 64 columns"),
        ("sparse_matmul_adjoint", "sparse, transposed, x dense of 64 columns"),
        ("sparse_matmul_gradient", "sparse x dense of 64 columns, forward and backward"),
        ("sparse_matvec", "sparse x vector"),
        ("sparse_add", "sparse + sparse"),
        ("sparse_maximum", "maximum of two sparse matrices"),
        ("sparse_reorder", "reorder of elements in random order"),
        ("sparse_to_dense", "sparse to dense"),
        ("sparse_transpose", "transpose of a sparse matrix"),
        ("sparse_concat", "concat of two sparse matrices along the columns"),
        ("sparse_reduce_sum", "sum of a sparse matrix along the rows"),
        ("sparse_softmax", "softmax of a sparse matrix"),
    )
)
COUNT, SIZE, WIDTH = 1_000_000, 10_000, 1_000


def _coordinates(np: Any, seed: int, columns: int) -> Any:
    random = np.random.default_rng(seed)
    positions = np.unique(random.integers(0, SIZE * columns, COUNT + COUNT // 10))
    positions = np.sort(random.permutation(positions)[:COUNT])
    return np.stack([positions // columns, positions % columns], axis=1)


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    random = np.random.default_rng(0)
    values = random.random(COUNT, np.float32)
    a, b = (tf.SparseTensor(_coordinates(np, seed, SIZE), values, [SIZE, SIZE]) for seed in (1, 2))
    narrow = tf.SparseTensor(_coordinates(np, 3, WIDTH), values, [SIZE, WIDTH])
    shuffled = tf.SparseTensor(random.permutation(_coordinates(np, 1, SIZE)), values, [SIZE, SIZE])
    dense, column = tf.ones([SIZE, 64]), tf.ones([SIZE, 1])

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a.values, dense])
            product = tf.sparse.sparse_dense_matmul(a, dense)
        return tape.gradient(product, [a.values, dense])

    return {
        "sparse_matmul": lambda: tf.sparse.sparse_dense_matmul(a, dense),
        "sparse_matmul_adjoint": lambda: tf.sparse.sparse_dense_matmul(a, dense, adjoint_a=True),
        "sparse_matmul_gradient": gradient,
        "sparse_matvec": lambda: tf.sparse.sparse_dense_matmul(a, column),
        "sparse_add": lambda: tf.sparse.add(a, b),
        "sparse_maximum": lambda: tf.sparse.maximum(a, b),
        "sparse_reorder": lambda: tf.sparse.reorder(shuffled),
        "sparse_to_dense": lambda: tf.sparse.to_dense(narrow),
        "sparse_transpose": lambda: tf.sparse.transpose(narrow),
        "sparse_concat": lambda: tf.sparse.concat(1, [narrow, narrow]),
        "sparse_reduce_sum": lambda: tf.sparse.reduce_sum(narrow, 0),
        "sparse_softmax": lambda: tf.sparse.softmax(narrow),
    }
