"""`tf.sets`: unions, intersections, differences and sizes of rows, dense and sparse, and what is refused."""

from __future__ import annotations

from tests.oracle.programs._composite_helpers import plain, sparse_floats, staged

_A = [[1, 5, 9], [2, 2, 8]]
_B = [[5, 3], [8, 8]]


def _sparse_sets(tf, dtype=None):
    """The rows {1, 2}, {}, {3}."""
    return tf.sparse.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 2, 3], dtype), [3, 2])


def _other_sets(tf, dtype=None):
    """The rows {2, 9}, {4}, {3}."""
    return tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0]], tf.constant([2, 9, 4, 3], dtype), [3, 2])


def _calls(make):
    return {name: make(name) for name in ("union", "intersection", "difference")}


globals().update(
    staged(
        **{f"{k}_of_dense": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant(_A), tf.constant(_B))).items()},
        **{f"{k}_of_sparse": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), _sparse_sets(tf), _other_sets(tf))).items()},
        **{f"{k}_of_dense_and_sparse": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([[1, 2], [4, 5], [6, 6]]), _other_sets(tf))).items()},
        **{f"{k}_of_sparse_and_dense": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), _sparse_sets(tf), tf.constant([[1, 2], [4, 5], [6, 6]]))).items()},
        **{f"{k}_of_int64": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant(_A, tf.int64), tf.constant(_B, tf.int64))).items()},
        **{f"{k}_of_int8": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant(_A, tf.int8), tf.constant(_B, tf.int8))).items()},
        **{f"{k}_of_texts": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([["a", "b"], ["c", "c"]]), tf.constant([["b"], ["d"]]))).items()},
        **{f"{k}_of_cubes": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([[[1, 2], [3, 4]]]), tf.constant([[[2, 9], [5, 6]]]))).items()},
        **{f"{k}_of_one_dimension": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([1, 2]), tf.constant([2]))).items()},
        **{f"{k}_of_floats": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([[1.0]]), tf.constant([[2.0]]))).items()},
        **{f"{k}_of_unlike_dtypes": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([[1]]), tf.constant([[2]], tf.int64))).items()},
        **{f"{k}_of_unlike_rows": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([[1]]), tf.constant([[2], [3]]))).items()},
        **{f"{k}_of_unlike_ranks": v for k, v in _calls(lambda n: lambda tf: (lambda a, b: getattr(tf.sets, n)(a, b), tf.constant([[1]]), tf.constant([[[2]]]))).items()},
        difference_turned=lambda tf: (lambda a, b: tf.sets.difference(a, b, aminusb=False), tf.constant(_A), tf.constant(_B)),
        difference_turned_of_sparse=lambda tf: (lambda a, b: tf.sets.difference(a, b, aminusb=False), _sparse_sets(tf), _other_sets(tf)),
        difference_turned_of_mixed=lambda tf: (lambda a, b: tf.sets.difference(a, b, aminusb=False), _sparse_sets(tf), tf.constant([[1, 2], [4, 5], [6, 6]])),
        unvalidated=lambda tf: (lambda a, b: tf.sets.union(a, b, validate_indices=False), _sparse_sets(tf), _other_sets(tf)),
        out_of_order=lambda tf: (lambda a, b: tf.sets.union(a, b), tf.sparse.SparseTensor([[1, 0], [0, 0]], [1, 2], [3, 2]), _other_sets(tf)),
        out_of_bounds=lambda tf: (lambda a, b: tf.sets.union(a, b), tf.sparse.SparseTensor([[9, 0]], [1], [3, 2]), _other_sets(tf)),
        of_empty_rows=lambda tf: (lambda a, b: [tf.sets.union(a, b), tf.sets.intersection(a, b)], tf.zeros([2, 0], tf.int32), tf.constant([[1], [2]])),
        size=lambda tf: (lambda a: tf.sets.size(a), _other_sets(tf)),
        size_of_repeats=lambda tf: (lambda a: tf.sets.size(a), tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], [5, 5, 5], [3, 2])),
        size_of_texts=lambda tf: (lambda a: tf.sets.size(a), tf.sparse.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "b"], [3, 2])),
        size_of_dense=lambda tf: (lambda a: tf.sets.size(a), tf.constant([[1]])),
        size_of_floats=lambda tf: (lambda a: tf.sets.size(a), sparse_floats(tf)),
        size_unvalidated=lambda tf: (lambda a: tf.sets.size(a, validate_indices=False), _other_sets(tf)),
        raw_operations=lambda tf: (lambda a, b: list(tf.raw_ops.DenseToDenseSetOperation(set1=a, set2=b, set_operation="a-b")), tf.constant(_A), tf.constant(_B)),
        raw_bad_operation=lambda tf: (lambda a, b: tf.raw_ops.DenseToDenseSetOperation(set1=a, set2=b, set_operation="nothing"), tf.constant(_A), tf.constant(_B)),
    )
)
globals().update(plain(old_names=lambda tf: [tf.compat.v1.sets.set_union(tf.constant(_A), tf.constant(_B)), tf.compat.v1.sets.set_size(_other_sets(tf))]))
