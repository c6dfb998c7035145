"""Folders of saved datasets and snapshots, as TensorFlow lays them out.

A folder holds *runs*, one for each time that a dataset was written; a run holds shards, a shard files of elements:
`<run>/00000000.shard/00000000.snapshot`. The metadata beside the runs name the run that counts, and say whether it has
been finished. The folder of a saved dataset also has the spec of its elements, `dataset_spec.pb`.

Tests: tests/data/transforms/test_save_load.py, tests/data/transforms/test_snapshot.py
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array
from millrace._src.core.dtypes import DType
from millrace._src.core.specs import NoneTensorSpec
from millrace._src.data.blocks import Block
from millrace._src.data.element_files import ElementWriter
from millrace._src.data.nodes import UNKNOWN
from millrace._src.graph.message_bytes import read_message
from millrace._src.graph.structured_values import decode_structure, encode_structure
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_systems import content_of
from millrace._src.ops.io.whole_writes import atomic_write
from millrace._src.proto import snapshot_pb2, struct_pb2
from millrace._src.util import nest

_SPEC = "dataset_spec.pb"
_METADATA = "snapshot.metadata"
_VERSION = 2


def write_spec(folder: str, spec: object) -> None:
    """Writes the nest of specs of the elements into a folder, which is made."""
    _write(folder, _SPEC, encode_structure(spec).SerializeToString(deterministic=True))


def read_spec(folder: str) -> Any:
    """Returns the nest of specs of the elements of a saved dataset.

    Raises: tf.errors.NotFoundError: if there is none.
    """
    path = os.path.join(folder, _SPEC)
    if not gfile.exists(path):
        raise errors.NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {path}.")
    spec = decode_structure(read_message(struct_pb2.StructuredValue, content_of(path), path))
    return nest.map_structure(lambda leaf: NoneTensorSpec() if leaf is None else leaf, spec)


def read_metadata(folder: str) -> snapshot_pb2.SnapshotMetadataRecord | None:
    """Returns the metadata of a folder; None if there are none.

    Raises: tf.errors.UnimplementedError: if the folder was written in an older form.
    """
    path = os.path.join(folder, _METADATA)
    if not gfile.exists(path):
        return None
    metadata = read_message(snapshot_pb2.SnapshotMetadataRecord, content_of(path), path)
    if metadata.version != _VERSION:
        raise errors.UnimplementedError(
            None, None, f"{path}; expected a dataset of version {_VERSION} but got {metadata.version}"
        )
    return metadata


def _write(folder: str, name: str, content: bytes) -> None:
    """Writes a file in one step, so that readers see all of it or nothing."""
    gfile.makedirs(folder)
    with atomic_write(os.path.join(folder, name)) as file:
        file.write(content)


def shard_files(folder: str, run: str) -> list[list[str]]:
    """Returns the names of the files of each shard of a run."""
    root = os.path.join(folder, run)
    if not gfile.isdir(root):
        return []
    shards = sorted(name for name in gfile.listdir(root) if name.endswith(".shard"))
    return [files_of_shard(os.path.join(root, shard)) for shard in shards]


def files_of_shard(shard: str) -> list[str]:
    """Returns the names of the files of a shard."""
    names = sorted(name for name in gfile.listdir(shard) if name.endswith(".snapshot"))
    return [os.path.join(shard, name) for name in names]


class RunWriter:
    """Writes elements as a new run of a folder.

    Args:
      folder: the folder, which is made.
      dtypes: the dtypes of the tensors of an element.
      compression: "", "ZLIB" or "GZIP".
      graph_hash: what the metadata say of the pipeline.
      progress: what `pause` of an earlier writer gave, whose run this writer goes on with; None for a new run.
    """

    def __init__(
        self,
        folder: str,
        dtypes: Sequence[DType],
        compression: str,
        graph_hash: str = "",
        progress: tuple[str, int, list[tuple[int, int]]] | None = None,
    ) -> None:
        self._folder, self._dtypes, self._compression = folder, tuple(dtypes), compression
        self._run, self._count, files = progress or (str(secrets.randbits(63)), 0, [])
        self._files = dict(files)  # how many files of each shard are complete
        self._writers: dict[int, ElementWriter] = {}
        self._metadata = snapshot_pb2.SnapshotMetadataRecord(
            graph_hash=graph_hash,
            run_id=self._run,
            creation_timestamp=time.time_ns() // 1000,
            version=_VERSION,
            num_elements=UNKNOWN,
        )
        self._metadata.dtype.extend(dtype.as_datatype_enum for dtype in self._dtypes)  # type: ignore[misc]  # numbers do
        if progress is not None:
            self._remove_incomplete()
        _write(folder, _METADATA, self._metadata.SerializeToString())

    def write(self, block: Block, shards: Array | None = None) -> None:
        """Writes elements.

        Args:
          block: the elements.
          shards: the number of the shard of each element; None for the first shard.
        """
        self._count += block.count
        if shards is None:
            self._writer(0).write(block)
            return
        for shard in np.unique(shards).tolist():
            self._writer(shard).write(block.gather(np.flatnonzero(shards == shard)))

    def _writer(self, shard: int) -> ElementWriter:
        writer = self._writers.get(shard)
        if writer is None:
            folder = os.path.join(self._folder, self._run, f"{shard:08d}.shard")
            gfile.makedirs(folder)
            path = os.path.join(folder, f"{self._files.get(shard, 0):08d}.snapshot")
            writer = self._writers[shard] = ElementWriter(path, self._dtypes, self._compression)
        return writer

    def pause(self) -> tuple[str, int, list[tuple[int, int]]]:
        """Completes the files; returns what lets another writer go on, who begins new files."""
        self.close()
        for shard in self._writers:
            self._files[shard] = self._files.get(shard, 0) + 1
        self._writers.clear()
        return self._run, self._count, sorted(self._files.items())

    def _remove_incomplete(self) -> None:
        """Removes the files that the earlier writer began after its last pause."""
        root = os.path.join(self._folder, self._run)
        for shard in gfile.listdir(root) if gfile.isdir(root) else ():
            complete = self._files.get(int(shard.partition(".")[0]), 0)
            for path in files_of_shard(os.path.join(root, shard))[complete:]:
                gfile.remove(path)

    def finish(self) -> None:
        """Says that all elements are there."""
        self.close()
        self._metadata.num_elements, self._metadata.finalized = self._count, True
        _write(self._folder, _METADATA, self._metadata.SerializeToString())

    def close(self) -> None:
        """Closes the files."""
        for writer in self._writers.values():
            writer.close()
