"""SavedModels of functions of ragged, sparse and extension values, slices, tensor arrays and datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.saved_models.model import Models, Saved

COMPOSITES = Models("composites")


@COMPOSITES(
    doubled=lambda tf, m: m.double(tf.ragged.constant([[1.0], [2.0, 3.0]])),
    summed=lambda tf, m: m.sum(tf.ragged.constant([[1], [2, 3], []])),
    made=lambda tf, m: m.made(tf.constant([1, 0, 2], tf.int64)),
    dense_is_refused=lambda tf, m: m.double(tf.constant([[1.0]])),
)
def ragged(tf: Any) -> Any:
    root = tf.Module()
    root.double = tf.function(lambda x: x * 2.0, input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    root.sum = tf.function(
        lambda x: tf.reduce_sum(x, axis=1), input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)]
    )
    root.made = tf.function(
        lambda lengths: tf.RaggedTensor.from_row_lengths(tf.range(tf.reduce_sum(lengths)), lengths),
        input_signature=[tf.TensorSpec([None], tf.int64)],
    )
    return root


@COMPOSITES(
    dense=lambda tf, m: m.dense(tf.sparse.SparseTensor([[0, 1], [2, 0]], [5.0, 7.0], [3, 2])),
    made=lambda tf, m: m.made(tf.constant([[0, 4], [5, 0]])),
    times=lambda tf, m: m.times(tf.sparse.SparseTensor([[0, 1]], [3.0], [3, 2])),
)
def sparse(tf: Any) -> Any:
    root = tf.Module()
    root.w = tf.Variable([[1.0], [2.0]])
    root.dense = tf.function(tf.sparse.to_dense, input_signature=[tf.SparseTensorSpec([None, 2])])
    root.made = tf.function(tf.sparse.from_dense, input_signature=[tf.TensorSpec([2, 2], tf.int32)])
    root.times = tf.function(
        lambda x: tf.sparse.sparse_dense_matmul(x, root.w), input_signature=[tf.SparseTensorSpec([3, 2])]
    )
    return root


@COMPOSITES(
    slices=lambda tf, m: tf.convert_to_tensor(m.f(tf.constant([0, 2]))),
    values=lambda tf, m: m.f(tf.constant([1, 1])).values,
)
def indexed_slices(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(
        lambda rows: tf.IndexedSlices(tf.ones([2, 2]), rows, tf.constant([3, 2])),
        input_signature=[tf.TensorSpec([2], tf.int32)],
    )
    return root


def _extension_type(tf: Any, name: str) -> Any:
    """Defines an extension type of values with a mask, once."""
    if name not in _DEFINED:
        members = {
            "__name__": f"tests.formats.{name}",
            "__annotations__": {"values": tf.Tensor, "mask": tf.Tensor},
            "__module__": __name__,
        }
        _DEFINED[name] = type(name, (tf.experimental.ExtensionType,), members)
    return _DEFINED[name]


_DEFINED: dict[str, Any] = {}


def masked_type(tf: Any) -> Any:
    """Returns the extension type that a program knows which loads a model of it."""
    return _extension_type(tf, "MaskedTensor")


def _after_its_definition(tf: Any) -> None:
    masked_type(tf)


def _with_methods_of_values(tf: Any, kind: Any) -> Any:
    spec = kind.Spec(values=tf.TensorSpec([None], tf.int32), mask=tf.TensorSpec([None], tf.bool))
    root = tf.Module()
    root.fill = tf.function(lambda x: tf.where(x.mask, x.values, -1), input_signature=[spec])
    root.negate = tf.function(lambda y: kind(-y.values, tf.logical_not(y.mask)), input_signature=[spec])
    root.made = tf.function(lambda z: kind(z, z > 1), input_signature=[tf.TensorSpec([None], tf.int32)])
    return root


@COMPOSITES(
    load_options=_after_its_definition,
    filled=lambda tf, m: m.fill(masked_type(tf)(tf.constant([1, 2]), tf.constant([True, False]))),
    negated=lambda tf, m: m.negate(masked_type(tf)(tf.constant([1, 2]), tf.constant([True, False]))).mask,
    kind=lambda tf, m: type(m.negate(masked_type(tf)(tf.constant([1, 2]), tf.constant([True, False])))).__name__,
)
def extension_type(tf: Any) -> Any:
    return _with_methods_of_values(tf, masked_type(tf))


@COMPOSITES(
    values=lambda tf, m: m.made(tf.constant([1, 2])).values,
    mask=lambda tf, m: m.made(tf.constant([1, 2])).mask,
    passed_on=lambda tf, m: m.fill(m.negate(m.made(tf.constant([1, 2])))),
)
def extension_type_that_nobody_knows(tf: Any) -> Any:
    """The loader of the model has no class of this name, which says who saved it."""
    return _with_methods_of_values(tf, _extension_type(tf, f"TensorOf{Path(tf.__file__).parent.name.title()}"))


@COMPOSITES(
    stacked=lambda tf, m: m.f(tf.constant([1.0, 2.0, 3.0])),
    empty=lambda tf, m: m.f(tf.zeros([0])),
    concatenated=lambda tf, m: m.g(tf.constant(3)),
)
def tensor_arrays(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def f(x):
        squares = tf.TensorArray(tf.float32, size=tf.size(x))
        for index in tf.range(tf.size(x)):
            squares = squares.write(index, x[index] ** 2)
        return squares.stack()

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def g(n):
        pieces = tf.TensorArray(tf.int32, size=0, dynamic_size=True, infer_shape=False, element_shape=[None])
        for index in tf.range(n):
            pieces = pieces.write(index, tf.range(index))
        return pieces.concat()

    root.f, root.g = f, g
    return root


@COMPOSITES(
    total=lambda tf, m: m.total(tf.constant([1, 2, 3, 4])),
    batches=lambda tf, m: m.batches(tf.constant(5, tf.int64)),
    words=lambda tf, m: m.words(tf.constant(["a b", "c"])),
)
def datasets_in_functions(tf: Any) -> Any:
    root = tf.Module()
    root.scale = tf.Variable(10)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def total(x):
        dataset = tf.data.Dataset.from_tensor_slices(x).map(lambda item: item * item)
        return dataset.reduce(0, lambda state, item: state + item)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def batches(n):
        result = tf.constant(0, tf.int64)
        for batch in tf.data.Dataset.range(n).batch(2).filter(lambda b: tf.size(b) == 2):
            result = result * 10 + tf.reduce_sum(batch)
        return result

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def words(lines):
        pieces = tf.data.Dataset.from_tensor_slices(lines).flat_map(
            lambda line: tf.data.Dataset.from_tensor_slices(tf.strings.split(line))
        )
        return pieces.reduce(tf.constant(""), lambda state, word: state + "|" + word)

    root.total, root.batches, root.words = total, batches, words
    return root


@COMPOSITES(
    nested=lambda tf, m: m.f({"r": tf.ragged.constant([[1], [2, 3]]), "n": tf.constant(2)}),
    returned=lambda tf, m: m.f({"r": tf.ragged.constant([[1], []]), "n": tf.constant(2)})["pair"][0],
)
def composites_in_structures(tf: Any) -> Any:
    root = tf.Module()
    spec = {"r": tf.RaggedTensorSpec([None, None], tf.int32), "n": tf.TensorSpec([], tf.int32)}
    root.f = tf.function(lambda d: {"pair": (d["r"] * d["n"], d["n"])}, input_signature=[spec])
    return root


@COMPOSITES(
    default=lambda tf, m: m.signatures["serving_default"](
        x=tf.constant([1.0, 2.0, 3.0]), x_1=tf.constant([0, 1, 3], tf.int64)
    ),
    names=lambda tf, m: sorted(m.signatures["serving_default"].structured_input_signature[1]),
)
def ragged_in_a_signature(tf: Any) -> Any:
    root = tf.Module()
    root.f = tf.function(
        lambda x: {"sum": tf.reduce_sum(x, axis=1), "twice": x * 2.0},
        input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)],
    )
    return Saved(root, signatures=root.f)


@COMPOSITES(
    value=lambda tf, m: m.f(tf.constant([[1.0, 2.0], [3.0, 4.0]])), maybe=lambda tf, m: m.optional(tf.constant(3))
)
def stacks_and_optionals(tf: Any) -> Any:
    root = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([2, 2])])
    def f(x):
        return tf.map_fn(lambda row: tf.reduce_sum(row) + tf.scan(lambda a, b: a * b, row)[-1], x)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def optional(x):
        some = tf.experimental.Optional.from_value(x)
        return tf.cond(some.has_value(), lambda: some.get_value() + 1, lambda: -1)

    root.f, root.optional = f, optional
    return root
