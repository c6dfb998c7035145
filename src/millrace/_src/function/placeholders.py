"""Placeholders: stand-ins that the Python function gets for its tensor arguments while it is traced.

A tensor becomes a `Placeholder` operation named after the argument (or after the spec's name). Structures and composite
tensors are rebuilt around the placeholders of their parts. Python values are passed through.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from millrace._src.core.argument_types import DTypeLike, ShapeLike
from millrace._src.core.handle_types import VariableHandle
from millrace._src.core.resources import is_variable
from millrace._src.core.specs import TensorSpec, TypeSpec
from millrace._src.core.tensor import SymbolicTensor, tape_id
from millrace._src.function.trace_structures import NestedType
from millrace._src.function.trace_types import Literal, PlaceholderContext, Weakref
from millrace._src.state.variable_spec import VariableSpec
from millrace._src.util import nest
from millrace._src.util.logger import get_logger

_VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")


class Placeholders:
    """A maker of the placeholders of one trace, in `graph`, which lists the placeholders among the graph's inputs."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._handles: set[int] = set()
        """The ids of the handles of the variables that came in, each of which has one placeholder."""
        self._unbound: dict[int | None, Any] = {}
        """The variables of placeholders, by the number of the variable in the call."""

    def make(self, kind: Any, value: object, name: str | None) -> Any:
        """Makes the stand-in for an argument of trace type `kind` whose value in this call is `value`."""
        if isinstance(kind, TensorSpec):
            return self._tensor(kind, name)
        if isinstance(kind, (Literal, Weakref)):
            return kind.value if value is None else value
        if isinstance(kind, VariableSpec):
            return self._variable(kind, value, name)
        if isinstance(kind, NestedType):
            return self._structure(kind, value, name)
        if isinstance(kind, TypeSpec):
            return self._composite(kind, value, name)
        context = PlaceholderContext(self)
        context.update_naming_scope(name)
        return kind.placeholder_value(context)

    def add_placeholder(self, dtype: DTypeLike, shape: ShapeLike, name: str) -> SymbolicTensor:
        """Makes one placeholder; called by specs through `PlaceholderContext.context_graph`."""
        return self._tensor(TensorSpec(shape, dtype), name)

    def _structure(self, kind: NestedType, value: object, name: str | None) -> Any:
        is_spec = value is None or isinstance(value, (NestedType, TypeSpec))
        values = [None] * len(kind.components) if is_spec else kind.unpack(value)
        return kind.pack([self.make(part, item, name) for part, item in zip(kind.components, values)])

    def _tensor(self, spec: TensorSpec, name: str | None) -> SymbolicTensor:
        user_name = getattr(spec, "name", None) or name
        valid_name = user_name if user_name is not None and _VALID_NAME.match(user_name) else "Placeholder"
        if user_name is not None and valid_name != user_name:
            get_logger().warning(
                "`%s` is not a valid node name. Accepted names conform to Regex /%s/", user_name, _VALID_NAME
            )
        placeholder: SymbolicTensor = self._graph.add_placeholder(spec.dtype, spec.shape, valid_name, user_name)
        self._graph.inputs.append(placeholder)
        return placeholder

    def _composite(self, kind: TypeSpec, value: Any, name: str | None) -> Any:
        """Makes a composite of placeholders; the variables in the composite pass through, as arguments of their own."""
        parts = kind.flatten()
        if not any(part.dtype.is_resource for part in parts):
            return kind.from_tensors(iter([self._tensor(part, name) for part in parts]))
        is_spec = value is None or isinstance(value, TypeSpec)
        given = [None] * len(parts) if is_spec else nest.flatten(value, expand_composites=True)
        made = [self._pass_value(self._tensor(part, name), item) for part, item in zip(parts, given, strict=True)]
        composite = kind.from_tensors(iter(made))
        for leaf in nest.flatten(composite, expand_composites=True):
            if is_variable(leaf):
                self._graph.argument_handles.add(id(leaf.handle))
        return composite

    def _variable(self, kind: VariableSpec, value: Any, name: str | None) -> Any:
        """Returns the variable itself, or where there is none yet, a variable of the placeholder."""
        placeholder = self._tensor(kind.flatten()[0], name)
        placeholder.handle_type = VariableHandle(kind.dtype, kind.shape)
        if value is not None and not isinstance(value, VariableSpec):
            return self._pass_value(placeholder, value)
        alias = kind.alias_id
        if alias is None or alias not in self._unbound:
            self._graph.argument_handles.add(id(placeholder))
            self._unbound[alias] = kind.from_tensors(iter([placeholder]))
        return self._unbound[alias]

    def _pass_value(self, placeholder: SymbolicTensor, value: Any) -> Any:
        """Returns a variable itself, and feeds its handle through a placeholder, so that other variables may replace
        the variable; returns the placeholder for another value.
        """
        if not is_variable(value):
            return placeholder
        handle = value.handle
        if id(handle) not in self._handles:
            self._handles.add(id(handle))
            placeholder.handle_type = VariableHandle(value.dtype, value.shape)
            placeholder._tape_id = tape_id(handle)  # a tape within the body knows the variable by its handle
            self._graph.replace_capture(handle, placeholder)
            self._graph.argument_handles.add(id(handle))
        return value


def argument_names(graph: Any, count: int) -> list[str]:
    """Returns the names by which a trace's tensors can be passed: the users' names, made unique."""
    operations = [placeholder.op for placeholder in graph.inputs[:count]]
    return unique_names([op.attrs.get("_user_specified_name") or op.name for op in operations])


def unique_names(bases: Sequence[str]) -> list[str]:
    """Returns the names; one that was there before gets a number."""
    names: list[str] = []
    for base in bases:
        name, number = base, 0
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return names
