"""A recording of what XLA does, by JAX's profiler, and which nodes are behind XLA's instructions.

JAX's profiler writes a file; the recording is made in a folder of its own and read from there. An instruction knows the
scopes in which it was made, in the text of its module, and `Lowering` makes each node in a scope of the node's name. So
the executables that run during the recording are kept until its end, when their texts are read.
"""

from __future__ import annotations

import functools
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import jax

from millrace._src.core.source_trace import CodeLocation
from millrace._src.engines.xla.executables import Executable, set_observer
from millrace._src.passes.optimized_graph import Node, all_nodes
from millrace._src.util.logger import get_logger

_MODULE = re.compile(r"^HloModule ([^\s,]+)", re.M)
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) .*\{$")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = ")
_CALLED = re.compile(r"(?:calls|to_apply|body)=%?([\w.\-]+)")
_SCOPES = re.compile(r'op_name="([^"]*)"')
_MAX_NAMES = 4
"""The names of the nodes that are listed of one instruction; a fusion may run hundreds."""


class XlaRecording:
    """A recording by JAX's profiler, which begins at once."""

    def __init__(self) -> None:
        self._executables: dict[int, Executable] = {}
        self._folder: str | None = tempfile.mkdtemp(prefix="millrace-profile-")
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        try:
            jax.profiler.start_trace(self._folder, profiler_options=options)
        except Exception as error:  # the user's own profile by JAX is running; JAX has several classes for that
            get_logger().warning("The profile has nothing of what XLA runs: %s", error)
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
            return
        set_observer(self._note)

    def _note(self, executable: Executable) -> None:
        self._executables[id(executable)] = executable

    def stop(self) -> bytes | None:
        """Ends the recording; returns the `XSpace` that JAX wrote."""
        if self._folder is None:
            return None
        set_observer(None)
        try:
            jax.profiler.stop_trace()
            files = sorted(Path(self._folder).rglob("*.xplane.pb"))
            return files[0].read_bytes() if files else None
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def origin_of(self, module: str, instruction: str) -> tuple[str, CodeLocation | None]:
        """Returns the names of the nodes behind an instruction, and the user's line of the last of them."""
        nodes = self._nodes.get((module, instruction), [])
        names = [node.name for node in nodes]
        if not names:
            return "", None
        text = "+".join(names[:_MAX_NAMES]) + ("+..." if len(names) > _MAX_NAMES else "")
        return text, nodes[-1].source

    @functools.cached_property
    def _nodes(self) -> dict[tuple[str, str], list[Node]]:
        """The nodes behind each instruction of each module that ran."""
        found: dict[tuple[str, str], list[Node]] = {}
        for executable in self._executables.values():
            text = executable.text()
            match = _MODULE.search(text)
            if match is not None and executable.graph is not None:
                nodes = {node.name: node for node in all_nodes(executable.graph)}
                for instruction, scopes in scopes_of(text).items():
                    origins = [_node_of(scope, nodes) for scope in scopes]
                    found[match[1], instruction] = list(dict.fromkeys(n for n in origins if n is not None))
        return found


def _node_of(scope: str, nodes: dict[str, Node]) -> Node | None:
    """Returns the node in whose scope something was made: the longest part of the scope that names a node."""
    parts = scope.split("/")
    for start in range(1, len(parts)):
        for end in range(len(parts), start, -1):
            node = nodes.get("/".join(parts[start:end]))
            if node is not None:
                return node
    return None


def scopes_of(text: str) -> dict[str, Sequence[str]]:
    """Returns the scopes behind each instruction of a module's text; those of a fusion are of all that it fuses."""
    own_scopes: dict[str, list[str]] = {}
    called: dict[str, list[str]] = {}
    of_computation: dict[str, list[str]] = {}
    computation = ""
    for line in text.splitlines():
        head = _COMPUTATION.match(line)
        if head is not None:
            computation = head[1]
            continue
        instruction = _INSTRUCTION.match(line)
        if instruction is None:
            continue
        scopes = [s for found in _SCOPES.findall(line) for s in found.split(";")]
        own_scopes[instruction[1]] = scopes
        of_computation.setdefault(computation, []).extend(scopes)
        called[instruction[1]] = _CALLED.findall(line) if " fusion(" in line or " call(" in line else []
    return {
        name: [*[s for inner in called[name] for s in of_computation.get(inner, ())], *scopes]
        for name, scopes in own_scopes.items()
    }
