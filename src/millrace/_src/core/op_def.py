"""Ops: one declaration each.

`@op("Tanh", "x: T -> y: T", T=FLOAT, shape=same_shape)` turns a kernel into an `OpDef` and gives back the function
that users call (`op_functions`). Everything the system knows of an op stands in its `OpDef`; no other file lists op
names. `Traits` are the facts, stated by keyword; `Rules` are the functions, attached by decorators below the
declaration or in a higher layer. The kernel's own parameters tell the rest: after `xp`, positional parameters are the
op's inputs, keyword-only parameters its attributes, with TensorFlow's defaults.

Declaring must be cheap (hundreds of ops at start), so signatures are parsed and kernels bound on first use.
"""

from __future__ import annotations

import enum
import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from millrace._src.core import op_attributes
from millrace._src.core.dtypes import DType
from millrace._src.core.handle_types import first_handle
from millrace._src.core.kernel_cache import GENERATION, GENERATION_OF_STREAMS, KernelCache
from millrace._src.core.op_algebra import Comparison, ElementOrder, EpilogueStep, NeutralOperand, Total
from millrace._src.core.op_capabilities import Capability
from millrace._src.core.op_functions import OpFunction, make_op_function
from millrace._src.core.op_registry import get_op, late_rules, register
from millrace._src.core.op_signature import OpSignature, TypeList, TypeSet, parse_signature

if TYPE_CHECKING:
    from millrace._src.core.value_ranges import Fact, RangeContext

Kernel: TypeAlias = Callable[..., Any]
Rule = TypeVar("Rule", bound=Callable[..., Any])


class Effects(enum.Enum):
    """What an op does besides computing its outputs."""

    NONE = "none"
    READS = "reads"
    """Reads a resource: may be pruned, must not move across a write of the same resource."""
    WRITES = "writes"
    """Changes a resource among its inputs: always runs, in program order."""
    RANDOM = "random"
    """Draws from a hidden stream: may be pruned, never merged with an equal op."""
    IO = "io"
    """Acts on the world (prints, asserts, calls Python): always runs, in program order."""

    @property
    def must_run(self) -> bool:
        """Whether an op runs even when nothing uses its outputs."""
        return self in (Effects.WRITES, Effects.IO)


class KnownValue(enum.Enum):
    """Whether `tf.get_static_value` finds the value of an op from the values of the op's inputs."""

    NO = "no"
    WHOLE = "whole"
    """Where the values of all inputs are known."""
    PARTS = "parts"
    """Also where only some elements of a list of tensors are known, for a caller who asks for parts."""


def parts_along_first_axis(attrs: dict[str, Any]) -> KnownValue:
    """Tells of an op with an axis that users are told parts of its value along the first axis, else nothing."""
    return KnownValue.NO if attrs["axis"] else KnownValue.PARTS


class Elementwise(enum.Enum):
    """Whether each element of the only result depends on those elements of the inputs that stand at the same position.

    Such an op gives the same bits for a piece of an array as for the whole.
    """

    NO = "no"
    ALIKE = "alike"
    """The op takes inputs of the shape of the result, and perhaps scalars."""
    BROADCAST = "broadcast"
    """The op broadcasts the inputs."""


_ELEMENTWISE_RULES: dict[Any, tuple[Elementwise, int | None]] = {}
"""What shape rules say about the ops that have them, and the number of inputs with which that holds."""


def of_elements(kind: Elementwise, *, inputs: int | None = None) -> Callable[[Rule], Rule]:
    """Declares of a shape rule that an op which has the rule, and no batching rule, works element by element.

    Args:
      kind: which inputs the op takes.
      inputs: the number of inputs with which that holds; None for any number.
    """

    def declare(rule: Rule) -> Rule:
        _ELEMENTWISE_RULES[rule] = kind, inputs
        return rule

    return declare


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """The facts about an op, which its declaration states by keyword."""

    effects: Effects | Callable[[dict[str, Any]], Effects] = Effects.NONE
    """What the op does besides computing; a function of the attributes for an op that holds graphs."""
    capabilities: Capability | Callable[[Any], Capability] = Capability.NOTHING
    """What the kernel can reach beyond its operands; a function of the `ShapeContext` where attributes decide.

    The functions that an op holds do not count: their own ops say what they reach.
    """
    file_inputs: Sequence[str] = ()
    """The inputs that name the files which the op reads, where the op reads no others."""
    constant_inputs: Sequence[str] = ()
    """The inputs whose value must be known when a program is compiled."""
    host_only: bool = False
    """Whether only the NumPy engine can run the op (strings, data-dependent shapes, Python code)."""
    refused_when_compiled: bool = False
    """Whether a function with `jit_compile=True` may not hold the op, as in TensorFlow (datasets, iterators).

    A function with another op of the host is left to the NumPy engine.
    """
    refuses: Sequence[str] = ()
    """The inputs whose values the op refuses on the host (an index out of range) where a compiled program continues.

    If the op has `checks` and names no input here, every input counts. Of the other inputs `checks` reads shapes only.
    """
    checks_any_shape_of: Sequence[str] = ()
    """The inputs that decide nothing about what is refused, neither by values nor by the shape."""
    refuses_integers_alone: bool = False
    """Whether the op refuses values only where the first input holds integers (division by zero)."""
    values_differ_when_compiled: str | Callable[[dict[str, Any]], str | None] | None = None
    """How compiled values differ from the values on the host beyond rounding; a function of the attributes."""
    library_bound: bool = False
    """Whether a library of kernels (BLAS, oneDNN, LAPACK, FFT, a sort) takes nearly all the time of the op.

    A compiler gains little on such an op, and what a compiler brings along may be slower than the library.
    """
    commutative: bool = False
    """Whether the first two inputs may be swapped."""
    reads_only_shapes: bool = False
    """Whether the result depends on the shapes of the inputs only (Shape, Rank, ZerosLike)."""
    known_value: KnownValue | Callable[[dict[str, Any]], KnownValue] = KnownValue.NO
    """Whether users are told the value while tracing; a function of the attributes where those decide.

    TensorFlow tells users less than shape rules find out here (`core.shape_context`), and libraries take another path
    where a value is known.
    """
    is_shape: bool = False
    """Whether the only output is the shape of the first input."""
    shape_argument: int | None = None
    """The number of the input that is the shape of the only output (Reshape)."""
    results_of_sizes: Callable[..., Sequence[Sequence[int]] | None] | None = None
    """Computes the results for shapes some of whose sizes are unknown; None where the results depend on these.

    A shape is a sequence of numbers, and of anything else that is hashable where a size is unknown: equal things are
    equal sizes.
    """
    returns_input: bool = False
    """Whether the only output is the first input unchanged (Identity)."""
    elementwise: Elementwise = Elementwise.NO
    """Whether the op works element by element; said only where the shape rule does not say so: see `of_elements`."""
    is_cheap: bool = False
    """Whether computing the result again costs no more than keeping the result (Cast, Reshape).

    A backward pass that needs the result reads the input instead, if the input is kept anyway.
    """
    is_sum: bool = False
    """Whether the result is the sum of the inputs (AddN)."""
    summand_signs: tuple[int, ...] = ()
    """The signs with which the inputs add up to the result: (1, -1) for Sub."""
    neutral_operands: Sequence[NeutralOperand] = ()
    """The operands that change nothing (`x * 1`), for an op of two inputs."""
    is_involution: bool = False
    """Whether the op undoes itself: f(f(x)) is x."""
    is_conjunction: bool = False
    """Whether the result is true where all inputs are."""
    comparison: Comparison | None = None
    """The comparison that the op makes of its two inputs."""
    element_order: ElementOrder = ElementOrder.COMPUTED
    """What becomes of the elements of the first input in the only output."""
    permutes_axes: bool = False
    """Whether the op reorders the axes of the first input as the second says."""
    is_conversion: bool = False
    """Whether the op converts the input to a dtype; to the dtype that the input has, the op returns the input."""
    is_reduction: bool = False
    """Whether the op reduces the first input along the axes that the second names.

    Over no axes, such an op returns the input.
    """
    list_growth: int | Callable[[dict[str, Any]], int | None] | None = None
    """How many items the first output, a list, has more than the first input; None for unknown, or no list."""
    public_argument_names: Mapping[str, str] | None = None
    """Arguments that `tf.raw_ops` calls by another name than the signature: public name -> name; both are accepted."""
    formula: Callable[..., Any] | None = None
    """The result as arithmetic of the inputs, rounding aside: a function on objects that have Python's operators.

    The second power of a complex number is `x * conj(x)` for some ops; a formula holds for real numbers.
    """
    total: Total | None = None
    """What a reduction makes of the sum of the elements along the axes that the second input names."""
    is_made_by_optimizer: bool = False
    """Whether only the optimizer makes nodes of the op: no graph of a user's and no file has it."""
    epilogue_op: str | None = None
    """The op that computes this op's result and then steps on each element of it (`ops.nn.epilogues`).

    That op takes the inputs and attributes of this op, the operands of the steps, and the names of the steps.
    """
    epilogue_step: EpilogueStep | Callable[[dict[str, Any]], EpilogueStep | None] | None = None
    """The step that the op is, for images whose channels stand last; a function of the attributes."""
    spreads_to_selected_of: str | None = None
    """The op that has selected the elements of the second input from those of the first, by the same attributes.

    This op adds each element of the third input to an element of zeros like the first: where the selected one stood.
    """
    is_gradient_mask: bool = False
    """Whether the result is the first input times 0 or 1, which the second input decides for each element."""
    counts_elements: bool = False
    """Whether the result is the number of elements of the input."""
    flops: int | Callable[[Any], int] = 0
    """The float operations per element of the first output, or `Operation -> float operations`, by TensorFlow's count.

    TensorFlow counts some ops and no others (Relu and Tanh take none), and programs compare models by that count.
    """
    full_type: str | None = None
    """The full type of the outputs, which TensorFlow notes in graphs beyond the dtypes; see `graph.full_types`."""
    control: str | None = None
    """What the op does with its graphs, so that a program can contain the graphs.

    "call" runs one graph, "loop" repeats the second while the first is true, "choice" runs the first or the second.
    """
    not_differentiable: str | None = None
    """Why nothing flows back: the gradient of the inputs is None, silently."""
    no_gradient: str | None = None
    """Why the op has no gradient although a gradient could exist: asking for the gradient is a LookupError."""
    keeps_functions: bool = False
    """Whether the kernel keeps the functions among the attributes, to call them when the op is done (MapDataset).

    Such a kernel gets the functions themselves. The kernel of any other op gets callables on arrays.
    """
    notes_call: bool = False
    """Whether the object that the kernel makes listens for the call (`Referent.note_call`), which a graph notes."""
    calls_python: bool = False
    """Whether the op calls a function of the user's in Python, whose results may depend on anything."""
    makes_shared_object: bool = False
    """Whether the op makes an object that all runs of a session share (VarHandleOp)."""
    only_moves_values: bool = False
    """Whether the check of numbers takes the results as they are, as TensorFlow does for some ops that move values.

    The values were checked where they were computed; see `ops.debug.numerics_mode`.
    """
    selects_operand: bool = False
    """Whether the output is the second input where the first, a boolean, is true, and the third elsewhere."""
    is_stand_in: bool = False
    """Whether nothing reads the output, which is a stand-in of a branch that does not run (FakeParam)."""
    is_placeholder: bool = False
    """Whether the output is given from outside the graph."""
    is_stateless: bool = False
    """Whether an op that holds graphs is declared to hold only graphs without effects (StatelessIf)."""
    cacheable: bool = True
    """Whether the kernel bound for an eager call is kept; False for attributes that are made for one call."""
    exact_on_rows: bool = False
    """Whether the batching rule gives each row the very bits that the op gives for the row alone.

    Needs to be said only of an op with a declared rule: sums and products of matrices round as shapes decide, while ops
    that work element by element, or only move elements, are exact.
    """
    not_batched: str | None = None
    """Why the op is not run on a batch of rows at once."""


@dataclass(slots=True)
class Rules:
    """How an op is checked, differentiated, batched and run: functions, None where the op has no such rule."""

    shape: Callable[[Any], Any] | None = None
    """`ShapeContext -> shape, or shapes, of the outputs`; None leaves the outputs of unknown shape."""
    handles: Callable[[Any], Any] | None = None
    """`ShapeContext -> handle type of the output, or of each`; None leaves resource and variant outputs without one.

    An op that returns its input needs no rule.
    """
    batching: Callable[[Any, Sequence[Any], Any], Sequence[Any] | None] | None = None
    """`(operation, arguments, rows) -> results | None`: the op on many rows at once; see `ops.batching`."""
    gradient: Callable[..., Any] | None = None
    """`(output gradients, then by name inputs, outputs and attributes) -> input gradients`."""
    accepts_slices: bool = False
    """Whether the gradient takes an `IndexedSlices` for the gradient of an output; other gradients get a tensor."""
    accepts_none: Sequence[str] = ()
    """The outputs whose missing gradients the rule takes as None; for other outputs the rule gets zeros."""
    operation_gradient: Callable[..., Any] | None = None
    """`(operation, output gradients, wanted) -> input gradients`, for an op that holds graphs."""
    operation_tangents: Callable[..., Any] | None = None
    """`(operation, accumulator)`: forward mode, for an op that holds graphs."""
    checks: Callable[..., None] | None = None
    """`(inputs, then by name attributes) -> None`: refuses values that only the host can judge (an index out of range).

    An engine whose arrays have values calls the checks before the kernel; a compiling engine leaves the
    checks out, as XLA does in TensorFlow. The checks pass over arguments that the kernel itself refuses.
    """
    exact_when: Callable[..., None] | None = None
    """`(inputs, then by name attributes) -> None`: raises for values of which compiled programs make something else.

    Only an op with `values_differ_when_compiled` has the rule: it runs before a compiled program, and where it raises,
    the host runs the call.
    """
    specialize: Callable[..., Callable[..., Any] | None] | None = None
    """`(xp, dtypes, attrs) -> callable on arrays | None`, for hot paths of the NumPy engine."""
    value_range: Callable[[RangeContext], Sequence[Fact | None]] | None = None
    """What is known of the integers and lists among the outputs; see `core.value_ranges`."""
    in_range: Callable[[RangeContext], bool] | None = None
    """Whether the op certainly refuses none of its indices; see `core.value_ranges`."""
    partial_value: Callable[[Any], list[int | None] | None] | None = None
    """`ShapeContext -> elements | None`: the elements of an integer vector that are known while tracing."""
    in_place: Callable[[dict[str, Any]], Callable[..., Any]] | None = None
    """`attrs -> callable on arrays` that may change its first list; see `OpFunction.in_place`."""
    added_to: Callable[..., Any] | None = None
    """`(xp, array, arguments of the kernel) -> sum | None`; see `OpFunction.added_to`."""
    kernels: dict[str, Kernel] = field(default_factory=dict)
    """The kernels that engines have of their own, by the name of the engine."""


class OpDef:
    """The declaration of an op: signature, kernel, traits and rules.

    Args:
      name: TensorFlow's name of the op.
      signature: inputs and outputs in TensorFlow's mini-language.
      kernel: the function on arrays that computes the op.
      traits: the facts.
      rules: the functions known at the declaration; more may follow.
      types: the dtypes that each type attribute may take.
    """

    def __init__(
        self,
        name: str,
        signature: str,
        kernel: Kernel,
        traits: Traits,
        rules: Rules,
        types: dict[str, TypeSet | TypeList],
    ) -> None:
        code = kernel.__code__
        self.name = name
        self.signature_text = signature
        self.kernel = kernel
        self.traits = traits
        self.rules = rules
        for rule, late in late_rules(name, rules):
            setattr(rules, rule, late)
        self.types = types
        self.input_count = code.co_argcount - 1
        self.kernel_attrs = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        self.attr_defaults: dict[str, Any] = dict(kernel.__kwdefaults__ or {})
        self.kernel_cache = KernelCache(GENERATION_OF_STREAMS if traits.effects is Effects.RANDOM else GENERATION)
        """The eager calls that were bound before, `BoundCall`s; see `core.dispatch`."""
        self.calls = self.kernel_cache.young
        self.types_of_tensors: dict[tuple[DType, ...], dict[str, DType]] = {}
        """The type attributes that follow from the dtypes of inputs, where these are tensors and passed the checks.

        It holds calls in graphs, and ops without lists of inputs: there are as many as combinations of dtypes.
        """

    def __repr__(self) -> str:
        return f"<OpDef {self.name}({self.signature_text})>"

    def __reduce__(self) -> tuple[Any, ...]:
        return get_op, (self.name,)

    def effects(self, attrs: dict[str, Any]) -> Effects:
        """Returns the op's effects; the effects of an op that holds graphs follow from the graphs."""
        effects = self.traits.effects
        return effects if isinstance(effects, Effects) else effects(attrs)

    @functools.cached_property
    def signature(self) -> OpSignature:
        """Inputs and outputs, parsed."""
        return parse_signature(self.signature_text, [n for n, t in self.types.items() if isinstance(t, TypeList)])

    @functools.cached_property
    def _output_attr(self) -> str | None:
        """The attribute that is the dtype of the only output, None if there is no such attribute."""
        arg = self.signature.outputs[0] if self.has_single_output else None
        return None if arg is None or arg.is_ref else arg.type_attr

    def output_dtypes(self, attrs: dict[str, Any]) -> list[DType]:
        """Returns the dtypes of all outputs, lists flattened."""
        attr = self._output_attr
        return self.signature.output_dtypes(attrs) if attr is None else [attrs[attr]]

    @functools.cached_property
    def attr_kinds(self) -> dict[str, str]:
        """The kind of each attribute (`type`, `bool`, `int`, `list[int]`, ...), in declaration order."""
        return op_attributes.kinds_of(self)

    @functools.cached_property
    def default_attrs(self) -> dict[str, Any]:
        """The values of the attributes that a call may leave out."""
        return op_attributes.defaults_of(self)

    @functools.cached_property
    def elementwise(self) -> Elementwise:
        """Whether the op works element by element, by its declaration or by its shape rule; see `Traits`."""
        if self.traits.elementwise is not Elementwise.NO or self.rules.batching is not None:
            return self.traits.elementwise
        kind, inputs = _ELEMENTWISE_RULES.get(self.rules.shape, (Elementwise.NO, None))
        is_plain = self.has_single_output and not self.has_list_inputs and self.effects({}) is Effects.NONE
        return kind if is_plain and inputs in (None, len(self.signature.inputs)) else Elementwise.NO

    @functools.cached_property
    def holds_graphs(self) -> bool:
        """Whether an attribute is a graph, or a list of graphs."""
        return not {"func", "list[func]"}.isdisjoint(self.attr_kinds.values())

    @functools.cached_property
    def has_list_inputs(self) -> bool:
        """Whether an input is a list of tensors."""
        return any(arg.is_list for arg in self.signature.inputs)

    @functools.cached_property
    def input_positions(self) -> dict[str, int]:
        """The positions of the inputs in the flat list, by name, up to the first input that is a list of tensors."""
        single_inputs = itertools.takewhile(lambda arg: not arg.is_list, self.signature.inputs)
        return {arg.name: position for position, arg in enumerate(single_inputs)}

    @functools.cached_property
    def has_list_arguments(self) -> bool:
        """Whether an input or output is a list of tensors."""
        return any(arg.is_list for arg in (*self.signature.inputs, *self.signature.outputs))

    @functools.cached_property
    def has_single_output(self) -> bool:
        """Whether the op returns one tensor rather than a list."""
        return len(self.signature.outputs) == 1 and not self.signature.outputs[0].is_list

    def list_growth(self, attrs: dict[str, Any]) -> int | None:
        """Returns how many items the list that the op returns has more than its first input; see `Traits`."""
        growth = self.traits.list_growth
        return growth(attrs) if callable(growth) else growth

    def normalize_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Checks names, fills defaults, and brings each value into its attribute's own form."""
        return op_attributes.normalize(self, attrs)

    def select_kernel(self, engine: str) -> Kernel:
        """Returns the kernel for an engine: the engine's own where one is declared, else the common one."""
        return self.rules.kernels.get(engine, self.kernel)


def op(
    op_name: str,
    signature: str,
    *,
    shape: Callable[[Any], Any] | None = None,
    handles: Callable[[Any], Any] | None = None,
    batching: Callable[..., Any] | None = None,
    checks: Callable[..., None] | None = None,
    **facts: Any,
) -> Callable[[Kernel], OpFunction]:
    """Declares an op from its kernel.

    Args:
      op_name: TensorFlow's name of the op, e.g. "MatMul".
      signature: inputs and outputs in TensorFlow's mini-language: `"a: T, b: T -> product: T"`.
      shape: the shape rule; see `Rules`.
      handles: the handle rule; see `Rules`.
      batching: the batching rule; see `Rules`.
      checks: the function that refuses values on the host; see `Rules`.
      **facts: the dtypes that each type attribute may take, as a `TypeSet` or `TypeList`, by the attribute's name; and
        the op's `Traits`, by the traits' names.

    Returns: A decorator from the kernel to the op's function.
    Raises: TypeError: if a fact is neither a set of dtypes nor a trait.
    """
    types = {name: fact for name, fact in facts.items() if isinstance(fact, (TypeSet, TypeList))}
    traits = Traits(**{name: fact for name, fact in facts.items() if name not in types})

    def declare(kernel: Kernel) -> OpFunction:
        passed_on = first_handle if traits.returns_input else None
        rules = Rules(shape, handles or passed_on, batching, checks=checks)
        return make_op_function(register(OpDef(op_name, signature, kernel, traits, rules, types)))

    return declare
