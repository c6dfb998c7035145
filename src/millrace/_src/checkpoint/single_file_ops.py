"""The ops that write and read checkpoints of TensorFlow's first form, which v1 programs use."""

from __future__ import annotations

from typing import Any

from millrace._src.checkpoint.bundle.single_file_reader import SingleFileReader
from millrace._src.checkpoint.bundle.single_file_writer import SingleFileWriter
from millrace._src.checkpoint.save_ops import (
    RESTORING,
    SAVING,
    TENSORS,
    check_single_file_dtype,
    check_slice_fits,
    invalid,
    parse_slice,
    restored_shape,
    with_length,
)
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.array.shape_checks import UNKNOWN, require_scalar
from millrace._src.ops.io.file_names import file_name
from millrace._src.ops.type_sets import ANY
from millrace._src.util.text import shape_brackets

# --- saving ----------------------------------------------------------------------------------------------------------


def _save_shapes(c: ShapeContext) -> list[TensorShape]:
    require_scalar(c.shape("filename"))
    with_length(c.shape("tensor_names"), len(c.tensors("data")))
    return []


def _save_slices_shapes(c: ShapeContext) -> list[TensorShape]:
    with_length(c.shape("shapes_and_slices"), len(c.tensors("data")))
    return _save_shapes(c)


@op(
    "Save",
    "filename: string, tensor_names: string, data: T ->",
    T=TENSORS,
    shape=_save_shapes,
    **SAVING,
)
def save(xp: Xp, filename: Array, tensor_names: Array, data: list[Array], *, T: list[DType]) -> tuple[()]:
    """Saves tensors to one file."""
    _save(filename, tensor_names, [b""] * len(data), data, T, 2)
    return ()


@op(
    "SaveSlices",
    "filename: string, tensor_names: string, shapes_and_slices: string, data: T ->",
    T=TENSORS,
    shape=_save_slices_shapes,
    **SAVING,
)
def save_slices(
    xp: Xp, filename: Array, tensor_names: Array, shapes_and_slices: Array, data: list[Array], *, T: list[DType]
) -> tuple[()]:
    """Saves tensors, or slices of partitioned tensors, to one file."""
    if shapes_and_slices.size != len(data):
        sizes = f"Expected {len(data)} elements for the tensor shapes and slices but got {shapes_and_slices.size}"
        raise invalid(sizes)
    _save(filename, tensor_names, shapes_and_slices.reshape(-1).tolist(), data, T, 3)
    return ()


def _save(
    filename: Array, tensor_names: Array, slices: list[bytes], data: list[Array], dtypes: list[DType], fixed_count: int
) -> None:
    """Saves tensors; `fixed_count` inputs of the op come before them."""
    if filename.size != 1:
        raise invalid(f"Input 0 (filename) must be a string scalar; got a tensor of {filename.size}elements")
    if tensor_names.size != len(data):
        names = f"input #1 (which is a string tensor of saved names) contains {tensor_names.size} names"
        total, received = fixed_count + tensor_names.size, fixed_count + len(data)
        raise invalid(f"Expected totally {total} inputs as {names}, but received {received} inputs")
    writer = SingleFileWriter(file_name(filename.item()))
    for name, text, array, dtype in zip(tensor_names.reshape(-1).tolist(), slices, data, dtypes, strict=True):
        if not text:
            writer.add(name, array, dtype)
            continue
        shape, part = parse_slice(text)
        check_slice_fits(text, part.shape_in(shape), array)
        writer.add_slice(name, shape, part, array, dtype)
    writer.finish()


# --- restoring -------------------------------------------------------------------------------------------------------


def _restore_shape(c: ShapeContext) -> TensorShape:
    for tensor in c.inputs:
        require_scalar(tensor.shape)
    return UNKNOWN


def _restore_slice_shape(c: ShapeContext) -> TensorShape:
    _restore_shape(c)
    text = c.value("shape_and_slice")
    return UNKNOWN if text is None else restored_shape(text.item())


@op(
    "Restore",
    "file_pattern: string, tensor_name: string -> tensor: dt",
    dt=ANY,
    shape=_restore_shape,
    file_inputs=("file_pattern",),
    **RESTORING,
)
def restore(xp: Xp, file_pattern: Array, tensor_name: Array, *, dt: DType, preferred_shard: int = -1) -> Array:
    """Restores a tensor from the files that match a pattern; all of them are looked into, whichever is preferred."""
    return _restore(file_pattern, tensor_name, b"", dt)


@op(
    "RestoreSlice",
    "file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt",
    dt=ANY,
    shape=_restore_slice_shape,
    file_inputs=("file_pattern",),
    **RESTORING,
)
def restore_slice(
    xp: Xp, file_pattern: Array, tensor_name: Array, shape_and_slice: Array, *, dt: DType, preferred_shard: int = -1
) -> Array:
    """Restores a slice of a tensor from the files that match a pattern."""
    return _restore(file_pattern, tensor_name, shape_and_slice.reshape(-1).tolist()[0], dt)


def _restore(file_pattern: Array, tensor_name: Array, text: bytes, dtype: DType) -> Any:
    if file_pattern.size != 1:
        raise invalid(f"Input 0 (file_pattern) must be a string scalar; got a tensor of {file_pattern.size} elements")
    if not tensor_name.size:
        raise invalid("Input 1 (file_pattern) must be a have at least one element")
    name = tensor_name.reshape(-1).tolist()[0]
    with SingleFileReader(file_name(file_pattern.item())) as reader:
        entry = check_single_file_dtype(reader, name, dtype)
        if not text:
            return reader.read_stored(entry)
        shape, part = parse_slice(text)
        if shape != entry.shape:
            words = "Shape in shape_and_slice spec does not match the shape in the save file"
            raise invalid(f"{words}: {shape_brackets(shape)}, save file shape: {shape_brackets(entry.shape)}")
        return reader.read_stored(entry, part)
