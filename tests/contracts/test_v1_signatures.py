"""Functions of `tf.compat.v1` take TensorFlow's arguments: the same names in the same order with the same defaults.

What TensorFlow's functions take is recorded (tools/record_signatures.py). Names that are missing here are not
compared.
"""

from __future__ import annotations

from typing import Any

import pytest

import millrace as tf
from tools.record_signatures import V1_SIGNATURES, parameters, read

DIFFERENT = {
    "distribute.": "strategies that are not built refuse any arguments",
    "lookup.": "TensorFlow hides the arguments of its tables behind *args",
    "data.Dataset": "made by its class methods alone",
    "fake_quant_with_min_max_args": "the defaults are floats",
    "app.flags.": "absl's own",
    "flags.": "absl's own",
    "device": "tf.device's",
}
"""The beginnings of names whose parameters differ on purpose, with the reason."""


SIGNATURES = read(V1_SIGNATURES)


def _served(name: str) -> Any:
    """Returns the object of a name below `tf.compat.v1`, None if there is none."""
    found: Any = tf.compat.v1
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _is_different_on_purpose(name: str) -> bool:
    return any(name.startswith(beginning) for beginning in DIFFERENT)


def _namespaces() -> list[str]:
    return sorted({name.rpartition(".")[0] for name in SIGNATURES})


@pytest.mark.parametrize("namespace", _namespaces(), ids=lambda path: path or "root")
def test_functions_take_the_arguments_of_tensorflow_1(namespace: str) -> None:
    wrong = []
    for name, expected in SIGNATURES.items():
        served = None if name.rpartition(".")[0] != namespace else _served(name)
        if served is None or _is_different_on_purpose(name):
            continue
        found = parameters(served)
        if found != expected:
            wrong.append(f"tf.compat.v1.{name}:\n  TensorFlow ({expected})\n  Millrace   ({found})")
    assert not wrong, "\n".join(wrong)


def test_every_deliberate_difference_is_one() -> None:
    for beginning in DIFFERENT:
        assert [name for name in SIGNATURES if name.startswith(beginning)], beginning
