"""`tf.Graph`: operations in the order they were made, with TensorFlow's names.

A graph is a list of operations plus the scopes that decide the next operation's name, device and control inputs.
Creation order is a topological order and, inside a function, the user's program order: engines and automatic control
dependencies rely on both orders.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite_gradients import consists_of_parts
from millrace._src.core.dispatch import convert_inputs
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import OpDef
from millrace._src.core.op_registry import find_late_bound, get_op
from millrace._src.core.resources import is_variable
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.source_trace import user_location
from millrace._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from millrace._src.graph import rewriting
from millrace._src.graph.device_scopes import apply_device_request
from millrace._src.graph.graph_names import VALID_OP_NAME, GraphNames, is_valid_name
from millrace._src.graph.graph_scopes import ControlScope, GraphScopes
from millrace._src.graph.operation import Operation
from millrace._src.util import nest, text
from millrace._src.util.export import export

_UNKNOWN_SHAPE = TensorShape(None)
_TENSOR_NAME_FORM = 'Tensor names must be of the form "<op_name>:<output_index>".'


@export("Graph")
class Graph:
    """A dataflow graph: `tf.Operation` nodes and the `tf.Tensor` edges between them.

    >>> g = tf.Graph()
    >>> with g.as_default():
    ...     y = tf.constant(2.0) * 3.0
    >>> [op.name for op in g.get_operations()]
    ['Const', 'mul/y', 'mul']
    """

    building_function = False
    outer_graph: Any = None

    def __init__(self) -> None:
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names = GraphNames()
        self._scopes = GraphScopes()
        self._collections: dict[Hashable, list[Any]] = {}
        self._finalized = False
        self._unfeedable: set[int] = set()
        self._unfetchable: set[int] = set()
        self.functions: dict[str, Any] = {}
        self.attachments: dict[str, Any] = {}
        """What layers above keep for the graph, as long as the graph lives."""
        self.lock = threading.RLock()
        """Held while programs and derivatives are made of the finished graph: a derivative changes the operations."""
        self.seed: int | None = None

    # --- reading -----------------------------------------------------------------------------------------------

    def get_operations(self) -> list[Operation]:
        """Returns all operations, in the order they were made."""
        return list(self._operations)

    @property
    def version(self) -> int:
        """A number that grows with every operation added."""
        return len(self._operations)

    @property
    def graph_def_versions(self) -> Any:
        """The `VersionDef` proto of the graph's producer."""
        return find_late_bound("graph_def_versions")(self)  # protobuf loads only when a proto is asked for

    @property
    def _last_id(self) -> int:
        return len(self._operations)

    @property
    def finalized(self) -> bool:
        """Whether the graph refuses further operations."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._finalized = True

    def get_operation_by_name(self, name: str) -> Operation:
        """Returns the operation called `name`.

        Raises:
          TypeError: if `name` is not a string.
          KeyError: if the graph has no such operation.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self._element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """Returns the tensor called `name`, of the form `operation:output`.

        Raises:
          TypeError: if `name` is not a string.
          ValueError: if `name` is not of that form.
          KeyError: if the graph has no such tensor.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self._element(name, allow_operation=False)

    def as_graph_element(self, obj: TensorLike, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """Returns the tensor or operation of this graph that `obj` (an object or a name) refers to."""
        if isinstance(obj, (SymbolicTensor, Operation)):
            if obj.graph is not self:
                kind = "Operation" if isinstance(obj, Operation) else "Tensor"
                raise ValueError(f"{kind} {obj if kind == 'Tensor' else obj.name} is not an element of this graph.")
            if (
                isinstance(obj, SymbolicTensor)
                and not allow_tensor
                or isinstance(obj, Operation)
                and not allow_operation
            ):
                raise TypeError(
                    f"Can not convert a {type(obj).__name__} into a {'Tensor' if allow_tensor else 'Operation'}."
                )
            return obj
        if isinstance(obj, str):
            return self._element(obj, allow_tensor, allow_operation)
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            return self.as_graph_element(convert(), allow_tensor, allow_operation)
        allowed_kinds = " or ".join(k for k, ok in (("Tensor", allow_tensor), ("Operation", allow_operation)) if ok)
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {allowed_kinds}.")

    def _element(self, name: str, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        operation_name, colon, index = name.rpartition(":")
        if colon and allow_tensor:
            if not index.isdigit():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. {_TENSOR_NAME_FORM}"
                )
            operation = self._by_name.get(operation_name)
            if operation is None:
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{operation_name!r}, does not exist in the graph."
                )
            if int(index) >= len(operation.outputs):
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{operation_name!r}, exists but only has {len(operation.outputs)} outputs."
                )
            return operation.outputs[int(index)]
        if colon:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
        if not allow_operation:
            if name in self._by_name:
                raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. {_TENSOR_NAME_FORM}")
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {_TENSOR_NAME_FORM}"
            )
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def prevent_feeding(self, tensor: TensorLike) -> None:
        """Marks a tensor that a v1 session must not be fed."""
        self._unfeedable.add(id(tensor))

    def is_feedable(self, tensor: TensorLike) -> bool:
        """Returns whether a v1 session may be fed a value for the tensor."""
        return id(tensor) not in self._unfeedable

    def prevent_fetching(self, op: TensorLike) -> None:
        """Marks an operation that a v1 session must not fetch."""
        self._unfetchable.add(id(op))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Returns whether a v1 session may fetch the tensor or operation."""
        operation = tensor_or_op if isinstance(tensor_or_op, Operation) else tensor_or_op.op
        return id(operation) not in self._unfetchable

    # --- building ----------------------------------------------------------------------------------------------

    def as_default(self) -> contextlib.AbstractContextManager[Any]:
        """Opens a scope in which op calls add to this graph."""
        return context.graph_scope(self)

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Any],
        dtypes: TensorLike | None = None,
        input_types: TensorLike | None = None,
        name: str | None = None,
        attrs: Any = None,
        op_def: TensorLike | None = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation by the name of its op.

        >>> g = tf.Graph()
        >>> with g.as_default():
        ...     x = tf.constant([1.0, 2.0])
        >>> g.create_op("Neg", [x], name="minus_x").outputs
        [<tf.Tensor 'minus_x:0' shape=(2,) dtype=float32>]

        Args:
            op_type: The op's name.
            inputs: Tensors; the tensors of a list input stand one by one.
            dtypes: The dtypes of the outputs; they follow from the op, so nothing depends on the argument.
            input_types: The dtypes of the inputs; they follow from the inputs.
            name: The operation's name, made unique; the op's name if None. A name that ends in "/" is not changed.
            attrs: `AttrValue`s by name.
            op_def: The op's `OpDef`; the declaration here holds.
            compute_shapes: Shapes are always computed.
            compute_device: Device scopes always hold.

        Raises:
            TypeError: if an input is not a tensor, or an attribute no `AttrValue`.
            RuntimeError: if there is no such op.
            ValueError: if inputs or attributes do not fit the op.
        """
        from millrace._src.graph.create_op import create_op  # protobuf loads only when attributes are given as messages

        return create_op(self, op_type, inputs, name, attrs)

    def add_call(
        self, op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None
    ) -> tuple[list[Any], Operation]:
        """Adds an op call with Python or tensor inputs; returns its input tensors and the operation."""
        full_name = self._operation_name(op.name if name is None else name)
        tensors = convert_inputs(op, inputs, attrs, full_name)
        return tensors, self.add_operation(op, tensors, attrs, full_name)

    def add_operation(
        self,
        op: OpDef,
        inputs: Sequence[Any],
        attrs: dict[str, Any],
        full_name: str,
        *,
        shapes: Sequence[TensorShape] | None = None,
        control_inputs: Iterable[Operation] | None = None,
    ) -> Operation:
        """Adds an operation whose inputs are tensors of this graph and whose name is already unique."""
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        dtypes = op.output_dtypes(attrs)
        if shapes is None:
            shapes = self._infer_shapes(op, inputs, attrs, full_name, dtypes)
        graph_scopes = self._scopes
        requests = graph_scopes.thread.requests
        scopes: Sequence[ControlScope] = ()
        if control_inputs is None:
            scopes = requests.controls
            control_inputs = requests.control_inputs(inputs) if scopes else ()
        if requests.colocations or graph_scopes.add_attrs:
            attrs = graph_scopes.attrs_of(op, attrs)
        device = context.state.device or ""
        made_at = user_location(2)
        operation = Operation(self, op, full_name, inputs, attrs, dtypes, shapes, control_inputs, made_at, device)
        if requests.devices:
            apply_device_request(operation, requests.devices[-1])
        operation.infer_handle_types()
        self._operations.append(operation)
        self._by_name[full_name] = operation
        for scope in scopes:
            scope.made.add(operation)
        return operation

    def _infer_shapes(
        self, op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str, dtypes: Sequence[DType]
    ) -> Sequence[TensorShape]:
        if op.rules.shape is None:
            return [_UNKNOWN_SHAPE] * len(dtypes)
        try:
            shapes = op.rules.shape(ShapeContext(op, inputs, attrs))
        except ValueError as complaint:
            raise ValueError(
                f"{complaint} for '{_node_text(op, name, inputs, attrs)}' with input shapes: {_shapes_text(inputs)}."
            ) from None
        return [shapes] if isinstance(shapes, TensorShape) else list(shapes)

    def constant(self, value: np.ndarray[Any, Any], dtype: DType, name: str) -> SymbolicTensor:
        """Adds a constant; no other code may change `value`."""
        operation = self.add_operation(
            get_op("Const"),
            (),
            {"dtype": dtype, "value": value},
            self._operation_name(name),
            shapes=(TensorShape.of(value.shape),),
            control_inputs=() if not self._scopes.thread.requests.controls else None,
        )
        operation.note_values((value if value.flags.c_contiguous else np.array(value, order="C"),))
        return operation.outputs[0]

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Returns a tensor of this graph that represents `tensor`; a plain graph refuses tensors of other graphs."""
        if isinstance(tensor, EagerTensor):
            raise RuntimeError(
                f"{(name or 'tensor').rpartition('/')[2]}: Attempting to capture an EagerTensor without "
                "building a function."
            )
        raise ValueError(
            f"{tensor} must be from the same graph as this graph: it belongs to "
            f"{getattr(tensor, 'graph', None)!r}, which is not {self!r}."
        )

    # --- names -------------------------------------------------------------------------------------------------

    def _operation_name(self, name: str) -> str:
        if name.endswith("/"):
            return name[:-1]
        scope = self._scopes.thread.name
        if not scope:
            path = name
        elif name.startswith(scope + "/"):
            return self._names.unique(name)
        else:
            path = f"{scope}/{name}"
        if not is_valid_name(path):
            raise ValueError(f"`{name}` is not a valid node name. Accepted names conform to Regex /{VALID_OP_NAME!r}/")
        return self._names.unique(path)

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Returns `name` inside the current scope, with `_1`, `_2`, ... if it is taken."""
        scope = self._scopes.thread.name
        return self._names.unique(f"{scope}/{name}" if scope else name, mark_as_used)

    def reserve_name(self, name: str) -> None:
        """Takes the name of an operation as it is, so that no other operation gets the name."""
        self._names.reserve(name)

    def name_scope(self, name: str | None) -> contextlib.AbstractContextManager[str]:
        """Puts a prefix before the names of operations made within; a name ending in "/" re-enters that scope."""
        return self._scopes.name_scope(name, self._names)

    def get_name_scope(self) -> str:
        """Returns the current name scope, without a trailing "/"."""
        return self._scopes.thread.name

    # --- scopes ------------------------------------------------------------------------------------------------

    def switch_to_thread_local(self) -> None:
        """Gives each thread its own stacks of devices, control dependencies and colocation.

        Graphs have such stacks from the start, empty in each new thread, and the call changes nothing. Where
        `tf.compat.v1.disable_v2_behavior` is in force, the threads that build a new graph share its stacks until the
        call; from then on each thread begins with the scopes in force at the call. Name scopes belong to a thread.

        >>> g = tf.Graph()
        >>> g.switch_to_thread_local()
        """
        self._scopes.switch_to_thread_local()

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """Makes operations created within run after `control_inputs`; None clears outer dependencies."""
        controllers: list[Operation] = []
        for item in () if control_inputs is None else _parts_of(control_inputs):
            element = self._controller(item)
            if element is not None and element not in controllers:
                controllers.append(element)
        for controller in controllers:
            rewriting.change_attrs(controller, {"_has_manual_control_dependencies": True})
        with self._scopes.control_dependencies(ControlScope(controllers, clears=control_inputs is None)):
            yield

    def _controller(self, item: TensorLike) -> Operation | None:
        if isinstance(item, EagerTensor):
            return None
        if isinstance(item, SymbolicTensor) and item.graph is not self:
            item = self.capture(item)
        if is_variable(item):
            assignment = getattr(item, "_assignment", None)  # only what an assignment returns has one
            if assignment is None and isinstance(item.handle, EagerTensor):
                return None
            item = item.op if assignment is None else assignment
        if isinstance(item, Operation) and item.graph is not self:
            item = self._wait_for(item)
        element = self.as_graph_element(item)
        return element if isinstance(element, Operation) else element.op

    def _wait_for(self, operation: Operation) -> Any:
        """Returns what stands in this graph for an operation of another graph: nothing does, in a plain graph."""
        return operation

    def current_controls(self) -> list[Operation]:
        """Returns the operations that the scopes in force make an operation without inputs wait for."""
        return self._scopes.thread.requests.control_inputs(())

    def device(self, device_name: TensorLike) -> contextlib.AbstractContextManager[None]:
        """Sets the device that the operations made within request: a name, or a function of an operation."""
        return self._scopes.device(device_name)

    def colocate_with(self, op: TensorLike, ignore_existing: bool = False) -> contextlib.AbstractContextManager[None]:
        """Colocates the operations made within with `op`; None ends outer requests.

        Everything is on one device, so the request shows only in saved graphs.
        """
        controller = None if op is None else self._controller(op)
        groups = [] if controller is None else controller.colocation_groups()
        colocations = self._scopes.thread.requests.colocations
        base = [] if ignore_existing or op is None or not colocations else colocations[-1]
        return self.colocation_groups([*base, *groups])

    def colocation_groups(self, groups: Sequence[bytes]) -> contextlib.AbstractContextManager[None]:
        """Puts the operations made within into colocation groups, instead of the groups in force."""
        return self._scopes.colocation_groups(list(groups))

    def container(self, container_name: str) -> contextlib.AbstractContextManager[str]:
        """Puts the variables, queues and tables made within into a container, whose name operations show."""
        return self._scopes.container(container_name)

    def gradient_override_map(self, op_type_map: dict[str, str]) -> contextlib.AbstractContextManager[None]:
        """Gives the operations made within, by type, the gradient rule of another name.

        >>> g = tf.Graph()
        >>> with g.as_default(), g.gradient_override_map({"Sign": "Identity"}):
        ...     x = tf.constant([0.3, -2.0])
        ...     y = tf.sign(x)
        >>> y.op.get_attr("_gradient_op_type")
        b'Identity'

        Nested scopes add up; for the same type the inner scope wins. The graphs of functions, branches and loops that
        are built within have maps of their own.

        Args: op_type_map: type of operation -> name of a `tf.RegisterGradient` rule, or of an op whose gradient to use.
        Raises: TypeError: if `op_type_map` is not a dictionary from strings to strings.
        """
        if not isinstance(op_type_map, dict) or not all(isinstance(s, str) for kv in op_type_map.items() for s in kv):
            raise TypeError(f"op_type_map must be a dictionary mapping strings to strings; received {op_type_map!r}.")
        return self._scopes.gradient_override_map(op_type_map)

    # --- collections (v1) --------------------------------------------------------------------------------------

    def add_to_collection(self, name: Hashable, value: object) -> None:
        """Stores `value` in a collection."""
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: TensorLike) -> None:
        """Stores `value` in several collections."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """Returns a copy of a collection, filtered by a name prefix."""
        items = self._collections.get(name, [])
        return [i for i in items if scope is None or (hasattr(i, "name") and re.match(scope, i.name))]

    def get_collection_ref(self, name: Hashable) -> list[Any]:
        """Returns the list behind a collection, which the caller may change."""
        return self._collections.setdefault(name, [])

    def clear_collection(self, name: str) -> None:
        """Empties a collection."""
        self._collections.pop(name, None)

    def get_all_collection_keys(self) -> list[str]:
        """Returns the names of the collections; what Millrace itself keeps with the graph has no string for a name."""
        return [name for name in self._collections if isinstance(name, str)]

    @property
    def collections(self) -> list[str]:
        """The names of the collections."""
        return self.get_all_collection_keys()

    # --- protos ------------------------------------------------------------------------------------------------

    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, use_pybind11_proto: bool = False
    ) -> Any:
        """Returns the graph as a `GraphDef` proto.

        Args:
          from_version: only operations added since the graph had this `version`.
          add_shapes: adds an `_output_shapes` attribute to each node.
          use_pybind11_proto: ignored by design: the result is the same.

        Returns: A `GraphDef`.
        """
        write = find_late_bound("graph_def")  # protobuf loads only when a proto is asked for
        return write(self, from_version=from_version, add_shapes=add_shapes)


def _shapes_text(inputs: Sequence[Any]) -> str:
    return ", ".join(text.shape_brackets(t.shape) for t in inputs)


def _node_text(op: OpDef, name: str, inputs: Sequence[Any], attrs: dict[str, Any]) -> str:
    attr_texts = []
    for key in sorted(attrs):
        value = attrs[key]
        if isinstance(value, DType):
            attr_texts.append(f"{key}=DT_{value.name.upper()}" if value.name != "float32" else f"{key}=DT_FLOAT")
        elif isinstance(value, bool):
            attr_texts.append(f"{key}={str(value).lower()}")
        elif isinstance(value, (int, float)):
            attr_texts.append(f"{key}={value}")
        elif isinstance(value, str):
            attr_texts.append(f'{key}="{value}"')
        elif isinstance(value, tuple) and all(isinstance(v, (int, float)) for v in value):
            attr_texts.append(f"{key}=[{', '.join(map(str, value))}]")
    arguments = ", ".join(t.op.name if t.value_index == 0 else t.name for t in inputs)
    return f"{{{{node {name}}}}} = {op.name}[{', '.join(attr_texts)}]({arguments})"


def _parts_of(items: Iterable[Any]) -> Iterator[Any]:
    """Yields items, and instead of a composite the tensors of which it consists."""
    for item in items:
        if consists_of_parts[type(item)]:
            yield from nest.flatten(item, expand_composites=True)
        else:
            yield item
