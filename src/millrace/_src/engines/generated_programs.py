"""The generated programs that are alive, so that watchers can be let in and out.

A program is a Python function whose kernels are globals of its own. To let a watcher in, the kernels are replaced under
their names, and the function gets other code: one that calls a watched copy of the function. Code that holds the
function need not know: callers keep it for as long as the program lives.

Tests: tests/compat_v1/graph_profile/test_profiler.py
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from millrace._src.core.watching import Kernel, follow, is_watched, watch_function, watch_nodes

_DETOUR = "def program(*arguments):\n    return watched_program(*arguments)\n"
_WATCHED = "watched_program"


def _detour() -> CodeType:
    scope: dict[str, Any] = {}
    exec(compile(_DETOUR, "<millrace: a watched program>", "exec"), scope)
    code: CodeType = scope["program"].__code__
    return code


_detour_code = _detour()


class GeneratedProgram:
    """One program, as watchers are let in.

    Args:
      name: the name of the graph.
      run: the function; its globals hold the kernels.
      nodes: for the name of each kernel the nodes that the kernel runs.
    """

    __slots__ = ("__weakref__", "_code", "_kernels", "_name", "_nodes", "_run")

    def __init__(self, name: str, run: FunctionType, nodes: Mapping[str, Sequence[Any]]) -> None:
        self._name = name
        self._nodes = nodes
        self._run = weakref.ref(run)
        self._code = run.__code__
        self._kernels: dict[str, Kernel] = {}
        """The kernels themselves, while others stand under their names."""
        run.__globals__["generated_program"] = self  # lives as long as the function
        _programs.add(self)
        if is_watched():
            self.rebind()

    def rebind(self) -> None:
        """Puts what the watchers make of the kernels, or the kernels themselves, under the names of the kernels."""
        run = self._run()
        if run is None:
            return
        scope = run.__globals__
        bare_kernels = self._kernels or {name: scope[name] for name in self._nodes}
        self._kernels = bare_kernels if is_watched() else {}
        scope.update({name: watch_nodes(self._nodes[name], kernel) for name, kernel in bare_kernels.items()})
        scope[_WATCHED] = watch_function(self._name, FunctionType(self._code, scope, run.__name__))
        run.__code__ = _detour_code if is_watched() else self._code


_programs: weakref.WeakSet[GeneratedProgram] = weakref.WeakSet()


@follow
def _rebind_all() -> None:
    for program in list(_programs):
        program.rebind()
