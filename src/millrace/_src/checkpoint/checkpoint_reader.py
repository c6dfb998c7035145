"""Looking into a checkpoint: which tensors it has, and their values, without the program that saved it."""

from __future__ import annotations

from typing import Any

from millrace._src.checkpoint.bundle.bundle_opening import open_checkpoint
from millrace._src.checkpoint.bundle.index_file import IndexFileEntry
from millrace._src.checkpoint.state_file import latest_checkpoint
from millrace._src.core.dtypes import DType
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.proto.types_pb2 import DataType
from millrace._src.util.export import export
from millrace._src.util.text import shape_brackets


class CheckpointReader:
    """A checkpoint that is open for reading. `tf.train.load_checkpoint` makes it.

    The index is read once; of the values only those that are asked for.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(step=tf.Variable(5)).write(tempfile.mkdtemp() + "/ckpt")
    >>> reader = tf.train.load_checkpoint(path)
    >>> print(reader.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE"))
    5
    """

    def __init__(self, prefix: str) -> None:
        """Opens the files.

        Args: prefix: what the names of the files begin with.
        Raises: tf.errors.NotFoundError: if there is no such checkpoint; DataLossError: if the files are damaged.
        """
        self._stored = open_checkpoint(prefix)
        self._entries = {entry.key: entry for entry in self._stored.entries()}

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shape of each tensor by its name.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(v=tf.Variable([[1.0]])).write(tempfile.mkdtemp() + "/ckpt")
        >>> tf.train.load_checkpoint(path).get_variable_to_shape_map()["v/.ATTRIBUTES/VARIABLE_VALUE"]
        [1, 1]
        """
        return {name: list(entry.shape) for name, entry in self._named_entries()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Returns the dtype of each tensor by its name.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(v=tf.Variable([[1.0]])).write(tempfile.mkdtemp() + "/ckpt")
        >>> tf.train.load_checkpoint(path).get_variable_to_dtype_map()["v/.ATTRIBUTES/VARIABLE_VALUE"]
        tf.float32
        """
        return {name: entry.dtype for name, entry in self._named_entries()}

    def has_tensor(self, tensor_str: str | bytes) -> bool:
        """Says whether the checkpoint has a tensor of a name.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(v=tf.Variable([[1.0]])).write(tempfile.mkdtemp() + "/ckpt")
        >>> tf.train.load_checkpoint(path).has_tensor("v")
        False

        Args: tensor_str: the name.
        """
        return file_name(tensor_str) in self._stored

    def get_tensor(self, tensor_str: str | bytes) -> Any:
        """Returns the value of a tensor as a NumPy array; a partitioned one is put together.

        As TensorFlow's, the value of a scalar is a NumPy scalar, or `bytes`.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(v=tf.Variable([[1.0]])).write(tempfile.mkdtemp() + "/ckpt")
        >>> tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
        array([[1.]], dtype=float32)

        Args: tensor_str: the name of the tensor.
        Raises:
          tf.errors.NotFoundError: if there is no such tensor.
          tf.errors.DataLossError: if its bytes are damaged.
          TypeError: if the name is not text.
        """
        array = self._stored.read(file_name(tensor_str))
        return array if array.ndim else array[()]

    def debug_string(self) -> bytes:
        """Returns a line for each tensor, or slice of a partitioned tensor: name, dtype, shape.

        >>> import tempfile
        >>> path = tf.train.Checkpoint(v=tf.Variable([[1.0]])).write(tempfile.mkdtemp() + "/ckpt")
        >>> print(tf.train.load_checkpoint(path).debug_string().decode().splitlines()[-1])
        v/.ATTRIBUTES/VARIABLE_VALUE (DT_FLOAT) [1,1]
        """
        lines = [line for entry in self._entries.values() for line in _lines(entry)]
        return b"".join(sorted(lines))

    def _named_entries(self) -> list[tuple[str, IndexFileEntry]]:
        return [(entry.name, entry) for entry in self._entries.values()]


def _lines(entry: IndexFileEntry) -> list[bytes]:
    """Returns the lines about a tensor: one, or one for each slice."""
    shapes = [(entry.key, entry.shape)]
    if entry.slices:
        shapes = [(key, part.shape_in(entry.shape)) for key, part in zip(entry.slice_keys(), entry.slices, strict=True)]
    kind = DataType.Name(entry.dtype.enum)
    return [key + f" ({kind}) {shape_brackets(shape)}\n".encode() for key, shape in shapes]


@export("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: object) -> CheckpointReader:
    """Opens a checkpoint for reading.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(step=tf.Variable(5)).save(folder + "/ckpt")
    >>> tf.train.load_checkpoint(folder).get_variable_to_shape_map()["step/.ATTRIBUTES/VARIABLE_VALUE"]
    []

    Args:
      ckpt_dir_or_file: what the names of the files begin with; or a folder, of which the newest checkpoint is opened.

    Returns: A `CheckpointReader`: `get_tensor`, `has_tensor`, `get_variable_to_shape_map`, `get_variable_to_dtype_map`,
      `debug_string`.
    Raises:
      ValueError: if a folder has no checkpoint.
      tf.errors.NotFoundError: if there is no such checkpoint.
      tf.errors.DataLossError: if the files are damaged.
    """
    name = file_name(ckpt_dir_or_file)
    prefix = latest_checkpoint(name) if gfile.isdir(name) else name
    if not prefix:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {name}")
    return CheckpointReader(prefix)


@export("train.load_variable")
def load_variable(ckpt_dir_or_file: object, name: str) -> Any:
    """Returns the value of a tensor of a checkpoint.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(step=tf.Variable(5)).write(tempfile.mkdtemp() + "/ckpt")
    >>> print(tf.train.load_variable(path, "step/.ATTRIBUTES/VARIABLE_VALUE"))
    5

    Args:
      ckpt_dir_or_file: what the names of the files begin with; or a folder, of which the newest checkpoint is opened.
      name: the name of the tensor; TensorFlow's name of an output, which ends with `:0`, is the same.

    Returns: A NumPy array; a NumPy scalar, or `bytes`, for a scalar.
    Raises: tf.errors.NotFoundError: if there is no such tensor; and what `tf.train.load_checkpoint` raises.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


@export("train.list_variables")
def list_variables(ckpt_dir_or_file: object) -> list[tuple[str, list[int]]]:
    """Returns the names and shapes of the tensors of a checkpoint, in the order of the names.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(step=tf.Variable(5)).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.list_variables(path)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('step/.ATTRIBUTES/VARIABLE_VALUE', [])]

    Args:
      ckpt_dir_or_file: what the names of the files begin with; or a folder, of which the newest checkpoint is opened.

    Returns: A list of pairs: name, shape as a list.
    Raises: what `tf.train.load_checkpoint` raises.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
