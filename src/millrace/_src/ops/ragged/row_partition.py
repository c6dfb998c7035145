"""`RowPartition`: how a sequence of values is cut into consecutive rows.

Problem: the same partition has several encodings (splits, lengths, row numbers, one length for all rows). Which
one a program has, and which one an op needs, differ; computing one from another costs a pass over the rows.

Idea: a partition always holds its row splits, and beside them every other form that is known already. A method returns
the form that is there, or computes the form. What is known while tracing (the number of rows, of values, a common
length) is known as `static_nrows`, `static_nvals` and `static_uniform_row_length`. The factories are in
`partition_factories`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.composite import CompositeTensor
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, as_dtype, int32, int64
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.ops import raw
from millrace._src.ops.math.casting import cast
from millrace._src.ops.ragged.partition_checks import check, depend_on_checks
from millrace._src.ops.ragged.partition_factories import PartitionFactories
from millrace._src.ops.ragged.partition_math import offsets_of_splits, rowids_of_splits, size_of
from millrace._src.ops.ragged.row_partition_spec import RowPartitionSpec
from millrace._src.util.class_homes import tensorflow_home
from millrace._src.util.export import export

_ENCODINGS = ("row_splits", "row_lengths", "value_rowids", "nrows", "nvals", "uniform_row_length")


@export("experimental.RowPartition")
@tensorflow_home("python.ops.ragged.row_partition")
class RowPartition(PartitionFactories, CompositeTensor):
    """The partition of a sequence of values into consecutive rows.

    >>> p = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> p
    tf.RowPartition(row_splits=[0 2 2 3])
    >>> p.value_rowids().numpy()
    array([0, 0, 2])

    A partition is made by one of the factories: `from_row_splits`, `from_row_lengths`, `from_row_starts`,
    `from_row_limits`, `from_value_rowids` and `from_uniform_row_length`.
    """

    __slots__ = (
        "_row_splits",
        "_row_lengths",
        "_value_rowids",
        "_nrows",
        "_nvals",
        "_uniform_row_length",
        "__weakref__",
    )

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: bool = False,
    ) -> None:
        if internal is not True:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods instead (e.g., "
                "RowPartition.from_row_lengths())"
            )
        self._row_splits = row_splits
        self._row_lengths = row_lengths
        self._value_rowids = value_rowids
        self._nrows = nrows
        self._nvals = nvals
        self._uniform_row_length = uniform_row_length

    @classmethod
    def _of(cls, row_splits: Any, **encodings: Any) -> Self:
        """Makes a partition from its splits and what else is known of it."""
        return cls(row_splits, internal=True, **encodings)

    def _encodings(self) -> dict[str, Any]:
        """Returns the forms that are known already, by name; None for the others."""
        return {name: getattr(self, f"_{name}") for name in _ENCODINGS}

    # --- what is known while tracing -------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the row splits: int32 or int64."""
        dtype: DType = self._row_splits.dtype
        return dtype

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, None if unknown while tracing."""
        for form, extra in ((self._row_splits, 1), (self._row_lengths, 0)):
            if form is not None:
                dims = form.shape.dim_sizes
                if dims and dims[0] is not None:
                    rows: int = dims[0] - extra
                    return rows
        return _static_int(self._nrows)

    @property
    def static_nvals(self) -> int | None:
        """The number of values, None if unknown while tracing."""
        nvals = _static_int(self._nvals)
        if nvals is not None:
            return nvals
        if self._value_rowids is not None:
            dims = self._value_rowids.shape.dim_sizes
            return dims[0] if dims else None
        return None

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length that all rows have, None if the rows differ or the length is unknown while tracing."""
        return _static_int(self._uniform_row_length)

    def is_uniform(self) -> bool:
        """Returns whether the partition was made, or is known, to have rows of one length.

        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nvals=4).is_uniform()
        True
        """
        return self._uniform_row_length is not None

    # --- the forms of the partition ----------------------------------------------------------------------------------

    def row_splits(self) -> Any:
        """Returns where the rows begin and end: row `i` is `values[splits[i]:splits[i + 1]]`.

        Returns: An integer vector of size `nrows + 1`.
        """
        return self._row_splits

    def row_starts(self) -> Any:
        """Returns the position of the first value of each row, as an integer vector."""
        return self._row_splits[:-1]

    def row_limits(self) -> Any:
        """Returns the position after the last value of each row, as an integer vector."""
        return self._row_splits[1:]

    def row_lengths(self) -> Any:
        """Returns the number of values in each row, as an integer vector."""
        if self._row_lengths is not None:
            return self._row_lengths
        splits = self._row_splits
        return splits[1:] - splits[:-1]

    def value_rowids(self) -> Any:
        """Returns the row number of each value, as an integer vector of size `nvals`."""
        if self._value_rowids is not None:
            return self._value_rowids
        return rowids_of_splits(self._row_splits)

    def offsets_in_rows(self) -> Any:
        """Returns the position of each value in its row, as an integer vector of size `nvals`.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1]).offsets_in_rows().numpy()
        array([0, 1, 0])
        """
        return offsets_of_splits(self._row_splits)

    def nrows(self) -> Any:
        """Returns the number of rows, as a scalar of the partition's dtype."""
        if self._nrows is not None:
            return self._nrows
        static_nrows = self.static_nrows
        if static_nrows is not None:
            return convert_to_tensor(static_nrows, dtype=self.dtype)
        return size_of(self._row_splits, self.dtype) - 1

    def nvals(self) -> Any:
        """Returns the number of values, as a scalar of the partition's dtype."""
        return self._nvals if self._nvals is not None else self._row_splits[-1]

    def uniform_row_length(self) -> Any:
        """Returns the length that all rows have, as a scalar; None if the rows are not known to be uniform."""
        return self._uniform_row_length

    # --- variations --------------------------------------------------------------------------------------------------

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """Returns the partition with all forms cast to int32 or int64.

        Raises: ValueError: if `dtype` is neither int32 nor int64.
        """
        dtype = as_dtype(dtype)
        if dtype not in (int32, int64):
            raise ValueError("dtype must be int32 or int64")
        if dtype is self.dtype:
            return self
        return self._with_each_form(lambda form: cast(form, dtype))

    def _with_dependencies(self, dependencies: Any) -> RowPartition:
        """Returns the partition, whose forms in a graph become available only after `dependencies` have run."""
        return self._with_each_form(lambda form: depend_on_checks(form, dependencies)) if dependencies else self

    def _with_each_form(self, function: Callable[[Any], Any]) -> RowPartition:
        """Returns the partition with a function applied to each form at hand."""
        return RowPartition._of(
            **{n: None if form is None else function(form) for n, form in self._encodings().items()}
        )

    def _precompute(self, name: str) -> RowPartition:
        """Returns the partition with one more form at hand."""
        if getattr(self, f"_{name}") is not None:
            return self
        return RowPartition._of(**{**self._encodings(), name: getattr(self, name)()})

    def _has_precomputed_row_splits(self) -> bool:
        return self._row_splits is not None

    def _has_precomputed_row_lengths(self) -> bool:
        return self._row_lengths is not None

    def _has_precomputed_value_rowids(self) -> bool:
        return self._value_rowids is not None

    def _has_precomputed_nrows(self) -> bool:
        return self._nrows is not None

    def _has_precomputed_nvals(self) -> bool:
        return self._nvals is not None

    def _with_precomputed_row_splits(self) -> RowPartition:
        return self._precompute("row_splits")

    def _with_precomputed_row_lengths(self) -> RowPartition:
        return self._precompute("row_lengths")

    def _with_precomputed_value_rowids(self) -> RowPartition:
        return self._precompute("value_rowids")

    def _with_precomputed_nrows(self) -> RowPartition:
        return self._precompute("nrows")

    def _with_precomputed_nvals(self) -> RowPartition:
        return self._precompute("nvals")

    def _merge_precomputed_encodings(self, other: RowPartition, validate: bool = True) -> RowPartition:
        """Returns the partition with the forms that are at hand here or in `other`, an equal partition.

        Raises:
          ValueError: if the static sizes differ.
          InvalidArgumentError: if `validate` and the splits are known to differ; in a graph, when it runs.
        """
        if self is other or _are_same(self._encodings(), other._encodings()):
            return self
        words = "RowPartition._merge_precomputed_encodings: partitions have incompatible"
        if not self._row_splits.shape.is_compatible_with(other._row_splits.shape):
            raise ValueError(f"{words} row_splits")
        for name in ("nvals", "uniform_row_length"):
            sizes = getattr(self, f"static_{name}"), getattr(other, f"static_{name}")
            if None not in sizes and sizes[0] != sizes[1]:
                raise ValueError(f"{words} {name}")
        checks = []
        if validate and self._row_splits is not other._row_splits:
            checks = check("==", self._row_splits, other._row_splits, f"{words} row_splits")
        others = other._encodings()
        merged = {n: form if form is not None else others[n] for n, form in self._encodings().items()}
        merged["row_splits"] = depend_on_checks(self._row_splits, checks)
        return RowPartition._of(**merged)

    def _merge_with_spec(self, spec: RowPartitionSpec) -> RowPartition:
        """Returns the partition with the static facts that a spec adds.

        Raises: ValueError: if the partition is not of that spec.
        """
        own_spec = self._type_spec
        if not own_spec.is_compatible_with(spec):
            raise ValueError("RowPartition and RowPartitionSpec are not compatible")
        facts = own_spec._merge_with(spec)
        encodings = self._encodings()
        for name in ("nrows", "nvals", "uniform_row_length"):
            if _static_int(encodings[name]) is None and getattr(facts, name) is not None:
                encodings[name] = convert_to_tensor(getattr(facts, name), dtype=self.dtype)
        if facts.nrows is not None:
            encodings["row_splits"] = with_static_size(self._row_splits, facts.nrows + 1)
        return RowPartition._of(**encodings)

    # --- the partition as a value ------------------------------------------------------------------------------------

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype)

    def __repr__(self) -> str:
        if self._uniform_row_length is not None:
            return f"tf.RowPartition(nrows={_text(self.nrows())}, uniform_row_length={_text(self._uniform_row_length)})"
        return f"tf.RowPartition(row_splits={_text(self._row_splits)})"


RowPartitionSpec.partition_class = RowPartition


def _static_int(scalar: object) -> int | None:
    value = None if scalar is None else static_value(scalar)
    return None if value is None else int(value)


def _are_same(encodings: dict[str, Any], others: dict[str, Any]) -> bool:
    return all(form is others[name] for name, form in encodings.items())


def _text(tensor: Tensor) -> str:
    return str(tensor._eager_array) if isinstance(tensor, EagerTensor) else str(tensor)


def with_static_size(vector: Any, size: int) -> Any:
    """Returns a vector whose static size is known to be `size`.

    Raises: ValueError: if the vector is known to have another size.
    """
    if vector.shape.rank == 1 and vector.shape[0] == size:
        return vector
    if state.graph is not None and not isinstance(vector, EagerTensor):
        vector = raw.Identity(input=vector)
    vector.set_shape([size])
    return vector
