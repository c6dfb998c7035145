"""What becomes of tiers where a process forks.

A forked child has one thread, the one that forked. Nothing in the child may wait for another: not for the thread that
compiles, not for the threads of compiled programs, not for a lock that such a thread has held. So the process that
forks first lets the compiler end the step that it is at, which may hold locks of Python's imports, and lets compiled
programs end what they compute. The child forgets all jobs and, where JAX is loaded, runs everything on the NumPy tier.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from millrace._src.engines.background_compiler import compiler
from millrace._src.engines.compiling_program import compiling_programs
from millrace._src.engines.tier_settings import FORKED, settings
from millrace._src.engines.tiered_program import tiered_programs

_MAX_STOP = 2.0
"""Seconds that a fork waits for a step of the compiler; compiling alone, which holds no lock of Python's, may go on."""


def follow_forks(finish: Callable[[], None]) -> None:
    """Keeps tiers in order from fork to fork.

    Args: finish: waits until no engine computes in the background.
    """
    if sys.platform == "win32":
        return

    def before() -> None:
        compiler.stop(_MAX_STOP)
        finish()

    os.register_at_fork(before=before, after_in_parent=compiler.go_on, after_in_child=_go_on_in_child)


def _go_on_in_child() -> None:
    compiler.forget()
    if "jax" in sys.modules:
        settings.is_fork = True
        for tiered in list(tiered_programs):
            tiered.retire(FORKED)
        for compiling in list(compiling_programs):
            compiling.retire(FORKED)
