"""`tf.compat.v1.add_check_numerics_ops`: a check of every floating point number that a graph computes."""

from __future__ import annotations

from millrace._src.compat_v1.default_graph import get_default_graph
from millrace._src.core.context import state
from millrace._src.graph.operation import Operation
from millrace._src.graph.scopes import control_dependencies
from millrace._src.ops.debug.numerics import check_numerics
from millrace._src.ops.grouping import group
from millrace._src.util.export import export


@export(v1=["add_check_numerics_ops"])
def add_check_numerics_ops() -> Operation:
    """Adds a check for infinities and NaN behind each floating point tensor of the graph.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.math.log(tf.constant([0.0]))
    ...     check = tf.compat.v1.add_check_numerics_ops()
    >>> [op.name for op in graph.get_operations() if op.type == "CheckNumerics"]
    ['CheckNumerics', 'CheckNumerics_1']

    Returns: An operation that makes all checks, in the order of the operations; a check names its tensor.
    Raises: RuntimeError: in eager mode.
    """
    if state.graph is None:
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To check for Inf's and NaN's under eager "
            "execution, call tf.debugging.enable_check_numerics() once before executing the checked operations."
        )
    checks: list[Operation] = []
    for operation in get_default_graph().get_operations():
        for output in operation.outputs:
            if output.dtype.is_floating:
                with control_dependencies(checks[-1:]):
                    checks.append(check_numerics(output, message=output.name).op)
    with control_dependencies(checks[-1:]):
        done: Operation = group()
    return done
