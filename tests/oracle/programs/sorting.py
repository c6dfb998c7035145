"""sort, argsort, top_k, unique, searchsorted, set operations."""

from __future__ import annotations

from tests.oracle.support import attempt


def prog_sort(tf, np):
    """Directions, axes, dtypes, nan-free floats, empties."""
    x = tf.constant([[3, 1, 2], [9, 7, 8]])
    return [tf.sort(x), tf.sort(x, axis=0), tf.sort(x, direction="DESCENDING"), tf.sort([2.5, -1.0, 0.0]), tf.sort(tf.zeros([0])), tf.sort([3, 1], axis=-1), tf.sort(tf.constant([200, 3, 100], tf.uint8)), tf.sort(tf.constant([-5, 3], tf.int8), direction="DESCENDING"), tf.sort(tf.constant([1.5, -2.0], tf.bfloat16))]


def prog_sort_errors(tf, np):
    """Bad direction, axis, scalar, strings."""
    return [attempt(lambda: tf.sort([1], direction="UP")), attempt(lambda: tf.sort([1], axis=1), words=0), attempt(lambda: tf.sort(["b", "a"]), words=0), attempt(lambda: tf.sort(5), words=0)]


def prog_argsort(tf, np):
    """Indices, stable among equals."""
    x = tf.constant([[3, 1, 3, 1], [0, 0, 5, -5]])
    return [tf.argsort(x), tf.argsort(x, axis=0), tf.argsort(x, direction="DESCENDING"), tf.argsort(x, stable=True), tf.argsort([1.0, 1.0, 1.0], direction="DESCENDING", stable=True), tf.argsort(tf.zeros([2, 0]))]


def prog_top_k(tf, np):
    """Values and indices; ties; sorted flag; batches."""
    x = tf.constant([[1.0, 5.0, 3.0, 5.0], [4.0, 2.0, 9.0, 1.0]])
    r = tf.math.top_k(x, 2)
    return [r.values, r.indices, type(r).__name__, tf.math.top_k(x), tf.nn.top_k([7, 7, 7], 3), tf.math.top_k([1, 2], k=0), tf.math.top_k(x, 4), tf.math.top_k([3, 1, 2], 2, index_type=tf.int64), attempt(lambda: tf.math.top_k(x, 5)), attempt(lambda: tf.math.top_k(3.0)), attempt(lambda: tf.math.top_k(x, -1))]


def prog_top_k_gradient(tf, np):
    """The gradient goes to the chosen elements."""
    x = tf.constant([[1.0, 5.0, 3.0], [4.0, 2.0, 9.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.math.top_k(x, 2).values * [[1.0, 2.0], [3.0, 4.0]]
        z = tf.sort(x, axis=1) * [1.0, 2.0, 3.0]
    return [tape.gradient(y, x), tape.gradient(z, x)]


def prog_in_top_k(tf, np):
    """in_top_k with ties and bad targets."""
    p = tf.constant([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])
    return [tf.nn.in_top_k([1, 0], p, 1), tf.nn.in_top_k([2, 1], p, 2), tf.nn.in_top_k([5, 0], p, 3), attempt(lambda: tf.nn.in_top_k([1], p, 1))]


def prog_nth_element(tf, np):
    """nth_element from either end."""
    return [tf.nn.nth_element([5.0, 1.0, 3.0], 1) if hasattr(tf.nn, "nth_element") else None, tf.math.reduce_max([1, 2]), tf.raw_ops.NthElement(input=[[4.0, 2.0, 8.0]], n=0), tf.raw_ops.NthElement(input=[[4.0, 2.0, 8.0]], n=0, reverse=True)]


def prog_unique(tf, np):
    """Values in order of first appearance, and the index."""
    return [tf.unique([4, 1, 4, 2, 1]), tf.unique(["b", "a", "b"]), tf.unique(tf.zeros([0], tf.int32)), tf.unique([1.5, 1.5]), tf.unique([3, 3], out_idx=tf.int64), tf.unique([True, False, True]), attempt(lambda: tf.unique([[1, 2]])), attempt(lambda: tf.unique(5))]


def prog_unique_with_counts(tf, np):
    """With counts, and unpacked by name."""
    r = tf.unique_with_counts([4, 1, 4, 2, 1, 4])
    return [r.y, r.idx, r.count, tf.unique_with_counts(["a"]), tf.unique_with_counts(tf.zeros([0])), type(r).__name__]


def prog_unique_v2_raw(tf, np):
    """Rows through the raw op."""
    return [tf.raw_ops.UniqueV2(x=[[1, 2], [1, 2], [3, 4]], axis=[0]), tf.raw_ops.UniqueV2(x=[[1, 1, 2]], axis=[1])]


def prog_searchsorted(tf, np):
    """Left and right sides, batches."""
    s = tf.constant([1.0, 3.0, 5.0, 5.0, 7.0])
    return [tf.searchsorted(s, [0.0, 3.0, 5.0, 8.0]), tf.searchsorted(s, [3.0, 5.0], side="right"), tf.searchsorted([[1, 3], [5, 7]], [[2], [9]]), tf.searchsorted(s, [5.0], out_type=tf.int64), attempt(lambda: tf.searchsorted(s, [1.0], side="mid")), attempt(lambda: tf.searchsorted([[1], [2]], [[1]]))]


def prog_invert_permutation(tf, np):
    """invert_permutation and its errors."""
    return [tf.math.invert_permutation([2, 0, 1]), tf.math.invert_permutation(tf.zeros([0], tf.int32)), attempt(lambda: tf.math.invert_permutation([0, 0])), attempt(lambda: tf.math.invert_permutation([3, 0])), attempt(lambda: tf.math.invert_permutation([[0]]))]


def prog_setdiff(tf, np):
    """Differences of sorted sets through raw ListDiff."""
    return [tf.raw_ops.ListDiff(x=[1, 2, 3, 4], y=[2, 4]), tf.raw_ops.ListDiff(x=["a", "b"], y=["a"]), tf.raw_ops.ListDiff(x=[1], y=[1])]


def prog_bucketize_and_histogram(tf, np):
    """Bucketize through raw, bincount in its forms."""
    return [tf.raw_ops.Bucketize(input=[-1.0, 0.5, 10.0], boundaries=[0.0, 1.0]), tf.math.bincount([0, 1, 1, 5], binary_output=True), tf.math.bincount([[0, 1], [1, 1]], axis=-1), tf.math.bincount(tf.zeros([0], tf.int32)), attempt(lambda: tf.math.bincount([-1]), words=0)]


def prog_sorting_in_function(tf, np):
    """Values and static shapes in a graph."""
    out = []

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        results = [tf.sort(x), tf.argsort(x), *tf.math.top_k(x, 2), tf.unique(tf.reshape(x, [-1]))[0], tf.searchsorted(tf.sort(x), x)]
        out.extend(r.shape for r in results)
        return results

    return [f(tf.constant([[3.0, 1.0, 2.0]])), out]


def prog_sorting_names_in_graph(tf, np):
    """The nodes of sort, argsort, top_k, unique."""
    with tf.Graph().as_default() as g:
        x = tf.zeros([3], name="x")
        tf.sort(x)
        tf.argsort(x, direction="DESCENDING")
        tf.math.top_k(x, 2)
        tf.unique(x)
        tf.unique_with_counts(x)
        return [f"{o.name} {o.type}" for o in g.get_operations()]


def prog_fingerprint_and_hash(tf, np):
    """String hashing to buckets and fingerprints are pinned."""
    return [tf.strings.to_hash_bucket_fast(["a", "hello", ""], 1000), tf.strings.to_hash_bucket(["a", "hello"], 100), tf.strings.to_hash_bucket_strong(["a", "hello"], 100, [1, 2]), tf.fingerprint(["abc"])]
