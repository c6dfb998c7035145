"""Ops: one declaration each, and the registry that finds them.

`@op("Tanh", "x: T -> y: T", T=FLOAT, shape=same_shape)` turns a kernel into an
`OpDef` and gives back a function that users call. Everything the system knows
of an op is a field of its `OpDef`; no other file lists op names. The kernel's
own parameters tell the rest: after `xp`, positional parameters are the op's
inputs, keyword-only parameters its attributes, with TensorFlow's defaults.

Declaring must be cheap (hundreds of ops at start), so signatures are parsed
and kernels bound on first use.
"""

from __future__ import annotations

import enum
import functools
import importlib
import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, cast

from millrace._src.core.context import state
from millrace._src.core.dtypes import DType, as_dtype
from millrace._src.core.errors import InvalidArgumentError
from millrace._src.core.execute import execute
from millrace._src.core.op_signature import Signature, TypeList, TypeSet, parse_signature
from millrace._src.core.shapes import as_shape

Kernel: TypeAlias = Callable[..., Any]
Batching: TypeAlias = Callable[[Any, Sequence[Any], Any], "Sequence[Any] | None"]
"""How an op is carried out on many rows at once; see `ops.batching`."""
FunctionAttr: TypeAlias = Any
"""Annotation of an attribute whose value is a graph (a branch, a loop body, a called function)."""


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
        """Whether an op runs even when nobody uses its outputs."""
        return self in (Effects.WRITES, Effects.IO)


class OpDef:
    """The declaration of an op: signature, kernel, shape rule, gradient and traits."""

    def __init__(
        self,
        name: str,
        signature: str,
        kernel: Kernel,
        *,
        shape: Callable[[Any], Any] | None = None,
        effects: Effects | Callable[[dict[str, Any]], Effects] = Effects.NONE,
        constant_inputs: Sequence[str] = (),
        host_only: bool = False,
        commutative: bool = False,
        reads_only_shapes: bool = False,
        returns_input: bool = False,
        is_cheap: bool = False,
        is_sum: bool = False,
        control: str | None = None,
        not_differentiable: str | None = None,
        no_gradient: str | None = None,
        batching: Batching | None = None,
        not_batched: str | None = None,
        types: dict[str, TypeSet | TypeList] | None = None,
    ) -> None:
        code = kernel.__code__
        self.name = name
        self.signature_text = signature
        self.kernel = kernel
        self.kernels: dict[str, Kernel] = {}
        self.shape_rule = shape
        self.constant_inputs = frozenset(constant_inputs)
        self.host_only = host_only
        self.commutative = commutative
        self.not_differentiable = not_differentiable
        self.no_gradient = no_gradient
        self.batching = batching
        self.not_batched = not_batched
        self.types = types or {}
        self.gradient: Callable[..., Any] | None = None
        self.operation_gradient: Callable[..., Any] | None = None
        self.operation_tangents: Callable[..., Any] | None = None
        self.specializer: Callable[..., Callable[..., Any] | None] | None = None
        self.partial_value: Callable[[Any], list[int | None] | None] | None = None
        self.reads_only_shapes = reads_only_shapes
        self.returns_input = returns_input
        self.is_cheap = is_cheap or returns_input
        self.is_sum = is_sum
        self.control = control
        self.in_place: Callable[[dict[str, Any]], Callable[..., Any]] | None = None
        self.added_to: Callable[..., Any] | None = None
        self.input_count = code.co_argcount - 1
        self.kernel_attrs = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        self.attr_defaults: dict[str, Any] = dict(kernel.__kwdefaults__ or {})
        self.bound: dict[Any, tuple[Callable[..., Any], Any, Callable[..., Any]]] = {}
        """Eager kernels by (input dtypes..., attributes as given...), for the fast path of `execute`."""
        self.kernel_cache: dict[tuple[Any, ...], Any] = {}
        """`BoundCall`s by (input dtypes, complete attributes...)."""
        self.calls: dict[tuple[Any, ...], Any] = {}
        """The same by (flat input dtypes..., attributes as given...)."""
        self._effects = effects

    def __repr__(self) -> str:
        return f"<OpDef {self.name}({self.signature_text})>"

    def __reduce__(self) -> tuple[Any, ...]:
        return get_op, (self.name,)

    def effects(self, attrs: dict[str, Any]) -> Effects:
        """The op's effects; a function-valued op derives them from its graphs."""
        return self._effects if isinstance(self._effects, Effects) else self._effects(attrs)

    @functools.cached_property
    def signature(self) -> Signature:
        """Inputs and outputs, parsed."""
        return parse_signature(self.signature_text, [n for n, t in self.types.items() if isinstance(t, TypeList)])

    @functools.cached_property
    def attr_kinds(self) -> dict[str, str]:
        """The kind of each attribute (`type`, `bool`, `int`, `list[int]`, ...), in declaration order."""
        kinds = {name: "list[type]" if isinstance(t, TypeList) else "type" for name, t in self.types.items()}
        for arg in (*self.signature.inputs, *self.signature.outputs):
            if arg.number_attr is not None:
                kinds[arg.number_attr] = "int"
        annotations = self.kernel.__annotations__
        for name in self.kernel_attrs:
            if name not in kinds:
                kinds[name] = _ATTR_KINDS[str(annotations[name])]
        return kinds

    @functools.cached_property
    def has_list_arguments(self) -> bool:
        """Whether an input or output is a list of tensors."""
        return any(arg.is_list for arg in (*self.signature.inputs, *self.signature.outputs))

    @functools.cached_property
    def has_single_output(self) -> bool:
        """Whether the op returns one tensor rather than a list."""
        return len(self.signature.outputs) == 1 and not self.signature.outputs[0].is_list

    @functools.cached_property
    def has_default_attrs(self) -> bool:
        """Whether a call that gives no attributes still has some."""
        inferred = self.signature.inferred_attrs
        return bool(self.attr_defaults) or any(
            isinstance(t, TypeSet) and t.default is not None and n not in inferred for n, t in self.types.items()
        )

    def normalize_attrs(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Checks names, fills defaults, and brings each value into its attribute's own type."""
        kinds = self.attr_kinds
        complete = dict(self.attr_defaults)
        for name, type_set in self.types.items():
            if (
                isinstance(type_set, TypeSet)
                and type_set.default is not None
                and name not in self.signature.inferred_attrs
            ):
                complete.setdefault(name, type_set.default)
        complete.update(attrs)
        for name, value in complete.items():
            kind = kinds.get(name)
            if kind is None:
                if name.startswith("_"):
                    continue
                raise TypeError(f"{self.name} got an unexpected attribute '{name}'; it has {sorted(kinds)}.")
            complete[name] = _NORMALIZE[kind](self, name, value)
        return complete

    def call_arguments(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any], str | None]:
        """Sorts the arguments of a call into inputs (in order), attributes, and the name.

        Positional arguments after the inputs are attributes, in the order of the kernel, and last the name.
        """
        names = self.signature.input_names
        inputs = list(args[: len(names)])
        attrs = dict(kwargs)
        for attr, value in zip((*self.kernel_attrs, "name"), args[len(names) :], strict=False):
            if attr in attrs:
                raise TypeError(f"{self.name} got multiple values for argument '{attr}'.")
            attrs[attr] = value
        if len(args) > len(names) + len(self.kernel_attrs) + 1:
            raise TypeError(f"{self.name} takes {len(names)} inputs {names} but {len(args)} arguments were given.")
        for missing in names[len(args) :]:
            if missing not in attrs:
                raise TypeError(f"{self.name} missing required input '{missing}'.")
            inputs.append(attrs.pop(missing))
        name = attrs.pop("name", name)
        return tuple(inputs), attrs, name

    def select_kernel(self, engine: str) -> Kernel:
        """The kernel for an engine: its own where one is declared, else the common one."""
        return self.kernels.get(engine, self.kernel)


def _normalize_bool(op: OpDef, name: str, value: Any) -> bool:
    if isinstance(value, (bool, int)) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise TypeError(f"Expected bool for argument '{name}' not {value!r}.")


def _normalize_int(op: OpDef, name: str, value: Any) -> int:
    if isinstance(value, (str, float)):
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.")
    try:
        return int(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Expected int for argument '{name}' not {value!r}.") from error


def _normalize_float(op: OpDef, name: str, value: Any) -> float:
    """Float attributes are single precision, as graphs store them: 0.2 is 0.20000000298."""
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"Expected float for argument '{name}' not {value!r}.") from error
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return math.copysign(math.inf, number)


def _normalize_string(op: OpDef, name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    raise TypeError(f"Expected string for argument '{name}' not {value!r}.")


def _list_of(normalize: Callable[[OpDef, str, Any], Any]) -> Callable[[OpDef, str, Any], tuple[Any, ...]]:
    def normalize_list(op: OpDef, name: str, value: Any) -> tuple[Any, ...]:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError(f"Expected list for argument '{name}' to '{op.name}' Op, not {value!r}.")
        return tuple(normalize(op, name, item) for item in value)

    return normalize_list


def _normalize_type(op: OpDef, name: str, value: Any) -> DType:
    dtype = as_dtype(value)
    allowed = op.types.get(name)
    if isinstance(allowed, TypeSet) and dtype not in allowed:
        raise _type_not_allowed(op, name, dtype, allowed)
    return dtype


def _type_not_allowed(op: OpDef, name: str, dtype: DType, allowed: TypeSet) -> Exception:
    """TensorFlow's refusal of a dtype given as an attribute: by its runtime in eager mode, by its Python in a graph."""
    if state.graph is not None:
        names = ", ".join(d.name for d in allowed)
        return TypeError(
            f"Value passed to parameter '{name}' has DataType {dtype.name} not in list of allowed values: {names}"
        )
    names = ", ".join(RUNTIME_NAMES.get(d.name, d.name) for d in allowed)
    shown = RUNTIME_NAMES.get(dtype.name, dtype.name)
    message = f"Value for attr '{name}' of {shown} is not in the list of allowed values: {names}\n\t; "
    return InvalidArgumentError(None, None, f"{message}[Op:{op.name}] name: ")


RUNTIME_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def _normalize_shape(op: OpDef, name: str, value: Any) -> Any:
    return as_shape(value)


def _keep(op: OpDef, name: str, value: Any) -> Any:
    return value


_NORMALIZE: dict[str, Callable[[OpDef, str, Any], Any]] = {
    "bool": _normalize_bool,
    "int": _normalize_int,
    "float": _normalize_float,
    "string": _normalize_string,
    "type": _normalize_type,
    "shape": _normalize_shape,
    "tensor": _keep,
    "func": _keep,
    "list[func]": _list_of(_keep),
    "list[int]": _list_of(_normalize_int),
    "list[float]": _list_of(_normalize_float),
    "list[bool]": _list_of(_normalize_bool),
    "list[string]": _list_of(_normalize_string),
    "list[type]": _list_of(_normalize_type),
    "list[shape]": _list_of(_normalize_shape),
}

_ATTR_KINDS = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "bytes": "string",
    "DType": "type",
    "TensorShape": "shape",
    "Array": "tensor",
    "FunctionAttr": "func",
    "list[FunctionAttr]": "list[func]",
    "list[int]": "list[int]",
    "list[float]": "list[float]",
    "list[bool]": "list[bool]",
    "list[str]": "list[string]",
    "list[DType]": "list[type]",
    "list[TensorShape]": "list[shape]",
}
_ATTR_KINDS.update({k.replace("list[", "Sequence["): v for k, v in list(_ATTR_KINDS.items()) if k.startswith("list")})
_ATTR_KINDS.update(
    {k.replace("list[", "tuple[")[:-1] + ", ...]": v for k, v in list(_ATTR_KINDS.items()) if k.startswith("list")}
)


# --- registry ----------------------------------------------------------------------------------------------------

_REGISTRY: dict[str, OpDef] = {}


def register(op_def: OpDef) -> OpDef:
    """Adds an op to the registry; a second op of the same name is an error."""
    if op_def.name in _REGISTRY:
        raise ValueError(f"Op '{op_def.name}' is declared twice: {_REGISTRY[op_def.name].kernel} and {op_def.kernel}.")
    _REGISTRY[op_def.name] = op_def
    return op_def


def get_op(name: str) -> OpDef:
    """The op called `name`; imports its home module on a miss.

    Raises: KeyError: if no such op exists.
    """
    found = _REGISTRY.get(name)
    if found is None:
        from millrace._src.core.op_homes import OP_HOMES  # generated; read only on a miss to keep start-up short

        home = OP_HOMES.get(name)
        if home is None:
            raise KeyError(f"Millrace has no op named '{name}'.")
        importlib.import_module(home)
        found = _REGISTRY[name]
    return found


def all_op_names() -> list[str]:
    """The names of all ops, sorted, without importing their homes."""
    from millrace._src.core.op_homes import OP_HOMES  # generated; see get_op

    return sorted({*OP_HOMES, *_REGISTRY})


# --- declaration -------------------------------------------------------------------------------------------------


class OpFunction(Protocol):
    """What `@op` gives back: a function of tensors that knows its OpDef."""

    op_def: OpDef
    __name__: str
    __doc__: str | None

    def __call__(self, *inputs: Any, name: str | None = None, **attrs: Any) -> Any: ...

    def gradient(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares the gradient of the op."""

    def operation_gradient(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares how the op is differentiated inside a graph: `(operation, output gradients) -> input gradients`.

        For ops that hold graphs: they must change the operation itself to bring out what the backward pass needs.
        """

    def operation_tangents(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares forward mode for an op that holds graphs: `(operation, accumulator)`.

        The rule reads the tangents of the inputs from the accumulator and tells it those of the outputs. Like the
        gradient inside a graph, it changes the operation itself.
        """

    def kernel_for(self, engine: str) -> Callable[[Kernel], Kernel]:
        """Declares a kernel for one engine."""

    def batching(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares how the op is carried out on a batch of rows: `(operation, arguments, rows) -> results | None`.

        For rules that stand below the op; see `ops.batching`.
        """

    def partial_value(self, function: Callable[[Any], list[int | None] | None]) -> Callable[..., Any]:
        """Declares what is known while tracing of an integer vector: a rule `(ShapeContext) -> elements | None`."""

    def in_place(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares a rule `attrs -> callable on arrays` for a NumPy program in which nobody else holds the first list.

        The callable changes that list and returns it, first among its results.
        """

    def added_to(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares how to add the result, most of which is zeros, to an array without making it.

        The function takes `xp`, the array and what the kernel takes. It returns the sum, for which the NumPy engine
        lets it change the array; None if the array has not the shape of the result.
        """

    def specialize(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Declares a rule `(xp, dtypes, attrs) -> callable on arrays | None` for hot paths of the NumPy engine."""


def op(
    op_name: str,
    signature: str,
    *,
    shape: Callable[[Any], Any] | None = None,
    effects: Effects | Callable[[dict[str, Any]], Effects] = Effects.NONE,
    constant_inputs: Sequence[str] = (),
    host_only: bool = False,
    commutative: bool = False,
    reads_only_shapes: bool = False,
    returns_input: bool = False,
    is_cheap: bool = False,
    is_sum: bool = False,
    control: str | None = None,
    not_differentiable: str | None = None,
    no_gradient: str | None = None,
    batching: Batching | None = None,
    not_batched: str | None = None,
    **types: TypeSet | TypeList,
) -> Callable[[Kernel], OpFunction]:
    """Declares an op from its kernel.

    Args:
      op_name: TensorFlow's name of the op, e.g. "MatMul".
      signature: inputs and outputs in TensorFlow's mini-language: `"a: T, b: T -> product: T"`.
      shape: the shape rule, a function of a `ShapeContext`; None leaves outputs of unknown shape.
      effects: what the op does besides computing; a function of the attributes for ops that hold graphs.
      constant_inputs: inputs whose value must be known when XLA compiles.
      host_only: whether only the NumPy engine can run it (strings, data-dependent shapes, Python code).
      commutative: whether the first two inputs may be swapped.
      reads_only_shapes: whether the result depends on the shapes of the inputs only (Shape, Rank, ZerosLike).
      returns_input: whether the only output is the first input as it is (Identity).
      is_cheap: whether making the result again costs no more than keeping it (Cast, Reshape): a backward pass that
        needs it keeps the input instead, if that is there anyway.
      is_sum: whether the result is the sum of the inputs (AddN).
      control: what the op does with its graphs, so that a program can contain them: "call" runs one, "loop" repeats
        the second while the first holds, "choice" takes the first or the second.
      not_differentiable: why nothing flows back: the gradient of the inputs is None, silently.
      no_gradient: why no gradient is defined although one could exist: to ask for it is a LookupError.
      **types: the dtypes each type attribute may take.

    Returns: A decorator from the kernel to the op's function.
    """

    def declare(kernel: Kernel) -> OpFunction:
        op_def = OpDef(
            op_name,
            signature,
            kernel,
            shape=shape,
            effects=effects,
            constant_inputs=constant_inputs,
            host_only=host_only,
            commutative=commutative,
            reads_only_shapes=reads_only_shapes,
            returns_input=returns_input,
            is_cheap=is_cheap,
            is_sum=is_sum,
            control=control,
            not_differentiable=not_differentiable,
            no_gradient=no_gradient,
            batching=batching,
            not_batched=not_batched,
            types=types,
        )
        return _op_function(register(op_def))

    return declare


def _op_function(op_def: OpDef) -> OpFunction:
    input_count = op_def.input_count

    def call(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        if len(args) != input_count:
            args, kwargs, name = op_def.call_arguments(args, kwargs, name)
        return execute(op_def, args, kwargs, name)

    def gradient(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.gradient = function
        return function

    def operation_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.operation_gradient = function
        return function

    def operation_tangents(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.operation_tangents = function
        return function

    def kernel_for(engine: str) -> Callable[[Kernel], Kernel]:
        def declare(kernel: Kernel) -> Kernel:
            op_def.kernels[engine] = kernel
            return kernel

        return declare

    def specialize(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.specializer = function
        return function

    def in_place(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.in_place = function
        return function

    def added_to(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.added_to = function
        return function

    def batching(function: Callable[..., Any]) -> Callable[..., Any]:
        op_def.batching = function
        return function

    def partial_value(function: Callable[[Any], list[int | None] | None]) -> Callable[..., Any]:
        op_def.partial_value = function
        return function

    kernel = op_def.kernel
    call.__name__ = call.__qualname__ = kernel.__name__
    call.__doc__ = kernel.__doc__
    call.__module__ = kernel.__module__
    function = cast(Any, call)
    function.op_def, function.gradient, function.kernel_for = op_def, gradient, kernel_for
    function.specialize, function.partial_value, function.operation_gradient = (
        specialize,
        partial_value,
        operation_gradient,
    )
    function.operation_tangents = operation_tangents
    function.in_place, function.added_to, function.batching = in_place, added_to, batching
    return cast(OpFunction, function)
