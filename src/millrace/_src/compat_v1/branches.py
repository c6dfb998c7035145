"""`tf.compat.v1.cond`: with `fn1` and `fn2`, the old names of its functions, and results that lose their list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millrace._src.control_flow import cond as branches
from millrace._src.control_flow.while_loop import while_loop
from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import state
from millrace._src.ops.grouping import tuple_of
from millrace._src.util import nest
from millrace._src.util.export import export


@export(v1=["cond"])
def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Returns `true_fn()` if `pred` is true, else `false_fn()`.

    >>> tf.compat.v1.cond(tf.constant(True), fn1=lambda: 1, fn2=lambda: 2)
    1

    Args:
      pred: a scalar; in a graph a boolean Tensor.
      true_fn: a function without arguments.
      false_fn: a function without arguments that returns the same structure of the same dtypes.
      strict: in eager mode, whether a list or tuple of one value is returned as it is, rather than the value.
      name: name of the operation in a graph.
      fn1: the old name of `true_fn`.
      fn2: the old name of `false_fn`.

    Returns: What the chosen function returns; in a graph Tensors in the structure that both functions return.
    Raises: TypeError: if a function is missing, given twice or not callable, or the branches return different things.
    """
    true_fn = _function("true_fn", true_fn, "fn1", fn1)
    false_fn = _function("false_fn", false_fn, "fn2", fn2)
    result = branches.cond(pred, true_fn, false_fn, name)
    if state.graph is None and not strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def _function(new_name: str, new: object, old_name: str, old: object) -> Any:
    if old is not None and new is not None:
        raise TypeError(f"cond(): '{new_name}' and '{old_name}' may not be set simultaneously.")
    return new if old is None else old


@export(v1=["while_loop"])
def while_loop_v1(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats `body` while `cond` is true; a single loop variable is returned as such.

    >>> tf.compat.v1.while_loop(lambda i: i < 10, lambda i: i * 2, [tf.constant(1)])
    <tf.Tensor: shape=(), dtype=int32, numpy=16>

    Args:
      cond: see `tf.while_loop`.
      body: see `tf.while_loop`.
      loop_vars: see `tf.while_loop`.
      shape_invariants: see `tf.while_loop`.
      parallel_iterations: see `tf.while_loop`.
      back_prop: see `tf.while_loop`.
      swap_memory: see `tf.while_loop`.
      name: see `tf.while_loop`.
      maximum_iterations: see `tf.while_loop`.
      return_same_structure: whether to return the structure of `loop_vars` even if it has only one leaf.

    Returns: The last values, in the structure of `loop_vars`, or the last value of the only variable.
    """
    is_single = not return_same_structure and len(nest.flatten(loop_vars)) == 1
    run = body
    if is_single and state.graph is None:

        def run(*variables: Any) -> Any:
            result = body(*variables)
            return result if isinstance(result, (list, tuple)) else (result,)

    results = while_loop(
        cond,
        run,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        back_prop,
        swap_memory,
        maximum_iterations,
        name,
    )
    return nest.flatten(results)[0] if is_single else results


@export(v1=["tuple"])
def tuple_v1(tensors: TensorLike, name: str | None = None, control_inputs: object = None) -> Any:
    """Returns tensors none of which is available before all of them are, with TensorFlow 1's order of arguments.

    >>> with tf.Graph().as_default():
    ...     [t.name for t in tf.compat.v1.tuple([tf.constant(1), tf.constant(2)])]
    ['tuple/control_dependency:0', 'tuple/control_dependency_1:0']

    Args: as in `tf.tuple`.
    Returns: A list like `tensors`; in eager mode the list itself.
    Raises: as `tf.tuple`.
    """
    return tuple_of(tensors, control_inputs, name)
