"""What everybody may know of an accelerator: a GPU or a TPU, which an engine drives.

`context.accelerators()` lists the accelerators of the machine. An eager op runs on one where the program says so with
`tf.device`; a compiled function runs where the engine's compiler puts the function.

Tests: tests/engines/test_accelerators.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Accelerator(Protocol):
    """A processor with memory of its own.

    Attributes:
      kind: the device type as in `tf.config.list_physical_devices`: "GPU" or "TPU".
    """

    kind: str

    def bind(self, op: Any, dtypes: tuple[Any, ...], attrs: dict[str, Any]) -> Callable[..., Any] | None:
        """Returns a callable for one op (an `OpDef`), from arrays of any engine to arrays on the processor.

        None: the op must run on the host, since the compiler cannot run the op, or not with all its checks.
        """

    def memory(self) -> tuple[int, int]:
        """Returns the bytes in use now, and the most bytes that have been in use since the process began.

        Raises: UnimplementedError: if the driver does not tell.
        """

    def details(self) -> dict[str, Any]:
        """Returns what is known of the processor: `device_name`, and of a GPU `compute_capability`, two numbers."""

    def holds(self, array: object) -> bool:
        """Returns whether the values of an array are in the memory of the processor."""
