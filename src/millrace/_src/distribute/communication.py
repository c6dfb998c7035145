"""Hints about communication between replicas: plain values, which one replica takes and does not need."""

from __future__ import annotations

import enum

from millrace._src.util.export import export


@export("distribute.experimental.CommunicationImplementation", "distribute.experimental.CollectiveCommunication")
class CommunicationImplementation(enum.Enum):
    """The libraries by which replicas communicate."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


@export("distribute.experimental.CommunicationOptions")
class CommunicationOptions:
    """Hints for communication between replicas.

    >>> tf.distribute.experimental.CommunicationOptions(timeout_seconds=120.0).timeout_seconds
    120.0

    Args:
      bytes_per_pack: The size of packs in which tensors are sent together; 0 lets the library decide.
      timeout_seconds: How long to wait for other replicas; None waits for ever.
      implementation: A `CommunicationImplementation` or its name.

    Raises: ValueError: if the size is negative, or there is no such implementation.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation | str = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        if not isinstance(implementation, CommunicationImplementation):
            raise ValueError(
                "Argument `implementation` must be instance of "
                "`tf.distribute.experimental.CommunicationImplementation`."
            )
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


@export("distribute.experimental.CollectiveHints")
class CollectiveHints(CommunicationOptions):
    """Hints for communication between replicas, by the older name of `CommunicationOptions`.

    Args:
      bytes_per_pack: The size of packs in which tensors are sent together; 0 lets the library decide.
      timeout_seconds: How long to wait for other replicas; None waits for ever.

    Raises: ValueError: if the size is negative.
    """

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        super().__init__(bytes_per_pack, timeout_seconds)
