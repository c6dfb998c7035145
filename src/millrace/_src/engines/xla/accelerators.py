"""Accelerators, as JAX's public API presents them.

An eager op on an accelerator is its kernel with jax.numpy, compiled once for each set of shapes, on arguments that are
put there. Ops that JAX cannot run in this way stay on the host, and so do ops whose checks of values (an index
out of range) would be lost.

Tests: tests/engines/test_accelerators.py, tests/engines/xla/test_placement.py
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from millrace._src.core import errors
from millrace._src.core.accelerator import Accelerator
from millrace._src.core.dtypes import DType
from millrace._src.core.op_def import Effects, OpDef
from millrace._src.engines.binding import bind_kernel
from millrace._src.engines.xla.lower import callable_of
from millrace._src.engines.xla.namespace import xp

_KINDS = {"gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}
"""TensorFlow's device types, by JAX's platform names."""


class XlaAccelerator:
    """A device of JAX.

    Args:
      device: the device.
      kind: TensorFlow's device type.
    """

    def __init__(self, device: jax.Device, kind: str) -> None:
        self.device = device
        self.kind = kind

    def bind(self, op: OpDef, dtypes: tuple[DType, ...], attrs: dict[str, Any]) -> Callable[..., Any] | None:
        """Returns a callable for one op, from arrays of any engine to the device; None for an op of the host."""
        traits = op.traits
        of_host = traits.host_only or traits.refused_when_compiled or traits.constant_inputs or not traits.cacheable
        if of_host or op.holds_graphs or op.rules.checks is not None or op.effects(attrs) is not Effects.NONE:
            return None
        if any(dtype.is_handle or dtype.name == "string" for dtype in (*dtypes, *op.signature.output_dtypes(attrs))):
            return None
        kernel = bind_kernel(op, attrs, engine="xla", xp=xp, convert_function=callable_of, with_checks=False)
        compiled = jax.jit(kernel)

        def run(*arrays: Any) -> Any:
            with jax.enable_x64(True):
                return compiled(*[jax.device_put(array, self.device) for array in arrays])

        return run

    def memory(self) -> tuple[int, int]:
        """Returns the bytes in use now and at most, as JAX's allocator counts them."""
        stats = self.device.memory_stats()
        if not stats:
            raise errors.UnimplementedError(None, None, f"The driver of {self.device} does not tell its memory.")
        return int(stats["bytes_in_use"]), int(stats.get("peak_bytes_in_use", stats["bytes_in_use"]))

    def details(self) -> dict[str, Any]:
        """Returns the name of the device, and of a GPU by NVIDIA the compute capability."""
        facts: dict[str, Any] = {"device_name": self.device.device_kind}
        capability = getattr(self.device, "compute_capability", None)  # devices of other kinds have none
        if capability:
            facts["compute_capability"] = tuple(int(part) for part in str(capability).split("."))
        return facts

    def holds(self, array: object) -> bool:
        """Returns whether an array of JAX is in the device's memory, as a whole or in part."""
        return isinstance(array, jax.Array) and self.device in array.devices()


def list_accelerators() -> tuple[Accelerator, ...]:
    """Returns the accelerators of this process."""
    try:
        devices = jax.local_devices()
    except RuntimeError:  # the driver does not work
        return ()
    return tuple(XlaAccelerator(d, _KINDS[d.platform]) for d in devices if d.platform in _KINDS)
