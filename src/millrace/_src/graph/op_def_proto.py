"""OpDefs on the wire: the declaration of an op as TensorFlow's `OpDef` message and as its one-line summary.

SavedModels list the ops that they use, tools print ops, and TensorFlow quotes the summary in its messages about nodes
that do not fit their op. Message and summary follow from the one declaration.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millrace._src.core.dtypes import DType, runtime_name
from millrace._src.core.op_attributes import declared_default
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.core.op_signature import Arg, TypeList, TypeSet
from millrace._src.core.shapes import TensorShape
from millrace._src.graph.attr_value import encode_attr
from millrace._src.proto import op_def_pb2, types_pb2


def type_constant(dtype: DType) -> str:
    """Returns the name of a dtype's wire number: `DT_FLOAT`."""
    return str(types_pb2.DataType.Name(dtype.enum))


def wire_attr_kind(kind: str) -> str:
    """Returns an attribute kind as an `OpDef` spells kinds: `list[int]` is `list(int)`."""
    return kind.replace("list[", "list(").replace("]", ")")


def op_def_to_proto(op_def: OpDef) -> op_def_pb2.OpDef:
    """Returns the declaration as a message."""
    proto = op_def_pb2.OpDef(name=op_def.name)
    proto.input_arg.extend(_arg_proto(arg) for arg in op_def.signature.inputs)
    proto.output_arg.extend(_arg_proto(arg) for arg in op_def.signature.outputs)
    for name, kind in op_def.attr_kinds.items():
        proto.attr.append(_attr_proto(op_def, name, kind))
    proto.is_commutative = op_def.traits.commutative
    proto.is_stateful = is_stateful(op_def)
    return proto


def is_stateful(op_def: OpDef, attrs: dict[str, Any] | None = None) -> bool:
    """Returns whether the op does anything besides computing its outputs from its inputs."""
    try:
        return op_def.effects(attrs or {}) is not Effects.NONE
    except KeyError:  # the effects follow from function attributes, which a bare declaration does not have
        return not op_def.traits.is_stateless


def _arg_proto(arg: Arg) -> op_def_pb2.OpDef.ArgDef:
    proto = op_def_pb2.OpDef.ArgDef(name=arg.name)
    if arg.dtype is not None:
        proto.type = arg.dtype.enum  # type: ignore[assignment]  # a DType's enum is such a number
    proto.type_attr = arg.type_attr or ""
    proto.number_attr = arg.number_attr or ""
    proto.type_list_attr = arg.type_list_attr or ""
    proto.is_ref = arg.is_ref
    return proto


def _attr_proto(op_def: OpDef, name: str, kind: str) -> op_def_pb2.OpDef.AttrDef:
    proto = op_def_pb2.OpDef.AttrDef(name=name, type=wire_attr_kind(kind))
    types = op_def.types.get(name)
    default = declared_default(op_def, name)
    if default is not None:
        proto.default_value.CopyFrom(encode_attr(default, kind))
    if isinstance(types, TypeList) and types.minimum:
        proto.has_minimum, proto.minimum = True, types.minimum
    if _is_number_of_inputs(op_def, name):
        proto.has_minimum, proto.minimum = True, 1
    allowed_types = _restriction(types)
    if allowed_types:
        listed: Any = proto.allowed_values.list.type
        listed.extend(dtype.enum for dtype in allowed_types)
    return proto


def _is_number_of_inputs(op_def: OpDef, name: str) -> bool:
    return any(arg.number_attr == name for arg in op_def.signature.inputs)


def _restriction(types: TypeSet | TypeList | None) -> tuple[DType, ...]:
    """Returns the dtypes to which a type attribute is restricted; empty when any dtype will do."""
    allowed_types = types.allowed if isinstance(types, TypeList) else types
    if allowed_types is None or any(dtype.name == "variant" for dtype in allowed_types):
        return ()
    return tuple(allowed_types)


# --- the one-line summary ----------------------------------------------------------------------------------------


def op_summary(op_def: OpDef) -> str:
    """Returns TensorFlow's summary: `Op<name=AddV2; signature=x:T, y:T -> z:T; attr=T:type,allowed=[...]>`."""
    parts = [f"name={op_def.name}", f"signature={_side(op_def.signature.inputs)} -> {_side(op_def.signature.outputs)}"]
    for name, kind in sorted(op_def.attr_kinds.items()):
        parts.append(_attr_summary(op_def, name, kind))
    parts[1] = parts[1].rstrip() if not op_def.signature.outputs else parts[1]
    if op_def.traits.commutative:
        parts.append("is_commutative=true")
    if is_stateful(op_def):
        parts.append("is_stateful=true")
    return f"Op<{'; '.join(parts)}>"


def _side(args: Iterable[Arg]) -> str:
    return ", ".join(_arg_summary(arg) for arg in args)


def _arg_summary(arg: Arg) -> str:
    number = f"{arg.number_attr}*" if arg.number_attr else ""
    kind = arg.type_list_attr or arg.type_attr or (runtime_name(arg.dtype) if arg.dtype is not None else "")
    return f"{arg.name}:{number}{f'Ref({kind})' if arg.is_ref else kind}"


def _attr_summary(op_def: OpDef, name: str, kind: str) -> str:
    text = f"attr={name}:{wire_attr_kind(kind)}"
    proto = _attr_proto(op_def, name, kind)
    if proto.HasField("default_value"):
        text += f",default={value_text(declared_default(op_def, name))}"
    if proto.has_minimum:
        text += f",min={proto.minimum}"
    allowed_types = _restriction(op_def.types.get(name))
    if allowed_types:
        text += f",allowed=[{', '.join(type_constant(dtype) for dtype in allowed_types)}]"
    return text


def value_text(value: object) -> str:
    """Writes an attribute value as TensorFlow's messages do: `true`, `DT_FLOAT`, `[2,3]`, `"text"`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, DType):
        return type_constant(value)
    if isinstance(value, TensorShape):
        return (
            "<unknown>"
            if value.rank is None
            else f"[{','.join('?' if d is None else str(d) for d in value.as_list())}]"
        )
    if isinstance(value, (str, bytes)):
        text = value if isinstance(value, str) else value.decode("utf-8", "replace")
        return f'"{text}"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(value_text(item) for item in value)}]"
    return str(getattr(value, "name", value))
