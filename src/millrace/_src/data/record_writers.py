"""`tf.data.experimental.TFRecordWriter`: a dataset of strings becomes a TFRecord file."""

from __future__ import annotations

from typing import Any

from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import string
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Effects, op
from millrace._src.core.specs import TensorSpec
from millrace._src.data.dataset_base import DatasetBase
from millrace._src.data.nodes import node_of
from millrace._src.data.pipeline_optimizer import begin
from millrace._src.ops.io.record_writer import TFRecordWriter as RecordWriter
from millrace._src.ops.shape_rules import no_outputs
from millrace._src.util.export import export

_RECORDS_AT_ONCE = 1024
_COMPRESSIONS = (b"GZIP", b"ZLIB")

_WRITING: dict[str, Any] = {
    "shape": no_outputs,
    "host_only": True,
    "refused_when_compiled": True,
    "effects": Effects.WRITES,
    "capabilities": Capability.WRITES_FILES,
    "not_differentiable": "it gives nothing back",
    "not_batched": "it writes one file",
}


@op("DatasetToTFRecord", "input_dataset: variant, filename: string, compression_type: string ->", **_WRITING)
def dataset_to_tf_record(xp: Xp, input_dataset: Array, filename: Array, compression_type: Array) -> None:
    """Writes the elements of a dataset as the records of a file; as in TensorFlow, an unknown compression is none."""
    compression = compression_type[()]
    options = compression.decode() if compression in _COMPRESSIONS else ""
    cursor, context = begin(node_of(input_dataset))
    try:
        with RecordWriter(filename[()], options) as writer:
            while (block := cursor.next_block(_RECORDS_AT_ONCE)) is not None:
                for record in block.columns[0].tolist():
                    writer.write(record)
    finally:
        cursor.close()
        for closer in context.closers:
            closer()


@op(
    "ExperimentalDatasetToTFRecord", "input_dataset: variant, filename: string, compression_type: string ->", **_WRITING
)
def experimental_dataset_to_tf_record(xp: Xp, input_dataset: Array, filename: Array, compression_type: Array) -> None:
    """Writes the elements of a dataset as the records of a file; the older op."""
    dataset_to_tf_record.op_def.kernel(xp, input_dataset, filename, compression_type)


@export("data.experimental.TFRecordWriter")
class TFRecordWriter:
    """A writer of datasets to a TFRecord file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.tfrecord")
    >>> tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: object, compression_type: object = None) -> None:
        """Keeps the arguments; the file is opened by `write`.

        Args:
          filename: the name of the file, a scalar of strings.
          compression_type: "", "ZLIB" or "GZIP".
        """
        self._filename = convert_to_tensor(filename, dtype=string, name="filename")
        self._compression_type = convert_to_tensor(compression_type or "", dtype=string, name="compression_type")

    def write(self, dataset: Any) -> Any:
        """Writes the elements of a dataset, each as a record; the file is emptied before.

        Args:
          dataset: a dataset of scalars of strings.

        Returns: The operation in a graph, None in eager mode.
        Raises:
          TypeError: if `dataset` is something else.
          tf.errors.NotFoundError: if the folder does not exist.
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError(f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}.")
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or not TensorSpec([], string).is_compatible_with(spec):
            shape, kind = (spec.shape, spec.dtype) if isinstance(spec, TensorSpec) else (spec, spec)
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got a dataset "
                f"which produces elements with shapes {shape} and types {kind}."
            )
        return dataset_to_tf_record(dataset._variant_tensor, self._filename, self._compression_type)
