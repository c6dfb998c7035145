"""A row of the table of kernels, and the sizes at which all rows are measured."""

from __future__ import annotations

from dataclasses import dataclass

SIZES = {"small": 1 << 10, "large": 1 << 20}
"""Size -> the number of elements that inputs are made for."""


@dataclass(frozen=True)
class Kernel:
    """One row: an op with its inputs, in one size or both.

    Args:
      name: how the row is called for, distinct.
      inputs: the inputs, `x=normal(n); i=integers(n)`.
      tf: the call of Millrace and TensorFlow.
      jax: the call of JAX.
      torch: the call of PyTorch.
      large: the number of elements of the large size, where a million takes too long or too much memory.
    """

    name: str
    inputs: str
    tf: str
    jax: str = ""
    torch: str = ""
    large: int = SIZES["large"]

    def count(self, size: str) -> int:
        """Returns the number of elements in a size."""
        return self.large if size == "large" else SIZES[size]
