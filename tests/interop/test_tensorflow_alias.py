from __future__ import annotations

import re

import pytest

from tests.interop.process import output_of, python


def test_every_form_of_import_gives_the_same_modules() -> None:
    code = """
import tensorflow as tf, tensorflow
import tensorflow.math as m1
from tensorflow import math as m2
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v2 as tf2
from tensorflow.compat.v2 import math as m3
import millrace
print(tf is millrace is tensorflow is tf2, m1 is m2 is m3 is millrace.math, tf1 is millrace.compat.v1)
import importlib
print(importlib.import_module("tensorflow.compat.v1.math") is millrace.compat.v1.math)
"""
    assert output_of(code) == "True True True\nTrue"


def test_classes_exist_once() -> None:
    code = """
from tensorflow.errors import OpError
import millrace.errors
import sys
print(OpError is millrace.errors.OpError, [n for n in sys.modules if n.startswith("tensorflow._src")])
"""
    assert output_of(code) == "True []"


def test_the_version_is_the_one_of_the_tensorflow_release_it_follows() -> None:
    code = """
import tensorflow as tf
print(tf.__version__, tf.version.VERSION, tf.compat.v1.__version__)
print([int(n) for n in tf.__version__.split(".")[:2]] >= [2, 0])
"""
    assert output_of(code) == "2.21.0 2.21.0 2.21.0\nTrue"


def test_without_the_alias_the_version_is_millraces_own() -> None:
    code = """
import millrace as tf
print(tf.__version__ == tf.version.VERSION != "2.21.0")
"""
    assert python("-c", code).stdout == "True\n"  # another process: `tf.keras` installs the alias


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("tf.placeholder", "AttributeError: module 'tensorflow' has no attribute 'placeholder'"),
        ("tf.math.nope", "AttributeError: module 'tensorflow.math' has no attribute 'nope'"),
        ("import tensorflow.contrib", "ModuleNotFoundError: No module named 'tensorflow.contrib'"),
        ("from tensorflow import Session", "ImportError: cannot import name 'Session' from 'tensorflow'"),
    ],
)
def test_missing_names_are_reported_as_tensorflow_reports_them(code: str, expected: str) -> None:
    program = f"""
import tensorflow as tf
try:
    {code}
except Exception as error:
    print(type(error).__name__ + ":", str(error).partition(" (")[0])
"""
    assert output_of(program) == expected


def test_the_import_of_a_namespace_that_is_not_built_says_so() -> None:
    code = """
for statement in ("import tensorflow.lite", "from tensorflow.lite import TFLiteConverter", "import millrace.tpu"):
    try:
        exec(statement)
    except ModuleNotFoundError as error:
        print(error.name, "|", error)
"""
    words = "tf.{} of TensorFlow, with its .* names, is not built yet in Millrace"
    lines = output_of(code).split("\n")
    for line, name in zip(lines, ["tensorflow.lite", "tensorflow.lite", "millrace.tpu"], strict=True):
        short = name.partition(".")[2]
        assert re.fullmatch(rf"{name} \| No module named '{name}': " + words.format(short), line), line


def test_installing_twice_changes_nothing() -> None:
    code = """
import sys
before = list(sys.meta_path)
print(millrace.install_as_tensorflow() is millrace, sys.meta_path == before)
"""
    assert output_of(code) == "True True"


def test_another_tensorflow_in_the_process_is_refused() -> None:
    code = """
import sys, types
sys.modules["tensorflow"] = types.ModuleType("tensorflow")
sys.modules["tensorflow"].__file__ = "/somewhere/tensorflow/__init__.py"
import millrace
try:
    millrace.install_as_tensorflow()
except ImportError as error:
    print(error)
print(sys.modules["tensorflow"] is millrace)
"""
    result = python("-c", code)
    assert "must come before the first `import tensorflow`" in result.stdout
    assert "/somewhere/tensorflow/__init__.py" in result.stdout
    assert result.stdout.endswith("False\n")


def test_find_spec_and_reload_know_the_alias() -> None:
    code = """
import importlib, importlib.util
import tensorflow as tf
print(importlib.util.find_spec("tensorflow") is not None, importlib.util.find_spec("tensorflow.math") is not None)
print(importlib.reload(tf) is tf)
"""
    assert output_of(code) == "True True\nTrue"


def test_keras_that_is_not_installed_is_named_with_its_remedy() -> None:
    code = """
import sys
sys.modules["keras"] = None  # as if it were not installed
import tensorflow as tf
for statement in ("tf.keras.layers", "from tensorflow.keras import layers", "import millrace.keras"):
    try:
        exec(statement)
    except ModuleNotFoundError as error:
        print(error)
"""
    lines = output_of(code).split("\n")
    assert len(lines) == 3
    for line in lines:
        assert "tf.keras needs the package 'keras'" in line and "pip install 'millrace[keras]'" in line


FAKE_KERAS = """
import os, sys, types
from importlib.machinery import ModuleSpec
class Fake:
    below = ("", ".keras", ".keras.layers", ".keras.losses")
    names = ["keras", "keras.config"] + ["keras._tf_keras" + name for name in below]
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self, is_package=True) if name in self.names else None
    def create_module(self, spec): return None
    def exec_module(self, module):
        if module.__name__ == "keras":
            import tensorflow
            print("keras loads on", os.environ["KERAS_BACKEND"], tensorflow is sys.modules["millrace"])
            import keras.config, keras._tf_keras.keras.layers, keras._tf_keras.keras.losses
        elif module.__name__ == "keras.config":
            module.backend = lambda: os.environ["KERAS_BACKEND"]
sys.meta_path.insert(0, Fake())
"""


@pytest.mark.parametrize(
    "statement",
    ["import millrace as tf; tf.keras.layers", "from millrace.keras import layers", "import millrace.keras.layers"],
)
def test_keras_is_the_real_one_on_this_backend(statement: str) -> None:
    code = f"{FAKE_KERAS}\n{statement}\nimport keras._tf_keras.keras.layers, millrace, millrace.keras.layers\n"
    code += "real = keras._tf_keras.keras\n"
    code += "print(millrace.keras is real, sys.modules['millrace.keras.layers'] is real.layers)\n"
    code += "import tensorflow.keras.layers as l; print(l is real.layers, millrace.losses is millrace.keras.losses)"
    result = python("-c", code)
    assert result.stdout == "keras loads on tensorflow True\nTrue True\nTrue True\n", result.stderr


def test_keras_on_another_backend_is_refused() -> None:
    code = f"{FAKE_KERAS}\nos.environ['KERAS_BACKEND'] = 'jax'\nimport millrace\nmillrace.keras"
    assert "but KERAS_BACKEND is 'jax'" in python("-c", code).stderr


@pytest.mark.parametrize(
    ("wants", "named"),
    [
        ("import tensorflow.python.no_such_part", "No module named 'tensorflow.python.no_such_part'"),
        ("import tensorflow; tensorflow.NoSuchPart", "has no attribute 'NoSuchPart'"),
        ("import tensorflow; tensorflow.tpu", "tf.tpu of TensorFlow, with its "),
    ],
)
def test_a_part_that_keras_misses_is_named(wants: str, named: str) -> None:
    code = FAKE_KERAS.replace("import tensorflow\n", f"{wants}\n")
    code += """
for _ in range(2):
    try:
        import millrace.keras
    except ImportError as error:
        print(error.name, error)
"""
    lines = python("-c", code).stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("keras tf.keras does not work with Keras"), line
        assert f"for a part that Millrace does not have: {named}" in line or named in line
        assert "The tested release is 3.15: pip install 'keras==3.15.*'" in line


def test_a_plain_import_of_keras_runs_on_millrace() -> None:
    code = """
import os, warnings
os.environ.pop("KERAS_BACKEND", None)
import millrace as tf
import keras
print(keras.backend.backend(), isinstance(keras.Variable(1.0).value, tf.Variable))
"""
    assert python("-W", "error", "-c", code).stdout == "tensorflow True\n"


def test_another_backend_of_a_plain_import_is_left_alone() -> None:
    code = f"{FAKE_KERAS.replace('import tensorflow', 'tensorflow = None')}\nos.environ['KERAS_BACKEND'] = 'jax'\n"
    code += "import millrace, keras; print('tensorflow' in sys.modules)"
    assert python("-c", code).stdout == "keras loads on jax False\nFalse\n"


def test_an_untested_keras_is_named_with_its_remedy() -> None:
    code = f"{FAKE_KERAS}\nimport importlib.metadata as m; m.version = lambda name: '3.99.0'\nimport millrace, keras"
    words = "Keras 3.99.0 runs on Millrace, which is tested with Keras 3.15; if something fails: pip install "
    assert words + "'keras==3.15.*'" in python("-c", code).stderr
