"""`tf.saved_model.Asset`: a file that a SavedModel takes along."""

from __future__ import annotations

from typing import Any

from millrace._src.core import context
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype, string
from millrace._src.core.tensor import Tensor
from millrace._src.graph.func_graph import init_scope
from millrace._src.ops.array.identity import placeholder
from millrace._src.ops.io.file_names import file_name
from millrace._src.state.variable import Variable
from millrace._src.trackable.base import Trackable
from millrace._src.util.export import export


@export("saved_model.Asset")
class Asset(Trackable):
    """A file that is copied into a SavedModel, and whose name is that of the copy once the SavedModel is loaded.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> tf.io.write_file(path, "and the like")
    >>> module = tf.Module()
    >>> module.words = tf.saved_model.Asset(path)
    >>> @tf.function(input_signature=[])
    ... def read():
    ...     return tf.io.read_file(module.words.asset_path)
    >>> module.read = read
    >>> module.read().numpy()
    b'and the like'

    Args:
      path: the name of the file: text, a path object, or a scalar string Tensor.

    Raises: TypeError: if `path` is none of these.
    """

    def __init__(self, path: object) -> None:
        with init_scope():
            name = path if isinstance(path, Tensor) else file_name(path)
            self._path = convert_to_tensor(name, dtype=string, name="asset_path")

    @property
    def asset_path(self) -> Any:
        """The name of the file, a scalar string Tensor; functions that read it take along the file, not the name."""
        return self._path

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        if dtype is not None and as_dtype(dtype) is not string:
            raise ValueError(f"The name of an asset is of dtype string, not {as_dtype(dtype).name}.")
        return self._path

    def _export_to_saved_model_graph(
        self, object_map: Any, tensor_map: Any, options: object, **kwargs: object
    ) -> list[Any]:
        """Adds a placeholder for the name of the copy, and a variable that takes the name when the model is loaded."""
        del options, kwargs
        path = placeholder(string, shape=[], name="asset_path_initializer")
        variable = Variable(path, trainable=False)
        context.state.graph.get_collection_ref("variables").remove(variable)
        object_map[self] = variable
        tensor_map[self._path] = variable
        return [self._path]
