"""Names of files, found once and kept: `tf.io.match_filenames_once`."""

from __future__ import annotations

from millrace._src.core import context
from millrace._src.ops.io.files import matching_files
from millrace._src.state.variable import Variable
from millrace._src.util.export import export


@export("io.match_filenames_once", v1=["io.match_filenames_once", "train.match_filenames_once"])
def match_filenames_once(pattern: object, name: str | None = None) -> Variable:
    """Finds the files that match patterns, and keeps their names.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(os.path.join(folder, "a"), "")
    >>> names = tf.io.match_filenames_once(folder + "/*")
    >>> tf.io.write_file(os.path.join(folder, "b"), "")
    >>> [os.path.basename(path) for path in names.numpy()]
    [b'a']

    Args:
      pattern: a scalar string Tensor, or a vector of patterns; see `tf.io.gfile.glob`.
      name: name of the variable in a graph.

    Returns: A Variable that holds the sorted names. In a graph the variable is in the collection of local variables and
      finds the files when it is initialized.
    """
    if context.executing_eagerly():
        return Variable(matching_files(pattern), trainable=False)
    with context.name_scope(name or "matching_filenames") as scope:
        variable = Variable(matching_files(pattern), trainable=False, name=scope)
    graph = variable.graph
    graph.get_collection_ref("variables").pop()  # it is a local variable, which a checkpoint does not hold
    graph.add_to_collection("local_variables", variable)
    return variable
