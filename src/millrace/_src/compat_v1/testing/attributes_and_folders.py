"""What `tf.compat.v1.test` has besides `tf.test`: attributes replaced for a test, folders, graphs compared."""

from __future__ import annotations

import atexit
import functools
import inspect
import os
import re
import shutil
import tempfile
from typing import Any

from millrace._src.graph.graph_comparison import describe_difference, require_graph_def
from millrace._src.util.export import export


@export(v1=["test.assert_equal_graph_def"])
def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Fails unless two `GraphDef`s have the same nodes, in any order.

    >>> graph_def = tf.Graph().as_graph_def()
    >>> tf.compat.v1.test.assert_equal_graph_def(graph_def, graph_def)

    Args:
      actual: A `GraphDef`.
      expected: A `GraphDef`.
      checkpoint_v2: Whether the names of temporary files of checkpoints may differ.
      hash_table_shared_name: Whether the shared names of tables may differ.

    Raises:
      AssertionError: if they differ; the message names the first node that does.
      TypeError: if one of them is not a `GraphDef`.
    """
    graphs = []
    for name, graph_def in (("actual", actual), ("expected", expected)):
        require_graph_def(name, graph_def)
        graphs.append(type(graph_def)())
        graphs[-1].CopyFrom(graph_def)
        for node in graphs[-1].node:
            _forget_chance(node, checkpoint_v2, hash_table_shared_name)
    difference = describe_difference(graphs[1], graphs[0])
    if difference:
        raise AssertionError(difference)


_TEMPORARY_FILE = re.compile(rb"_temp_[0-9a-z]{32}/part")


def _forget_chance(node: Any, checkpoint_v2: bool, hash_table_shared_name: bool) -> None:
    """Takes out of a node what differs from run to run."""
    if checkpoint_v2 and node.op == "Const":
        if any(map(_TEMPORARY_FILE.match, node.attr["value"].tensor.string_val)):
            node.attr["value"].Clear()
    if hash_table_shared_name and node.op == "HashTableV2":
        if node.attr["shared_name"].s.startswith(b"hash_table"):
            node.attr["shared_name"].Clear()


@export(v1=["test.StubOutForTesting"])
class StubOutForTesting:
    """Replaces attributes for the time of a test, and puts them back.

    >>> with tf.compat.v1.test.StubOutForTesting() as stubs:
    ...     stubs.Set(np, "pi", 3)
    ...     np.pi
    3
    >>> round(np.pi, 2)
    3.14
    """

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any]] = []
        self._smartly_replaced: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *exc: object) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Puts all attributes back."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def SmartSet(self, obj: object, attr_name: str, new_attr: object) -> None:
        """Replaces an attribute where it was found: in the object, or in a class of its bases.

        Args:
          obj: A module, a class or another object.
          attr_name: The name of the attribute.
          new_attr: The value for the time of the test.

        Raises: AttributeError: if there is no such attribute.
        """
        holders = [obj, *(inspect.getmro(obj) if inspect.isclass(obj) else inspect.getmro(type(obj)))]
        holder = next((holder for holder in holders if attr_name in vars(holder)), None)
        if holder is None:
            raise AttributeError("Attribute not found.")
        self._smartly_replaced.append((holder, attr_name, vars(holder)[attr_name]))
        setattr(holder, attr_name, new_attr)

    def SmartUnsetAll(self) -> None:
        """Puts back what `SmartSet` replaced, the last one first."""
        _restore_attributes(self._smartly_replaced)

    def Set(self, parent: object, child_name: str, new_child: object) -> None:
        """Replaces an attribute.

        Args:
          parent: A module, a class or another object.
          child_name: The name of the attribute.
          new_child: The value for the time of the test.

        Raises: AttributeError: if there is no such attribute.
        """
        old = inspect.getattr_static(parent, child_name) if inspect.isclass(parent) else getattr(parent, child_name)
        self._replaced.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    def UnsetAll(self) -> None:
        """Puts back what `Set` replaced, the last one first."""
        _restore_attributes(self._replaced)


def _restore_attributes(replaced: list[tuple[Any, str, Any]]) -> None:
    while replaced:
        setattr(*replaced.pop())


@functools.cache
def _temporary_folder() -> str:
    root = os.environ.get("TEST_TMPDIR") or tempfile.gettempdir()
    os.makedirs(root, exist_ok=True)
    folder = tempfile.mkdtemp(dir=root)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@export(v1=["test.get_temp_dir"])
def get_temp_dir() -> str:
    """Returns a folder for files of tests, the same for the whole process; it goes away with the process.

    >>> folder = tf.compat.v1.test.get_temp_dir()
    >>> folder == tf.compat.v1.test.get_temp_dir()
    True
    """
    return _temporary_folder()


@export(v1=["test.test_src_dir_path"])
def test_src_dir_path(relative_path: str) -> str:
    """Returns the path of a source file that a test brings along.

    The environment variables `TEST_SRCDIR` and `TEST_WORKSPACE` name the folder, as Bazel sets them.

    Args: relative_path: The path below the folder `tensorflow`.
    Raises: KeyError: if a variable is not set.
    """
    return os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tensorflow", relative_path)
