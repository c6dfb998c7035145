"""What the ops of an imported graph may reach: files and Python.

Problem: to load a graph is to be ready to run it, and a graph may come from anywhere. It must not read or write files
or call Python functions of this process unless the caller said so. Most graphs only hold such ops in parts that nothing
runs (each SavedModel of TensorFlow holds `SaveV2`), so to refuse the graph would refuse nearly all graphs.

Idea: the importer asks an `OpPolicy` about each op. An op that may not do what it can do becomes a `GuardedOp`, which
has the name, signature and shapes of the op, is written like the op, and whose kernel raises. An op that only reads
files which its inputs name gets a kernel that looks at the names first: so a table of a SavedModel reads its
vocabulary, whatever functions the name passed through.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from millrace._src.core.errors import NotFoundError, PermissionDeniedError
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_def import Kernel, OpDef, Rules
from millrace._src.core.shape_context import ShapeContext
from millrace._src.graph import rewriting
from millrace._src.graph.opaque_ops import find_op, opaque_op_of
from millrace._src.graph.operation import Operation

GradientRule: TypeAlias = Callable[[Operation, Sequence[Any]], Sequence[Any]]
"""`(operation, output gradients) -> input gradients`"""

_GRADIENT_NAME = "_gradient_op_type"

_DEEDS = {
    Capability.READS_FILES: "read files",
    Capability.WRITES_FILES: "write files",
    Capability.RUNS_PYTHON: "call Python functions of this process",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OpPolicy:
    """What the ops of an imported graph may reach."""

    allowed: Capability = Capability.EVERYTHING
    """What all ops may reach."""
    own_files: Container[bytes] = frozenset()
    """The names of the files that ops may read though `allowed` says nothing of reading: those that came along."""
    advice: Callable[[Capability], str] = "{} is refused.".format
    """Says how the caller allows capabilities, or why no caller can: the last sentence of the error."""
    declared_ops: Mapping[str, Any] = field(default_factory=dict)
    """The `OpDef` messages of the ops that the graph's writer declared; of use for ops that are unknown here."""
    gradient_rules: Mapping[str, GradientRule] | None = None
    """The gradients, by name, for which operations may ask; None lets them ask for those of the program."""

    def op_of(self, name: str) -> OpDef:
        """Returns the declaration of an op; one that is not implemented here can stand in a graph, and not run.

        Raises: NotFoundError: if neither Millrace, TensorFlow nor the graph's writer declares the op.
        """
        try:
            return find_op(name)
        except NotFoundError:
            if name not in self.declared_ops:
                raise
            return opaque_op_of(self.declared_ops[name])

    def admit(self, op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], location: str) -> OpDef:
        """Returns the op for one node: `op` itself if its capabilities are allowed, else a `GuardedOp`.

        Args:
          op: the op that the node names.
          inputs: the tensors that go into the node.
          attrs: the complete attributes of the node.
          location: the node and its function, for the message of the error.
        """
        if op.traits.capabilities is Capability.NOTHING:  # nearly all ops; to combine flags takes ten times as long
            return op
        refused_capabilities = capabilities_of(op, inputs, attrs) & ~self.allowed
        if not refused_capabilities:
            return op
        guard = _Guard(op, location, refused_capabilities, self)
        return GuardedOp(op, guard.kernel_of_own_files if guard.reads_named_files else guard.refusing_kernel)

    def settle_gradient(self, operation: Operation) -> None:
        """Gives a new operation that asks for a gradient by name the gradient that the policy has for the name.

        A registered gradient is a Python function of this process, so no name leads there unless the program's own
        gradients are allowed. A call has a gradient of its own, which stands in for one that is missing.
        """
        asked_name = operation.attrs.get(_GRADIENT_NAME)
        if self.gradient_rules is None or asked_name is None:
            return
        rule = self.gradient_rules.get(asked_name)
        if rule is None and operation.op_def.holds_graphs:
            rewriting.forget_attr(operation, _GRADIENT_NAME)
        else:
            rewriting.set_gradient(operation, rule or _missing_gradient)


def _missing_gradient(operation: Operation, dys: Sequence[Any]) -> NoReturn:
    raise LookupError(
        f"No gradient defined for operation'{operation.name}' (op type: {operation.type}): it asks for the gradient "
        f"'{operation.attrs[_GRADIENT_NAME]}', which did not come along with the graph."
    )


TRUSTING = OpPolicy()
"""The policy for graphs that the caller made or answers for: every op may do all that it can do."""


def capabilities_of(op: OpDef, inputs: Sequence[Any], attrs: dict[str, Any]) -> Capability:
    """Returns what one call of an op can reach, as the op declares."""
    capabilities = op.traits.capabilities
    return capabilities if isinstance(capabilities, Capability) else capabilities(ShapeContext(op, inputs, attrs))


def describe_deeds(capabilities: Capability) -> str:
    """Returns what capabilities let an op do, in words: "read files and write files"."""
    return " and ".join(_DEEDS[part] for part in capabilities)


class GuardedOp(OpDef):
    """The declaration of an op for one node of a graph that may not do all that the op can do.

    The op keeps its name, signature and shapes. It has no gradient and no rule by which anybody could get round the
    kernel.

    Args:
      op: the op that the node names.
      guarded: from the op's kernel to the kernel that runs instead.
    """

    def __init__(self, op: OpDef, guarded: Callable[[Kernel], Kernel]) -> None:
        no_gradient = (
            None if op.traits.not_differentiable else "a guarded op of an imported graph is not differentiated"
        )
        traits = dataclasses.replace(op.traits, host_only=True, no_gradient=no_gradient)
        super().__init__(op.name, op.signature_text, guarded(op.kernel), traits, Rules(), op.types)
        self.rules = Rules(op.rules.shape, op.rules.handles)
        self.input_count, self.kernel_attrs = op.input_count, op.kernel_attrs
        self.attr_defaults, self.attr_kinds = op.attr_defaults, op.attr_kinds

    def __deepcopy__(self, memo: dict[int, Any]) -> GuardedOp:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle {self.name!r} of an imported graph: what it may reach was said in this process")


@dataclass(frozen=True, slots=True)
class _Guard:
    """The guard of one node.

    Attributes:
      op: the op that the node names.
      location: the node and its function.
      refused_capabilities: what the op could reach and may not.
      policy: the policy that refuses it.
    """

    op: OpDef
    location: str
    refused_capabilities: Capability
    policy: OpPolicy

    @property
    def reads_named_files(self) -> bool:
        """Whether the op may run on files that came along with the graph: all that it does is read what inputs name."""
        return self.refused_capabilities is Capability.READS_FILES and bool(self.op.traits.file_inputs)

    def refusing_kernel(self, kernel: Kernel) -> Kernel:
        """Returns a kernel that raises PermissionDeniedError."""

        def refuse(xp: Any, *inputs: Any, **attrs: Any) -> NoReturn:
            raise self._error(describe_deeds(self.refused_capabilities))

        return refuse

    def kernel_of_own_files(self, kernel: Kernel) -> Kernel:
        """Returns a kernel that runs `kernel` if all files that inputs name came along with the graph, else raises."""
        names = self.op.signature.input_names
        indices = [names.index(name) for name in self.op.traits.file_inputs]

        def read(xp: Any, *inputs: Any, **attrs: Any) -> Any:
            for name in (name for index in indices for name in inputs[index].reshape(-1).tolist()):
                if name not in self.policy.own_files:
                    shown_name = name.decode("utf-8", "backslashreplace")
                    raise self._error(f"read {shown_name!r}, no file that came along with the graph")
            return kernel(xp, *inputs, **attrs)

        return read

    def _error(self, deed: str) -> PermissionDeniedError:
        return PermissionDeniedError(
            None,
            None,
            f"Op '{self.op.name}' ({self.location}) would {deed}, which an op that comes from a file may not do unless "
            f"the caller allows it. {self.policy.advice(self.refused_capabilities)}",
        )
