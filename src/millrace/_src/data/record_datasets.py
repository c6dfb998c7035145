"""`tf.data.TFRecordDataset`, `TextLineDataset` and `FixedLengthRecordDataset`: the classes.

Each goes through the files that a dataset of names gives: file after file, or several at a time. The ops, and what
reads a file, are in `sources.record_files`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from millrace._src.core.compat import path_to_str
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import int64, string
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset import DatasetV2
from millrace._src.data.dataset_base import DatasetBase, metadata, new_dataset
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.sources.record_files import (
    fixed_length_record_dataset_v2,
    text_line_dataset,
    tf_record_dataset,
)
from millrace._src.data.transforms.parallel_interleave import parallel_interleave
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export

_STRING = TensorSpec([], string)
_READ_BYTES = 256 * 1024


class _RecordFiles(DatasetV2):
    """The records of files.

    Args:
      filenames: names, or paths, as a tensor of any shape or nested lists, or a dataset of scalars.
      read: makes the dataset of one file, in the current graph.
      num_parallel_reads: how many files are read at a time, and take turns; None reads file after file.
    """

    def __init__(self, filenames: Any, read: Callable[[Any], Any], num_parallel_reads: Any) -> None:
        files = _names(filenames)

        def read_one_file(filename: Any) -> Any:
            return new_dataset("_OneFileDataset", read(convert_to_tensor(filename, string)), _STRING)

        if num_parallel_reads is None:
            records = files.flat_map(read_one_file)
        elif num_parallel_reads == AUTOTUNE:
            records = files.interleave(read_one_file, num_parallel_calls=num_parallel_reads)
        else:
            records = files.apply(parallel_interleave(read_one_file, num_parallel_reads))
        super().__init__(records._variant_tensor, _STRING, [files], records._functions())


def _names(filenames: object) -> Any:
    """Returns a dataset of names.

    Raises: TypeError: if these are not names.
    """
    if isinstance(filenames, DatasetBase):
        spec = filenames.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not string:
            kind = spec.dtype if isinstance(spec, TensorSpec) else spec
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements. Got a dataset of `{kind!r}` elements."
            )
        if not spec.shape.is_compatible_with([]):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). Got a dataset "
                f"of element shape {spec.shape!r}."
            )
        return filenames
    names = convert_to_tensor(nest.map_structure(path_to_str, filenames), dtype_hint=string)
    if names.dtype is not string:
        raise TypeError(f"The `filenames` argument must contain `tf.string` elements. Got `{names.dtype!r}` elements.")
    return DatasetV2.from_tensor_slices(raw.Reshape(tensor=names, shape=[-1], name="flat_filenames"))


def _number(value: Any, default: int) -> Any:
    return convert_to_tensor(default if value is None else value, dtype=int64)


def _reading(
    op: Callable[..., Any], compression_type: Any, buffer_size: object, name: str | None
) -> Callable[[Any], Any]:
    """Returns a function from the name of a file to the handle of its records."""

    def read(filename: Any) -> Any:
        compression = convert_to_tensor(compression_type or "", dtype=string)
        return op(filename, compression, _number(buffer_size, _READ_BYTES), **metadata(name))

    return read


class _CompressedRecordFiles(_RecordFiles):
    """The records of files that may be compressed; `_op_function` makes the dataset of one."""

    _op_function: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        filenames: object,
        compression_type: object = None,
        buffer_size: object = None,
        num_parallel_reads: object = None,
        name: str | None = None,
    ) -> None:
        """Makes the dataset; files are opened when a pass comes to them.

        Args:
          filenames: the names or paths of the files: a tensor of strings, a list, or a dataset of scalars.
          compression_type: "", "ZLIB" or "GZIP".
          buffer_size: how many bytes are read at a time.
          num_parallel_reads: how many files are read at a time; their records then take turns. `tf.data.AUTOTUNE` lets
            the runtime choose.
          name: a name for the dataset.

        Raises:
          TypeError: if `filenames` are not strings.
          tf.errors.DataLossError: while iterating, at a damaged TFRecord; the pass goes on with the next file.
          tf.errors.NotFoundError: while iterating, at a missing file.
        """
        read = _reading(self._op_function, compression_type, buffer_size, name)
        super().__init__(filenames, read, num_parallel_reads)


@export("data.TFRecordDataset", v1=["data.TFRecordDataset"])
class TFRecordDatasetV2(_CompressedRecordFiles):
    """The records of TFRecord files.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for record in (b"one", b"two"):
    ...         writer.write(record)
    >>> list(tf.data.TFRecordDataset([path]).as_numpy_iterator())
    [b'one', b'two']
    """

    _op_function = staticmethod(tf_record_dataset)


@export("data.TextLineDataset", v1=["data.TextLineDataset"])
class TextLineDatasetV2(_CompressedRecordFiles):
    """The lines of text files, without their ends (`\\n` or `\\r\\n`).

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> tf.io.write_file(path, "one\\ntwo\\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']
    """

    _op_function = staticmethod(text_line_dataset)


@export("data.FixedLengthRecordDataset", v1=["data.FixedLengthRecordDataset"])
class FixedLengthRecordDatasetV2(_RecordFiles):
    """The records of files whose records all have the same length.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.bin")
    >>> tf.io.write_file(path, "HEADabcdefTAIL")
    >>> dataset = tf.data.FixedLengthRecordDataset(path, 3, header_bytes=4, footer_bytes=4)
    >>> list(dataset.as_numpy_iterator())
    [b'abc', b'def']
    """

    def __init__(
        self,
        filenames: object,
        record_bytes: object,
        header_bytes: object = None,
        footer_bytes: object = None,
        buffer_size: object = None,
        compression_type: object = None,
        num_parallel_reads: object = None,
        name: str | None = None,
    ) -> None:
        """Makes the dataset; files are opened when a pass comes to them.

        Args:
          filenames: the names or paths of the files: a tensor of strings, a list, or a dataset of scalars.
          record_bytes: the length of a record.
          header_bytes: how many bytes at the front of a file are skipped.
          footer_bytes: how many bytes at the end of a file are left out.
          buffer_size: how many bytes are read at a time.
          compression_type: "", "ZLIB" or "GZIP".
          num_parallel_reads: how many files are read at a time; their records then take turns.
          name: a name for the dataset.

        Raises:
          TypeError: if `filenames` are not strings.
          tf.errors.InvalidArgumentError: while iterating, if the size of a file does not fit.
        """

        def read(filename: object) -> Any:
            return fixed_length_record_dataset_v2(
                filename,
                _number(header_bytes, 0),
                _number(record_bytes, 0),
                _number(footer_bytes, 0),
                _number(buffer_size, _READ_BYTES),
                convert_to_tensor(compression_type or "", dtype=string),
                **metadata(name),
            )

        super().__init__(filenames, read, num_parallel_reads)
