"""Writes `src/millrace/_src/graph/known_ops.txt`: the signatures of TensorFlow's ops that Millrace does not declare.

Problem: a graph may hold such an op, and a `GraphDef` says neither how many outputs a node has nor their dtypes.

Idea: signatures are facts that TensorFlow's runtime lists. They are recorded once, an op a line, in the form that
`graph/opaque_ops.py` reads. An op that Millrace declares has no line: `tools/gen_api.py` drops the line of a new op.

Run it with an interpreter that has TensorFlow. `--check` writes nothing and says whether the file is stale; without
TensorFlow there is nothing to compare with, and `--check` passes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import gen_api

sys.path.insert(0, str(gen_api.ROOT / "src"))

from millrace._src.graph.op_lines import line_of


def op_list() -> Any:
    """Returns the `OpList` message of TensorFlow's runtime.

    Raises: ImportError: if there is no TensorFlow.
    """
    from tensorflow.core.framework import op_def_pb2  # optional: only a recording needs TensorFlow
    from tensorflow.python.client import pywrap_tf_session as runtime  # optional: see above

    ops = op_def_pb2.OpList()
    ops.ParseFromString(runtime.TF_GetBuffer(runtime.TF_GetAllOpList()))
    return ops.op


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
