"""The functions that a kernel may use: the array namespace `xp`.

A kernel is written once and runs on several engines. A kernel therefore never imports NumPy or JAX for its arrays; the
kernel gets `xp`, an object with the functions below. Most functions are NumPy's, by name and meaning; the others stand
for functions that NumPy and jax.numpy spell differently. Each engine supplies its own `xp` and levels the differences
there, once.

The list is complete and no longer than needed: a test compares the list with the kernels and with the engines.

Tests: tests/contracts/test_array_namespace.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from millrace._src.core.argument_types import DTypeLike, ShapeLike

Array: TypeAlias = Any
"""An array of the running engine: `numpy.ndarray`, or a traced array while a compiling engine compiles."""
Unary: TypeAlias = Callable[[Array], Array]
"""A function of one array, element by element."""
Binary: TypeAlias = Callable[[Array, Array], Array]
"""A function of two arrays that broadcast, element by element."""
Axes: TypeAlias = int | Sequence[int] | None
"""One axis, several, or all."""


class LinearAlgebra(Protocol):
    """The functions of `numpy.linalg` that kernels use, on stacks of matrices."""

    det: Unary
    eig: Callable[[Array], tuple[Array, Array]]
    eigh: Callable[..., tuple[Array, Array]]
    eigvals: Unary
    eigvalsh: Callable[..., Array]
    inv: Unary
    pinv: Callable[..., Array]
    qr: Callable[..., Any]
    slogdet: Callable[[Array], tuple[Array, Array]]
    solve: Binary
    svd: Callable[..., Any]


class Ufunc(Protocol):
    """A binary function that can run along an axis."""

    def accumulate(self, x: Array, axis: int) -> Array:
        """Combines the elements up to each position."""


class Xp(Protocol):
    """The functions on arrays that kernels use."""

    engine: str
    """The name of the engine; only `kernel_part` asks for it."""
    linalg: LinearAlgebra
    special: Any
    """The functions of `scipy.special`, by name; those that only `host_only` ops use may be missing in an engine."""

    # --- element by element --------------------------------------------------------------------------------------

    abs: Unary
    arccos: Unary
    arccosh: Unary
    arcsin: Unary
    arcsinh: Unary
    arctan: Unary
    arctanh: Unary
    bitwise_count: Unary
    ceil: Unary
    conj: Unary
    cos: Unary
    cosh: Unary
    exp: Unary
    exp2: Unary
    expm1: Unary
    floor: Unary
    imag: Unary
    invert: Unary
    isfinite: Unary
    isinf: Unary
    isnan: Unary
    log: Unary
    log1p: Unary
    log2: Unary
    logical_not: Unary
    negative: Unary
    real: Unary
    reciprocal: Unary
    rint: Unary
    round: Unary
    sign: Unary
    sin: Unary
    sinh: Unary
    sqrt: Unary
    square: Unary
    tan: Unary
    tanh: Unary
    trunc: Unary

    add: Binary
    arctan2: Binary
    bitwise_and: Binary
    bitwise_or: Binary
    bitwise_xor: Binary
    equal: Binary
    floor_divide: Binary
    fmod: Binary
    greater: Binary
    greater_equal: Binary
    left_shift: Binary
    less: Binary
    less_equal: Binary
    logical_and: Binary
    logical_or: Binary
    maximum: Binary
    minimum: Binary
    multiply: Binary
    nextafter: Binary
    not_equal: Binary
    power: Binary
    remainder: Binary
    right_shift: Binary
    subtract: Binary
    true_divide: Binary
    logaddexp: Ufunc
    where: Callable[[Array, Array, Array], Array]

    def clip(self, x: Array, low: object, high: object) -> Array: ...

    def nan_to_num(self, x: Array) -> Array: ...

    def astype(self, x: Array, dtype: DTypeLike) -> Array:
        """Converts `x` to a dtype, element by element."""

    def cast(self, x: Array, dtype: DTypeLike) -> Array:
        """Converts `x` as `tf.cast` does, where negative numbers wrap around in an unsigned type."""

    def bitcast(self, x: Array, dtype: DTypeLike) -> Array:
        """Reads the bytes of `x` as another dtype; the last axis grows or shrinks with the width."""

    # --- new arrays ----------------------------------------------------------------------------------------------

    def arange(
        self, start: object, stop: object = None, step: object = None, dtype: DTypeLike | None = None
    ) -> Array: ...

    def array(self, x: object, dtype: DTypeLike | None = None) -> Array: ...

    def asarray(self, x: object, dtype: DTypeLike | None = None) -> Array: ...

    def empty(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Array: ...

    def eye(self, rows: int, columns: int | None = None, dtype: DTypeLike | None = None) -> Array: ...

    def full(self, shape: ShapeLike, value: object, dtype: DTypeLike | None = None) -> Array: ...

    def ones(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Array: ...

    def zeros(self, shape: ShapeLike, dtype: DTypeLike | None = None) -> Array: ...

    def zeros_like(self, x: Array) -> Array: ...

    # --- other shapes and positions ---------------------------------------------------------------------------------

    def broadcast_arrays(self, *arrays: Array) -> Sequence[Array]: ...

    def broadcast_to(self, x: Array, shape: ShapeLike) -> Array: ...

    def concatenate(self, arrays: Sequence[Array], axis: int = 0) -> Array: ...

    def diagonal(self, x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array: ...

    def expand_dims(self, x: Array, axis: object) -> Array: ...

    def flip(self, x: Array, axis: Axes = None) -> Array: ...

    def moveaxis(self, x: Array, source: object, destination: object) -> Array: ...

    def pad(self, x: Array, pad_width: object, mode: str = "constant", constant_values: object = 0) -> Array: ...

    def reshape(self, x: Array, shape: ShapeLike) -> Array: ...

    def roll(self, x: Array, shift: object, axis: Axes = None) -> Array: ...

    def stack(self, arrays: Sequence[Array], axis: int = 0) -> Array: ...

    def swapaxes(self, x: Array, axis1: int, axis2: int) -> Array: ...

    def transpose(self, x: Array, axes: object = None) -> Array: ...

    def tril(self, x: Array) -> Array: ...

    def triu(self, x: Array) -> Array: ...

    def take(self, x: Array, indices: Array, axis: int | None = None, mode: str = ...) -> Array: ...

    def take_along_axis(self, x: Array, indices: Array, axis: int) -> Array: ...

    def scatter(self, x: Array, index: object, updates: Array, mode: str, *, may_change: bool = False) -> Array:
        """Combines `updates` at `x[index]` of a copy, or of `x` itself if `x` may change.

        The mode is set, add, sub, mul, div, min or max.
        """

    def add_at(self, total: Array, index: object, values: Array) -> Array:
        """Adds `values` at different positions of `total`, which may be changed itself."""

    # --- reductions, products, order -----------------------------------------------------------------------------

    def all(self, x: Array, axis: Axes = None, keepdims: bool = False) -> Array: ...

    def any(self, x: Array, axis: Axes = None, keepdims: bool = False) -> Array: ...

    def argmax(self, x: Array, axis: int) -> Array: ...

    def argmin(self, x: Array, axis: int) -> Array: ...

    def argsort(self, x: Array, axis: int = -1, *, stable: bool = False) -> Array: ...

    def cumprod(self, x: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array: ...

    def cumsum(self, x: Array, axis: int | None = None, dtype: DTypeLike | None = None) -> Array: ...

    def einsum(self, equation: str, *operands: Array) -> Array: ...

    def matmul(self, a: Array, b: Array) -> Array:
        """Multiplies matrices; keeps the dtype, and sums small floats in float32."""

    def max(self, x: Array, axis: Axes = None, keepdims: bool = False) -> Array: ...

    def mean(self, x: Array, axis: Axes = None, keepdims: bool = False) -> Array: ...

    def min(self, x: Array, axis: Axes = None, keepdims: bool = False) -> Array: ...

    def prod(self, x: Array, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
        """Multiplies along axes; keeps the dtype, and multiplies small floats in float32."""

    def searchsorted(self, x: Array, values: Array, side: str = "left") -> Array: ...

    def sort(self, x: Array, axis: int = -1) -> Array: ...

    def sum(self, x: Array, axis: Axes = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Array:
        """Sums along axes; keeps the dtype, and sums small floats in float32."""

    # --- what is known -------------------------------------------------------------------------------------------

    def are_known(self, *arrays: Array) -> bool:
        """Returns whether the values of all arrays are known: always, but while an engine compiles."""

    def may_hold(self, condition: Array) -> bool:
        """Returns whether some element of `condition` may be true."""

    # --- lists of arrays -----------------------------------------------------------------------------------------

    def declared_shape(self, vector: object) -> Any:
        """Reads a shape from a vector (or -1), as far as the vector's value is known."""

    def list_of_pieces(self, dtype: DTypeLike, element_shape: ShapeLike, pieces: Sequence[Array]) -> Any:
        """Makes a list of arrays."""

    def list_of_rows(self, dtype: DTypeLike, element_shape: ShapeLike, tensor: Array) -> Any:
        """Makes a list of the rows of an array."""

    def reserve_list(self, dtype: DTypeLike, element_shape: ShapeLike, length: object, capacity: object) -> Any:
        """Makes a list of unset elements that may grow to `capacity`, -1 for any number."""

    # --- control flow --------------------------------------------------------------------------------------------

    def cond(
        self, predicate: Array, then: Callable[..., Any], otherwise: Callable[..., Any], operands: Sequence[Any]
    ) -> Any:
        """Calls `then(*operands)` where the scalar `predicate` is true, else `otherwise(*operands)`."""

    def switch(self, index: Array, branches: Sequence[Callable[..., Any]], operands: Sequence[Any]) -> Any:
        """Calls `branches[index](*operands)`; an index out of range takes the last branch."""

    def while_loop(self, cond: Callable[..., Any], body: Callable[..., Any], state: Sequence[Any]) -> Any:
        """Applies `body` to `state` while `cond(*state)` holds."""


class CompilingXp(Xp, Protocol):
    """The functions that kernels for compiling engines may use besides."""

    lax: Any
    """`jax.lax`."""

    def run_convolution(
        self, kind: str, shape: ShapeLike, own: Callable[[Array, Array], Array], a: Array, b: Array
    ) -> Array:
        """Returns `own(a, b)`, the engine's convolution or its gradient, or what a library computes faster.

        `kind` and `shape` say what it is, as `util.onednn.convolution.at_addresses` takes it.
        """

    def multiply_transposed(self, own: Callable[[Array, Array], Array], a: Array, b: Array) -> Array:
        """Returns `own(a, b)`, the engine's product of the transposed matrix `a` and the matrix `b`, or a library's.

        Both are of float32.
        """
