"""`tf.raw_ops`: every op by TensorFlow's name, with keyword arguments only.

The module serves any op of the registry as an attribute, `raw.Reshape(tensor=x,
shape=s)`, looked up on first use. Gradients are written with it, so no op family
needs to import another.
"""

from __future__ import annotations

import re as _re  # every name here is private: the public ones are ops, and one op is called Any
from collections.abc import Callable as _Callable
from typing import Any as _Any

from millrace._src.core.execute import execute as _execute
from millrace._src.core.op_def import OpDef as _OpDef
from millrace._src.core.op_def import all_op_names as _all_op_names
from millrace._src.core.op_def import get_op as _get_op


def _snake_case(name: str) -> str:
    return _re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _raw_op(op: _OpDef) -> _Callable[..., _Any]:
    names = op.signature.input_names
    python_name = _snake_case(op.name)

    def call(*args: _Any, name: str | None = None, **kwargs: _Any) -> _Any:
        if args:
            keys = [*names, *(k for k in op.attr_kinds if k not in op.signature.inferred_attrs), "name"]
            raise TypeError(
                f"{python_name} only takes keyword args (possible keys: {keys}). Please pass these args as kwargs instead."
            )
        missing = [n for n in names if n not in kwargs]
        if missing:
            raise TypeError(
                f"{python_name}() missing {len(missing)} required argument{'s' * (len(missing) > 1)}: {', '.join(map(repr, missing))}"
            )
        inputs = [kwargs.pop(n) for n in names]
        inferred = op.signature.inferred_attrs
        for attr in [a for a in kwargs if a in inferred and op.attr_kinds.get(a) != "list[type]"]:
            raise TypeError(f"{python_name}() got an unexpected keyword argument '{attr}'")
        return _execute(op, inputs, kwargs, name)

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.kernel.__doc__
    return call


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
