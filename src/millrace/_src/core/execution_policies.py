"""`tf.config.experimental`: how eager ops are run, as programs of TensorFlow set it.

Ops run one after the other, and an op takes its inputs from wherever they are. So the policies below are kept and
returned; what they would switch off does not exist here, and results do not depend on them.
"""

from __future__ import annotations

from millrace._src.util.export import export

_POLICIES = ("silent", "explicit", "warn", "silent_for_int32")


class _Policies:
    device = "silent"
    is_synchronous = True


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Records what happens when an input of an op is on another device: it is copied, whatever the policy.

    >>> tf.config.experimental.set_device_policy("silent")

    Args: device_policy: "explicit", "warn", "silent", "silent_for_int32" or None, which means "silent".
    Raises: ValueError: for another policy.
    """
    policy = "silent" if device_policy is None else device_policy
    if policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy for valid "
            "`device_policy` arguments."
        )
    _Policies.device = policy


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """Returns what happens when an input of an op is on another device.

    >>> tf.config.experimental.get_device_policy()
    'silent'
    """
    return _Policies.device


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool | None) -> None:
    """Records whether an op is over when its call returns.

    Ops of the host always are. A compiled program may still run when a call returns; reading a value waits.

    >>> tf.config.experimental.set_synchronous_execution(True)

    Args: enable: whether ops run synchronously; None means the default, True.
    """
    _Policies.is_synchronous = True if enable is None else bool(enable)


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Returns whether ops are asked to be over when their calls return.

    >>> tf.config.experimental.get_synchronous_execution()
    True
    """
    return _Policies.is_synchronous


@export("config.experimental.enable_mlir_bridge")
def enable_mlir_bridge() -> None:
    """Does nothing: graphs go to XLA through JAX, which always uses MLIR.

    >>> tf.config.experimental.enable_mlir_bridge()
    """


@export("config.experimental.disable_mlir_bridge")
def disable_mlir_bridge() -> None:
    """Does nothing: graphs go to XLA through JAX, which always uses MLIR.

    >>> tf.config.experimental.disable_mlir_bridge()
    """
