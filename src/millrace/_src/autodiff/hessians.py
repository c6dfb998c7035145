"""`tf.hessians`: second derivatives inside a graph, one row of the matrix after the other."""

from __future__ import annotations

from typing import Any

from millrace._src.autodiff.gradients import gradients, source_tensor
from millrace._src.autodiff.graph_gradients import graph_gradients
from millrace._src.autodiff.jacobian import jacobian_rows
from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


@export("hessians")
def hessians(
    ys: TensorLike,
    xs: TensorLike,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    name: str = "hessians",
) -> list[Any]:
    """Adds to the graph the second derivatives of the sum of `ys` with respect to each of `xs`.

    >>> @tf.function
    ... def f(x):
    ...     return tf.hessians(tf.reduce_sum(x ** 3), x)[0]
    >>> f(tf.constant([1., 2.])).numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]

    Args:
      ys: a Tensor or list of Tensors.
      xs: a Tensor or list of Tensors of any shape.
      gate_gradients: as in `tf.gradients`.
      aggregation_method: as in `tf.gradients`.
      name: name scope of the new nodes.

    Returns: For each `x` a Tensor of shape `x.shape + x.shape`.
    Raises:
      RuntimeError: in eager mode.
      ValueError: if `ys` do not depend on an `x`.
    """
    sources = nest.flatten(xs)
    firsts = gradients(ys, sources, gate_gradients=gate_gradients, aggregation_method=aggregation_method)
    with context.name_scope(name, "hessians"), context.tapes_scope(()):
        return [_hessian(convert_to_tensor(g), x) for g, x in zip(firsts, sources, strict=True)]


def _hessian(gradient: Any, x: object) -> Any:
    """Computes the Jacobian of a gradient; zeros where the gradient does not depend on `x`."""
    source = source_tensor(x)
    operations = list(state.graph.get_operations())
    (rows,) = jacobian_rows(
        gradient,
        lambda seed: graph_gradients(operations, [gradient], [seed], [source]),
        vectorize=True,
        parallel_iterations=None,
    )
    if rows is not None:
        return rows
    dims = raw.Shape(input=gradient)
    return raw.Fill(dims=raw.ConcatV2(values=[dims, dims], axis=0), value=convert_to_tensor(0, dtype=gradient.dtype))
