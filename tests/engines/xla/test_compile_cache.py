"""Executables on disk: found again, explained, bounded, and never trusted where others could have written them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millrace as tf

pytest.importorskip("jax")
pytestmark = pytest.mark.xla

from millrace._src.engines import record_folder  # noqa: E402
from millrace._src.engines.xla import compile_cache  # noqa: E402


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that keeps every executable, however quickly it was compiled."""
    private = tmp_path / "executables"
    monkeypatch.setenv(record_folder.VARIABLE, str(private))
    monkeypatch.setattr(compile_cache, "_SHORTEST_COMPILATION", -1.0)
    return private


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The executables that were loaded from files."""
    loaded: list[Any] = []
    load = compile_cache.serialization.deserialize_and_load

    def note(*arguments: Any, **options: Any) -> Any:
        loaded.append(load(*arguments, **options))
        return loaded[-1]

    monkeypatch.setattr(compile_cache.serialization, "deserialize_and_load", note)
    return loaded


def called(factor: float = 2.0, size: int = 3) -> list[float]:
    """Makes a function anew and calls it: what a program does that is started again."""

    def scaled(x: Any) -> Any:
        return tf.tanh(x) * tf.constant(factor)

    return np.asarray(tf.function(scaled, jit_compile=True, autograph=False)(tf.zeros([size]) + 1.0)).tolist()


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_an_executable_is_found_again(folder: Path, loads: list[Any]) -> None:
    first = called()
    assert len(files(folder)) == 1 and not loads
    assert called() == first
    assert len(files(folder)) == 1 and len(loads) == 1


def test_a_loaded_executable_changes_variables(folder: Path, loads: list[Any]) -> None:
    def step(variable: Any) -> Any:
        return tf.function(lambda x: variable.assign_add(x), jit_compile=True, autograph=False)

    values = []
    for _ in range(2):
        variable = tf.Variable([1.0, 2.0])
        grow = step(variable)
        values.append([grow(tf.ones([2])).numpy().tolist() for _ in range(3)])
        assert variable.numpy().tolist() == [4.0, 5.0]
    assert values[0] == values[1] and len(loads) == 1


def test_constants_and_shapes_are_part_of_the_key(folder: Path, loads: list[Any]) -> None:
    large = np.arange(10_000, dtype=np.float32)
    changed = large.copy()
    changed[5000] = 1.0
    for constant in (large, changed):
        added = tf.function(lambda x: x + tf.constant(constant), jit_compile=True, autograph=False)  # noqa: B023  # called here
        np.testing.assert_array_equal(np.asarray(added(tf.zeros([1]))), constant)
    for factor, size in ((2.0, 3), (3.0, 3), (2.0, 4)):
        called(factor, size)
    assert len(files(folder)) == 5 and not loads


def test_only_what_took_long_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_cache, "_SHORTEST_COMPILATION", 1e9)
    called()
    assert not files(folder)


def test_the_clock_is_an_argument(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    monkeypatch.setattr(compile_cache, "_SHORTEST_COMPILATION", 5.0)
    lowered = jax.jit(lambda x: x * 2.0).lower(np.float32(1.0))
    for seconds, count in ((4.0, 0), (6.0, 1)):
        compile_cache.compile_or_load(lowered, "doubled", itertools.count(0.0, seconds).__next__)
        assert len(files(folder)) == count


@pytest.mark.parametrize("keep", [0, 10, 60, 200])
def test_a_torn_file_is_compiled_again(folder: Path, loads: list[Any], keep: int) -> None:
    first = called()
    (file,) = files(folder)
    content = file.read_bytes()
    file.write_bytes(content[:keep])
    assert called() == first and not loads
    assert len(files(folder)[0].read_bytes()) == len(content)


def test_a_file_that_cannot_be_loaded_is_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = called()

    def broken(*arguments: Any, **options: Any) -> Any:
        raise ValueError("not what this version writes")

    monkeypatch.setattr(compile_cache.serialization, "deserialize_and_load", broken)
    assert called() == first


def test_the_folder_is_private(folder: Path) -> None:
    called()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_mode & 0o077 == 0 for file in files(folder))


@pytest.mark.skipif(os.name != "posix", reason="permissions as in POSIX")
@pytest.mark.parametrize("mode", [0o755, 0o770, 0o777])
def test_a_folder_that_others_may_open_is_refused(folder: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    folder.chmod(mode)
    called()
    assert not files(folder)
    assert "make it private: chmod 700" in caplog.text


@pytest.mark.skipif(os.name != "posix", reason="permissions as in POSIX")
def test_a_folder_of_another_user_and_a_link_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    called()
    assert not files(elsewhere)
    monkeypatch.setenv(record_folder.VARIABLE, str(elsewhere))
    monkeypatch.setattr(os, "geteuid", lambda: elsewhere.stat().st_uid + 1)
    called()
    assert not files(elsewhere)


@pytest.mark.skipif(os.name != "posix", reason="permissions as in POSIX")
def test_a_file_that_others_may_write_is_not_read(folder: Path, loads: list[Any]) -> None:
    called()
    files(folder)[0].chmod(0o666)
    called()
    assert not loads


def test_the_cache_can_be_turned_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(record_folder.VARIABLE, "0")
    called()
    assert record_folder.executable_folder() is None and not folder.exists()


def test_by_default_the_folder_is_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(record_folder.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert record_folder.executable_folder() == tmp_path / "millrace" / "xla"


def test_entries_that_were_not_used_for_long_make_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for index, factor in enumerate((1.0, 2.0, 3.0)):
        before = set(files(folder)) if folder.exists() else set()
        called(factor)
        (new_file,) = set(files(folder)) - before
        os.utime(new_file, (index, index))
    oldest = min(files(folder), key=lambda file: file.stat().st_mtime)
    monkeypatch.setattr(compile_cache, "_LARGEST_FOLDER", int(3.5 * oldest.stat().st_size))
    called(4.0)
    assert len(files(folder)) == 3 and oldest not in files(folder)


def test_a_miss_is_explained(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(mode=0o700)
    facts = compile_cache.parts_of("program", "types")
    assert "no executable of it was in" in compile_cache.explanation(folder, "step", facts)
    import jax

    compile_cache._keep(
        compile_cache._file(folder, "step", facts), facts, jax.jit(lambda x: x + 1).lower(np.float32(1)).compile()
    )
    other = compile_cache.parts_of("another program", "types")
    assert compile_cache.explanation(folder, "step", other).endswith(
        "this has changed: the function, its constants or the shapes of its arguments"
    )
    monkeypatch.setattr(jax, "__version__", "99")
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=/somewhere")
    newer = compile_cache.parts_of("program", "types")
    assert compile_cache.explanation(folder, "step", newer).endswith(
        "this has changed: the version of JAX or of this module, the environment or the settings of the compiler"
    )


PROGRAM = """
import millrace as tf
from millrace._src.engines.xla import compile_cache
compile_cache._SHORTEST_COMPILATION = -1.0
loads, load = [], compile_cache.serialization.deserialize_and_load
compile_cache.serialization.deserialize_and_load = lambda *a: loads.append(1) or load(*a)
v = tf.Variable([1.0, 2.0])
@tf.function(jit_compile=True, autograph=False)
def step(x):
    return v.assign_add(tf.linalg.matvec(tf.constant([[1.0, 2.0], [3.0, 4.0]]), x))
print(step(tf.ones([2])).numpy().tolist(), v.numpy().tolist(), len(loads))
"""


@pytest.fixture
def outputs(folder: Path) -> Iterator[Any]:
    def run() -> str:
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    yield run


def test_another_process_finds_the_executable(outputs: Any) -> None:
    assert outputs() == "[4.0, 9.0] [4.0, 9.0] 0"
    assert outputs() == "[4.0, 9.0] [4.0, 9.0] 1"
