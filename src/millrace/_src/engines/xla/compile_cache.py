"""Executables on disk: a program that is started again need not wait for XLA to compile the same functions.

An entry is found by its content: the program that JAX has lowered, the versions of compiler and processor, and all that
changes what the compiler does. Code that can write an entry can make this process run machine code, so the folder must
belong to the user, and to no one else. Entries appear whole (a file that is renamed) and carry a checksum; what cannot
be read is a miss. The folder has a bound: entries that have not been used for the longest time go.

`MILLRACE_COMPILE_CACHE` names the folder; 0 turns the cache off. `docs/decisions/xla-tier.md` gives the reasons.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.experimental.serialize_executable as serialization

from millrace._src.engines.record_folder import executable_folder
from millrace._src.util.cores import machine_cores
from millrace._src.util.logger import get_logger
from millrace._src.util.private_folder import (
    newest_files,
    read_own_file,
    remove_file,
    touch_file,
    write_whole_file,
)
from millrace._src.util.processor import processor_features

_SHORTEST_COMPILATION = 0.1
"""Seconds from which on a compilation is worth a file."""
_LARGEST_FOLDER = 1 << 29
_LARGEST_PROGRAM = 1 << 26
"""The longest text of a program that is looked up: constants make it long."""
_MAX_COMPARED = 16
"""How many entries of the same function are looked at to explain a miss."""
_MAGIC = b"millrace executable 1\n"
_NAMES = {
    "program": "the function, its constants or the shapes of its arguments",
    "types": "the shapes or dtypes of its arguments",
    "versions": "the version of JAX or of this module",
    "device": "the device or its driver",
    "processor": "the processor, or how many cores may be used",
    "flags": "the environment or the settings of the compiler",
}
"""The parts of a key, as they are told to people."""

Parts = Mapping[str, str]
"""The digest of each part of a key."""


def compile_or_load(lowered: Any, name: str, clock: Callable[[], float] = time.perf_counter) -> Any:
    """Returns the executable of a lowered program: from the cache, or compiled and kept there.

    Args:
      lowered: the program, as JAX lowered it.
      name: the name of the function, for messages.
      clock: returns the time in seconds.
    """
    folder = executable_folder()
    text = "" if folder is None else lowered.as_text(debug_info=False)
    if folder is None or len(text) > _LARGEST_PROGRAM:
        return lowered.compile()
    parts = parts_of(text, f"{lowered.in_tree} {lowered.in_avals} {lowered.out_tree}")
    file = _file(folder, name, parts)
    executable = _load(file, lowered)
    if executable is not None:
        return executable
    start = clock()
    executable = lowered.compile()
    seconds = clock() - start
    if seconds >= _SHORTEST_COMPILATION:
        get_logger().info("%s was compiled in %.1f s: %s", name, seconds, explanation(folder, name, parts))
        _keep(file, parts, executable)
        _make_room(folder)
    return executable


# --- keys ------------------------------------------------------------------------------------------------------------


def parts_of(program: str, types: str) -> Parts:
    """Returns the parts of a key.

    Args:
      program: the text of the program.
      types: the structure of its arguments and results.
    """
    device = jax.config.jax_default_device or jax.local_devices()[0]
    facts = {
        "program": program,
        "types": types,
        "versions": f"{jax.__version__} {importlib.metadata.version('jaxlib')}",
        "device": f"{device} {device.platform} {device.device_kind} {device.client.platform_version}",
        "processor": f"{processor_features()} {machine_cores()}",
        "flags": f"{os.environ.get('XLA_FLAGS', '')} {os.environ.get('LIBTPU_INIT_ARGS', '')} {_settings()}",
    }
    return {name: hashlib.sha256(fact.encode()).hexdigest() for name, fact in facts.items()}


def _settings() -> list[str]:
    """Returns JAX's settings; nearly all of them change nothing, and no list says which do."""
    return sorted(f"{name}={value}" for name, value in jax.config.values.items() if "cache" not in name)


def _file(folder: Path, name: str, parts: Parts) -> Path:
    digest = hashlib.sha256("".join(parts[part] for part in _NAMES).encode()).hexdigest()
    return folder / f"{_prefix(name)}{digest}"


def _prefix(name: str) -> str:
    """Returns how the names of the files of a function's executables begin."""
    return f"{re.sub('[^0-9A-Za-z_]', '_', name)[:64]}-"


def explanation(folder: Path, name: str, parts: Parts) -> str:
    """Returns why the cache has no executable for a key: what differs from the entry that is most like it."""
    candidates: list[set[str]] = []
    for file in newest_files(folder.glob(f"{_prefix(name)}*"))[:_MAX_COMPARED]:
        entry = _read(file)
        if entry is not None:
            candidates.append({part for part in _NAMES if entry[0].get(part) != parts[part]})
    if not candidates:
        return f"no executable of it was in {folder}"
    different_parts = min(candidates, key=len)
    told = ", ".join(_NAMES[part] for part in _NAMES if part in different_parts)
    return f"no executable in {folder} fits, this has changed: {told}"


# --- entries ---------------------------------------------------------------------------------------------------------


def _load(file: Path, lowered: Any) -> Any:
    """Returns the executable in a file; None if there is none that can be loaded."""
    entry = _read(file)
    if entry is None:
        return None
    try:
        executable = serialization.deserialize_and_load(entry[1], lowered.in_tree, lowered.out_tree)
    except Exception as error:  # whatever JAX meets in what another process wrote: compiling anew is always right
        get_logger().info("An executable cannot be loaded, it is compiled again: %s", error)
        remove_file(file)
        return None
    touch_file(file)
    return executable


def _read(file: Path) -> tuple[Parts, bytes] | None:
    """Returns the key and the executable in a file; None for a file that is missing, damaged or somebody else's."""
    content = read_own_file(file)
    if content is None:
        return None
    size, digest = len(_MAGIC), content[len(_MAGIC) : len(_MAGIC) + 32]
    body = content[size + 32 :]
    if content[:size] != _MAGIC or hashlib.sha256(body).digest() != digest:
        remove_file(file)
        return None
    header, _, executable = body.partition(b"\n")
    return json.loads(header), executable


def _keep(file: Path, parts: Parts, executable: object) -> None:
    """Writes an executable into a file that appears whole; where that fails, the next process compiles again."""
    try:
        payload, _, _ = serialization.serialize(executable)
    except Exception as error:  # what JAX cannot write does not go into the cache
        get_logger().info("An executable is not kept on disk: %s", error)
        return
    body = json.dumps(parts).encode() + b"\n" + payload
    write_whole_file(file, _MAGIC + hashlib.sha256(body).digest() + body)


def _make_room(folder: Path) -> None:
    """Removes the entries that have not been used for the longest time, if the folder is too large."""
    size = 0
    for file in newest_files(folder.iterdir()):
        with contextlib.suppress(OSError):
            size += file.stat().st_size
        if size > _LARGEST_FOLDER:
            remove_file(file)
