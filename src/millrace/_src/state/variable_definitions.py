"""Variables as messages: `VariableDef` names the operations of a variable in a plain graph.

A saved graph lists its variables as such messages. The message and the graph together make the variable again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from millrace._src.core.context import state
from millrace._src.core.default_session import default_session
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.op_registry import get_op
from millrace._src.core.shapes import as_shape
from millrace._src.graph.graph import Graph
from millrace._src.state.variable_traits import VariableAggregation, VariableSynchronization


class SaveSliceInfo:
    """States which part of a larger tensor a variable is.

    Args:
      full_name: The name of the whole.
      full_shape: The shape of the whole.
      var_offset: The offset of the part's first element.
      var_shape: The shape of the part.
      save_slice_info_def: A `SaveSliceInfoDef` message, instead of the others.
      import_scope: A name scope that comes before the name in the message.
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Sequence[int] | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: Sequence[int] | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        message = save_slice_info_def
        if message is not None:
            full_name = _prepend(import_scope, message.full_name)
            full_shape, var_offset, var_shape = message.full_shape, message.var_offset, message.var_shape
        self.full_name = full_name
        self.full_shape = None if full_shape is None else list(full_shape)
        self.var_offset = None if var_offset is None else list(var_offset)
        self.var_shape = None if var_shape is None else list(var_shape)

    @classmethod
    def from_spec(cls, spec: str) -> Self:
        """Returns what the text of a part says, which `spec` gives.

        >>> info = tf.Variable.SaveSliceInfo.from_spec("10 20 0,5:0,20")
        >>> info.full_shape, info.var_offset, info.var_shape
        ([10, 20], [0, 0], [5, 20])

        Args: spec: the shape of the whole, then offset and size along each dimension; "" for nothing.
        Returns: The part, without the name of the whole.
        Raises: ValueError: if the text is another one.
        """
        if not spec:
            return cls()
        full_shape, separator, parts = spec.rpartition(" ")
        if not separator:
            raise ValueError("Spec string must contain space-separated full_shape info.")
        sizes = [_integer(size, "full_shape must be a sequence of integers") for size in full_shape.split()]
        pairs = [part.split(",") for part in parts.split(":")]
        if any(len(pair) != _PAIR for pair in pairs):
            raise ValueError("Spec string must contain comma-separated pairs of offsets and shapes.")
        offsets = [_integer(offset, "var_offset must be an integer") for offset, _ in pairs]
        return cls(None, sizes, offsets, [_integer(size, "var_shape must be an integer") for _, size in pairs])

    @property
    def spec(self) -> str:
        """The part as checkpoints write it: the shape of the whole, and offset and size along each dimension."""
        full_shape, var_offset, var_shape = self._known_parts()
        sizes = " ".join(str(size) for size in full_shape)
        parts = zip(var_offset, var_shape, strict=True)
        return f"{sizes} " + ":".join(f"{offset},{size}" for offset, size in parts)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `SaveSliceInfoDef`; None for a whole outside the name scope `export_scope`."""
        from millrace._src.proto import variable_pb2  # protobuf loads only when a proto is asked for

        if export_scope is not None and not (self.full_name or "").startswith(export_scope):
            return None
        name = _strip(export_scope, self.full_name or "")
        full_shape, var_offset, var_shape = self._known_parts()
        return variable_pb2.SaveSliceInfoDef(
            full_name=name, full_shape=full_shape, var_offset=var_offset, var_shape=var_shape
        )

    def _known_parts(self) -> tuple[list[int], list[int], list[int]]:
        """Returns the shape of the whole, the offset and the shape of the part.

        Raises: TypeError: if one of them was not given.
        """
        if self.full_shape is None or self.var_offset is None or self.var_shape is None:
            raise TypeError(
                "SaveSliceInfo needs full_shape, var_offset and var_shape to be written; received "
                f"full_shape={self.full_shape}, var_offset={self.var_offset}, var_shape={self.var_shape}."
            )
        return self.full_shape, self.var_offset, self.var_shape


_PAIR = 2


def _integer(text: str, rule: str) -> int:
    """Returns the number that a part of a spec is.

    Raises: ValueError: if the text is not an integer.
    """
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"Spec string {rule}. Found '{text}', which is not an integer.") from None


class VariableDefinitions:
    """The part of `tf.Variable` for plain graphs: initializer, initial value, and definition as a message."""

    SaveSliceInfo: Any = SaveSliceInfo
    _save_slice_info: SaveSliceInfo | None = None

    aggregation: Any
    synchronization: Any
    trainable: Any
    assign: Any
    _in_graph_mode: bool
    _graph_element: Any  # the next three fields only in a plain (v1) graph
    _initial_value: Any
    _initializer_op: Any
    name: Any

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> SaveSliceInfo | None:
        return self._save_slice_info

    @property
    def create(self) -> Any:
        """The operation that initializes the variable in a v1 graph."""
        return self._graph_only("_initializer_op")

    @property
    def initializer(self) -> Any:
        """The operation that initializes the variable in a v1 graph; None in eager mode."""
        return getattr(self, "_initializer_op", None)

    @property
    def initial_value(self) -> Any:
        """The initial value in a v1 graph.

        Raises: RuntimeError: in eager mode.
        """
        if not self._in_graph_mode:
            raise RuntimeError("This property is not supported when eager execution is enabled.")
        return self._initial_value

    def _graph_only(self, attribute: str) -> Any:
        if not self._in_graph_mode:
            raise RuntimeError("This operation is not supported when eager execution is enabled.")
        return getattr(self, attribute)

    def eval(self, session: object = None) -> Any:
        """Returns the value in a v1 session."""
        return self._graph_only("_graph_element").eval(session=session)

    def initialized_value(self) -> Any:
        """Returns the value, or the initial value where a session has given the variable none yet.

        Raises: NotImplementedError: unless the variable was made with `use_resource=False`.
        """
        raise NotImplementedError(
            f"initialized_value() is only for variables that are made with use_resource=False; {self.name} is not."
        )

    def load(self, value: Any, session: Any = None) -> None:
        """Gives the variable a value: in eager mode at once, in a plain graph within a session.

        Args:
          value: An array, or what makes one.
          session: The session; None for the default session.

        Raises: ValueError: if there is no session.
        """
        if not self._in_graph_mode:
            self.assign(value)
            return
        session = session or default_session()
        if session is None:
            raise ValueError("Either session argument should be provided or default session should be established")
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the `VariableDef` of a variable in a plain graph.

        Args: export_scope: A name scope that is left out of the names.
        Returns: The message; None for a variable outside `export_scope`.
        Raises: RuntimeError: for an eager variable.
        """
        from millrace._src.proto import variable_pb2  # protobuf loads only when a proto is asked for

        self._graph_only("_handle")
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        message = variable_pb2.VariableDef(
            variable_name=_strip(export_scope, self.name),
            initializer_name=_strip(export_scope, self._initializer_op.name) if self._initializer_op else "",
            snapshot_name=_strip(export_scope, self._graph_element.name),
            trainable=self.trainable,
            is_resource=True,
            synchronization=self.synchronization.value,
            aggregation=self.aggregation.value,
        )
        if self._initial_value is not None:
            message.initial_value_name = _strip(export_scope, self._initial_value.name)
        if self._save_slice_info is not None:
            message.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope))
        return message


def define_in_graph(variable: Any, message: Any, import_scope: str | None = None) -> None:
    """Sets the fields of a new variable, whose operations the current graph has already.

    Args:
      variable: The variable.
      message: A `VariableDef`.
      import_scope: A name scope that comes before the names in the message.

    Raises:
      KeyError: If the graph has no operation that the message names.
      ValueError: If the message names a variable of another kind.
    """
    graph = state.graph
    handle = graph.as_graph_element(_prepend(import_scope, message.variable_name))
    if handle.op.op_def is get_op("ReadVariableOp"):  # a reference variable, as `import_graph_def` makes it
        handle, variable_name = handle.op.inputs[0], handle.op.name
    else:
        variable_name = handle.op.name
    if handle.op.op_def is not get_op("VarHandleOp"):
        raise ValueError(f"{handle.op.type} {handle.op.name!r} is not a variable; expected a VarHandleOp.")
    synchronization = VariableSynchronization(message.synchronization)
    variable._set_traits(message.trainable, None, synchronization, VariableAggregation(message.aggregation))
    variable._in_graph_mode = True
    variable._handle, variable._name = handle, variable_name
    variable._dtype, variable._shape_static = as_dtype(handle.op.attrs["dtype"]), as_shape(handle.op.attrs["shape"])
    variable._initializer_op = _element(graph, import_scope, message.initializer_name)
    variable._initial_value = _element(graph, import_scope, message.initial_value_name)
    variable._graph_element = _element(graph, import_scope, message.snapshot_name)
    if message.HasField("save_slice_info_def"):
        part = SaveSliceInfo(save_slice_info_def=message.save_slice_info_def, import_scope=import_scope)
        variable._set_save_slice_info(part)


def _element(graph: Graph, import_scope: str | None, name: str) -> Any:
    return graph.as_graph_element(_prepend(import_scope, name)) if name else None


def _prepend(scope: str | None, name: str) -> str:
    return f"{scope.rstrip('/')}/{name}" if scope else name


def _strip(scope: str | None, name: str) -> str:
    """Returns a name without the scope with which it begins."""
    if not scope:
        return name
    return name.removeprefix(scope.rstrip("/") + "/")
