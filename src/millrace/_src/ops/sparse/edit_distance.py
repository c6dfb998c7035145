"""`tf.edit_distance`: the Levenshtein distance between the rows of two sparse tensors."""

from __future__ import annotations

from typing import Any

from millrace._src.ops.array.edit_distance import edit_distance_op
from millrace._src.ops.sparse.sparse_tensor import SparseTensorType
from millrace._src.util.export import export


@export("edit_distance")
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Any:
    """Computes the Levenshtein distance between the rows of two sparse tensors.

    >>> hypothesis = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> truth = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["a", "c", "b"], [1, 3])
    >>> tf.edit_distance(hypothesis, truth, normalize=False).numpy()
    array([1.], dtype=float32)

    Args:
      hypothesis: a SparseTensor; a sequence is a row along the last axis.
      truth: a SparseTensor of the same rank and dtype.
      normalize: whether to divide each distance by the length of the truth; infinity for an empty truth.
      name: name of the operation.

    Returns: A float32 Tensor with a distance for each row.
    Raises:
      TypeError: if an argument is no SparseTensor.
      tf.errors.InvalidArgumentError: if the tensors are of different ranks, or of rank less than 2.
    """
    for argument, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, SparseTensorType):
            raise TypeError(f"{argument} must be a SparseTensor.")
    parts = [part for tensor in (hypothesis, truth) for part in (tensor.indices, tensor.values, tensor.dense_shape)]
    return edit_distance_op(*parts, normalize=normalize, name=name)
