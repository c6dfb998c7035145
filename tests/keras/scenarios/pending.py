"""Scenarios that do not give TensorFlow's numbers yet: `topic::scenario mode` -> what it waits for.

One that passes is an error, so that the list shrinks.
"""

_INDICES = "tf.cond whose branches give IndexedSlices with indices of int32 and int64"

PENDING: dict[str, str] = {
    "nets::an_embedding_with_sparse_gradients graph": _INDICES,
    "nets::an_embedding_with_sparse_gradients jit": _INDICES,
}
