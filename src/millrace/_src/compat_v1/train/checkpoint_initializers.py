"""`tf.compat.v1.train.init_from_checkpoint`: variables begin with the values of a checkpoint.

Problem: a new model takes some of its first values from an older one, whose variables may have other names.

Idea: a map says which tensors or scopes of the checkpoint go where. The initializer of each variable is replaced by an
operation that reads the value, so that the usual initialization does the rest. In eager mode the values are assigned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from millrace._src.checkpoint.checkpoint_reader import load_checkpoint
from millrace._src.checkpoint.state_file import latest_checkpoint
from millrace._src.compat_v1.train.saveables import VariableSaveable
from millrace._src.compat_v1.variables.partitioned_variable import PartitionedVariable
from millrace._src.compat_v1.variables.scope_state import VariableStore, variables_of_graph
from millrace._src.core.argument_types import DTypeLike
from millrace._src.core.context import state
from millrace._src.core.execute import execute
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.scopes import device
from millrace._src.ops.io import gfile
from millrace._src.ops.io.file_names import file_name
from millrace._src.state.variable import Variable
from millrace._src.util.export import export

_ROOT = "/"


@export(v1=["train.init_from_checkpoint"])
def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Mapping[str, Any]) -> None:
    """Lets variables begin with values of a checkpoint.

    >>> import tempfile
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     old = tf.compat.v1.get_variable("old/v", initializer=[1.0, 2.0])
    ...     session.run(old.initializer)
    ...     path = tf.compat.v1.train.Saver().save(session, tempfile.mkdtemp() + "/m")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     new = tf.compat.v1.get_variable("new/v", [2])
    ...     tf.compat.v1.train.init_from_checkpoint(path, {"old/": "new/"})
    ...     session.run(new.initializer)
    ...     print(session.run(new))
    [1. 2.]

    Args:
      ckpt_dir_or_file: The checkpoint, or a folder whose newest checkpoint it is.
      assignment_map: What goes where. A key is the name of a tensor, or a scope with "/" at its end ("/" alone is the
        root). For a tensor the value is a variable, the parts of a partitioned variable in a list, or the name of a
        variable that `get_variable` made; for a scope it is a scope, all of whose variables are taken.

    Raises:
      tf.errors.NotFoundError: If there is no such checkpoint.
      ValueError: If the checkpoint lacks a tensor, or a shape does not fit.
      TypeError: If a value of the map is neither a variable nor a name.
    """
    checkpoint = InitialCheckpoint(ckpt_dir_or_file)
    for saved_name, target in sorted(assignment_map.items(), key=lambda item: item[0]):
        for name, variable in _targets(checkpoint, saved_name, target):
            _check_shape(checkpoint, name, variable)
            for part in _parts(variable):
                checkpoint.initialize(part, name)


class InitialCheckpoint:
    """A checkpoint that gives values.

    Args: path: The checkpoint, or a folder whose newest checkpoint it is.
    """

    def __init__(self, path: str) -> None:
        self.path = file_name(path)
        self.shapes: dict[str, list[int]] = load_checkpoint(path).get_variable_to_shape_map()
        newest = latest_checkpoint(self.path) if gfile.isdir(self.path) else None
        self._prefix = newest or self.path

    def require(self, name: str, where: str = "") -> None:
        """Refuses a name that the checkpoint has not.

        Raises: ValueError: for such a name.
        """
        if name not in self.shapes:
            detail = f" {self.shapes}" if not where else ""
            raise ValueError(f"Tensor {name}{where} is not found in {self.path} checkpoint{detail}")

    def read(self, name: str, dtype: DTypeLike, part: str = "") -> Any:
        """Returns a tensor of the checkpoint, or a part of it."""
        with device("/device:CPU:0"):
            inputs = self._prefix, [name], [part]
            (value,) = execute(get_op("RestoreV2"), inputs, {"dtypes": [dtype]}, "checkpoint_initializer")
        return value

    def initialize(self, variable: Any, name: str) -> None:
        """Lets a variable begin with a tensor of the checkpoint."""
        part = variable._get_save_slice_info()
        set_initial_value(variable, self.read(name, variable.dtype.base_dtype, "" if part is None else part.spec))


def set_initial_value(variable: Any, value: Any) -> None:
    """Lets a variable begin with a tensor: in eager mode it takes the value now."""
    if state.graph is None:
        variable.assign(value)
        return
    value.set_shape(variable.shape)
    variable._initializer_op = VariableSaveable(variable, variable._shared_name).restore([value], None)
    variable._initial_value = value


def _targets(checkpoint: InitialCheckpoint, saved_name: str, target: object) -> Iterator[tuple[str, Any]]:
    """Yields names of tensors with the variables that take their values."""
    store = variables_of_graph().store
    if not isinstance(target, (str, Variable, PartitionedVariable, list, tuple)):
        raise TypeError(
            f"assignment_map[{saved_name!r}]: expected a variable, the parts of one, or a name; got {target!r}."
        )
    variable = _find_by_name(store, target) if isinstance(target, str) else target
    if variable is not None:
        checkpoint.require(saved_name)
        yield saved_name, variable
    else:
        yield from _targets_in_scope(checkpoint, store, saved_name, target)


def _targets_in_scope(
    checkpoint: InitialCheckpoint, store: VariableStore, saved_name: str, target: Any
) -> Iterator[tuple[str, Any]]:
    """Yields names of the tensors of a scope with the variables of another that take their values."""
    if not target.endswith("/") or not saved_name.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {target.rpartition('/')[0]} should map to scope only {saved_name}. "
            "Should be 'scope/': 'other_scope/'."
        )
    scope, saved_scope = target.removeprefix(_ROOT), saved_name.removeprefix(_ROOT)
    for name, held in _variables_below(store, scope):
        rest = name[len(scope) :]
        checkpoint.require(saved_scope + rest, f" ({rest} in {saved_name})")
        yield saved_scope + rest, held


def _find_by_name(store: VariableStore, name: str) -> Any:
    """Returns the variable, partitioned or not, of a name; None where there is none."""
    return store.partitioned.get(name) or store.variables.get(name)


def _variables_below(store: VariableStore, scope: str) -> Iterator[tuple[str, Any]]:
    """Yields the variables of a scope with their names; parts are left to the whole."""
    parts = {id(part) for whole in store.partitioned.values() for part in whole}
    wholes = {name: variable for name, variable in store.variables.items() if id(variable) not in parts}
    for name, variable in sorted({**wholes, **store.partitioned}.items()):
        if name.startswith(scope):
            yield name, variable


def _parts(variable: Any) -> list[Any]:
    return [variable] if isinstance(variable, Variable) else list(variable)


def _check_shape(checkpoint: InitialCheckpoint, name: str, variable: Any) -> None:
    """Refuses a value of another shape.

    Raises: ValueError: for such a value.
    """
    saved = TensorShape(checkpoint.shapes[name])
    if isinstance(variable, (Variable, PartitionedVariable)):
        part = variable._get_save_slice_info() if isinstance(variable, Variable) else None
        shape = variable.shape if part is None else TensorShape(part.full_shape)
    else:
        shape = TensorShape(variable[0]._get_save_slice_info().full_shape)
    if not shape.is_compatible_with(saved):
        shown = variable.name if isinstance(variable, (Variable, PartitionedVariable)) else variable[0].name
        raise ValueError(
            f"Shape of variable {shown} ({shape}) doesn't match with shape of tensor {name} ({saved.as_list()}) from "
            "checkpoint reader."
        )
