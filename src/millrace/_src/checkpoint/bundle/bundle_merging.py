"""Merging checkpoints: the parts that several writers made become one, without a copy of their data files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from millrace._src.checkpoint.bundle.index_file import HEADER_KEY, entry_proto, key_text, read_header
from millrace._src.checkpoint.bundle.publishing import (
    MovedFile,
    NewFile,
    data_name,
    finish_overwriting,
    index_name,
    make_directory_of,
    publish,
    remove_if_there,
)
from millrace._src.checkpoint.bundle.ranged_file import RangedFile
from millrace._src.checkpoint.bundle.table_reader import TableFileReader
from millrace._src.checkpoint.bundle.writer import write_index
from millrace._src.core import errors
from millrace._src.ops.io.file_system import FileSystem
from millrace._src.ops.io.file_systems import file_system_of
from millrace._src.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto


class _Merger:
    """The entries and data files of the checkpoints so far."""

    def __init__(self) -> None:
        self.header: BundleHeaderProto | None = None
        self.entries: dict[bytes, BundleEntryProto] = {}
        self.data_files: list[str] = []

    def add(self, prefix: str) -> None:
        """Adds a checkpoint.

        Raises:
          tf.errors.NotFoundError: if there is no such checkpoint.
          tf.errors.InvalidArgumentError: if a tensor, or a slice, was there before, or the parts do not fit together.
        """
        finish_overwriting(prefix)
        name = index_name(prefix)
        table = TableFileReader(RangedFile(name))
        try:
            header = read_header(table, name)
            self._add_header(header, prefix)
            first_shard = len(self.data_files)
            self.data_files += [data_name(prefix, shard, header.num_shards) for shard in range(header.num_shards)]
            for key, value in table.items():
                if key != HEADER_KEY:
                    self._add_entry(key, entry_proto(key, value), first_shard, prefix)
        finally:
            table.close()

    def _add_header(self, header: BundleHeaderProto, prefix: str) -> None:
        if self.header is None:
            self.header = header
        elif self.header.endianness != header.endianness:
            message = f"Merging checkpoints with different endianness: {prefix} differs from those before"
            raise errors.InvalidArgumentError(None, None, message)

    def _add_entry(self, key: bytes, entry: BundleEntryProto, first_shard: int, prefix: str) -> None:
        known = self.entries.get(key)
        if known is None:
            if not entry.slices:
                entry.shard_id += first_shard
            self.entries[key] = entry
            return
        if not (entry.slices and known.slices):
            message = f"Duplicate tensor keyed by {key_text(key)} encountered, when merging prefix: {prefix}"
            raise errors.InvalidArgumentError(None, None, message)
        if known.shape != entry.shape or known.dtype != entry.dtype:
            message = (
                f"Slices of {key_text(key)} are of tensors that differ in dtype or shape, when merging prefix: {prefix}"
            )
            raise errors.InvalidArgumentError(None, None, message)
        known.slices.extend(entry.slices)


def merge_bundles(
    prefixes: Sequence[str], destination: str, *, delete_old_dirs: bool = True, allow_missing_files: bool = False
) -> None:
    """Makes one checkpoint of several, whose data files are moved.

    Args:
      prefixes: the checkpoints, each with other tensors or other slices.
      destination: the prefix of the new checkpoint; its directory is made in one that exists.
      delete_old_dirs: whether the directories of the checkpoints are removed, if nothing else is in them.
      allow_missing_files: whether a checkpoint may be missing; one must be there.

    Raises:
      tf.errors.InvalidArgumentError: if a checkpoint is missing, or two have the same tensor.
      tf.errors.OpError: if files cannot be read or moved.
    """
    merger, merged_prefixes = _Merger(), []
    for prefix in prefixes:
        try:
            merger.add(prefix)
        except errors.NotFoundError:
            if not allow_missing_files:
                message = f"allow_missing_files was set to false and {prefix} did not exist."
                raise errors.InvalidArgumentError(None, None, message) from None
        else:
            merged_prefixes.append(prefix)
    if merger.header is None:
        message = "At least one prefix checkpoint file must exist, but none existed."
        raise errors.InvalidArgumentError(None, None, message)
    _publish_merged(merger, merger.header, destination)
    _remove_sources([prefix for prefix in merged_prefixes if prefix != destination], destination, delete_old_dirs)


def _publish_merged(merger: _Merger, header: BundleHeaderProto, destination: str) -> None:
    header.num_shards = len(merger.data_files)
    make_directory_of(destination)
    index = write_index(destination, header, merger.entries)
    files: dict[str, NewFile] = {
        data_name(destination, shard, header.num_shards): MovedFile(name)
        for shard, name in enumerate(merger.data_files)
    }
    try:
        publish(destination, files, index)
    except BaseException:
        index.discard()
        raise


def _remove_sources(prefixes: Sequence[str], destination: str, delete_old_dirs: bool) -> None:
    """Removes the indexes of checkpoints whose data files have been moved, and their directories if asked."""
    for prefix in prefixes:
        remove_if_there(index_name(prefix))
    if not delete_old_dirs:
        return
    kept_directory = _directory_of(destination)
    for file_system, directory in dict.fromkeys(map(_directory_of, prefixes)):
        if directory and (file_system, directory) != kept_directory:
            with suppress(OSError):  # another process may put its part there, or remove the directory
                if not file_system.list_directory(directory):
                    file_system.remove_directory(directory)


def _directory_of(prefix: str) -> tuple[FileSystem, str]:
    file_system, path = file_system_of(prefix)
    return file_system, file_system.directory_of(path)
