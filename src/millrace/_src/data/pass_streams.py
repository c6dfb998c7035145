"""Random streams of a pass: functions that draw random numbers start over with each pass.

A random op in a graph goes on in its stream from call to call. In a pipeline the stream belongs to the pass: the next
pass draws the same numbers again, if there are seeds. A repetition within a pass goes on, and the datasets that a
function makes share the streams of the pass.
"""

from __future__ import annotations

from millrace._src.data.nodes import DatasetNode, PassContext, replace_fields
from millrace._src.data.traced_functions import BoundFunction
from millrace._src.function.graph_function import GraphFunction
from millrace._src.ops.random.seeds import streams_in


def with_streams_of(context: PassContext, node: DatasetNode) -> DatasetNode:
    """Returns a dataset whose functions draw from the streams of a pass; the same dataset if no function draws."""
    node = node.with_inputs([with_streams_of(context, source) for source in node.inputs])
    drawing = {
        name: _of_pass(context, value)
        for name, value in vars(node).items()
        if isinstance(value, BoundFunction) and value.draws
    }
    return replace_fields(node, **drawing) if drawing else node


def _of_pass(context: PassContext, bound: BoundFunction) -> BoundFunction:
    """Returns a function with the streams of a pass."""
    function = context.functions.get(bound.function)
    if function is None:
        function = GraphFunction(bound.function.graph, bound.function.name, on_host=True)
        with streams_in(context.streams):
            function.program()
        context.functions[bound.function] = function
    return BoundFunction(function, bound.captures, bound.stage)
