"""What TensorFlow serves as a function is a function of Python here: its kind, names, parameters, pickles and copies.

Libraries ask `inspect.isfunction`, write names into files (Keras's `activation=tf.nn.relu`) and send functions to other
processes. What TensorFlow's functions take is recorded (tools/record_signatures.py); names that are missing here are
not compared.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import millrace as tf
from millrace._src.util.export import public_name
from tests.contracts.test_public_names import public_names, resolve
from tools.record_signatures import RAW_OP_SIGNATURES, SIGNATURES, parameters, read

OF_OTHERS = ("compat.v1.flags.", "compat.v1.app.")
"""Namespaces whose functions are absl's own."""

DIFFERENT = {
    "data.experimental.service.": "refuses any arguments",
    "nn.local_response_normalization": "the defaults are floats",
    "nn.lrn": "the defaults are floats",
    "quantization.fake_quant_with_min_max_args": "the defaults are floats",
}
"""The beginnings of names whose parameters differ on purpose, with the reason."""

DIFFERENT_RAW_OPS = {
    "AnonymousMutableDenseHashTable": "0.8 is shown in single precision",
    "MutableDenseHashTableV2": "0.8 is shown in single precision",
    "ImageSummary": "the default is an array, TensorFlow shows a message",
    "RandomStandardNormal": "the dtype may be left out",
    "RandomUniform": "the dtype may be left out",
    "StatelessRandomPoisson": "the dtype may be left out",
    "TruncatedNormal": "the dtype may be left out",
}


def served(root: Any, name: str) -> Any:
    """Returns the object of a name below a namespace, None if there is none."""
    for part in name.split("."):
        root = getattr(root, part, None)
    return root


def functions() -> dict[str, Any]:
    """Returns one public name and the object, for everything public that is called and is not a class."""
    things = {name: resolve(name) for name in public_names().values() if not name.startswith(OF_OTHERS)}
    return {name: thing for name, thing in things.items() if callable(thing) and not inspect.isclass(thing)}


def test_every_public_callable_is_a_function_or_a_class() -> None:
    assert [name for name, thing in functions().items() if type(thing) is not types.FunctionType] == []


def test_every_public_function_states_its_public_name() -> None:
    wrong = []
    for name, function in functions().items():
        full_name = f"{function.__module__}.{function.__qualname__}"
        if function.__name__ != function.__qualname__ or not full_name.startswith("millrace."):
            wrong.append(f"tf.{name} states {full_name}")
        elif served(tf, full_name.removeprefix("millrace.")) is not function:
            wrong.append(f"tf.{name} is not {full_name}, which it states")
    assert not wrong, "\n".join(wrong)


def test_every_public_function_is_pickled_and_copied_by_name() -> None:
    for name, function in functions().items():
        pickled = pickle.dumps(function)
        assert b"millrace._src" not in pickled and pickle.loads(pickled) is function, name
        assert copy.deepcopy([function])[0] is function, name


def test_a_pickled_function_is_found_by_a_new_process() -> None:
    pickled = pickle.dumps([tf.tanh, tf.nn.relu, tf.raw_ops.MatMul, tf.compat.v1.nn.conv3d, tf.concat])
    program = f"import pickle; print([f.__name__ for f in pickle.loads({pickled!r})])"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "['tanh', 'relu', 'MatMul', 'conv3d', 'concat']"


def test_functions_stay_functions_once_there_are_overloads() -> None:
    program = (
        "import pickle, types, inspect\n"
        "import millrace as tf\n"
        "before = str(inspect.signature(tf.nn.relu)), pickle.dumps(tf.nn.relu)\n"
        "ragged = tf.nn.relu(tf.ragged.constant([[-1.0], [2.0, 3.0]]))\n"
        "assert ragged.to_list() == [[0.0], [2.0, 3.0]]\n"
        "assert type(tf.nn.relu) is types.FunctionType and tf.nn.relu.__name__ == 'relu'\n"
        "assert (str(inspect.signature(tf.nn.relu)), pickle.dumps(tf.nn.relu)) == before\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def _misfits(record: Path, root: Any, different: dict[str, str], same: Any) -> list[str]:
    wrong = []
    for name, expected in read(record).items():
        function = served(root, name)
        if function is None or name.startswith(tuple(different)):
            continue
        found = parameters(function)
        if not inspect.isfunction(function) or found is None or not same(found, expected):
            wrong.append(f"{name}:\n  TensorFlow ({expected})\n  Millrace   ({found})")
    return wrong


def test_functions_take_the_arguments_of_tensorflow() -> None:
    wrong = _misfits(SIGNATURES, tf, DIFFERENT, lambda found, expected: found == expected)
    assert not wrong, "\n".join(wrong)


def _unordered(text: str) -> list[str]:
    return sorted(re.sub(r"(?<=\d)\.0\b", "", text).split(", "))


def test_raw_ops_take_the_arguments_of_tensorflow_by_name() -> None:
    wrong = _misfits(
        RAW_OP_SIGNATURES,
        tf.raw_ops,
        DIFFERENT_RAW_OPS,
        lambda found, expected: _unordered(found) == _unordered(expected),  # calls give names, never positions
    )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("record", "different"), [(SIGNATURES, DIFFERENT), (RAW_OP_SIGNATURES, DIFFERENT_RAW_OPS)], ids=["tf", "raw_ops"]
)
def test_every_deliberate_difference_names_something(record: Path, different: dict[str, str]) -> None:
    for beginning in different:
        assert [name for name in read(record) if name.startswith(beginning)], beginning


def test_the_canonical_name_is_the_first_that_is_exported() -> None:
    assert public_name(tf.nn.relu) == "nn.relu" and tf.nn.relu.__module__ == "millrace.nn"
    assert public_name(tf.abs) == "math.abs" and (tf.abs.__module__, tf.abs.__name__) == ("millrace.math", "abs")
