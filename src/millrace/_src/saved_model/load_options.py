"""`tf.saved_model.LoadOptions`: how a SavedModel is loaded, and what its ops may do when they run."""

from __future__ import annotations

from typing import Any

from millrace._src.core.op_capabilities import Capability
from millrace._src.saved_model.save_options import VariablePolicy
from millrace._src.util.export import export


@export("saved_model.LoadOptions")
class LoadOptions:
    """Options of `tf.saved_model.load`.

    The ops of a SavedModel cannot read files but the model's own assets, cannot write files and cannot call Python
    functions, unless an `allow_...` option says otherwise. A model with such an op is loaded all the same; running the
    op raises `tf.errors.PermissionDeniedError`.

    >>> tf.saved_model.LoadOptions(allow_file_reads=True).allow_file_reads
    True

    Args:
      allow_partial_checkpoint: whether variables may stay without value where the files have none.
      experimental_io_device: the device whose file system the values are read from; it must be one of this process.
      experimental_skip_checkpoint: whether all variables stay without value.
      experimental_variable_policy: a `tf.saved_model.experimental.VariablePolicy`, or its value: whether variables are
        made on the device that the file states.
      experimental_load_function_aliases: whether the loaded object gets an attribute `function_aliases`.
      allow_file_reads: whether ops may read any file.
      allow_file_writes: whether ops may write files.
      allow_python: whether ops may call Python functions of this process.

    Raises: ValueError: if `experimental_variable_policy` is no such policy.
    """

    __slots__ = (
        "allow_file_reads",
        "allow_file_writes",
        "allow_partial_checkpoint",
        "allow_python",
        "experimental_io_device",
        "experimental_load_function_aliases",
        "experimental_skip_checkpoint",
        "experimental_variable_policy",
    )

    def __init__(
        self,
        allow_partial_checkpoint: bool = False,
        experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: Any = None,
        experimental_load_function_aliases: bool = False,
        *,
        allow_file_reads: bool = False,
        allow_file_writes: bool = False,
        allow_python: bool = False,
    ) -> None:
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases
        self.allow_file_reads = allow_file_reads
        self.allow_file_writes = allow_file_writes
        self.allow_python = allow_python

    @property
    def allowed_capabilities(self) -> Capability:
        """What the ops of the model may reach."""
        allowed = Capability.NOTHING
        for capabilities, option in ALLOWING_OPTION.items():
            if getattr(self, option):
                allowed |= capabilities
        return allowed


ALLOWING_OPTION = {
    Capability.READS_FILES: "allow_file_reads",
    Capability.WRITES_FILES: "allow_file_writes",
    Capability.RUNS_PYTHON: "allow_python",
}
"""The option that allows each capability."""


def how_to_allow(capabilities: Capability) -> str:
    """Returns a sentence that says how to load a model whose ops have these capabilities."""
    options = ", ".join(f"{option}=True" for part, option in ALLOWING_OPTION.items() if part in capabilities)
    return f"If you trust the SavedModel, load it with options=tf.saved_model.LoadOptions({options})."
