"""The operations of a `Saver`: those that write a checkpoint, and those that give variables its values.

Names and form are TensorFlow's ("save/Const:0", "save/restore_all"), since programs that load a graph feed and run them
by name. In eager mode the same functions write and read at once.

Tests: tests/compat_v1/train/test_saver.py, tests/oracle/programs/v1_saver.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import context
from millrace._src.core.context import state
from millrace._src.core.devices import merge_devices
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.graph.scopes import control_dependencies, device
from millrace._src.ops import raw
from millrace._src.ops.array.constant import constant
from millrace._src.ops.grouping import group
from millrace._src.proto import saver_pb2
from millrace._src.trackable.saveable_object import SaveableObject

_CPU = "/device:CPU:0"
_S3 = "^s3://.*"  # where a file cannot be renamed, the parts lie beside the file rather than in a folder


def add_saver(
    saveables: Sequence[SaveableObject],
    name: str | None,
    *,
    filename: str | None = None,
    is_sharded: bool = False,
    reshape: bool = False,
    version: int = saver_pb2.SaverDef.V2,
) -> saver_pb2.SaverDef:
    """Adds the operations of a saver to the current graph, and returns their names.

    Args:
      saveables: What is saved.
      name: The name scope; default "save".
      filename: The name of the checkpoint where none is fed; default "model".
      is_sharded: Whether each device writes files of its own.
      reshape: Whether a value is restored into a variable of another shape.
      version: The form of the checkpoint.
    """
    with context.name_scope(name, "save"):
        given = constant(filename or "model", name="filename/input")
        default = raw.PlaceholderWithDefault(input=given, shape=(), name="filename")
        prefix = raw.PlaceholderWithDefault(input=default, shape=(), name="Const")
        groups = by_device(saveables) if is_sharded else [("", list(saveables))]
        save = (_save_shards if is_sharded else _save)(prefix, groups, version)
        restore = _restore_all(prefix, groups, is_sharded, reshape)
    return saver_pb2.SaverDef(
        filename_tensor_name=prefix.name,
        save_tensor_name=save.name,
        restore_op_name=restore.name,
        version=saver_pb2.SaverDef.CheckpointFormatVersion.Name(version),
    )


def save_now(path: str, saveables: Sequence[SaveableObject], version: int) -> None:
    """Writes a checkpoint in eager mode."""
    _write(constant(path), saveables, version)


def restore_now(path: str, saveables: Sequence[SaveableObject], reshape: bool) -> None:
    """Gives variables the values of a checkpoint in eager mode."""
    _restore(constant(path), saveables, reshape)


def by_device(saveables: Sequence[SaveableObject]) -> list[tuple[str, list[SaveableObject]]]:
    """Groups what is saved by device, in the order of the devices' names."""
    groups: dict[str, list[SaveableObject]] = {}
    for saveable in saveables:
        groups.setdefault(str(saveable.device or ""), []).append(saveable)
    return sorted(groups.items())


# --- writing --------------------------------------------------------------------------------------------------------


def _write(prefix: object, saveables: Sequence[SaveableObject], version: int) -> Any:
    """Writes one file; returns the operation."""
    specs = [spec for saveable in saveables for spec in saveable.specs]
    names, slices = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
    tensors = [spec.tensor for spec in specs]
    if version == saver_pb2.SaverDef.V1:
        return execute(get_op("SaveSlices"), (prefix, _texts(names), _texts(slices), tensors), {}, "save")
    return execute(get_op("SaveV2"), (prefix, _texts(names), _texts(slices), tensors), {}, "SaveV2")


def _texts(items: Sequence[str]) -> Any:
    return np.array(items, dtype=object)


def _save(prefix: object, groups: Sequence[tuple[str, Sequence[SaveableObject]]], version: int) -> Any:
    """Writes everything to one file."""
    ((_, saveables),) = groups
    return _after(_write(prefix, saveables, version), prefix)


def _after(operation: object, value: Any) -> Any:
    """Returns a value once an operation has run."""
    with state.graph.colocate_with(value.op), control_dependencies([operation]):
        return raw.Identity(input=value, name="control_dependency")


def _save_shards(prefix: Any, groups: Sequence[tuple[str, Sequence[SaveableObject]]], version: int) -> Any:
    """Writes the files of each device; of the second form, also what joins the files."""
    is_first_form = version == saver_pb2.SaverDef.V1
    base = prefix if is_first_form else _temporary(prefix)
    count = constant(len(groups), name="num_shards")
    names = []
    for number, (device_name, saveables) in enumerate(groups):
        with device((device_name or None) if is_first_form else _cpu_of(device_name)):
            name = _sharded_name(base, number, count)
            names.append((name, _after(_write(name, saveables, version), name)))
    written = [done.op for _, done in names]
    if is_first_form:
        with control_dependencies(written):
            return execute(get_op("ShardedFilespec"), (prefix, count), {}, "ShardedFilespec")
    with device(_cpu_of(groups[-1][0])):
        with control_dependencies(written):
            prefixes = raw.Pack(values=[name for name, _ in names], name="MergeV2Checkpoints/checkpoint_prefixes")
        merged = execute(
            get_op("MergeV2Checkpoints"), (prefixes, prefix), {"delete_old_dirs": True}, "MergeV2Checkpoints"
        )
        with control_dependencies([*written, merged]):
            return raw.Identity(input=prefix)


def _temporary(prefix: object) -> Any:
    """Returns the beginning of the names of the files that are joined later."""
    with device("/device:CPU:*"):
        is_s3 = raw.StaticRegexFullMatch(input=prefix, pattern=_S3)
        ending = raw.Select(condition=is_s3, t=constant(".part"), e=constant("_temp/part"))
        return raw.StringJoin(inputs=[prefix, ending])


def _sharded_name(base: object, number: int, count: object) -> Any:
    return execute(get_op("ShardedFilename"), (base, number, count), {}, "ShardedFilename")


def _cpu_of(device_name: str) -> str:
    """Returns the CPU of the machine that a device belongs to."""
    return merge_devices(device_name, _CPU) if device_name else _CPU


# --- reading --------------------------------------------------------------------------------------------------------


def _restore_all(
    prefix: Any, groups: Sequence[tuple[str, Sequence[SaveableObject]]], is_sharded: bool, reshape: bool
) -> Any:
    """Adds what restores everything; returns the operation that runs it all."""
    if not is_sharded:
        return group(*_restore(prefix, groups[0][1], reshape), name="restore_all")
    shards = []
    for device_name, saveables in groups:
        with device(device_name or None):
            shards.append(group(*_restore(prefix, saveables, reshape), name="restore_shard"))
    return group(*shards, name="restore_all")


def _restore(prefix: object, saveables: Sequence[SaveableObject], reshape: bool) -> list[Any]:
    """Restores objects; returns the operations."""
    specs = [spec for saveable in saveables for spec in saveable.specs]
    with device(_CPU):
        inputs = prefix, _texts([spec.name for spec in specs]), _texts([spec.slice_spec for spec in specs])
        dtypes = [spec.dtype for spec in specs]
        tensors = iter(execute(get_op("RestoreV2"), inputs, {"dtypes": dtypes}, "RestoreV2"))
    operations = []
    for saveable in saveables:
        values = [next(tensors) for _ in saveable.specs]
        shapes = [_shape_of(saveable)] if reshape else None
        operations.append(saveable.restore(values, shapes))
    return operations


def _shape_of(saveable: SaveableObject) -> Any:
    """Returns the shape that a restored value is to have."""
    shape = saveable.op.shape
    return shape.as_list() if shape.is_fully_defined() else raw.VariableShape(input=saveable.op.handle)
