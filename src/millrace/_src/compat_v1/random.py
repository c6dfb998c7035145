"""Random functions of `tf.compat.v1` under old names.

Tests: tests/oracle/programs/v1_random.py
"""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.dtypes import int64
from millrace._src.core.tensor import Tensor
from millrace._src.ops.random import stateful
from millrace._src.ops.random.stateless import stateless_categorical
from millrace._src.util.export import export, export_constant

random_poisson = v1_wrapper(
    "random_poisson",
    stateful.poisson,
    "lam, shape, dtype=dtypes.float32, seed=None, name=None",
    """
    >>> tf.compat.v1.random_poisson([0.5, 1.5], [4]).shape
    TensorShape([4, 2])
    """,
)
export_constant(__name__, "random_poisson", v1=["random.poisson", "random_poisson"])


@export(v1=["random.multinomial", "multinomial"])
def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Draws class indices with the probabilities `softmax(logits)`, as `tf.random.categorical` does.

    >>> tf.compat.v1.multinomial(tf.math.log([[0.5, 0.5]]), 5).shape
    TensorShape([1, 5])

    Args:
      logits: Unnormalized log-probabilities, shape (rows, classes).
      num_samples: How many samples for each row.
      seed: The op's own seed.
      name: A name for the operation.
      output_dtype: int32 or int64, the default.

    Returns: A Tensor of shape (rows, num_samples).
    """
    return stateful.categorical(logits, num_samples, output_dtype, seed, "multinomial" if name is None else name)


@export(v1=["random.stateless_multinomial"])
def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = int64, name: str | None = None
) -> Tensor:
    """Draws class indices with the probabilities `softmax(logits)`, as `tf.random.stateless_categorical` does.

    >>> tf.compat.v1.random.stateless_multinomial([[1.0, 2.0]], 3, seed=[1, 2]).numpy()
    array([[1, 1, 0]])

    Args:
      logits: Unnormalized log-probabilities, shape (rows, classes).
      num_samples: How many samples for each row.
      seed: Two integers.
      output_dtype: int32 or int64.
      name: A name for the operation.

    Returns: A Tensor of shape (rows, num_samples).
    """
    scope = "stateless_multinomial" if name is None else name
    return stateless_categorical(logits, num_samples, seed, output_dtype, scope)
