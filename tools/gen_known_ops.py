"""Writes `src/millrace/_src/graph/known_ops.txt`: the signatures of TensorFlow's ops that Millrace does not declare.

Problem: a graph may hold such an op, and a `GraphDef` says neither how many outputs a node has nor their dtypes.

Idea: signatures are facts that TensorFlow's runtime lists. They are recorded once, an op a line, in the form that
`graph/opaque_ops.py` reads. An op that Millrace declares has no line: `tools/gen_api.py` drops the line of a new op.

Run it with an interpreter that has TensorFlow. `--check` writes nothing and tells whether the file is stale; without
TensorFlow there is nothing to compare with, and `--check` passes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gen_api

_DTYPES = {"list(type)", "type"}


def op_list() -> Any:
    """Returns the `OpList` message of TensorFlow's runtime.

    Raises: ImportError: if there is no TensorFlow.
    """
    from tensorflow.core.framework import op_def_pb2  # optional: only a recording needs TensorFlow
    from tensorflow.python.client import pywrap_tf_session as runtime  # optional: see above

    ops = op_def_pb2.OpList()
    ops.ParseFromString(runtime.TF_GetBuffer(runtime.TF_GetAllOpList()))
    return ops.op


def line_of(op: Any) -> str:
    """Returns the line of an op: name, signature, facts, attributes, between tabs."""
    facts = [fact for fact in ("commutative", "stateful") if getattr(op, f"is_{fact}")]
    inputs, outputs = (", ".join(map(_argument, args)) for args in (op.input_arg, op.output_arg))
    return "\t".join([op.name, f"{inputs} -> {outputs}".strip(), *facts, *map(_attribute, op.attr)])


def _argument(arg: Any) -> str:
    kind = arg.type_list_attr or arg.type_attr or _dtype(arg.type)
    number = f"{arg.number_attr} * " if arg.number_attr else ""
    return f"{arg.name}: {number}{f'Ref({kind})' if arg.is_ref else kind}"


def _attribute(attr: Any) -> str:
    """Returns `name:kind`, with the least length and the allowed dtypes of types, and the default as JSON."""
    text = f"{attr.name}:{attr.type.replace('(', '[').replace(')', ']')}"
    if attr.type in _DTYPES and attr.allowed_values.list.type:
        text += f" in {'|'.join(map(_dtype, attr.allowed_values.list.type))}"
    if attr.type in _DTYPES and attr.minimum:
        text += f" >= {attr.minimum}"
    if attr.HasField("default_value"):
        text += f" = {json.dumps(_value(attr.default_value), separators=(',', ':'))}"
    return text


def _dtype(number: int) -> str:
    from tensorflow import as_dtype  # optional: see op_list

    return as_dtype(number).name


def _value(proto: Any) -> Any:
    """Returns an attribute value as JSON has it: a shape is its list or null, a tensor its dtype and elements."""
    field = proto.WhichOneof("value")
    if field == "list":
        return [_one(field.name, item) for field, items in proto.list.ListFields() for item in items]
    return _one(field, getattr(proto, field))


def _one(field: str, value: Any) -> Any:
    if field == "s":
        return value.decode("utf-8")
    if field == "type":
        return _dtype(value)
    if field == "shape":
        return None if value.unknown_rank else [dim.size for dim in value.dim]
    if field == "tensor":
        from tensorflow import make_ndarray  # optional: see op_list

        return [_dtype(value.dtype), make_ndarray(value).tolist()]
    return value


def main(arguments: list[str] | None = None) -> int:
    """Writes or checks the file; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is stale")
    parser.add_argument("--root", type=Path, default=gen_api.ROOT, help="repository to work on")
    options = parser.parse_args(arguments)
    try:
        ops = op_list()
    except ImportError:
        print("gen_known_ops: this interpreter has no TensorFlow to ask", file=sys.stderr)
        return 0 if options.check else 1
    lines = sorted(line_of(op) for op in ops)
    text = gen_api.known_ops_text(gen_api.read_sources(options.root), "".join(f"{line}\n" for line in lines))
    path = options.root / gen_api.KNOWN_OPS
    if options.check:
        stale = not path.exists() or path.read_text(encoding="utf-8") != text
        print(f"gen_known_ops: {path.name} is {'stale' if stale else 'up to date'}")
        return int(stale)
    gen_api.write(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
