"""The public namespace: tables fresh, every name resolves and is documented, namespaces behave as modules."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import pickle
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

import millrace as tf
from millrace._api import lazy
from millrace._api.unbuilt import UNBUILT
from millrace._src.interop.tensorflow_alias import is_installed

ROOT = Path(__file__).resolve().parents[2]


def run_tool(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / name), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def public_names() -> dict[str, str]:
    """Home -> one full name, for everything the table names."""
    by_home: dict[str, str] = {}
    for path in sorted(lazy.namespace_paths(), key=lambda path: (path.startswith("compat"), path)):
        for name, home in lazy.describe(path).items():
            if ":" in home:
                by_home.setdefault(home, f"{path}.{name}".lstrip("."))
    return by_home


def resolve(full_name: str) -> object:
    found: object = tf
    for part in full_name.split("."):
        found = getattr(found, part)
    return found


def test_the_generated_tables_are_fresh() -> None:
    result = run_tool("gen_api.py", "--check")
    assert result.returncode == 0, result.stdout + result.stderr


def test_no_file_has_grown_too_long() -> None:
    result = run_tool("check_sizes.py")
    assert result.returncode == 0, result.stderr


def test_every_public_name_resolves_to_its_home() -> None:
    wrong = []
    for home, name in public_names().items():
        module, _, variable = home.partition(":")
        if name == "__version__" and is_installed():  # a test imported Keras: the version is TensorFlow's
            continue
        if resolve(name) is not getattr(sys.modules[module], variable):
            wrong.append(f"tf.{name} is not {home}")
    assert not wrong, "\n".join(wrong)


def test_every_name_that_only_tensorflow_has_is_said_to_be_missing() -> None:
    for name in UNBUILT:
        with pytest.raises(
            AttributeError, match=r"has no attribute '\w+': tf\.[\w.]+ of TensorFlow.* is not built yet"
        ):
            resolve(name)


@pytest.mark.parametrize(
    "name",
    [
        "distribute.experimental.PreemptionWatcher",
        "compat.v1.distribute.experimental.PreemptionWatcher",
        "experimental.async_scope",
    ],
)
def test_a_missing_name_is_named_in_full(name: str) -> None:
    with pytest.raises(AttributeError, match=f"tf.{name.removeprefix('compat.v1.')} of TensorFlow is not built yet"):
        resolve(name)


def test_a_missing_namespace_is_named_with_its_size() -> None:
    message = (
        r"^module '.*' has no attribute 'tpu': tf.tpu of TensorFlow, with its \d+ names, is not built yet in Millrace$"
    )
    with pytest.raises(AttributeError, match=message):
        tf.tpu
    assert not hasattr(tf.compat.v1, "tpu")


def test_a_name_that_tensorflow_has_not_either_is_only_missing() -> None:
    with pytest.raises(AttributeError, match=r"^module '.*' has no attribute 'placeholder'$"):
        tf.placeholder


def _missing_namespaces() -> set[str]:
    """Returns TensorFlow's namespaces of which Millrace has no name."""
    lines = (ROOT / "tools/tensorflow_names.txt").read_text().splitlines()
    listed = {path: names.split() for path, _, names in (line.partition(": ") for line in lines)}
    return {path for path, names in listed.items() if all(f"{path}.{name}" in UNBUILT for name in names)}


def _told_in_the_readme() -> set[str]:
    section = (ROOT / "README.md").read_text().partition("## Not here yet")[2].partition("\n## ")[0]
    return set(re.findall(r"`tf\.([\w.]+)`", section)) - {"keras", "compat.v1.Session"}


def test_the_readme_names_every_namespace_that_is_missing() -> None:
    told = _told_in_the_readme()
    untold = [path for path in _missing_namespaces() if not any(f"{path}.".startswith(f"{name}.") for name in told)]
    assert not untold


def test_what_the_readme_calls_missing_is_missing() -> None:
    stale = [name for name in _told_in_the_readme() if not any(f"{n}.".startswith(f"{name}.") for n in UNBUILT)]
    assert not stale


def test_every_public_function_and_class_is_documented() -> None:
    wrong = []
    for home, name in public_names().items():
        thing = resolve(name)
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and not inspect.getdoc(thing):
            wrong.append(f"tf.{name} ({home}) has no docstring")
    assert not wrong, "\n".join(wrong)


def test_every_namespace_can_be_imported_and_lists_its_names() -> None:
    for path in lazy.namespace_paths() - {""}:
        module = importlib.import_module(f"millrace.{path}")
        assert isinstance(module, types.ModuleType)
        assert {name for name in lazy.describe(path) if name != "keras"} <= set(dir(module))
        assert module.__doc__


def test_a_namespace_is_one_module_however_it_is_reached() -> None:
    import millrace.math
    from millrace import math

    assert math is tf.math is millrace.math is sys.modules["millrace.math"]


def test_a_name_is_kept_after_its_first_use() -> None:
    version = importlib.import_module("millrace.version")
    version.__dict__.pop("GRAPH_DEF_VERSION", None)
    first = version.GRAPH_DEF_VERSION
    assert version.__dict__["GRAPH_DEF_VERSION"] is first


def test_a_missing_name_is_reported_in_tensorflows_words() -> None:
    with pytest.raises(AttributeError, match=rf"^module '{tf.__name__}' has no attribute 'placeholder'$"):
        _ = tf.placeholder
    with pytest.raises(AttributeError, match=rf"^module '{tf.__name__}.math' has no attribute 'nope'$"):
        _ = tf.math.nope
    with pytest.raises(ImportError, match=f"cannot import name 'Session' from '{tf.__name__}'"):
        from millrace import Session  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'millrace.contrib'$"):
        importlib.import_module("millrace.contrib")


def test_compat_v2_is_the_root() -> None:
    import millrace.compat.v2 as v2
    from millrace.compat.v2 import math

    assert v2 is tf and tf.compat.v2 is tf and math is tf.math
    assert importlib.import_module("millrace.compat.v2.math") is tf.math


def test_compat_v1_takes_from_the_root_what_it_does_not_state() -> None:
    assert tf.compat.v1.float32 is tf.float32
    assert tf.compat.v1.errors.OpError is tf.errors.OpError
    assert not hasattr(tf.compat.v1.errors, "OperatorNotAllowedInGraphError")  # TensorFlow has it in 2.x only
    assert not hasattr(tf.compat.v1, "install_as_tensorflow")


def test_namespaces_are_copied_and_pickled_by_name() -> None:
    for module in (tf, tf.math, tf.compat.v1, tf.compat.v1.math):
        assert copy.copy(module) is module
        assert copy.deepcopy([module])[0] is module
        assert pickle.loads(pickle.dumps(module)) is module


def test_namespaces_can_be_reloaded_and_found() -> None:
    assert importlib.reload(tf.version) is tf.version
    assert importlib.reload(tf) is tf
    assert tf.__version__ == tf.version.VERSION
    spec = importlib.util.find_spec("millrace.math")
    assert spec is not None and spec.name == "millrace.math"
    assert "millrace.math" in repr(tf.math)


@pytest.fixture
def _without_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps a test that reads all attributes from importing Keras, which would make this process one with Keras."""
    monkeypatch.setitem(sys.modules, "keras", None)


@pytest.mark.usefixtures("_without_keras")
def test_inspect_and_pydoc_accept_namespaces() -> None:
    assert inspect.ismodule(tf.math)
    assert "VERSION" in dict(inspect.getmembers(tf.version))
    assert {"math", "float32", "raw_ops"} <= dict(inspect.getmembers(tf)).keys()  # whether Keras is installed or not
    with pytest.raises(AttributeError):
        _ = tf.math.__wrapped__


@pytest.mark.usefixtures("_without_keras")
def test_star_import_gives_the_public_names() -> None:
    scope: dict[str, object] = {}
    exec("from millrace.version import *", scope)
    assert scope["VERSION"] == tf.__version__
    assert not [name for name in tf.__all__ if name.startswith("_")]


def test_stubs_name_what_the_table_names(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("gen_stubs", ROOT / "tools" / "gen_stubs.py")
    assert spec is not None and spec.loader is not None
    gen_stubs = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(gen_stubs)
    sys.path[:] = path
    files = gen_stubs.stub_files(tmp_path)
    assert "from millrace._src.core.dtypes import float32 as float32" in files[tmp_path / "__init__.pyi"]
    assert "from millrace import math as math" in files[tmp_path / "__init__.pyi"]
    assert "import keras._tf_keras.keras as keras" in files[tmp_path / "__init__.pyi"]
    for file, text in files.items():
        scope: dict[str, list[str]] = {}
        exec(text.partition("__all__")[1] + text.partition("__all__")[2], scope)
        path = ".".join(file.relative_to(tmp_path).parts[:-1])
        assert scope["__all__"] == sorted(lazy.describe(path))
