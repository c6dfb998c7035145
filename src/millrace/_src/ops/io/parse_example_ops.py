"""The ops `ParseExample`, `ParseExampleV2` and `ParseSingleExample`: Examples in, the parts of tensors out.

All three read the same bytes. They differ in whether keys are inputs or attributes, in whether there are ragged
features, and in whether the Examples are a batch. A batch is read by `example_scanner` if the batch is large enough to
pay for the scanner's first steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType, float32, int64, string
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.io.example_batches import as_batch, single_as_batch
from millrace._src.ops.io.example_fields import Column, Field, FieldLayout
from millrace._src.ops.io.example_reader import read_examples
from millrace._src.ops.io.example_scanner import scan_examples
from millrace._src.ops.io.example_tensors import dense_fields, dense_tensor, fits, ragged_parts, sparse_parts
from millrace._src.ops.strings.text_bytes import attr_bytes
from millrace._src.ops.type_sets import INDEX, TypeList, TypeSet
from millrace._src.util.text import shape_brackets

VALUES = TypeList(TypeSet((float32, int64, string)))
SPLITS = TypeList(INDEX)
NO_GRADIENT = "the bytes of a message have no gradient"
_SCANNED = 12
"""How many Examples a batch has at least to be scanned; fewer are read sooner one by one (measured)."""

Parts = tuple[list[Array], list[Array], list[Array], list[Array]]
"""The indices, values and shapes of sparse features, and the dense features."""


# --- shapes ----------------------------------------------------------------------------------------------------------


def batch_dims(c: ShapeContext, name: str, least: int, most: int) -> tuple[int | None, ...] | None:
    """Returns the dimensions of the serialized Examples, None for an unknown rank, and refuses other ranks."""
    shape = c.shape(name)
    if shape.rank is not None and not least <= shape.rank <= most:
        bound = f"rank {most}" if least == most else f"at most rank {most}"
        raise ValueError(f"Shape must be {bound} but is rank {shape.rank}")
    return shape.dim_sizes


def sparse_shapes(count: int, rank: int | None) -> list[TensorShape]:
    """Returns the shapes of the parts of sparse tensors of a rank."""
    parts = ([None, rank], [None], [rank])
    return [TensorShape(part) for part in parts for _ in range(count)]


def dense_shapes(batch: tuple[int | None, ...] | None, shapes: Sequence[TensorShape]) -> list[TensorShape]:
    """Returns the shapes of dense tensors."""
    return [TensorShape(batch).concatenate(shape) for shape in shapes]


def ragged_shapes(batch: tuple[int | None, ...] | None, count: int) -> list[TensorShape]:
    """Returns the shapes of the values and row splits of ragged tensors."""
    splits = batch[0] + 1 if batch and batch[0] is not None else None
    return [TensorShape([None])] * count + [TensorShape([splits])] * count


def _v2_shapes(c: ShapeContext) -> list[TensorShape]:
    batch = batch_dims(c, "serialized", 0, 1)
    batch_dims(c, "names", 0, 1)
    for name in ("sparse_keys", "dense_keys", "ragged_keys"):
        batch_dims(c, name, 1, 1)
    rank = None if batch is None else len(batch) + 1
    return [
        *sparse_shapes(c.attr("num_sparse"), rank),
        *dense_shapes(batch, c.attr("dense_shapes")),
        *ragged_shapes(batch, len(c.attr("ragged_value_types"))),
    ]


def _v1_shapes(c: ShapeContext) -> list[TensorShape]:
    batch = batch_dims(c, "serialized", 1, 1) or (None,)
    return [*sparse_shapes(len(c.attr("sparse_types")), 2), *dense_shapes(batch, c.attr("dense_shapes"))]


def _single_shapes(c: ShapeContext) -> list[TensorShape]:
    batch_dims(c, "serialized", 0, 0)
    return [*sparse_shapes(c.attr("num_sparse"), 1), *dense_shapes((), c.attr("dense_shapes"))]


# --- reading ---------------------------------------------------------------------------------------------------------


def check_rank(serialized: Array, ranks: Sequence[int]) -> None:
    """Refuses serialized Examples of another rank."""
    if serialized.ndim not in ranks:
        words = " or ".join(("a scalar", "vector" if 0 in ranks else "a vector")[rank] for rank in ranks)
        raise invalid(f"Expected serialized to be {words}, got shape: {shape_brackets(serialized.shape)}")


def check_lengths(complaint: str, *sizes: int) -> None:
    """Refuses lists of different lengths."""
    if len(set(sizes)) > 1:
        raise invalid(complaint)


def _names_of(names: Array, serialized: Array) -> list[bytes] | None:
    if not names.size:
        return None
    if names.shape != serialized.shape:
        shapes = shape_brackets(names.shape), shape_brackets(serialized.shape)
        raise invalid(
            f"Expected names have the same shape as serialized: name.shape={shapes[0]}, serialized.shape={shapes[1]}"
        )
    return list(names.reshape(-1))


def read_columns(serialized: Array, fields: Sequence[Field], names: Sequence[bytes] | None) -> list[Column]:
    """Reads the fields of a batch of Examples, or of one Example that is a scalar."""
    is_single = serialized.ndim == 0
    examples: list[bytes] = serialized.reshape(-1).tolist()
    if len(examples) >= _SCANNED:
        columns = scan_examples(examples, fields)
        if columns is not None and all(map(fits, columns, fields)):
            return columns
    return read_examples(examples, fields, names, is_single)


def _tensors(columns: Sequence[Column], dense: Sequence[Field], defaults: Sequence[Array], is_single: bool) -> Parts:
    """Makes the tensors of the dense and then the sparse columns."""
    values = [dense_tensor(*parts, is_single) for parts in zip(columns, dense, defaults, strict=False)]
    sparse = [sparse_parts(column, is_single) for column in columns[len(dense) :]]
    indices, sparse_values, shapes = ([parts[part] for parts in sparse] for part in range(3))
    return indices, sparse_values, shapes, values


def _sparse_fields(keys: Sequence[bytes], dtypes: Sequence[DType]) -> list[Field]:
    return [Field(key, dtype, FieldLayout.SPARSE) for key, dtype in zip(keys, dtypes, strict=True)]


# --- the ops ---------------------------------------------------------------------------------------------------------


@op(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
    "dense_defaults: Tdense -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
    "sparse_shapes: num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, "
    "ragged_row_splits: ragged_split_types",
    Tdense=VALUES,
    sparse_types=VALUES,
    ragged_value_types=VALUES,
    ragged_split_types=SPLITS,
    shape=_v2_shapes,
    batching=as_batch,
    exact_on_rows=True,
    host_only=True,
    not_differentiable=NO_GRADIENT,
)
def parse_example_v2(
    xp: Xp,
    serialized: Array,
    names: Array,
    sparse_keys: Array,
    dense_keys: Array,
    ragged_keys: Array,
    dense_defaults: list[Array],
    *,
    Tdense: list[DType],
    num_sparse: int,
    sparse_types: list[DType],
    ragged_value_types: list[DType],
    ragged_split_types: list[DType],
    dense_shapes: list[TensorShape],
) -> tuple[list[Array], ...]:
    """Reads a vector of serialized Examples, or a single one; features in the order of keys."""
    check_lengths("len(sparse_keys) != len(sparse_types)", num_sparse, len(sparse_types))
    check_lengths("len(dense_keys) != len(dense_shapes)", len(Tdense), len(dense_shapes))
    check_lengths("len(ragged_keys) != len(ragged_split_types)", len(ragged_value_types), len(ragged_split_types))
    check_rank(serialized, (0, 1))
    all_names = _names_of(names, serialized)
    _check_key_count("sparse", sparse_keys, "num_sparse", num_sparse)
    _check_key_count("dense", dense_keys, "len(dense_types)", len(Tdense))
    _check_key_count("ragged", ragged_keys, "len(ragged_value_types)", len(ragged_value_types))
    dense = dense_fields(dense_keys.reshape(-1), Tdense, dense_shapes, dense_defaults)
    sparse = _sparse_fields(sparse_keys.reshape(-1), sparse_types)
    keyed_types = zip(ragged_keys.reshape(-1), ragged_value_types, strict=True)
    ragged = [Field(key, dtype, FieldLayout.RAGGED) for key, dtype in keyed_types]
    columns = read_columns(serialized, [*dense, *sparse, *ragged], all_names)
    is_single = serialized.ndim == 0
    first_ragged = len(columns) - len(ragged)
    pairs = [
        ragged_parts(column, dtype, is_single)
        for column, dtype in zip(columns[first_ragged:], ragged_split_types, strict=True)
    ]
    parts = _tensors(columns[:first_ragged], dense, dense_defaults, is_single)
    return *parts, [values for values, _ in pairs], [splits for _, splits in pairs]


def _check_key_count(kind: str, keys: Array, declared: str, count: int) -> None:
    if keys.size != count:
        raise invalid(f"Expected len({kind}_keys) == {declared} but got: {keys.size} vs. {count}")


@op(
    "ParseExample",
    "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, "
    "dense_defaults: Tdense -> sparse_indices: Nsparse * int64, sparse_values: sparse_types, "
    "sparse_shapes: Nsparse * int64, dense_values: Tdense",
    Tdense=VALUES,
    sparse_types=VALUES,
    shape=_v1_shapes,
    batching=as_batch,
    exact_on_rows=True,
    host_only=True,
    not_differentiable=NO_GRADIENT,
)
def parse_example_v1(
    xp: Xp,
    serialized: Array,
    names: Array,
    sparse_keys: list[Array],
    dense_keys: list[Array],
    dense_defaults: list[Array],
    *,
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[TensorShape],
) -> Parts:
    """Reads a vector of serialized Examples; sparse and dense features in the order of keys."""
    check_lengths("len(sparse_keys) != len(sparse_types)", len(sparse_keys), len(sparse_types))
    check_lengths("len(dense_keys) != len(dense_types)", len(dense_keys), len(Tdense))
    check_lengths("len(dense_keys) != len(dense_shapes)", len(dense_keys), len(dense_shapes))
    check_rank(serialized, (1,))
    all_names = _names_of(names, serialized)
    dense = dense_fields([key.item() for key in dense_keys], Tdense, dense_shapes, dense_defaults)
    sparse = _sparse_fields([key.item() for key in sparse_keys], sparse_types)
    columns = read_columns(serialized, [*dense, *sparse], all_names)
    return _tensors(columns, dense, dense_defaults, is_single=False)


@op(
    "ParseSingleExample",
    "serialized: string, dense_defaults: Tdense -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
    "sparse_shapes: num_sparse * int64, dense_values: Tdense",
    sparse_types=VALUES,
    Tdense=VALUES,
    shape=_single_shapes,
    batching=single_as_batch,
    exact_on_rows=True,
    host_only=True,
    not_differentiable=NO_GRADIENT,
)
def parse_single_example_v1(
    xp: Xp,
    serialized: Array,
    dense_defaults: list[Array],
    *,
    num_sparse: int,
    sparse_keys: list[str],
    dense_keys: list[str],
    sparse_types: list[DType],
    Tdense: list[DType],
    dense_shapes: list[TensorShape],
) -> Parts:
    """Reads one serialized Example; sparse and dense features in the order of keys."""
    if not num_sparse == len(sparse_keys) == len(sparse_types):
        sizes = f"sparse_keys ({len(sparse_keys)}) and sparse_types ({len(sparse_types)})"
        raise invalid(f"num_sparse ({num_sparse}) must match the size of {sizes}")
    check_lengths("len(dense_keys) != len(dense_types)", len(dense_keys), len(Tdense))
    check_lengths("len(dense_keys) != len(dense_shapes)", len(dense_keys), len(dense_shapes))
    check_rank(serialized, (0,))
    dense = dense_fields([*map(attr_bytes, dense_keys)], Tdense, dense_shapes, dense_defaults)
    sparse = _sparse_fields([*map(attr_bytes, sparse_keys)], sparse_types)
    columns = read_columns(serialized, [*dense, *sparse], None)
    return _tensors(columns, dense, dense_defaults, is_single=True)
