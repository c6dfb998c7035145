"""`tf.saved_model.SaveOptions`: how a SavedModel is written."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any

from millrace._src.util.export import export


@export("saved_model.experimental.VariablePolicy")
class VariablePolicy(enum.Enum):
    """Says what a SavedModel keeps of where variables are.

    >>> tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES.value
    'save_variable_devices'

    Attributes:
      NONE: nothing; a distributed variable becomes one variable.
      SAVE_VARIABLE_DEVICES: the device of each variable.
      EXPAND_DISTRIBUTED_VARIABLES: the devices, and of a distributed variable each copy.
    """

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @property
    def saves_devices(self) -> bool:
        """Whether the device of each variable is kept."""
        return self is not VariablePolicy.NONE

    _save_variable_devices = saves_devices

    @staticmethod
    def from_obj(obj: object) -> VariablePolicy:
        """Returns the policy for a policy, its value in any case, or None.

        Raises: ValueError: for anything else.
        """
        if obj is None:
            return VariablePolicy.NONE
        if isinstance(obj, VariablePolicy):
            return obj
        for policy in VariablePolicy:
            if policy.value == str(obj).lower():
                return policy
        raise ValueError(f"Received invalid VariablePolicy value: {obj}.")


@export("saved_model.SaveOptions")
class SaveOptions:
    """Says how `tf.saved_model.save` writes a SavedModel.

    >>> options = tf.saved_model.SaveOptions(extra_tags=["v2"])
    >>> module = tf.Module()
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(module, folder, options=options)

    Args:
      namespace_whitelist: names of namespaces of ops of the user's own that the model may hold. Millrace writes every
        op that it knows, so that a list only has to be one of strings.
      save_debug_info: whether to write where in the program each operation was made, into the folder `debug`.
      function_aliases: names for functions, from which readers that rewrite the graph tell the functions.
      experimental_debug_stripper: whether to leave the origins of nodes out of the graph; Millrace never writes them.
      experimental_io_device: the device whose file system is written to; it must be one of this process.
      experimental_variable_policy: a `tf.saved_model.experimental.VariablePolicy`, or the value of one.
      experimental_custom_gradients: whether to trace and write the gradients of `tf.custom_gradient`, so that a model
        that is loaded has them.
      experimental_image_format: whether to write a file that may be larger than 2 GB; not supported, as in the released
        TensorFlow.
      experimental_skip_saver: whether to leave out the functions that save and restore variables, which only programs
        in other languages use.
      experimental_sharding_callback: a `tf.train.experimental.ShardingCallback` that spreads the variables over files.
      extra_tags: tags of the graph besides "serve".

    Raises:
      TypeError: if `namespace_whitelist` is not a list.
      ValueError: for a namespace that is not a string, or a policy that does not exist.
    """

    __slots__ = (
        "namespace_whitelist",
        "save_debug_info",
        "function_aliases",
        "experimental_debug_stripper",
        "experimental_io_device",
        "experimental_variable_policy",
        "experimental_custom_gradients",
        "experimental_image_format",
        "experimental_skip_saver",
        "experimental_sharding_callback",
        "extra_tags",
    )

    def __init__(
        self,
        namespace_whitelist: list[str] | None = None,
        save_debug_info: bool = False,
        function_aliases: Mapping[str, Any] | None = None,
        experimental_debug_stripper: bool = False,
        experimental_io_device: str | None = None,
        experimental_variable_policy: VariablePolicy | str | None = None,
        experimental_custom_gradients: bool = True,
        experimental_image_format: bool = False,
        experimental_skip_saver: bool = False,
        experimental_sharding_callback: Any = None,
        extra_tags: Sequence[str] | None = None,
    ) -> None:
        self.namespace_whitelist = _validate_namespaces(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = function_aliases if function_aliases is not None else {}
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


def _validate_namespaces(namespaces: object) -> Any:
    if namespaces is None:
        return None
    if not isinstance(namespaces, list):
        raise TypeError(
            f"`namespace_whitelist` must be a list of strings. Got: {namespaces} with type {type(namespaces)}."
        )
    for namespace in namespaces:
        if not isinstance(namespace, str):
            raise ValueError(f"Whitelisted namespace must be a string. Got: {namespace} of type {type(namespace)}.")
    return namespaces
