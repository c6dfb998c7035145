"""`tf.distribute.CrossDeviceOps`: how the values of several devices are combined.

Programs choose one for `tf.distribute.MirroredStrategy`. Millrace runs one replica, whose value is the result of every
reduction; the classes differ in the arguments that they check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.distribute.communication import CommunicationOptions
from millrace._src.distribute.reduce_ops import require_reduction
from millrace._src.util.export import export


@export("distribute.CrossDeviceOps")
class CrossDeviceOps:
    """Combines the values of replicas, or copies a value to their devices.

    >>> tf.distribute.ReductionToOneDevice().reduce("SUM", tf.constant(2.0), "/cpu:0").numpy()
    np.float32(2.0)
    """

    def reduce(
        self, reduce_op: Any, per_replica_value: Any, destinations: Any, options: CommunicationOptions | None = None
    ) -> Any:
        """Returns the value of the only replica.

        Args:
          reduce_op: a `tf.distribute.ReduceOp` or its name.
          per_replica_value: the value.
          destinations: where the result goes: a value, a variable or the name of a device.
          options: a `tf.distribute.experimental.CommunicationOptions`.

        Raises: ValueError: if `reduce_op` is not a reduction.
        """
        require_reduction(reduce_op)
        return self.reduce_implementation(reduce_op, per_replica_value, destinations, options)

    def batch_reduce(
        self,
        reduce_op: Any,
        value_destination_pairs: Sequence[tuple[Any, Any]],
        options: CommunicationOptions | None = None,
    ) -> list[Any]:
        """Returns the values of the only replica.

        Args:
          reduce_op: a `tf.distribute.ReduceOp` or its name.
          value_destination_pairs: pairs of a value and of where its result goes.
          options: a `tf.distribute.experimental.CommunicationOptions`.

        Raises: ValueError: if `reduce_op` is not a reduction.
        """
        require_reduction(reduce_op)
        return self.batch_reduce_implementation(reduce_op, value_destination_pairs, options)

    def broadcast(self, tensor: TensorLike, destinations: object) -> Any:
        """Returns a tensor as it is: there is one device.

        Args:
          tensor: the tensor.
          destinations: where it goes.
        """
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(
        self, reduce_op: object, per_replica_value: object, destinations: object, options: object
    ) -> Any:
        """Does what `reduce` says; a subclass may do it otherwise."""
        return per_replica_value

    def batch_reduce_implementation(
        self, reduce_op: object, value_destination_pairs: Any, options: object
    ) -> list[Any]:
        """Does what `batch_reduce` says; a subclass may do it otherwise."""
        return [value for value, _ in value_destination_pairs]

    def broadcast_implementation(self, tensor: TensorLike, destinations: object) -> Any:
        """Does what `broadcast` says; a subclass may do it otherwise."""
        return tensor


class AllReduceCrossDeviceOps(CrossDeviceOps):
    """Base of those that combine values on all devices at once.

    Args: num_packs: into how many groups values are packed; 0 for none.
    Raises: ValueError: if `num_packs` is negative.
    """

    _kind = "All-reduce"

    def __init__(self, num_packs: int = 1) -> None:
        if num_packs < 0:
            raise ValueError(f"{self._kind} requires num_packs >= 0, but {num_packs} is specified")


@export("distribute.NcclAllReduce")
class NcclAllReduce(AllReduceCrossDeviceOps):
    """Combines values by NVIDIA's library; with one device there is nothing to combine.

    >>> tf.distribute.MirroredStrategy(["/cpu:0"], tf.distribute.NcclAllReduce()).num_replicas_in_sync
    1

    Args: num_packs: into how many groups values are packed; 0 for none.
    Raises: ValueError: if `num_packs` is negative.
    """

    _kind = "NCCL all-reduce"


@export("distribute.HierarchicalCopyAllReduce")
class HierarchicalCopyAllReduce(AllReduceCrossDeviceOps):
    """Combines values along a hierarchy of devices; with one device there is nothing to combine.

    >>> tf.distribute.MirroredStrategy(["/cpu:0"], tf.distribute.HierarchicalCopyAllReduce()).num_replicas_in_sync
    1

    Args: num_packs: into how many groups values are packed; 0 for none.
    Raises: ValueError: if `num_packs` is negative.
    """

    _kind = "HierarchicalCopy"


@export("distribute.ReductionToOneDevice")
class ReductionToOneDevice(CrossDeviceOps):
    """Combines values on one device, then copies the result; with one device there is nothing to combine.

    >>> tf.distribute.ReductionToOneDevice().broadcast(tf.constant(1.0), "/cpu:0").numpy()
    np.float32(1.0)

    Args:
      reduce_to_device: the device; None for the first destination.
      accumulation_fn: what adds values; None for `tf.add_n`.
    """

    def __init__(self, reduce_to_device: object = None, accumulation_fn: Callable[..., Any] | None = None) -> None:
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn
