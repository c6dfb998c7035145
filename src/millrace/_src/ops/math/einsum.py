"""Einstein summation.

The op takes one or two operands; `einsum_plan` says how the op computes. The gradient of an einsum is an einsum again:
the result's gradient times the other operand, summed into the operand's labels. `tf.einsum` checks the equation and
splits an equation of more than two operands into steps of two.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core import errors
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import executing_eagerly, name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.math import matrix_batches
from millrace._src.ops.math.broadcasting import conj
from millrace._src.ops.math.einsum_equation import (
    Label,
    Labels,
    ellipsis_rank,
    expand,
    merge_sizes,
    parse,
    unique,
)
from millrace._src.ops.math.einsum_plan import plan_einsum
from millrace._src.ops.shape_rules import UNKNOWN
from millrace._src.ops.type_sets import ANY
from millrace._src.util.export import export


def einsum_shape(c: ShapeContext) -> TensorShape:
    """Returns the sizes of the labels of the result."""
    equation = parse(c.attr("equation"))
    shapes = c.shapes("inputs")
    if len(shapes) != len(equation.inputs):
        expand(equation, [0] * len(shapes), is_eager=executing_eagerly())
    if any(s.rank is None for s in shapes):
        if "..." in c.attr("equation"):
            return UNKNOWN
        shapes = [
            TensorShape.of((None,) * len(t)) if s.rank is None else s
            for s, t in zip(shapes, equation.inputs, strict=True)
        ]
    is_eager = executing_eagerly()
    dims = [s.as_list() for s in shapes]
    operands, output = expand(equation, [len(d) for d in dims], is_eager=is_eager)
    sizes = merge_sizes(operands, dims, is_eager=is_eager)
    return TensorShape.of(tuple(_broadcast_size(label, operands, dims, sizes) for label in output))


def _broadcast_size(
    label: Label, operands: Sequence[Labels], dims: Sequence[list[int | None]], sizes: dict[Label, int | None]
) -> int | None:
    """Returns the size of a label; an ellipsis axis that is unknown in one operand and 1 in the others is unknown."""
    if isinstance(label, int):
        label_sizes = [d[ls.index(label)] for ls, d in zip(operands, dims, strict=True) if label in ls]
        larger_sizes = [d for d in label_sizes if d not in (None, 1)]
        return larger_sizes[0] if larger_sizes else (None if None in label_sizes else 1)
    return sizes[label]


@op(
    "Einsum",
    "inputs: N * T -> output: T",
    T=ANY,
    shape=einsum_shape,
    batching=matrix_batches.einsum,
    library_bound=True,
)
def einsum_op(xp: Xp, inputs: list[Array], *, equation: str) -> Array:
    """Computes an Einstein summation over one or two operands; the op behind `tf.einsum`.

    >>> tf.raw_ops.Einsum(inputs=[[[1, 2], [3, 4]]], equation="ij->ji").numpy()
    array([[1, 3],
           [2, 4]], dtype=int32)
    """
    try:
        plan = plan_einsum(equation, tuple([x.shape for x in inputs]))
    except ValueError as error:
        raise errors.InvalidArgumentError(None, None, str(error)) from None
    return plan(xp, inputs)


# --- gradient ----------------------------------------------------------------------------------------------------


@einsum_op.gradient
def einsum_gradient(doutput: Tensor, inputs: list[Tensor], equation: str) -> tuple[list[Tensor]]:
    parsed_equation = parse(equation)
    gradients = []
    for i, (x, subscripts) in enumerate(zip(inputs, parsed_equation.inputs, strict=True)):
        other_operands = [(parsed_equation.inputs[j], conj(y)) for j, y in enumerate(inputs) if j != i]
        gradients.append(_operand_gradient(doutput, parsed_equation.output, x, subscripts, other_operands))
    return (gradients,)


def _operand_gradient(
    doutput: Tensor, output: str, x: Tensor, subscripts: str, others: list[tuple[str, Tensor]]
) -> Any:
    """Returns the gradient of one operand: `doutput` times the other operand, summed into the operand's labels."""
    dout_labels = "".join(unique(output.replace("...", "")))  # type: ignore[arg-type]  # letters only
    if dout_labels != output.replace("...", ""):
        doutput = raw.Einsum(inputs=[doutput], equation=f"{output}->{_dots(output)}{dout_labels}")
        output = _dots(output) + dout_labels
    named_labels = "".join(dict.fromkeys(subscripts.replace("...", "")))
    available_labels = set(output) | {v for text, _ in others for v in text}
    kept_labels = "".join(v for v in named_labels if v in available_labels)
    has_dots = "..." in output or any("..." in text for text, _ in others)
    target = ("..." if has_dots else "") + kept_labels
    operands, texts = [doutput, *(y for _, y in others)], [output, *(text for text, _ in others)]
    gradient = raw.Einsum(inputs=operands, equation=f"{','.join(texts)}->{target}")
    if has_dots:
        gradient = _sum_ellipsis(gradient, x, subscripts, len(kept_labels))
    if kept_labels != named_labels:
        gradient = _repeat_missing(gradient, x, subscripts, kept_labels, named_labels)
    final = _dots(subscripts) + named_labels
    return gradient if final == subscripts else raw.Einsum(inputs=[gradient], equation=f"{final}->{subscripts}")


def _dots(subscripts: str) -> str:
    return "..." if "..." in subscripts else ""


def _sum_ellipsis(gradient: Tensor, x: Tensor, subscripts: str, kept: int) -> Any:
    """Sums the leading ellipsis axes of a gradient (the broadcast shape) down to the ellipsis axes of `x`."""
    x_dims, g_dims = x.shape.dim_sizes, gradient.shape.dim_sizes
    start = len(subscripts.partition("...")[0]) if "..." in subscripts else 0
    if x_dims is not None and g_dims is not None and None not in x_dims:
        own_sizes = x_dims[start : start + ellipsis_rank(subscripts, len(x_dims))]
        full_sizes = g_dims[: len(g_dims) - kept]
        if own_sizes == full_sizes:
            return gradient
        lead = len(full_sizes) - len(own_sizes)
        axes = [*range(lead), *(i + lead for i, d in enumerate(own_sizes) if d == 1 and full_sizes[i + lead] != 1)]
        total = raw.Sum(input=gradient, reduction_indices=np.array(axes, np.int32))
        tail = raw.Shape(input=gradient)[len(full_sizes) :]
        shape = raw.ConcatV2(values=[np.array(own_sizes, np.int32), tail], axis=np.int32(0))
        return raw.Reshape(tensor=total, shape=shape)
    x_shape, g_shape = raw.Shape(input=x), raw.Shape(input=gradient)
    after = len(subscripts.partition("...")[2]) if "..." in subscripts else 0
    own_shape = x_shape[start : raw.Size(input=x_shape) - after] if "..." in subscripts else x_shape[:0]
    full_rank = raw.Size(input=g_shape) - kept
    axes_tensor, _ = raw.BroadcastGradientArgs(s0=own_shape, s1=g_shape[:full_rank])
    total = raw.Sum(input=gradient, reduction_indices=axes_tensor)
    shape = raw.ConcatV2(values=[own_shape, g_shape[full_rank:]], axis=np.int32(0))
    return raw.Reshape(tensor=total, shape=shape)


def _repeat_missing(gradient: Tensor, x: Tensor, subscripts: str, kept: str, named: str) -> Any:
    """Gives the gradient the axes that the equation sums in `x` alone, each entry repeated."""
    for position, label in reversed(list(enumerate(named))):
        if label not in kept:  # all labels behind `label` are there: its position counts from the end
            gradient = raw.ExpandDims(input=gradient, dim=np.int32(position - len(named)))
    shape = raw.Shape(input=x)
    before, _, after = subscripts.partition("...")
    first = {v: i for i, v in reversed(list(enumerate(before)))}
    for i, v in enumerate(after):
        first.setdefault(v, i - len(after))
    sizes = [shape[len(before) : raw.Size(input=shape) - len(after)]] if "..." in subscripts else []
    sizes += [raw.Reshape(tensor=shape[first[v]], shape=[1]) for v in named]
    full_shape = raw.ConcatV2(values=sizes, axis=np.int32(0)) if len(sizes) > 1 else sizes[0]
    return raw.BroadcastTo(input=gradient, shape=full_shape)


# --- tf.einsum ---------------------------------------------------------------------------------------------------

_FORMAT = re.compile(r"[a-zA-Z]*(\.\.\.)?[a-zA-Z]*(,[a-zA-Z]*(\.\.\.)?[a-zA-Z]*)*(->[a-zA-Z]*(\.\.\.)?[a-zA-Z]*)?")


@export("linalg.einsum", "einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums products of tensors over labelled axes (Einstein summation).

    >>> a, b = tf.constant([[1, 2], [3, 4]]), tf.constant([[0, 1], [1, 0]])
    >>> tf.einsum("ij,jk->ik", a, b).numpy()  # the matrix product
    array([[2, 1],
           [4, 3]], dtype=int32)
    >>> tf.einsum("ii", a).numpy()  # the trace
    np.int32(5)

    Args:
      equation: A letter for each axis of each input, separated by commas, and after `->` the axes of the result:
        letters missing there are summed over. Without `->` the result has the letters that occur once, sorted.
        `...` means any number of axes, which broadcast.
      *inputs: The `Tensor`s, of one dtype.
      **kwargs: `optimize` chooses how more than two inputs are paired: "greedy" (default), "optimal", "branch-2",
        "branch-all" or "auto". `name` is a name for the operation.

    Returns: A `Tensor` of the dtype of the inputs.
    Raises:
      ValueError: if the equation is malformed or does not fit the inputs (InvalidArgumentError for shapes in eager
        mode).
      TypeError: for another keyword.
    """
    name = kwargs.pop("name", None)
    optimize = kwargs.pop("optimize", "greedy")
    kwargs.pop("greedy", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, optimize, greedy."
        )
    with name_scope(name, "einsum"):
        tensors = [convert_to_tensor(x) for x in inputs]
        full_equation = _resolve(equation, len(tensors))
        if len(tensors) <= 2:
            return einsum_op(tensors, equation=full_equation)
        return _contract_in_pairs(full_equation, tensors, optimize)


@functools.lru_cache(maxsize=1024)
def _resolve(equation: str, input_count: int) -> str:
    """Checks an equation and writes out the labels of the result.

    Raises: ValueError: in TensorFlow's words.
    """
    text = equation.replace(" ", "")
    if _FORMAT.fullmatch(text) is None:
        raise ValueError(f"Subscripts have incorrect format: {equation}")
    left, arrow, output = text.partition("->")
    subscripts = left.split(",")
    if len(subscripts) != input_count:
        raise ValueError(f'Got {input_count} inputs for equation "{equation}", expecting {len(subscripts)}')
    if not arrow:
        labels = left.replace(",", "").replace("...", ".")
        output = "".join(sorted(v for v in set(labels) if labels.count(v) == 1)).replace(".", "...")
        return f"{left}->{output}"
    for label in output.replace("...", ""):
        if output.count(label) > 1:
            raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
        if label not in left:
            raise ValueError(f"Output subscripts contain the label {label} not present in the input subscripts.")
    return f"{left}->{output}"


def _contract_in_pairs(resolved: str, tensors: list[Tensor], optimize: object) -> Tensor:
    left, _, output = resolved.partition("->")
    terms = list(zip(left.split(","), tensors, strict=True))
    for pair in _contraction_path(resolved, tensors, optimize):
        operands = [terms.pop(i) for i in sorted(pair, reverse=True)]
        remaining = "".join(text for text, _ in terms) + output
        joined_labels = "".join(text for text, _ in operands)
        if terms:
            letters = sorted({v for v in joined_labels.replace("...", "") if v in remaining})
            result = ("..." if "..." in joined_labels else "") + "".join(letters)
        else:
            result = output
        equation = f"{','.join(text for text, _ in operands)}->{result}"
        terms.append((result, einsum_op([t for _, t in operands], equation=equation)))
    return terms[0][1]


def _contraction_path(resolved: str, tensors: list[Tensor], optimize: object) -> list[tuple[int, ...]]:
    """Finds an order of pairing the operands that keeps intermediate results small; unknown sizes count as 1."""
    if any(t.shape.rank is None for t in tensors):
        return [(0, 1)] * (len(tensors) - 1)
    shapes = [tuple(1 if d is None else d for d in t.shape.as_list()) for t in tensors]
    stand_ins = [np.broadcast_to(np.zeros(()), shape) for shape in shapes]
    method = "optimal" if optimize in ("optimal", "branch-all", "branch-2") else "greedy"
    try:
        path = np.einsum_path(resolved, *stand_ins, optimize=method)[0][1:]
    except ValueError:
        return [(0, 1)] * (len(tensors) - 1)
    return [tuple(step) for step in path] if all(len(step) == 2 for step in path) else [(0, 1)] * (len(tensors) - 1)
