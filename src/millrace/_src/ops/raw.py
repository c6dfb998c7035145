"""`tf.raw_ops`: every op by TensorFlow's name, with keyword arguments only.

The module serves any op of the registry as an attribute, `raw.Reshape(tensor=x, shape=s)`, looked up on first use.
Gradients are written with such calls, so no op family needs to import another.
"""

from __future__ import annotations

import inspect as _inspect
import re as _re  # every name here is private: the public ones are ops, and one op is called Any
from collections import namedtuple as _namedtuple
from collections.abc import Callable as _Callable
from typing import Any as _Any

import numpy as _np

from millrace._src.core.context import state as _state
from millrace._src.core.dtypes import as_dtype as _as_dtype
from millrace._src.core.execute import execute as _execute
from millrace._src.core.op_def import OpDef as _OpDef
from millrace._src.core.op_registry import all_op_names as _all_op_names
from millrace._src.core.op_registry import get_op as _get_op
from millrace._src.core.shapes import TensorShape as _TensorShape
from millrace._src.util.export import ROOT as _ROOT


def _snake_case(name: str) -> str:
    return _re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _raw_op(op: _OpDef) -> _Callable[..., _Any]:
    names = op.signature.input_names
    renamings = op.traits.public_argument_names or {}
    public_names = {internal: public for public, internal in renamings.items()}
    python_name = _snake_case(op.name)
    inferred_attrs = {a for a in op.signature.inferred_attrs if op.attr_kinds.get(a) != "list[type]"}
    result_type = _result_type(op)
    required_args = [*names, *_required_attrs(op)]
    tensors = [attr for attr, kind in op.attr_kinds.items() if kind == "tensor"]
    reference = next((arg.name for arg in (*op.signature.outputs, *op.signature.inputs) if arg.is_ref), None)

    def call(*args: _Any, name: str | None = None, **kwargs: _Any) -> _Any:
        if args:
            attrs = [k for k in op.attr_kinds if k not in inferred_attrs]
            keys = [public_names.get(k, k) for k in [*names, *attrs]] + ["name"]
            raise TypeError(
                f"{python_name} only takes keyword args (possible keys: {keys}). Please pass these args as "
                "kwargs instead."
            )
        for public, internal in renamings.items():
            if public in kwargs and internal not in kwargs:
                kwargs[internal] = kwargs.pop(public)
        missing_args = [public_names.get(n, n) for n in required_args if n not in kwargs]
        if missing_args:
            plural = "s" if len(missing_args) > 1 else ""
            raise TypeError(
                f"{python_name}() missing {len(missing_args)} required argument{plural}: "
                f"{', '.join(map(repr, missing_args))}"
            )
        unexpected_args = inferred_attrs.intersection(kwargs)
        if unexpected_args:
            raise TypeError(f"{python_name}() got an unexpected keyword argument '{min(unexpected_args)}'")
        if reference is not None and _state.graph is None:
            raise RuntimeError(f"{python_name} op does not support eager execution. Arg '{reference}' is a ref.")
        for attr in tensors:
            if attr in kwargs:
                kwargs[attr] = _tensor_value(attr, kwargs[attr], kwargs.get("dtype"))
        outputs = _execute(op, [kwargs.pop(n) for n in names], kwargs, name)
        return result_type(*outputs) if result_type is not None and isinstance(outputs, list) else outputs

    call.__module__, call.__name__ = f"{_ROOT}.raw_ops", op.name
    call.__qualname__, call.__doc__ = op.name, op.kernel.__doc__
    call.__signature__ = _signature(op, public_names)  # type: ignore[attr-defined]  # for `inspect`
    return call


def _signature(op: _OpDef, public_names: dict[str, str]) -> _inspect.Signature:
    """Returns the parameters that TensorFlow lists: inputs, attributes without and with defaults, and the name."""
    empty, kind = _inspect.Parameter.empty, _inspect.Parameter.POSITIONAL_OR_KEYWORD
    attrs = [attr for attr in op.attr_kinds if attr not in op.signature.inferred_attrs]
    required = [*op.signature.input_names, *(attr for attr in attrs if attr not in op.default_attrs)]
    defaults = {attr: op.default_attrs[attr] for attr in attrs if attr in op.default_attrs}
    defaults |= {attr: list(value) for attr, value in defaults.items() if isinstance(value, tuple)}
    shapes = {attr: value for attr, value in defaults.items() if isinstance(value, _TensorShape)}
    defaults |= {attr: None if shape.rank is None else shape.as_list() for attr, shape in shapes.items()}
    parameters = [
        _inspect.Parameter(public_names.get(name, name), kind, default=defaults.get(name, empty))
        for name in [*required, *defaults]
    ]
    return _inspect.Signature([*parameters, _inspect.Parameter("name", kind, default=None)])


def _required_attrs(op: _OpDef) -> list[str]:
    """Returns the attributes that a call must give: attributes that follow from no input and have no default."""
    optional_attrs = {*op.signature.inferred_attrs, *op.attr_defaults}
    return [a for a in op.attr_kinds if a not in optional_attrs and getattr(op.types.get(a), "default", None) is None]


def _tensor_value(attr: str, value: _Any, dtype: _Any) -> _Any:
    """Returns the array of an attribute that is a tensor, given as a `TensorProto` or an array.

    A dtype of None means any.
    """
    if isinstance(value, _np.ndarray):
        return value
    if not hasattr(value, "tensor_shape"):
        raise TypeError(f"Don't know how to convert {value!r} to a TensorProto for argument {attr!r}.")
    from millrace._src.graph.tensor_proto import decode_tensor  # protobuf loads only when a proto is given

    array, actual = decode_tensor(value)
    if dtype is not None and actual is not _as_dtype(dtype):
        raise TypeError(f"Argument {attr!r} is a TensorProto of {actual.name}, where dtype is {_as_dtype(dtype).name}.")
    return array


def _result_type(op: _OpDef) -> _Any:
    """Returns the named tuple of an op with several outputs, None for other ops."""
    outputs = [arg.name for arg in op.signature.outputs]
    return _namedtuple(op.name, outputs) if len(outputs) > 1 else None


def __getattr__(name: str) -> _Callable[..., _Any]:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        function = _raw_op(_get_op(name))
    except KeyError:
        raise AttributeError(f"module 'raw_ops' has no attribute {name!r}: Millrace has no op of that name.") from None
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return _all_op_names()
