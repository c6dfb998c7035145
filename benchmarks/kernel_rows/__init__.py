"""The kernels that `benchmarks.kernels` measures: a row each, as data.

A row states its inputs and one call for each framework as Python expressions. The expressions of inputs see `n`, the
number of elements (a thousand or so in the small size, a million in the large), `r`, its square root, and the makers
of `benchmarks.kernel_inputs`. The calls see the inputs, and `tf`, `jnp` with `jax` and `lax`, or `torch` with `F`. An
empty call: the framework has no such function. An op that is spelled alike everywhere is a name in a list.
"""

from __future__ import annotations

from benchmarks.kernel_rows import elementwise, linalg, moving, networks, ordering, random, reductions, strings
from benchmarks.kernel_rows.kernel import SIZES, Kernel

__all__ = ["KERNELS", "SIZES", "Kernel"]

_MODULES = (elementwise, reductions, ordering, moving, linalg, networks, random, strings)

KERNELS = tuple(row for module in _MODULES for row in module.ROWS)
"""All rows, in the order of the table."""
