"""Records what TensorFlow's functions and classes below `tf.compat.v1` take: `tests/contracts/v1_signatures.txt`.

One line a name: the parameters as `inspect.signature` gives them, without annotations, for the names that differ from
those of `tf` or are in `tf.compat.v1` alone.

Run with a Python that has tensorflow-cpu 2.21: `python tools/record_v1_signatures.py`.
"""

from __future__ import annotations

import inspect
import os
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORD = Path(__file__).resolve().parents[1] / "tests" / "contracts" / "v1_signatures.txt"
OTHERS = {"keras", "layers", "estimator", "raw_ops", "compat", "tf_decorator"}
"""Namespaces that are not TensorFlow's own, or another list of it."""


def names(module: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the public functions and classes below a module of TensorFlow's interface."""
    for name in sorted(dir(module)):
        if name.startswith("_") or name in OTHERS:
            continue
        value = getattr(module, name, None)
        if isinstance(value, types.ModuleType):
            if _is_of_the_interface(value):
                yield from names(value, f"{prefix}{name}.")
        elif callable(value):
            yield prefix + name, value


def _is_of_the_interface(module: types.ModuleType) -> bool:
    name = vars(module).get("__name__", "")
    return name.startswith(("tensorflow._api", "tensorflow.compat")) or name == "tensorflow.python.platform.flags"


def default_text(default: Any) -> str:
    """Returns a default as text that does not depend on where the objects are in memory, or on their module."""
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(default))
    return re.sub(r"\b(?:tensorflow|millrace|tf)\.(?:[\w]+\.)*", "", text)


def parameters(function: Any) -> str | None:
    """Returns the parameters of a function in one line, None where there is no knowing them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return ", ".join(
        stars.get(parameter.kind, "")
        + parameter.name
        + ("" if parameter.default is parameter.empty else "=" + default_text(parameter.default))
        for parameter in signature.parameters.values()
    )


def main() -> None:
    """Writes the record."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    today = dict(names(tf))
    lines = [
        f"{name}({found})"
        for name, function in names(tf.compat.v1)
        if today.get(name) is not function and (found := parameters(function)) is not None
    ]
    RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} signatures of TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
