"""On which device a compiled call runs, on a machine with accelerators.

Without a scope JAX decides: a call runs where its operands are, and on the first accelerator if they are on the host.
The scope of the caller, `with tf.device("/GPU:1")`, moves operands and variables to its device, and the results stay
there. Operands that are on several devices go to the device of the first variable, or else to the first device.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax

from millrace._src.core import devices
from millrace._src.core.context import state
from millrace._src.engines.xla.accelerators import XlaAccelerator


def has_choice() -> bool:
    """Returns whether the machine has another device than the host."""
    return any(device.device_type != "CPU" for device in devices.list_physical_devices())


def device_in_force() -> jax.Device | None:
    """Returns the device that the caller's scope names; None without a scope."""
    name = state.device
    if name is None:
        return None
    accelerator = devices.accelerator_at(name)
    return accelerator.device if isinstance(accelerator, XlaAccelerator) else jax.local_devices(backend="cpu")[0]


def meeting_device(operands: Iterable[Any]) -> jax.Device | None:
    """Returns the device on which operands from several devices meet; None if they are on one, or on none for good.

    Args: operands: arrays; those of variables first.
    """
    placements = [operand.devices() for operand in operands if isinstance(operand, jax.Array) and operand.committed]
    if all(placement == placements[0] for placement in placements):
        return None
    device: jax.Device = min(placements[0], key=lambda one: one.id)
    return device


def move(operands: Sequence[Any], device: jax.Device) -> list[Any]:
    """Returns operands, arrays or lists of arrays, in the memory of a device."""
    with jax.enable_x64(True):
        moved_operands: list[Any] = jax.device_put(list(operands), device)
        return moved_operands
