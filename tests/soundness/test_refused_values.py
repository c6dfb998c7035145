"""What an op refuses on the NumPy tier is refused in every call, though functions change engines all the time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import millrace as tf
from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.tier_settings import Pin, TierChoice, settings

pytestmark = pytest.mark.xla


def integers(*numbers: Any) -> Any:
    return tf.constant(numbers[0] if len(numbers) == 1 else list(numbers), tf.int32)


IDENTITY = tf.constant(np.eye(3), tf.float32)
SINGULAR, NEGATIVE, NAN = tf.ones([3, 3]), -IDENTITY, IDENTITY * np.nan
VARIABLE = tf.Variable(IDENTITY)

# Op, or use of an op -> the function, arguments that it takes, arguments that it may refuse.
CASES: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "check_numerics": (lambda x: tf.debugging.check_numerics(x, "m"), [IDENTITY], [NAN]),
    "cholesky": (tf.linalg.cholesky, [IDENTITY], [NEGATIVE]),
    "cholgrad": (lambda x: tf.gradients(tf.linalg.cholesky(x), x)[0], [IDENTITY], [NEGATIVE]),
    "inv": (tf.linalg.inv, [IDENTITY], [SINGULAR]),
    "inv0": (tf.linalg.inv, [IDENTITY], [IDENTITY * 0]),
    "solve": (lambda x: tf.linalg.solve(x, IDENTITY), [IDENTITY], [SINGULAR]),
    "solve0": (lambda x: tf.linalg.solve(x, IDENTITY), [IDENTITY], [IDENTITY * 0]),
    "tri": (lambda x: tf.linalg.triangular_solve(x, IDENTITY), [IDENTITY], [IDENTITY * 0]),
    "trid": (lambda x: tf.linalg.tridiagonal_solve(x, tf.ones([3])), [IDENTITY + 5], [IDENTITY * 0]),
    "banded": (lambda x: tf.raw_ops.BandedTriangularSolve(matrix=x[:1], rhs=IDENTITY), [IDENTITY + 1], [IDENTITY * 0]),
    "slogdet": (tf.linalg.slogdet, [IDENTITY], [IDENTITY * 0]),
    "logdet": (tf.linalg.logdet, [IDENTITY], [NEGATIVE]),
    "svd": (tf.linalg.svd, [IDENTITY], [NAN]),
    "eigh": (tf.linalg.eigh, [IDENTITY], [NAN]),
    "eig": (tf.linalg.eig, [IDENTITY], [NAN]),
    "lu": (tf.linalg.lu, [IDENTITY], [IDENTITY * 0]),
    "qr": (tf.linalg.qr, [IDENTITY], [NAN]),
    "lstsq": (lambda x: tf.linalg.lstsq(x, IDENTITY), [IDENTITY], [IDENTITY * 0]),
    "lstsqslow": (lambda x: tf.linalg.lstsq(x, IDENTITY, fast=False), [IDENTITY], [IDENTITY * 0]),
    "sqrtm": (tf.linalg.sqrtm, [IDENTITY], [NEGATIVE]),
    "logm": (lambda x: tf.linalg.logm(x), [tf.cast(IDENTITY, tf.complex64)], [tf.cast(IDENTITY * 0, tf.complex64)]),
    "pinv": (tf.linalg.pinv, [IDENTITY], [NAN]),
    "invperm": (tf.math.invert_permutation, [integers(2, 0, 1)], [integers(2, 2, 1)]),
    "invperm2": (tf.math.invert_permutation, [integers(2, 0, 1)], [integers(3, 0, 1)]),
    "clip": (
        lambda a, b: tf.clip_by_value(IDENTITY, a, b),
        [tf.constant(0.0), tf.constant(1.0)],
        [tf.constant(2.0), tf.constant(1.0)],
    ),
    "rawclip": (
        lambda a, b: tf.raw_ops.ClipByValue(t=IDENTITY, clip_value_min=a, clip_value_max=b),
        [tf.constant(0.0), tf.constant(1.0)],
        [tf.constant(2.0), tf.constant(1.0)],
    ),
    "fq": (
        lambda a, b: tf.quantization.fake_quant_with_min_max_vars(IDENTITY, a, b),
        [tf.constant(0.0), tf.constant(1.0)],
        [tf.constant(2.0), tf.constant(1.0)],
    ),
    "qdq": (
        lambda a, b: tf.quantization.quantize_and_dequantize_v2(IDENTITY, a, b, range_given=True),
        [tf.constant(0.0), tf.constant(1.0)],
        [tf.constant(2.0), tf.constant(1.0)],
    ),
    "linspace": (lambda n: tf.linspace(0.0, 1.0, n), [tf.constant(3)], [tf.constant(0)]),
    "linspaceneg": (lambda n: tf.linspace(0.0, 1.0, n), [tf.constant(3)], [tf.constant(-1)]),
    "nth": (
        lambda n: tf.reduce_sum(tf.cast(tf.raw_ops.NthElement(input=IDENTITY, n=n), tf.float32)),
        [tf.constant(1)],
        [tf.constant(3)],
    ),
    "topk": (lambda k: tf.reduce_sum(tf.math.top_k(IDENTITY, k)[0]), [tf.constant(1)], [tf.constant(4)]),
    "topkneg": (lambda k: tf.reduce_sum(tf.math.top_k(IDENTITY, k)[0]), [tf.constant(1)], [tf.constant(-1)]),
    "reverse": (lambda a: tf.reverse(IDENTITY, [a]), [tf.constant(1)], [tf.constant(2)]),
    "reverse2": (lambda a: tf.reverse(IDENTITY, [a, 0]), [tf.constant(1)], [tf.constant(0)]),
    "revseq": (
        lambda a: tf.reverse_sequence(IDENTITY, a, seq_axis=1, batch_axis=0),
        [integers(1, 2, 3)],
        [integers(1, 2, 4)],
    ),
    "revseqneg": (
        lambda a: tf.reverse_sequence(IDENTITY, a, seq_axis=1, batch_axis=0),
        [integers(1, 2, 3)],
        [integers(1, 2, -1)],
    ),
    "roll": (lambda a: tf.roll(IDENTITY, 1, a), [tf.constant(1)], [tf.constant(2)]),
    "onehot": (lambda d: tf.reduce_sum(tf.one_hot([0, 1], d)), [tf.constant(3)], [tf.constant(-1)]),
    "fill": (lambda d: tf.reduce_sum(tf.fill([d], 1.0)), [tf.constant(3)], [tf.constant(-1)]),
    "zeros": (lambda d: tf.reduce_sum(tf.zeros([d, 2])), [tf.constant(3)], [tf.constant(-1)]),
    "range": (lambda d: tf.reduce_sum(tf.range(0, 10, d)), [tf.constant(3)], [tf.constant(0)]),
    "rangesign": (lambda d: tf.reduce_sum(tf.range(0, 10, d)), [tf.constant(3)], [tf.constant(-1)]),
    "ensure": (
        lambda x, n: tf.reduce_sum(tf.ensure_shape(x[:n], [2, 3])),
        [IDENTITY, tf.constant(2)],
        [IDENTITY, tf.constant(1)],
    ),
    "reshape": (
        lambda x, n: tf.reduce_sum(tf.reshape(x, [n, -1]) ** 2),
        [IDENTITY, tf.constant(3)],
        [IDENTITY, tf.constant(2)],
    ),
    "bcast": (lambda n: tf.reduce_sum(tf.broadcast_to(IDENTITY, [n, 3])), [tf.constant(3)], [tf.constant(2)]),
    "tile": (lambda n: tf.reduce_sum(tf.tile(IDENTITY, [n, 1])), [tf.constant(3)], [tf.constant(-1)]),
    "pad": (lambda n: tf.reduce_sum(tf.pad(IDENTITY, [[n, 0], [0, 0]])), [tf.constant(1)], [tf.constant(-1)]),
    "mpad": (
        lambda n: tf.reduce_sum(tf.pad(IDENTITY, [[n, 0], [0, 0]], "REFLECT")),
        [tf.constant(1)],
        [tf.constant(3)],
    ),
    "split": (lambda n: tf.split(IDENTITY, [n, 3 - n])[0] * 1.0, [tf.constant(1)], [tf.constant(4)]),
    "split2": (lambda n: [t * 2.0 for t in tf.split(IDENTITY, [n, 1])], [tf.constant(2)], [tf.constant(1)]),
    "slice": (lambda n: tf.reduce_sum(tf.slice(IDENTITY, [n, 0], [2, 2])), [tf.constant(1)], [tf.constant(2)]),
    "sslice": (lambda n: IDENTITY[n] * 2.0, [tf.constant(1)], [tf.constant(3)]),
    "expand": (lambda n: tf.reduce_sum(tf.expand_dims(IDENTITY, n)), [tf.constant(1)], [tf.constant(4)]),
    "sum axis": (lambda n: tf.reduce_sum(tf.reduce_sum(IDENTITY, n)), [tf.constant(1)], [tf.constant(2)]),
    "cumsum axis": (lambda n: tf.reduce_sum(tf.cumsum(IDENTITY, n)), [tf.constant(1)], [tf.constant(2)]),
    "argmax axis": (lambda n: tf.reduce_sum(tf.argmax(IDENTITY, n)), [tf.constant(1)], [tf.constant(2)]),
    "concat axis": (lambda n: tf.reduce_sum(tf.concat([IDENTITY, IDENTITY], n)), [tf.constant(1)], [tf.constant(2)]),
    "gather axis": (lambda n: tf.reduce_sum(tf.gather(IDENTITY, [0], axis=n)), [tf.constant(1)], [tf.constant(2)]),
    "transpose": (lambda p: tf.reduce_sum(tf.transpose(IDENTITY, p)), [integers(1, 0)], [integers(1, 1)]),
    "transpose2": (lambda p: tf.reduce_sum(tf.transpose(IDENTITY, p)), [integers(1, 0)], [integers(1, 2)]),
    "unifint": (
        lambda a: tf.random.stateless_uniform([3], [1, 2], a, 10, tf.int32),
        [tf.constant(3)],
        [tf.constant(10)],
    ),
    "unifint2": (lambda a: tf.random.uniform([3], a, 10, tf.int32), [tf.constant(3)], [tf.constant(10)]),
    "multinom": (
        lambda n: tf.reduce_sum(tf.random.stateless_categorical([[1.0, 2.0]], n, [1, 2])),
        [tf.constant(3)],
        [tf.constant(-1)],
    ),
    "binom": (
        lambda p: tf.random.stateless_binomial([3], [1, 2], [5.0], p),
        [tf.constant([0.5])],
        [tf.constant([2.0])],
    ),
    "poisson": (lambda p: tf.random.stateless_poisson([3], [1, 2], p), [tf.constant(1.0)], [tf.constant(-1.0)]),
    "gamma": (lambda p: tf.random.stateless_gamma([3], [1, 2], p), [tf.constant(1.0)], [tf.constant(-1.0)]),
    "truncn": (
        lambda s: tf.raw_ops.StatelessParameterizedTruncatedNormal(
            shape=[3], seed=[1, 2], means=0.0, stddevs=s, minvals=-1.0, maxvals=1.0
        ),
        [tf.constant(1.0)],
        [tf.constant(-1.0)],
    ),
    "shape neg rnd": (
        lambda n: tf.reduce_sum(tf.random.stateless_normal([n], [1, 2])),
        [tf.constant(2)],
        [tf.constant(-1)],
    ),
    "bincount": (lambda x: tf.math.bincount(x, minlength=5, maxlength=5), [integers(1, 2)], [integers(-1, 2)]),
    "histo": (lambda r: tf.histogram_fixed_width([1.0, 2.0], r), [tf.constant([0.0, 3.0])], [tf.constant([3.0, 0.0])]),
    "segsum": (lambda i: tf.math.segment_sum(IDENTITY, i), [integers(0, 0, 1)], [integers(1, 0, 1)]),
    "segneg": (lambda i: tf.math.segment_sum(IDENTITY, i), [integers(0, 0, 1)], [integers(-1, 0, 1)]),
    "useg": (lambda i: tf.math.unsorted_segment_sum(IDENTITY, i, 3), [integers(0, 0, 1)], [integers(0, 0, 3)]),
    "useg n": (
        lambda n: tf.reduce_sum(tf.math.unsorted_segment_sum(IDENTITY, [0, 0, 1], n)),
        [tf.constant(3)],
        [tf.constant(-1)],
    ),
    "spseg": (lambda i: tf.sparse.segment_sum(IDENTITY, i, [0, 0]), [integers(0, 1)], [integers(0, 3)]),
    "spseg2": (lambda s: tf.sparse.segment_sum(IDENTITY, [0, 1], s), [integers(0, 0)], [integers(1, 0)]),
    "stitch": (lambda i: tf.dynamic_stitch([i], [IDENTITY]), [integers(0, 1, 2)], [integers(0, 1, -1)]),
    "partition": (lambda i: tf.dynamic_partition(IDENTITY, i, 2)[0], [integers(0, 1, 0)], [integers(0, 1, 2)]),
    "intopk": (lambda t: tf.math.in_top_k(t, IDENTITY, 2), [integers(0, 1, 2)], [integers(0, 1, 7)]),
    "xent": (
        lambda l: tf.nn.sparse_softmax_cross_entropy_with_logits(l, IDENTITY),
        [integers(0, 1, 2)],
        [integers(0, 1, 3)],
    ),
    "gathernd": (lambda i: tf.gather_nd(IDENTITY, i), [integers([[0, 1]])], [integers([[0, 3]])]),
    "gather bd": (
        lambda i: tf.gather(IDENTITY, i, batch_dims=1, axis=1),
        [integers([[0], [1], [2]])],
        [integers([[0], [1], [3]])],
    ),
    "scatternd": (lambda i: tf.scatter_nd(i, [1.0], [3]), [integers([[0]])], [integers([[3]])]),
    "tscmax": (lambda i: tf.tensor_scatter_nd_max(tf.zeros([3]), i, [1.0]), [integers([[0]])], [integers([[3]])]),
    "crop": (
        lambda i: tf.image.crop_and_resize(tf.ones([2, 4, 4, 1]), [[0.0, 0.0, 1.0, 1.0]], i, [2, 2]),
        [integers([0])],
        [integers([2])],
    ),
    "resize": (
        lambda s: tf.reduce_sum(tf.image.resize(tf.ones([2, 4, 4, 1]), [s, 2])),
        [tf.constant(3)],
        [tf.constant(0)],
    ),
    "diagpart k": (lambda k: tf.reduce_sum(tf.linalg.diag_part(IDENTITY, k=k)), [tf.constant(1)], [tf.constant(5)]),
    "diag k": (lambda k: tf.reduce_sum(tf.linalg.diag(IDENTITY[0], k=k)), [tf.constant(1)], [tf.constant([2, 1])]),
    "setdiag": (
        lambda k: tf.reduce_sum(tf.linalg.set_diag(IDENTITY, tf.ones([2]), k=k)),
        [tf.constant(1)],
        [tf.constant(2)],
    ),
    "band": (lambda k: tf.linalg.band_part(IDENTITY, k, 0), [tf.constant(1)], [tf.constant(9)]),
    "liststack": (
        lambda n: tf.reduce_sum(
            tf.raw_ops.TensorListStack(
                input_handle=tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=n, element_dtype=tf.float32),
                element_shape=[2],
                element_dtype=tf.float32,
                num_elements=2,
            )
        ),
        [tf.constant(2)],
        [tf.constant(3)],
    ),
    "reserve": (
        lambda n: (
            tf.raw_ops.TensorListLength(
                input_handle=tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=n, element_dtype=tf.float32)
            )
            * 2
        ),
        [tf.constant(2)],
        [tf.constant(-3)],
    ),
    "listget": (
        lambda n: (
            tf.raw_ops.TensorListGetItem(
                input_handle=tf.raw_ops.TensorListReserve(element_shape=[2], num_elements=3, element_dtype=tf.float32),
                index=n,
                element_shape=[2],
                element_dtype=tf.float32,
            )
            * 2.0
        ),
        [tf.constant(2)],
        [tf.constant(3)],
    ),
    "pop": (
        lambda n: tf.while_loop(
            lambda i, l, s: i < n,
            lambda i, l, s: (lambda r: (i + 1, r[0], s + tf.reduce_sum(r[1])))(
                tf.raw_ops.TensorListPopBack(input_handle=l, element_shape=[2], element_dtype=tf.float32)
            ),
            [0, tf.raw_ops.TensorListFromTensor(tensor=tf.ones([3, 2]), element_shape=[2]), 0.0],
        )[2],
        [tf.constant(2)],
        [tf.constant(4)],
    ),
    "listresize": (
        lambda n: (
            tf.raw_ops.TensorListLength(
                input_handle=tf.raw_ops.TensorListResize(
                    input_handle=tf.raw_ops.TensorListReserve(
                        element_shape=[2], num_elements=3, element_dtype=tf.float32
                    ),
                    size=n,
                )
            )
            * 2
        ),
        [tf.constant(2)],
        [tf.constant(-1)],
    ),
    "tagather": (
        lambda i: tf.TensorArray(tf.float32, 3).unstack(IDENTITY).gather(i) * 2.0,
        [integers(0, 1)],
        [integers(0, 3)],
    ),
    "tascatter": (
        lambda i: tf.TensorArray(tf.float32, 3, element_shape=[3]).scatter(i, IDENTITY).stack() * 2.0,
        [integers(0, 1, 2)],
        [integers(0, 1, -1)],
    ),
    "tasplit": (
        lambda n: (
            tf.TensorArray(tf.float32, 2, element_shape=[None, 3], infer_shape=False).split(IDENTITY, [n, 1]).concat()
            * 2.0
        ),
        [tf.constant(2)],
        [tf.constant(1)],
    ),
    "space": (
        lambda b: tf.reduce_sum(tf.space_to_batch(tf.ones([1, 4, 4, 1]), [b, 2], [[0, 0], [0, 0]])),
        [tf.constant(2)],
        [tf.constant(3)],
    ),
    "pow int neg": (lambda y: tf.pow(tf.constant([2, 3]), y), [integers(2, 2)], [integers(2, -2)]),
    "floordiv0": (lambda y: tf.constant([2, 3]) // y, [integers(2, 2)], [integers(2, 0)]),
    "mod0": (lambda y: tf.constant([2, 3]) % y, [integers(2, 2)], [integers(2, 0)]),
    "truncmod0": (lambda y: tf.truncatemod(tf.constant([2, 3]), y), [integers(2, 2)], [integers(2, 0)]),
    "bitcastcheck": (lambda x: tf.debugging.assert_all_finite(x, "m"), [IDENTITY], [NAN]),
    "bucket": (lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[1.0, 2.0]), [IDENTITY], [NAN]),
    "sp2dense": (
        lambda i: tf.sparse.to_dense(tf.SparseTensor(i, [1.0, 2.0], [3, 3])) * 2.0,
        [tf.constant([[0, 0], [1, 1]], tf.int64)],
        [tf.constant([[0, 0], [3, 1]], tf.int64)],
    ),
    "spmm": (
        lambda i: tf.sparse.sparse_dense_matmul(tf.SparseTensor(i, [1.0, 2.0], [3, 3]), IDENTITY) * 2.0,
        [tf.constant([[0, 0], [1, 1]], tf.int64)],
        [tf.constant([[0, 0], [3, 1]], tf.int64)],
    ),
    "spreshape": (
        lambda s: tf.sparse.reshape(tf.SparseTensor([[0, 0]], [1.0], [3, 4]), s).dense_shape * 2,
        [tf.constant([4, 3], tf.int64)],
        [tf.constant([5, 3], tf.int64)],
    ),
    "repeat": (lambda r: tf.repeat(tf.constant([1, 2]), r), [integers(1, 2)], [integers(-1, 2)]),
    "seqmask": (lambda r: tf.sequence_mask(r, 3), [integers(1, 2)], [integers(-1, 2)]),
    "einsum": (lambda x: tf.einsum("ii->i", x), [IDENTITY], [IDENTITY]),
    "searchsorted": (
        lambda x: tf.searchsorted(tf.constant([1.0, 2.0]), x),
        [tf.constant([1.0])],
        [tf.constant([np.nan])],
    ),
    "ctc": (
        lambda l: tf.nn.ctc_loss(l, tf.zeros([1, 3, 4]), [2], [3], logits_time_major=False, blank_index=0),
        [integers([[1, 2]])],
        [integers([[1, 9]])],
    ),
    "dyndrop": (lambda r: tf.nn.dropout(IDENTITY, r) * 0, [tf.constant(0.3)], [tf.constant(1.5)]),
    "conv shape": (
        lambda n: tf.reduce_sum(tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, n, 4, 1], 2)),
        [tf.constant(4)],
        [tf.constant(7)],
    ),
    "unravel": (lambda i: tf.unravel_index(i, [2, 3]), [integers(1, 2)], [integers(1, 6)]),
    "bt": (
        lambda i: tf.ragged.constant([[1.0], [2.0, 3.0]]).to_tensor(shape=[None, i]) if False else tf.eye(i),
        [tf.constant(2)],
        [tf.constant(-1)],
    ),
    "rng split": (lambda n: tf.reduce_sum(tf.random.split([1, 2], 1) * 0 + n), [tf.constant(2)], [tf.constant(-1)]),
    "parallel": (lambda x: tf.map_fn(lambda e: tf.debugging.check_numerics(e, "m"), x), [IDENTITY], [NAN]),
    "vec": (lambda x: tf.vectorized_map(lambda e: tf.gather(e, 0) * 2, x), [IDENTITY], [IDENTITY]),
    "assert eq": (lambda x: tf.debugging.assert_equal(x, x) or x * 2, [IDENTITY], [NAN]),
    "embedding neg": (lambda i: tf.nn.embedding_lookup(IDENTITY, i), [integers(0, 1)], [integers(0, -1)]),
}
CASES["embed var"] = (lambda i: tf.nn.embedding_lookup(VARIABLE, i) * 2.0, [integers(0, 1)], [integers(0, 5)])
CASES["scatter var"] = (
    lambda i: VARIABLE.scatter_update(tf.IndexedSlices(tf.ones([1, 3]), i)) is None or VARIABLE.read_value() * 2.0,
    [integers([0])],
    [integers([5])],
)
CASES["sparse apply"] = (
    lambda i: (
        tf.raw_ops.ResourceScatterAdd(resource=VARIABLE.handle, indices=i, updates=tf.ones([1, 3])) is None
        or VARIABLE.read_value() * 0.0
    ),
    [integers([0])],
    [integers([5])],
)


@pytest.fixture
def alternating(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Functions run on all engines in turn, from their third call on."""
    for name, value in {"pin": Pin.AUTO, "waits": True, "threshold": 0.0, "choice": TierChoice.ALTERNATE}.items():
        monkeypatch.setattr(settings, name, value)
    yield
    compiler.wait()


def outcome(function: Any, arguments: list[Any]) -> str:
    try:
        function(*arguments)
    except Exception as error:  # which one, is what the test is about
        return type(error).__name__
    return "a value"


@pytest.mark.parametrize("name", CASES)
def test_what_is_refused_on_numpy_is_refused_in_every_call(
    name: str, alternating: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, good, bad = CASES[name]

    def function(*arguments: Any) -> Any:
        results = call(*[argument + 0 for argument in arguments])  # nothing is known while tracing
        return [tf.identity(result) for result in tf.nest.flatten(results)]

    with monkeypatch.context() as pinned:
        pinned.setattr(settings, "pin", Pin.NUMPY)
        on_numpy = tf.function(function)
        expected = [outcome(on_numpy, good), outcome(on_numpy, bad)]
    moving = tf.function(function)
    assert {outcome(moving, good) for _ in range(5)} == {expected[0]}
    assert {outcome(moving, bad) for _ in range(4)} == {expected[1]}
