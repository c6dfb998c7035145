"""`tf.gradients`: gradients inside a graph, by tensors."""

from __future__ import annotations

from typing import Any

from millrace._src.autodiff.backprop import UnconnectedGradients, fill_unconnected
from millrace._src.autodiff.graph_gradients import graph_gradients
from millrace._src.core import context
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.composite_gradients import gradient_parts, gradients_of_leaves
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.resources import is_variable
from millrace._src.graph.captured_tensors import capture_here
from millrace._src.ops import raw
from millrace._src.util import nest
from millrace._src.util.export import export


@export("AggregationMethod")
class AggregationMethod:
    """How gradients of one tensor from several uses are added; all give the same sum here."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@export("gradients")
def gradients(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: TensorLike | None = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: TensorLike | None = None,
    unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Any]:
    """Adds to the graph the derivatives of the sum of `ys` with respect to each of `xs`.

    >>> @tf.function
    ... def f(x):
    ...     return tf.gradients(x * x, x)
    >>> f(tf.constant(3.0))[0].numpy().item()
    6.0

    Args:
      ys: a Tensor or list of Tensors of the current graph.
      xs: a Tensor, a Variable, or a list of them.
      grad_ys: the gradients of `ys`, same structure; None entries are ones.
      name: name scope of the new nodes.
      gate_gradients: accepted for compatibility; nodes run in the order they were made.
      aggregation_method: see `tf.AggregationMethod`.
      stop_gradients: tensors through which no gradient flows.
      unconnected_gradients: the gradient of an `x` that no `y` depends on.

    Returns: One Tensor, IndexedSlices or None per entry of `xs`.
    Raises:
      RuntimeError: in eager mode.
      TypeError: if a `y` is complex and has no weight in `grad_ys`, or a weight of another kind.
      ValueError: if `unconnected_gradients` is unknown or the numbers of `ys` and `grad_ys` differ.
    """
    graph = state.graph
    if graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
        )
    try:
        mode = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{unconnected_gradients}'") from None
    targets = [convert_to_tensor(y, name="y") for y in gradient_parts(_as_list(ys, "ys"))]
    leaves = _as_list(xs, "xs")
    sources = [source_tensor(x) for x in gradient_parts(leaves)]
    weights = [None] * len(targets) if grad_ys is None else gradient_parts(nest.flatten(grad_ys))
    if len(weights) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(weights)} grad_ys for {len(targets)} ys")
    stopped = {id(t) for t in nest.flatten(stop_gradients)} if stop_gradients is not None else set()
    with context.name_scope(name, "gradients"), context.tapes_scope(()):
        seeds = [_seed(y, w, i) for i, (y, w) in enumerate(zip(targets, weights, strict=True))]
        source_gradients = graph_gradients(
            graph.get_operations(), targets, seeds, sources, stopped, graph.colocate_with
        )
    found_gradients = [fill_unconnected(g, s, mode) for g, s in zip(source_gradients, sources, strict=True)]
    return gradients_of_leaves(leaves, found_gradients)


def _as_list(structure: object, argument: str) -> list[Any]:
    """Returns the tensors of an argument.

    Raises: AttributeError: if a tensor is None, as in TensorFlow.
    """
    leaves = nest.flatten(structure)
    if any(item is None for item in leaves):
        raise AttributeError(f"'NoneType' object has no attribute 'op' (tf.gradients received None in {argument})")
    return leaves


def source_tensor(x: Any) -> Any:
    """Returns a source of gradients as a tensor of the current graph: the handle of a variable."""
    if not is_variable(x):
        return convert_to_tensor(x, name="x")
    return capture_here(x.handle)


def _seed(target: Any, weight: object, index: int) -> Any:
    """Returns the gradient with which a target starts."""
    with state.graph.colocate_with(target.op):
        return _weight(target, weight, index)


def _weight(target: Any, weight: Any, index: int) -> Any:
    if weight is not None:
        weight = convert_to_tensor(weight, dtype_hint=target.dtype)
        if weight.dtype.is_complex is not target.dtype.is_complex:
            kinds = ("complex-valued", "complex") if target.dtype.is_complex else ("real or integer-valued", "real")
            raise TypeError(
                f"Gradient type {weight.dtype.name} generated for {kinds[0]} tensor {target} with type "
                f"{target.dtype.name} must be {kinds[1]}"
            )
        return raw.Identity(input=weight, name=f"grad_ys_{index}")
    if target.dtype.is_complex:
        raise TypeError(f"Gradients of complex tensors ({target}) must set grad_ys (y.dtype = {target.dtype.name})")
    shape = target.shape
    dims = (
        convert_to_tensor(shape.as_list(), dtype="int32", name="Shape")
        if shape.is_fully_defined()
        else raw.Shape(input=target)
    )
    with context.name_scope(f"grad_ys_{index}") as scope:
        one = convert_to_tensor(1, dtype=target.dtype, name="Const")
        return raw.Fill(dims=dims, value=one, name=scope)
