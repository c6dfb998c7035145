"""The devices that scopes of a graph ask for: by name, or by a function of the operation.

A name completes what inner scopes leave open. A function, which graphs of TensorFlow 1 alone take, gets an operation
that has been made, with the device of the scopes inside, and its answer replaces that device. So names alone are merged
once, when a scope is entered, and only operations in the scope of a function pay for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.devices import merge_devices
from millrace._src.graph import rewriting
from millrace._src.graph.operation import Operation

Asked: TypeAlias = "str | Callable[[Operation], Any]"
Request: TypeAlias = "str | tuple[Asked, ...]"
"""What a scope and the scopes around it ask for: one name, or names and functions, the innermost last."""


def with_device(outer: Request, device: Any) -> Request:
    """Returns what a scope and the scopes around it ask for.

    Args:
      outer: what the scopes around it ask for.
      device: a name, a `DeviceSpec`, a function of an operation; None forgets the outer scopes.
    """
    if isinstance(device, DeviceSpec):
        device = device.to_string()
    if callable(device):
        return (*(outer if isinstance(outer, tuple) else (outer,)), device)
    if device is None or device == "" and not isinstance(outer, tuple):
        return ""
    return (*outer, device) if isinstance(outer, tuple) else merge_devices(outer, device)


def apply_device_request(operation: Operation, asked: Request) -> None:
    """Gives an operation the device that the scopes ask for."""
    if isinstance(asked, str):
        rewriting.set_device(operation, asked)
        return
    rewriting.set_device(operation, "")
    for one in reversed(asked):
        if callable(one):
            rewriting.set_device(operation, _text(one(operation)))
        elif one:
            rewriting.set_device(operation, merge_devices(one, operation.device))


def _text(device: object) -> str:
    """Returns the answer of a function as a name.

    Raises: TypeError: if it is none.
    """
    if isinstance(device, DeviceSpec):
        return str(device.to_string())
    if device is not None and not isinstance(device, str):
        raise TypeError(f"Expected binary or unicode string, got {device}")
    return device or ""
