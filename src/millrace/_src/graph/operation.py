"""`tf.Operation`: one node of a graph.

A node is an op, its input tensors, its attributes, and control inputs: operations that must have run before. Once a
node is made, the node changes through `rewriting` alone.

Tests: tests/graph/test_graph.py, tests/graph/test_opaque_ops.py
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from millrace._src.core import default_session
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_registry import find_late_bound
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.source_trace import CodeLocation, SourceFrame
from millrace._src.core.tensor import SymbolicTensor
from millrace._src.util.export import export


@export("Operation")
class Operation:
    """A node of a `tf.Graph`, which takes and produces zero or more tensors.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     c = tf.constant(1.0, name="c")
    >>> c.op.name, c.op.type
    ('c', 'Const')
    """

    __slots__ = (
        "graph",
        "op_def",
        "type",
        "name",
        "inputs",
        "attrs",
        "outputs",
        "_control_inputs",
        "device",
        "made_at",
        "static_values",
        "gradient_override",
        "gradient_plans",
        "recordings",
        "wire_full_type",
        "__weakref__",
    )

    def __init__(
        self,
        graph: Any,
        op_def: OpDef,
        name: str,
        inputs: Sequence[Any],
        attrs: dict[str, Any],
        dtypes: Sequence[DType],
        shapes: Sequence[TensorShape],
        control_inputs: Iterable[Operation],
        made_at: CodeLocation | None,
        device: str = "",
    ) -> None:
        self.graph = graph
        self.op_def = op_def
        self.type = op_def.name
        self.name = name
        self.inputs = tuple(inputs)
        self.attrs = attrs
        self._control_inputs = tuple(control_inputs)
        self.device = device
        self.made_at = made_at
        """Where the user's program made the operation; `source` in short."""
        self.static_values: Any = None
        self.gradient_override: Any = None
        self.gradient_plans: tuple[Any, ...] = ()
        """The gradients for which the operation was extended by intermediates, one each time; see `rewriting`."""
        self.recordings: tuple[Any, ...] = ()
        """The recorders that saw this operation, each with its entry: recorders take note of later additions."""
        self.wire_full_type: bytes | None = None
        """The message with which a file describes the outputs beyond their dtypes; see `graph.full_types`."""
        if len(dtypes) == len(shapes) == 1:  # most operations: half a microsecond less
            self.outputs = [SymbolicTensor(self, 0, dtypes[0], shapes[0])]
        else:
            self.outputs = [SymbolicTensor(self, i, d, s) for i, (d, s) in enumerate(zip(dtypes, shapes, strict=True))]

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that run before this operation, besides those that make its inputs."""
        return list(self._control_inputs)

    @property
    def source(self) -> SourceFrame | None:
        """The user's frame that made the operation."""
        return None if self.made_at is None else SourceFrame(*self.made_at)

    @property
    def effects(self) -> Effects:
        """What the operation does besides computing."""
        return self.op_def.effects(self.attrs)

    def note_values(self, values: TensorLike) -> None:
        """Notes the values of the outputs that are known while tracing; False: the values are not known."""
        self.static_values = values

    def infer_handle_types(self) -> None:
        """Gives the outputs of dtype resource and variant the handle types that the op's handle rule finds."""
        rule = self.op_def.rules.handles
        if rule is None or True not in [tensor.dtype.is_handle for tensor in self.outputs]:
            return
        handle_types = rule(ShapeContext(self.op_def, self.inputs, self.attrs))
        types = handle_types if isinstance(handle_types, list) else [handle_types]
        for tensor, handle_type in zip(self.outputs, types, strict=True):
            if handle_type is not None:
                tensor.handle_type = handle_type

    @property
    def node_def(self) -> Any:
        """The `NodeDef` proto of the operation."""
        return find_late_bound("node_def")(self)  # protobuf loads only when a proto is asked for

    @property
    def traceback(self) -> SourceFrame | None:
        """The user's frame that made the operation."""
        return self.source

    @property
    def control_outputs(self) -> list[Operation]:
        """The operations that have this operation as a control input."""
        return [op for op in self.graph.get_operations() if self in op.control_inputs]

    def values(self) -> tuple[SymbolicTensor, ...]:
        """Returns the outputs."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """Returns the value of an attribute, a string as bytes.

        Raises: ValueError: if the operation has no such attribute.
        """
        if name not in self.attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        value = self.attrs[name]
        if isinstance(value, TensorShape):
            return value.as_proto()
        if isinstance(value, np.ndarray):
            from millrace._src.graph.tensor_proto import encode_tensor  # protobuf loads only when a proto is asked for

            return encode_tensor(value, self.attrs["dtype"])
        if isinstance(value, str):
            return value.encode("utf-8", "surrogateescape")
        if isinstance(value, tuple):
            return [v.encode("utf-8", "surrogateescape") if isinstance(v, str) else v for v in value]
        return value

    def colocation_groups(self) -> list[bytes]:
        """Returns the colocation groups of the operation."""
        groups: list[bytes] = [g.encode() if isinstance(g, str) else g for g in self.attrs.get("_class", ())]
        return groups or [b"loc:@" + self.name.encode()]

    def tell(self, recorders: Sequence[Any]) -> None:
        """Tells recorders of this operation, which holds graphs.

        The innermost recorder comes first: an accumulator changes the operation, and outer recorders see the result.
        """
        for recorder in reversed(recorders):
            recorder.record(self.op_def, self.inputs, self.outputs[:], self.attrs)

    def run(self, feed_dict: object = None, session: object = None) -> None:
        """Runs the operation in a v1 session.

        Args:
          feed_dict: values by the tensors that they replace.
          session: the session; the default session if None.

        Raises: ValueError: if there is no session, or it runs another graph.
        """
        default_session.session_of(self.graph, session, default_session.EXECUTION).run(self, feed_dict)

    def _set_device(self, device: str | None) -> None:
        self.device = device or ""

    def _set_attr(self, name: str, value: TensorLike) -> None:
        if hasattr(value, "WhichOneof"):
            from millrace._src.graph.attr_value import decode_attr  # protobuf loads only when a proto is given

            value = decode_attr(value)
        self.attrs = {**self.attrs, name: value}

    def _add_control_inputs(self, operations: Iterable[Operation]) -> None:
        self._control_inputs = tuple(dict.fromkeys([*self._control_inputs, *operations]))

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"
