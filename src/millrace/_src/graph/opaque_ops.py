"""Opaque ops: declarations of TensorFlow's ops that Millrace does not implement.

Problem: a graph may hold such an op in a part that is never run, and must still be read, changed and written. A
`GraphDef` does not say which outputs a node has.

Idea: `known_ops.txt`, which `tools/gen_known_ops.py` records, has the signature of each such op in a line. The line
becomes an `OpDef` like any other whose kernel refuses to run. The file is read when a graph first names such an op.
"""

from __future__ import annotations

import functools
import json
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from millrace._src.core.dtypes import ALL_DTYPES, as_dtype
from millrace._src.core.errors import NotFoundError, UnimplementedError
from millrace._src.core.op_def import Effects, Kernel, OpDef, Rules, Traits
from millrace._src.core.op_registry import get_op
from millrace._src.core.op_signature import TypeList, TypeSet
from millrace._src.core.shapes import TensorShape

_ATTRIBUTE = re.compile(r"(\w+):([\w\[\]]+)(?: in (\S+))?(?: >= (\d+))?(?: = (.*))?")


class OpaqueOp(OpDef):
    """The declaration of an op that can stand in a graph and cannot run.

    Args:
      line: the op's line of `known_ops.txt`: name, signature, facts (`stateful`), attributes, between tabs.
    """

    def __init__(self, line: str) -> None:
        name, signature, *rest = line.split("\t")
        facts = {word for word in rest if ":" not in word}
        traits = Traits(
            effects=Effects.WRITES if "stateful" in facts else Effects.NONE,
            commutative="commutative" in facts,
            host_only=True,
            no_gradient="Millrace can read and write the op, not run it",
        )
        declared = [_Attribute(text) for text in rest if text not in facts]
        types = {attr.name: attr.types for attr in declared if attr.types is not None}
        super().__init__(name, signature, _refusal(name), traits, Rules(), types)
        self.input_count = len(self.signature.inputs)
        self.attr_defaults = {attr.name: attr.default for attr in declared if attr.default is not None}
        self.attr_kinds = {attr.name: attr.kind for attr in declared}

    def __reduce__(self) -> tuple[Any, ...]:
        return opaque_op, (self.name,)


def find_op(name: str) -> OpDef:
    """Returns the declaration of an op; one that TensorFlow alone implements is an `OpaqueOp`.

    Raises: NotFoundError: if neither Millrace nor TensorFlow has such an op.
    """
    for look_up in (get_op, opaque_op):
        try:
            return look_up(name)
        except KeyError:
            continue
    raise NotFoundError(
        None,
        None,
        f"Op type not registered '{name}' in binary running on {platform.node()}. Make sure the Op and Kernel are "
        "registered in the binary running in this process: an op of your own must be declared before a graph that uses "
        "it is read.",
    )


def opaque_op(name: str) -> OpDef:
    """Returns the declaration of an op that TensorFlow has and Millrace does not implement.

    Raises: KeyError: if TensorFlow has no such op.
    """
    declared = _DECLARED.get(name)
    if declared is None:
        text = _known_ops()
        start = text.find(f"\n{name}\t") + 1
        if not start:
            raise KeyError(f"TensorFlow has no op named '{name}'.")
        declared = _DECLARED[name] = OpaqueOp(text[start : text.index("\n", start)])
    return declared


_DECLARED: dict[str, OpaqueOp] = {}
"""The opaque ops by name, so that all nodes share one declaration; at most one an op of the file."""


def opaque_op_of(message: Any) -> OpaqueOp:
    """Returns the declaration of an op that neither Millrace nor TensorFlow has, as the writer of a graph declared it.

    Args: message: the `OpDef` message.
    Raises: ValueError: if the message declares no op.
    """
    from millrace._src.graph.op_lines import line_of  # loads protobuf, which `find_op` does without

    try:
        return OpaqueOp(line_of(message))
    except (KeyError, TypeError, UnicodeDecodeError) as error:
        raise ValueError(f"The graph declares an op {message.name!r} in no known form: {error}.") from error


@functools.cache
def _known_ops() -> str:
    """Returns the text of the file, after a line break: each line then stands between two."""
    return "\n" + Path(__file__).with_name("known_ops.txt").read_text(encoding="utf-8")


def _refusal(name: str) -> Kernel:
    """Returns the kernel of an opaque op."""

    def refuse(xp: Any, *inputs: Any) -> Any:
        raise UnimplementedError(
            None,
            None,
            f"Millrace does not implement TensorFlow's op '{name}': a graph that holds the op can be read, changed and "
            "written, but what depends on the op cannot run. Compute other tensors of the graph, or replace the op's "
            "outputs: `input_map` of tf.import_graph_def takes a tensor for each.",
        )

    return refuse


class _Attribute:
    """One attribute of a line: `name:kind in dtypes >= length = default`, of which a line has what applies."""

    def __init__(self, text: str) -> None:
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            raise ValueError(f"Cannot parse {text!r} in known_ops.txt.")
        self.name, self.kind, allowed, minimum, default = match.groups()
        self.default = None if default is None else _value_of(self.kind, json.loads(default))
        self.types: TypeSet | TypeList | None = None
        if self.kind in ("type", "list[type]"):
            dtypes = ALL_DTYPES if allowed is None else [as_dtype(word) for word in allowed.split("|")]
            is_list = self.kind == "list[type]"
            self.types = TypeList(TypeSet(dtypes), int(minimum or 0)) if is_list else TypeSet(dtypes, self.default)


def _value_of(kind: str, value: Any) -> Any:
    """Returns the value of an attribute from its JSON form."""
    if kind.startswith("list["):
        return tuple(_value_of(kind[5:-1], item) for item in value)
    return _FROM_JSON[kind](value) if kind in _FROM_JSON else value


_FROM_JSON: dict[str, Callable[[Any], Any]] = {
    "type": as_dtype,
    "shape": lambda dims: TensorShape(None if dims is None else [None if d < 0 else d for d in dims]),
    "tensor": lambda pair: np.array(pair[1], as_dtype(pair[0]).np_dtype),
}
