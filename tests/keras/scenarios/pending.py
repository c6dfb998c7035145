"""Scenarios that do not give TensorFlow's numbers yet: `topic::scenario mode` -> what it waits for.

One that passes is an error, so that the list shrinks.
"""

_SHAPES = "lists of tensors of different dtypes as a shape"
_CALLABLES = "tf.custom_gradient of a function that `inspect` cannot read"

PENDING: dict[str, str] = {
    "customs::a_gradient_of_ones_own eager": _CALLABLES,
    "customs::a_gradient_of_ones_own graph": _CALLABLES,
    "customs::a_gradient_of_ones_own jit": _CALLABLES,
    "nets::an_embedding_with_sparse_gradients graph": _SHAPES,
    "nets::an_embedding_with_sparse_gradients jit": _SHAPES,
}
