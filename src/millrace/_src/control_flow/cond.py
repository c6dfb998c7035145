"""`tf.cond`, `tf.switch_case`: one of several branches runs.

In eager mode the chosen function is called. In a graph each branch becomes a graph of its own, an attribute of an `If`
or `Case` node. The gradient is an `If` or `Case` node, too: it runs the backward function of the branch that ran
forwards, with the intermediates that the forward node is made to return.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from millrace._src.autodiff import backprop
from millrace._src.autodiff.op_recording import is_trainable
from millrace._src.control_flow.derivative import Derivative, derivative_of, reaching, with_outputs
from millrace._src.control_flow.traced_branches import (
    Branch,
    common_handle_types,
    common_shapes,
    into_current_graph,
    merge_captures,
    pack_outputs,
    read_only_inputs,
    trace_branch,
    widen_indices,
)
from millrace._src.core import context
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.context import state
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType
from millrace._src.core.execute import execute
from millrace._src.core.handle_types import HandleType
from millrace._src.core.indexed_slices import IndexedSlices
from millrace._src.core.op_attributes import FunctionAttr
from millrace._src.core.op_def import Effects, op
from millrace._src.core.op_registry import get_op, late_bound
from millrace._src.core.op_signature import TypeList
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import EagerTensor, Tensor
from millrace._src.graph import rewriting
from millrace._src.graph.control_deps import body_effects, body_writes
from millrace._src.graph.function_factory import CallableFunction, make_function
from millrace._src.ops import raw
from millrace._src.ops.state import fill_like_variable
from millrace._src.ops.type_sets import ANY
from millrace._src.util import nest
from millrace._src.util.export import export

_NO_SHAPES: Any = ()

# --- ops -------------------------------------------------------------------------------------------------------------


def _declared_shapes(c: ShapeContext) -> Sequence[TensorShape]:
    declared_shapes: Sequence[TensorShape] = c.attr("output_shapes")
    return declared_shapes or [TensorShape(None)] * len(c.attr("Tout"))


def _if_handles(c: ShapeContext) -> list[HandleType | None]:
    return common_handle_types([c.attr("then_branch").graph, c.attr("else_branch").graph])


def _case_handles(c: ShapeContext) -> list[HandleType | None]:
    return common_handle_types([branch.graph for branch in c.attr("branches")])


def _if_effects(attrs: dict[str, Any]) -> Effects:
    return body_effects([attrs["then_branch"], attrs["else_branch"]])


def _case_effects(attrs: dict[str, Any]) -> Effects:
    return body_effects(attrs["branches"])


def _truth(xp: Xp, predicate: Array) -> Array:
    """Turns a condition into a boolean scalar: an array of higher rank is true if the array is not empty."""
    if getattr(predicate, "ndim", 0):
        return predicate.size > 0
    if isinstance(predicate, bytes) or predicate.dtype.kind == "O":
        return bool(predicate if isinstance(predicate, bytes) else predicate[()])
    return predicate if predicate.dtype.kind == "b" else predicate != 0


def _if_kernel(
    xp: Xp,
    cond: Array,
    input: list[Any],
    *,
    then_branch: FunctionAttr,
    else_branch: FunctionAttr,
    output_shapes: list[TensorShape] = _NO_SHAPES,
) -> Any:
    """Runs one of two functions."""
    return list(xp.cond(_truth(xp, cond), then_branch, else_branch, input))


def _case_kernel(
    xp: Xp,
    branch_index: Array,
    input: list[Any],
    *,
    branches: list[FunctionAttr],
    output_shapes: list[TensorShape] = _NO_SHAPES,
) -> Any:
    """Runs one of several functions; an index out of range runs the last."""
    return list(xp.switch(branch_index, branches, input))


_IF = "cond: Tcond, input: Tin -> output: Tout"
_CASE = "branch_index: int32, input: Tin -> output: Tout"

_BRANCHING: dict[str, Any] = {"Tin": TypeList(ANY), "Tout": TypeList(ANY), "shape": _declared_shapes}
_CHOICE: dict[str, Any] = {**_BRANCHING, "Tcond": ANY, "handles": _if_handles, "effects": _if_effects}
_SWITCH: dict[str, Any] = {**_BRANCHING, "handles": _case_handles, "effects": _case_effects}

if_ = op("If", _IF, control="choice", **_CHOICE)(_if_kernel)
stateless_if = op("StatelessIf", _IF, control="choice", is_stateless=True, **_CHOICE)(_if_kernel)
case_ = op("Case", _CASE, **_SWITCH)(_case_kernel)
stateless_case = op("StatelessCase", _CASE, is_stateless=True, **_SWITCH)(_case_kernel)


# --- building ---------------------------------------------------------------------------------------------------------


def build_branches(selector: Tensor, branches: Sequence[Branch], scope: str, *, is_case: bool) -> list[Any]:
    """Adds the node that runs one of `branches`; returns its outputs."""
    graphs = [b.graph for b in branches]
    captures = into_current_graph(
        merge_captures(graphs, lambda graph, index, tensor: (f"{scope}Placeholder", tensor.shape)), scope
    )
    functions = [make_function(g) for g in graphs]
    stateless = body_effects(graphs) is Effects.NONE
    attrs: dict[str, Any] = {
        "Tin": [t.dtype for t in captures],
        "Tout": [t.dtype for t in graphs[0].outputs],
        "output_shapes": common_shapes(graphs),
        "_lower_using_switch_merge": True,
        "_read_only_resource_inputs": read_only_inputs(graphs, 1, body_writes),
    }
    if is_case:
        attrs["branches"] = functions
        name = "StatelessCase" if stateless else "Case"
    else:
        attrs["then_branch"], attrs["else_branch"] = functions
        name = "StatelessIf" if stateless else "If"
    if not graphs[0].outputs:
        attrs.pop("_lower_using_switch_merge")
        attrs.pop("_read_only_resource_inputs")
    outputs = execute(get_op(name), (selector, captures), attrs, scope)
    if not graphs[0].outputs:
        return []
    with context.name_scope(scope):
        return [raw.Identity(input=t) for t in outputs]


def _check_same(
    first: Branch, second: Branch, names: tuple[str, str, str] = ("true_fn", "false_fn", "tf.cond")
) -> None:
    """Refuses branches that return different structures or dtypes; `names` are those of the branches and the op."""
    counts = [len(b.graph.outputs) for b in (first, second)]
    if first.nones != second.nones and counts[0] != counts[1] and len(first.nones) == len(second.nones):
        listed = "".join(f"len(graphs[{i}].outputs): {n}\n" for i, n in enumerate(counts))
        raise ValueError(f"Lengths of branch outputs of cond must match.\n{listed}")
    try:
        nest.assert_same_structure(first.structure, second.structure, expand_composites=True)
        for a, b in zip(first.graph.outputs, second.graph.outputs, strict=True):
            if a.dtype is not b.dtype:
                raise TypeError(f"{a} and {b} have different types")
        if first.nones != second.nones:
            raise TypeError("one of them returns None where the other returns a value")
    except (ValueError, TypeError) as error:
        texts = [
            b.graph.outputs[0] if len(b.graph.outputs) == 1 and not nest.is_nested(b.structure) else b.structure
            for b in (first, second)
        ]
        raise TypeError(
            f"{names[0]} and {names[1]} arguments to {names[2]} must have the same number, type, and overall "
            "structure of return values.\n\n"
            f"{names[0]} output: {texts[0]}\n{names[1]} output: {texts[1]}\n\nError details:\n{error}"
        ) from None


@export("cond")
@late_bound("cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """Returns `true_fn()` if `pred` is true, else `false_fn()`.

    >>> tf.cond(tf.constant(True), lambda: 1, lambda: 2)
    1

    Args:
      pred: a scalar; in a graph a boolean Tensor.
      true_fn: a function without arguments.
      false_fn: a function without arguments that returns the same structure of the same dtypes.
      name: name of the operation in a graph.

    Returns: What the chosen function returns; in a graph Tensors in the structure that both functions return.
    Raises: TypeError: if a function is missing or not callable, or the branches return different things in a graph.
    """
    if true_fn is None:
        raise TypeError("cond(): 'true_fn' argument required")
    if false_fn is None:
        raise TypeError("cond(): 'false_fn' argument required")
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if state.graph is None:
        return true_fn() if bool(_eager_truth(pred)) else false_fn()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    with context.name_scope(name, "cond") as scope:
        selector = convert_to_tensor(pred, name="pred")
        label = scope[:-1].replace("/", "_")
        then = trace_branch(true_fn, f"{label}_true", scope, selector)
        otherwise = trace_branch(false_fn, f"{label}_false", scope, selector)
        widen_indices([then, otherwise], scope, "tf.cond")
        _check_same(then, otherwise)
        outputs = build_branches(selector, [then, otherwise], scope, is_case=False)
    return pack_outputs(then, outputs, [otherwise])


def _eager_truth(pred: Any) -> Any:
    return pred._eager_array if isinstance(pred, EagerTensor) else pred


@export("switch_case")
def switch_case(
    branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Any:
    """Returns `branch_fns[branch_index]()`; an index out of range calls `default`, or the last function.

    >>> tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)])
    <tf.Tensor: shape=(), dtype=int32, numpy=20>

    Args:
      branch_index: an int32 scalar Tensor.
      branch_fns: a list of functions, a dict from int to function, or a list of pairs of int and function.
      default: the function for other indices.
      name: name of the operation in a graph.

    Raises:
      TypeError: if `branch_index` is not a Tensor or something is not callable.
      ValueError: if the keys are not 0, 1, 2, ... in some order.
    """
    functions = _order_branches(branch_fns)
    if default is not None and not callable(default):
        raise TypeError("'default' must be callable.")
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!s}")
    branch_index = raw.Cast(x=branch_index, DstT="int32") if branch_index.dtype.name != "int32" else branch_index
    if default is not None:
        functions = [*functions, default]
    if state.graph is None:
        index = int(branch_index)
        chosen = functions[index if 0 <= index < len(functions) else -1]
        return chosen()
    with context.name_scope(name), context.name_scope("indexed_case") as scope:
        label = scope[:-1].replace("/", "_")
        branches = [trace_branch(f, f"{label}_branch{i}", scope, branch_index) for i, f in enumerate(functions)]
        widen_indices(branches, scope, "tf.switch_case")
        for index, branch in enumerate(branches[1:], 1):
            _check_same(branches[0], branch, ("branches[0]", f"branches[{index}]", "tf.switch_case"))
        outputs = build_branches(branch_index, branches, scope, is_case=True)
    return pack_outputs(branches[0], outputs, branches[1:])


def _order_branches(branch_fns: Any) -> list[Callable[[], Any]]:
    """Returns the functions of `switch_case`, in the order of their indices."""
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(f"'branch_fns' must be a list, tuple, or dict. Received {branch_fns}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    else:
        pairs = list(enumerate(branch_fns) if all(map(callable, branch_fns)) else branch_fns)
    for pair in pairs:
        _check_branch(pair)
    pairs.sort(key=itemgetter(0))
    keys = [k for k, _ in pairs]
    if keys != list(range(len(keys))):
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(keys)}) but found "
            f"{{{','.join(map(str, keys))}}}"
        )
    return [f for _, f in pairs]


def _check_branch(pair: Any) -> None:
    """Refuses what is not a pair of an index and a function.

    Raises: TypeError: if it is not such a pair.
    """
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
    key, function = pair
    if not isinstance(key, int):
        raise TypeError(f"key must be a Python `int`, got {type(key)}")
    if not callable(function):
        raise TypeError(f"fn for key {key} must be callable.")


# --- gradients --------------------------------------------------------------------------------------------------------


class _Widened:
    """The branches of a node, each with the intermediates of all branches among its outputs."""

    def __init__(self, operation: Any, functions: Sequence[CallableFunction], wanted: frozenset[int]) -> None:
        self.wanted = wanted
        self.base_count = len(operation.outputs)
        self.branches = _return_intermediates(operation, functions, frozenset(i - 1 for i in wanted))
        self.functions = [function for function, _, _ in self.branches]

    def reaches(self, position: int, dtype: DType) -> bool:
        """Returns whether the gradient of an output is taken into account."""
        count = len(self.functions[0].graph.outputs)
        return position < self.base_count or position < count and dtype.name != "variant"


@if_.operation_gradient
@stateless_if.operation_gradient
def if_gradient(operation: Any, output_gradients: Sequence[Any], wanted: frozenset[int]) -> Sequence[Any]:
    """Builds an If node that runs the backward function of the branch that ran."""
    plan = reaching(operation.gradient_plans, output_gradients, operation.outputs, wanted)
    plan = plan or prepare_if(operation, wanted)
    branches = _backward_branches(operation, plan, output_gradients)
    return [None, *cond(operation.inputs[0], branches[0], branches[1], name=f"{operation.name}_grad")]


@case_.operation_gradient
@stateless_case.operation_gradient
def case_gradient(operation: Any, output_gradients: Sequence[Any], wanted: frozenset[int]) -> Sequence[Any]:
    """Builds a Case node that runs the backward function of the branch that ran."""
    plan = reaching(operation.gradient_plans, output_gradients, operation.outputs, wanted)
    plan = plan or prepare_case(operation, wanted)
    branches = _backward_branches(operation, plan, output_gradients)
    return [None, *switch_case(operation.inputs[0], branches, name=f"{operation.name}_grad")]


def _all_operands(operation: Any) -> frozenset[int]:
    """Returns the positions of the inputs that can have a gradient; the first input selects the branch."""
    return frozenset(i for i, t in enumerate(operation.inputs) if i and is_trainable(t.dtype))


def prepare_if(operation: Any, wanted: frozenset[int] | None = None) -> Any:
    """Makes an If node return the intermediates of its branches; returns how to go back to the wanted inputs."""
    return _prepare(operation, [operation.attrs["then_branch"], operation.attrs["else_branch"]], wanted, if_branches)


def prepare_case(operation: Any, wanted: frozenset[int] | None = None) -> Any:
    """Makes a Case node return the intermediates of its branches; returns how to go back to the wanted inputs."""
    return _prepare(operation, operation.attrs["branches"], wanted, case_branches)


def if_branches(functions: Sequence[CallableFunction]) -> dict[str, Any]:
    """Returns the attributes of an If node with these branches."""
    return dict(zip(("then_branch", "else_branch"), functions, strict=True))


def case_branches(functions: Sequence[CallableFunction]) -> dict[str, Any]:
    """Returns the attributes of a Case node with these branches."""
    return {"branches": tuple(functions)}


def _prepare(
    operation: Any,
    functions: Sequence[CallableFunction],
    wanted: frozenset[int] | None,
    attrs_of: Callable[[Sequence[CallableFunction]], dict[str, Any]],
) -> _Widened:
    """Makes a node return the intermediates of its branches."""
    plan = _Widened(operation, functions, _all_operands(operation) if wanted is None else wanted)
    shapes = common_shapes([function.graph for function in plan.functions])
    further = [(t.dtype, shape) for t, shape in zip(plan.functions[0].graph.outputs, shapes, strict=True)]
    attrs = {**attrs_of(plan.functions), "output_shapes": tuple(shapes)}
    rewriting.extend(operation, attrs, outputs=further[len(operation.outputs) :])
    rewriting.keep_plan(operation, plan)
    return plan


def _return_intermediates(
    operation: Any, functions: Sequence[CallableFunction], wanted: frozenset[int]
) -> list[tuple[CallableFunction, Derivative, int]]:
    """Makes branches that return the intermediates of all branches, stand-ins for those of another branch.

    Each branch comes with its derivative and the position where its own intermediates start.
    """
    derivatives = [derivative_of(f, closed=True, wanted=wanted) for f in functions]
    count = len(operation.outputs)
    extras = [d.forward.graph.outputs[count:] for d in derivatives]
    result = []
    for index, (function, derivative) in enumerate(zip(functions, derivatives, strict=True)):
        graph = function.graph
        outputs = list(graph.outputs)
        start = count + sum(len(e) for e in extras[:index])
        with graph.as_default(), context.tapes_scope(()):
            for owner, tensors in enumerate(extras):
                outputs += tensors if owner == index else [_empty_like(t) for t in tensors]
        result.append(
            (
                make_function(
                    with_outputs(graph, outputs), f"{function.name}_rewritten", jit_compile=function.jit_compile
                ),
                derivative,
                start,
            )
        )
    return result


def _empty_like(tensor: Any) -> Any:
    """Makes a stand-in for an intermediate of a branch that does not run."""
    if tensor.dtype.name == "variant":
        return raw.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype="float32")
    return raw.FakeParam(dtype=tensor.dtype, shape=tensor.shape)


def _backward_branches(operation: Any, plan: _Widened, output_gradients: Sequence[Any]) -> list[Callable[[], Any]]:
    """Returns the backward functions of the branches, to be called inside the branches of the gradient."""
    dys = [*output_gradients, *[None] * (len(operation.outputs) - len(output_gradients))]
    widened = plan.branches
    forms = [_common_form(parts) for parts in zip(*(_gradient_forms(d) for _, d, _ in widened), strict=True)]
    return [_backward_branch(operation, derivative, start, dys, forms) for _, derivative, start in widened]


def _gradient_forms(derivative: Derivative) -> list[Any]:
    """Returns for each input None without a gradient, DENSE, or the specs of the parts of a sparse gradient."""
    outputs = iter(derivative.backward.graph.outputs)
    forms: list[Any] = []
    for layout in derivative.layout:
        parts = [next(outputs) for _ in range(layout or 0)]
        forms.append(None if not parts else _DENSE if layout == 1 else tuple((t.shape, t.dtype) for t in parts))
    return forms


_DENSE = "dense"


def _common_form(forms: Sequence[Any]) -> Any:
    """Finds the form of a gradient that all branches can return: sparse, if all have the same number of slices."""
    known_forms = [form for form in forms if form is not None]
    if not known_forms:
        return None
    first_form = known_forms[0]
    # XLA must know how many slices there are, so the shapes must be known
    alike = first_form is not _DENSE and len(first_form) == 3 and all(s.is_fully_defined() for s, _ in first_form)
    return first_form if alike and all(form == first_form for form in known_forms) else _DENSE


def _in_form(gradient: Any, form: Any, tensor: Any) -> Any:
    """Brings a branch's gradient of an input into the form of the other branches; makes zeros for a missing one."""
    if form is None:
        return None
    if form is _DENSE:
        return _zeros_for(tensor) if gradient is None else convert_to_tensor(gradient)
    if gradient is not None:
        return gradient
    (values, dtype), (rows, index_dtype), (_, shape_dtype) = form
    is_handle = tensor.dtype.is_resource
    shape = raw.VariableShape(input=tensor) if is_handle else raw.Shape(input=tensor)
    return IndexedSlices(
        backprop.zeros(values.as_list(), dtype),
        backprop.zeros(rows.as_list(), index_dtype),
        raw.Cast(x=shape, DstT=shape_dtype) if shape_dtype.name != "int32" else shape,
    )


def _backward_branch(
    operation: Any, derivative: Derivative, start: int, dys: Sequence[Any], forms: Sequence[Any]
) -> Callable[[], Any]:
    base = derivative.base_count
    own_count = len(derivative.forward.graph.outputs) - base
    positions = [*range(base), *range(start, start + own_count)]
    inputs = operation.inputs[1 : 1 + len(derivative.layout)]

    def backward() -> list[Any]:
        outputs = [operation.outputs[p] for p in positions]
        gradients = [dys[p] for p in positions]
        for index in derivative.gradient_positions:
            if gradients[index] is None:
                gradients[index] = raw.ZerosLike(x=outputs[index])
        input_gradients = derivative.input_gradients(gradients, inputs, outputs)
        return [_in_form(g, form, t) for g, form, t in zip(input_gradients, forms, inputs, strict=True)]

    return backward


def _zeros_for(tensor: Any) -> Any:
    """Makes zeros for the gradient of an input that a branch does not use, of the variable's shape for a handle."""
    return fill_like_variable(tensor, 0) if tensor.dtype.is_resource else raw.ZerosLike(x=tensor)
