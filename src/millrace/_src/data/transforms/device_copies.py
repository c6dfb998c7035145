"""`copy_to_device` and `prefetch_to_device`: elements on a device; they are made on the CPU, and stay there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.device_spec import DeviceSpec
from millrace._src.core.devices import canonical_device
from millrace._src.data.dataset_base import DatasetBase, new_dataset
from millrace._src.data.parallelism import AUTOTUNE
from millrace._src.data.transforms.prefetch import prefetch
from millrace._src.util.export import export


def _check_device(caller: str, device: str) -> None:
    """Refuses a device other than the CPU.

    Raises: ValueError: for a name that is not a device's; NotImplementedError: for another device.
    """
    kind = DeviceSpec.from_string(canonical_device(str(device))).device_type
    if kind not in (None, "CPU"):
        raise NotImplementedError(
            f"tf.data.experimental.{caller}: elements cannot be copied to {device!r}; pipelines run on the CPU. A "
            "function that runs on the other device takes the elements there."
        )


@export("data.experimental.copy_to_device")
def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Callable[[DatasetBase], Any]:
    """Returns a transformation that copies elements to a device.

    >>> dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/cpu:0"))
    >>> list(dataset.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      target_device: the name of the device; only the CPU is supported.
      source_device: where the elements are made.

    Returns: A function for `Dataset.apply`.
    Raises:
      ValueError: when applied, if a name is not a device's.
      NotImplementedError: when applied, if a device is not the CPU.
    """

    def transform(dataset: DatasetBase) -> Any:
        for device in (target_device, source_device):
            _check_device("copy_to_device", device)
        return new_dataset("_CopyToDeviceDataset", dataset._variant_tensor, dataset.element_spec, [dataset])

    return transform


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device: str, buffer_size: TensorLike | None = None) -> Callable[[DatasetBase], Any]:
    """Returns a transformation that lets elements be made, on a device, while the consumer works.

    >>> dataset = tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))
    >>> list(dataset.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Args:
      device: the name of the device; only the CPU is supported.
      buffer_size: how many elements may be made ahead at most; None lets the runtime choose.

    Returns: A function for `Dataset.apply`.
    Raises: as `copy_to_device`.
    """

    def transform(dataset: DatasetBase) -> Any:
        _check_device("prefetch_to_device", device)
        return prefetch(dataset, AUTOTUNE if buffer_size is None else buffer_size)

    return transform
