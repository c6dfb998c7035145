"""`tf.debugging.set_log_device_placement`: says on standard error where ops run.

While it is on, a watcher stands before each kernel. So the log costs nothing when it is off, and shows ops of all
threads. A node of a function is told once, when it first runs; a call of the function is told each time.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from millrace._src.core.context import state
from millrace._src.core.devices import FIRST_CPU
from millrace._src.core.watching import Kernel, Watcher, add_watcher, remove_watcher
from millrace._src.util.export import export


class _DeviceLog(Watcher):
    def watch_call(self, call: Any, kernel: Kernel) -> Kernel:
        return self._telling(call.op.name, kernel)

    def watch_function(self, name: str, run: Kernel) -> Kernel:
        return self._telling(name, run)

    def watch_nodes(self, nodes: Sequence[Any], kernel: Kernel) -> Kernel:
        untold = list(nodes)

        def run(*arrays: Any, **options: Any) -> Any:
            while untold:
                node = untold.pop(0)
                _say(f"{node.name}: ({node.type}): {node.origin.device or FIRST_CPU}")
            return kernel(*arrays, **options)

        return run

    def _telling(self, name: str, kernel: Kernel) -> Kernel:
        def run(*arrays: Any, **options: Any) -> Any:
            _say(f"Executing op {name} in device {state.logical_device or FIRST_CPU}")
            return kernel(*arrays, **options)

        return run


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


_log = _DeviceLog()


class _DeviceLogSetting:
    is_on = False


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Chooses whether each op says on standard error where it runs.

    >>> tf.debugging.set_log_device_placement(False)

    Args: enabled: whether ops say so from now on.
    """
    if bool(enabled) == _DeviceLogSetting.is_on:
        return
    _DeviceLogSetting.is_on = bool(enabled)
    if enabled:
        add_watcher(_log)
    else:
        remove_watcher(_log)


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Returns whether each op says where it runs.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _DeviceLogSetting.is_on
