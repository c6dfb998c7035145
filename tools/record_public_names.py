"""Writes `tools/tensorflow_names.txt`: the public names of real TensorFlow 2, a namespace a line.

Problem: what Millrace lacks is only known by comparing with TensorFlow, which is not there when the tables are made.

Idea: walk TensorFlow's public modules once, with a Python that has it, and keep the names. `tools/gen_api.py` takes
away what Millrace exports; the rest is `_api/unbuilt.py`, which the errors about missing names read.

Run `python tools/record_public_names.py` with a Python that has tensorflow-cpu 2.21. Left out are `tf.keras` and what
`tf.compat` repeats, and `tf.raw_ops`, whose ops are known from `core/op_homes.py`.
"""

from __future__ import annotations

import os
import types
from pathlib import Path

NAMES = Path(__file__).resolve().parent / "tensorflow_names.txt"
_LEFT_OUT = ("keras", "initializers", "losses", "metrics", "optimizers", "compat", "raw_ops", "tools", "dtensor")


def public_names(module: types.ModuleType, path: str = "") -> dict[str, list[str]]:
    """Returns the names of a public module and of those below it, by namespace."""
    own: list[str] = []
    found = {path: own}
    for name in sorted(name for name in dir(module) if not name.startswith("_")):
        value = getattr(module, name)
        if not isinstance(value, types.ModuleType):
            own.append(name)
        elif _is_public(value) and (path or name not in _LEFT_OUT):
            found |= public_names(value, f"{path}.{name}".lstrip("."))
    return found


def _is_public(module: types.ModuleType) -> bool:
    return "._api." in module.__name__ or module.__name__.startswith(("keras._tf_keras.", "tensorflow.experimental"))


def main() -> None:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf  # this tool's subject

    lines = [f"{path or 'tf'}: {' '.join(names)}" for path, names in sorted(public_names(tf).items()) if names]
    NAMES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{sum(line.count(' ') for line in lines)} names in {len(lines)} namespaces of TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
