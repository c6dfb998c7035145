"""State outside of a pipeline: what the functions of a dataset read or change.

The state of an iterator holds positions and buffers. It does not hold the variables that functions read, nor what
Python functions remember. `ExternalStatePolicy` says whether such an iterator may be saved.
"""

from __future__ import annotations

from collections.abc import Iterable

from millrace._src.core.errors import FailedPreconditionError, InvalidArgumentError
from millrace._src.core.op_def import Effects
from millrace._src.data.nodes import DatasetNode
from millrace._src.data.options import ExternalStatePolicy
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.graph.control_deps import function_attrs
from millrace._src.graph.graph import Graph
from millrace._src.graph.operation import Operation
from millrace._src.util.logger import get_logger


def check_external_state(node: DatasetNode, policy: ExternalStatePolicy) -> None:
    """Treats a dataset whose functions depend on state outside of it as a policy says.

    Raises: FailedPreconditionError: if there is such state, and the policy refuses that.
    """
    if policy is ExternalStatePolicy.IGNORE:
        return
    names = sorted(set(stateful_ops(node)))
    if not names:
        return
    if policy is ExternalStatePolicy.FAIL:
        raise FailedPreconditionError(None, None, f"{names[0]} is stateful.")
    get_logger().warning("The state of an iterator is saved without that of %s in its functions.", ", ".join(names))


def policy_of(number: int) -> ExternalStatePolicy:
    """Returns the policy that the attribute of an op names.

    Raises: InvalidArgumentError: if there is no such policy.
    """
    if number not in {policy.value for policy in ExternalStatePolicy}:
        raise InvalidArgumentError(None, None, f"Unexpected value of external policy: {number}")
    return ExternalStatePolicy(number)


def stateful_ops(node: DatasetNode) -> Iterable[str]:
    """Yields the types of the operations, in functions of a dataset, whose results depend on state outside."""
    for value in vars(node).values():
        if isinstance(value, BoundFunction):
            yield from _stateful_operations(value.function.graph)
    for source in node.inputs:
        yield from stateful_ops(source)


def _stateful_operations(graph: Graph) -> Iterable[str]:
    """Yields the types of a graph's operations, those of the graphs inside it too."""
    for operation in graph.get_operations():
        bodies = function_attrs(operation)
        for body in bodies:
            yield from _stateful_operations(body)
        if not bodies and _depends_on_outside(operation):
            yield operation.type


def _depends_on_outside(operation: Operation) -> bool:
    """Returns whether what an operation gives depends on state outside.

    Random numbers do not count: the state of an iterator has the positions in their streams.
    """
    return operation.op_def.traits.calls_python or operation.effects in (Effects.READS, Effects.WRITES)
