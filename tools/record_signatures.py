"""Records what TensorFlow's functions and classes take: the files of signatures in `tests/contracts`.

One line a name: the parameters as `inspect.signature` gives them, without annotations. `signatures.txt` holds the
functions of `tf`, `raw_op_signatures.txt` those of `tf.raw_ops`, `v1_signatures.txt` names below `tf.compat.v1` that
differ from those of `tf` or are in `tf.compat.v1` alone.

Run with a Python that has tensorflow-cpu 2.21: `python tools/record_signatures.py`.
"""

from __future__ import annotations

import inspect
import os
import re
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "contracts"
SIGNATURES, RAW_OP_SIGNATURES, V1_SIGNATURES = (
    FOLDER / name for name in ("signatures.txt", "raw_op_signatures.txt", "v1_signatures.txt")
)
OTHERS = {"keras", "layers", "estimator", "raw_ops", "compat", "tf_decorator"}
OTHERS_OF_2 = {"initializers", "losses", "metrics", "optimizers", "tools"}
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


def read(record: Path) -> dict[str, str]:
    """Returns the parameters in a record, by name."""
    lines = record.read_text(encoding="utf-8").splitlines()
    return {name: rest.removesuffix(")") for name, _, rest in (line.partition("(") for line in lines)}


def _write(record: Path, things: Iterable[tuple[str, Any]]) -> None:
    lines = [f"{name}({found})" for name, thing in things if (found := parameters(thing)) is not None]
    record.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{record.name}: {len(lines)} signatures")


def main() -> None:
    """Writes the records."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    today = dict(names(tf))
    _write(
        SIGNATURES,
        (
            (name, thing)
            for name, thing in today.items()
            if inspect.isfunction(thing) and name.partition(".")[0] not in OTHERS_OF_2
        ),
    )
    _write(RAW_OP_SIGNATURES, names(tf.raw_ops))
    _write(V1_SIGNATURES, ((name, thing) for name, thing in names(tf.compat.v1) if today.get(name) is not thing))


if __name__ == "__main__":
    main()
