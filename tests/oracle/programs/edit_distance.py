"""The raw op EditDistance: pairs of rows, rows that one side lacks, normalization, dtypes, faults and their order."""

from __future__ import annotations

import itertools

from tests.oracle.support import attempt

PARTS = ("hypothesis_indices", "hypothesis_values", "hypothesis_shape", "truth_indices", "truth_values", "truth_shape")
GOOD = {
    "hypothesis_indices": [[0, 0]],
    "hypothesis_values": [1],
    "hypothesis_shape": [2, 1],
    "truth_indices": [[0, 0]],
    "truth_values": [1],
    "truth_shape": [2, 1],
}
FAULTS = {
    "hypothesis_indices": [[0], [[0, 0, 0]], [[2, 0]], [[-1, 0]]],
    "hypothesis_values": [[[1]], [1, 2]],
    "hypothesis_shape": [[[2, 1]], [2], [-2, 1], [2, 1, 1], [2**40, 2**40]],
    "truth_indices": [[0], [[0, 0, 0]], [[2, 0]], [[-1, 0]]],
    "truth_values": [[[1]], [1, 2]],
    "truth_shape": [[[2, 1]], [2], [2, -3], [2, 1, 1]],
}


def _call(tf, parts, normalize=True, dtype="int32"):
    given = {
        name: tf.constant(parts[name], dtype if name.endswith("values") else "int64")
        if not hasattr(parts[name], "dtype")
        else parts[name]
        for name in PARTS
    }
    return tf.raw_ops.EditDistance(**given, normalize=normalize)


def _rows(tf, np, rows, width=6):
    """Returns indices, values and shape of a sparse tensor with these rows."""
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [value for row in rows for value in row]
    return tf.constant(np.array(indices, np.int64).reshape(-1, 2)), values, [len(rows), width]


def _pairs(tf, np, hypotheses, truths, dtype="int32"):
    parts = dict(zip(PARTS, [*_rows(tf, np, hypotheses), *_rows(tf, np, truths)]))
    return [_call(tf, parts, normalize, dtype) for normalize in (True, False)]


def prog_distances(tf, np):
    """Insertions, deletions, substitutions, and all three."""
    words = ["kitten", "", "flaw", "abc", "aaaa", "intent", "a"]
    others = ["sitten", "abc", "lawn", "", "aa", "execut", "a"]
    letters = [[ord(c) for c in word] for word in words], [[ord(c) for c in word] for word in others]
    return [_pairs(tf, np, *letters), _pairs(tf, np, *reversed(letters))]


def prog_random_rows(tf, np):
    """Many short rows over a small alphabet."""
    random = np.random.RandomState(7)
    rows = [[random.randint(0, 3, random.randint(0, 7)).tolist() for _ in range(40)] for _ in range(2)]
    return _pairs(tf, np, *rows)


def prog_rows_on_one_side(tf, np):
    """A place that only one of the tensors has, or none."""
    return [_pairs(tf, np, [[1], [], [2, 3], []], [[], [4], [2], []]), _pairs(tf, np, [[], []], [[], []]), _pairs(tf, np, [[1]], [[1], [2, 2]])]


def prog_higher_ranks(tf, np):
    """Places are all indices but the last; the result holds both tensors."""
    parts = {**GOOD, "hypothesis_indices": [[0, 0, 0], [0, 1, 0], [1, 0, 1]], "hypothesis_values": [1, 2, 3], "hypothesis_shape": [2, 2, 2]}
    parts |= {"truth_indices": [[0, 0, 0], [1, 1, 0]], "truth_values": [1, 5], "truth_shape": [3, 2, 1]}
    return [_call(tf, parts), _call(tf, parts, False)]


def prog_rows_out_of_order(tf, np):
    """Rows are met in the order of storage; within a row so are the elements, whatever their last index."""
    changes = [
        {"hypothesis_indices": [[1, 0], [0, 0]], "truth_indices": [[0, 0], [1, 0]]},
        {"hypothesis_indices": [[0, 1], [0, 0]], "truth_indices": [[0, 0], [0, 1]]},
        {"hypothesis_indices": [[0, 0], [0, 0]], "truth_indices": [[0, 9], [0, 7]]},
        {"hypothesis_indices": [[0, 0], [1, 0]], "truth_indices": [[1, 0], [0, 0]]},
    ]
    both = {**GOOD, "hypothesis_values": [1, 2], "truth_values": [1, 2]}
    return [_call(tf, {**both, **change}) for change in changes]


def prog_dtypes(tf, np):
    """Every dtype for which TensorFlow has a kernel; NaN differs from itself."""
    names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 complex64 complex128"
    found = [_pairs(tf, np, [[0, 1], [1]], [[1, 0], [1]], name) for name in names.split()]
    texts = _pairs(tf, np, [["a", "b"], ["c"]], [["b", "a"], ["c"]], "string")
    return [found, texts, _pairs(tf, np, [[float("nan")], [-0.0]], [[float("nan")], [0.0]], "float32")]


def prog_empty_results(tf, np):
    """A result without elements is refused."""
    empty = {**GOOD, "hypothesis_indices": tf.zeros([0, 2], tf.int64), "hypothesis_values": [], "truth_indices": tf.zeros([0, 2], tf.int64), "truth_values": []}
    return [attempt(lambda: _call(tf, {**empty, "hypothesis_shape": [0, 3], "truth_shape": [0, 3]}), words=12), _call(tf, {**empty, "hypothesis_shape": [2, 0]})]


def prog_faults(tf, np):
    """Each fault alone."""
    return [attempt(lambda: _call(tf, {**GOOD, name: wrong}), words=20) for name in PARTS for wrong in FAULTS[name]]


def prog_order_of_faults(tf, np):
    """Two faults at a time: the first that the kernel checks is told."""
    pairs = itertools.combinations(PARTS, 2)
    return [
        attempt(lambda: _call(tf, {**GOOD, one: wrong, other: also_wrong}), words=9)
        for one, other in pairs
        for wrong in FAULTS[one]
        for also_wrong in FAULTS[other]
    ]


def prog_static_shapes(tf, np):
    """What a graph knows of the result, and what it refuses."""

    def shape(**given):
        with tf.Graph().as_default():
            dtypes = {name: tf.int32 if name.endswith("values") else tf.int64 for name in PARTS}
            parts = {name: tf.compat.v1.placeholder(dtype, given.get(name)) for name, dtype in dtypes.items() if f"{name}_is" not in given}
            parts |= {name: tf.constant(given[f"{name}_is"], dtype) for name, dtype in dtypes.items() if f"{name}_is" in given}
            return tf.raw_ops.EditDistance(**parts).shape

    both = lambda h, t, **more: attempt(lambda: shape(hypothesis_shape_is=h, truth_shape_is=t, **more), words=14)
    known = [both([2, 3], [2, 4]), both([4, 2, 3], [2, 4, 5]), both([-1, 3], [-1, 3]), both([-1, 3], [2, 4]), both([2, 3], [2, 4, 5]), both([3], [4])]
    bad = [{"hypothesis_indices": [3]}, {"truth_indices": [3]}, {"hypothesis_values": [2, 2]}, {"truth_values": [2, 2]}, {"hypothesis_shape": [2, 2]}, {"truth_shape": [2, 2]}]
    bad += [{"hypothesis_indices": [3, 4], "hypothesis_shape": [2]}, {"truth_indices": [3, 2], "truth_values": [4]}, {"hypothesis_indices": [3, 4], "hypothesis_shape": [2], "hypothesis_values": [5]}]
    return [known, [attempt(lambda: shape(**case), words=10) for case in bad], shape(), shape(hypothesis_shape=[2])]


def prog_gradient(tf, np):
    """Nothing flows back."""
    values = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        distances = _call(tf, {**GOOD, "hypothesis_values": values, "truth_values": [2.0]}, dtype="float32")
    return tape.gradient(distances, values)
