"""The signature of an op: TensorFlow's mini-language, parsed.

`"values: N * T, axis: Tidx -> output: T"` names the inputs and outputs of an op and ties their types to attributes. All
generic parts of a call follow from the parsed form: how many tensors each argument takes, which type attributes the
inputs determine, and the dtypes of the outputs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from millrace._src.core.dtypes import DType, as_dtype


class TypeSet:
    """An ordered set of dtypes that a type attribute may take, with an optional default.

    Union with `|`, difference with `-`. Errors show the dtypes in the order of the set.
    """

    __slots__ = ("_order", "_members", "default", "file_default")

    def __init__(self, dtypes: Iterable[DType], default: DType | None = None) -> None:
        self._order = tuple(dict.fromkeys(dtypes))
        self._members = frozenset(self._order)
        self.default = default
        self.file_default = default
        """What the attribute is in a file that leaves it out."""

    def with_default(self, dtype: DType, *, in_files: bool = True) -> TypeSet:
        """Returns the same set, where a Python value of unknown dtype becomes `dtype`.

        Args:
          dtype: the default.
          in_files: whether files leave an attribute out that has this default; TensorFlow's declaration decides.
        """
        made = TypeSet(self._order, dtype)
        if not in_files:
            made.file_default = None
        return made

    def __contains__(self, dtype: object) -> bool:
        return dtype in self._members

    def __iter__(self) -> Iterator[DType]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)

    def __or__(self, other: TypeSet) -> TypeSet:
        return TypeSet((*self._order, *other), self.default or other.default)

    def __sub__(self, other: TypeSet) -> TypeSet:
        return TypeSet((d for d in self._order if d not in other), self.default)

    def __repr__(self) -> str:
        return f"TypeSet({', '.join(d.name for d in self._order)})"


@dataclass(frozen=True, slots=True)
class TypeList:
    """The declaration of an attribute that is a list of dtypes, each from `allowed`."""

    allowed: TypeSet
    minimum: int = 0


@dataclass(frozen=True, slots=True)
class Arg:
    """One input or output, of a fixed dtype or of a type attribute; a single tensor or a list."""

    name: str
    dtype: DType | None = None
    type_attr: str | None = None
    number_attr: str | None = None
    type_list_attr: str | None = None
    is_ref: bool = False
    """Whether the tensors are references to the buffers of TensorFlow 1's variables."""
    is_list: bool = field(init=False)
    """Whether the argument is a list of tensors."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_list", self.number_attr is not None or self.type_list_attr is not None)

    @property
    def fixed_dtype(self) -> DType | None:
        """The dtype of the tensors, as references where they are; None if an attribute tells the dtype."""
        return self.dtype._as_ref if self.is_ref and self.dtype is not None else self.dtype

    def size(self, attrs: Mapping[str, Any]) -> int:
        """Returns how many tensors the argument is."""
        if self.type_list_attr is not None:
            return len(attrs[self.type_list_attr])
        count: int = attrs[self.number_attr] if self.number_attr is not None else 1
        return count

    def dtypes(self, attrs: Mapping[str, Any]) -> list[DType]:
        """Returns the dtypes of the argument's tensors once the attributes are known."""
        if self.type_list_attr is not None:
            return [as_dtype(d) for d in attrs[self.type_list_attr]]
        dtype = self.dtype if self.dtype is not None else attrs[self.type_attr or ""]
        return [dtype._as_ref if self.is_ref else dtype] * self.size(attrs)


@dataclass(frozen=True, slots=True)
class OpSignature:
    """Inputs and outputs of an op, in order."""

    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(arg.name for arg in self.inputs)

    @property
    def inferred_attrs(self) -> frozenset[str]:
        """The attributes that follow from the inputs."""
        names: set[str] = set()
        for arg in self.inputs:
            names.update(n for n in (arg.type_attr, arg.number_attr, arg.type_list_attr) if n)
        return frozenset(names)

    def output_dtypes(self, attrs: Mapping[str, Any]) -> list[DType]:
        """Returns the dtypes of all outputs, lists flattened."""
        return [dtype for arg in self.outputs for dtype in arg.dtypes(attrs)]

    def list_types(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> dict[str, tuple[DType, ...]]:
        """Returns the attributes that list the dtypes of a list of tensors which is the last input or output."""
        return {
            arg.type_list_attr: tuple([tensor.dtype for tensor in tensors[start:]])
            for args, tensors in ((self.inputs, inputs), (self.outputs, outputs))
            for start, arg in enumerate(args)
            if arg.type_list_attr is not None
        }

    def split_inputs(self, flat: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        """Groups flat inputs by argument: a list where the argument is a list."""
        return _split(self.inputs, flat, attrs)

    def split_outputs(self, flat: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
        """Groups flat outputs by argument: a list where the argument is a list."""
        return _split(self.outputs, flat, attrs)


def argument_indices(args: Iterable[Arg], attrs: Mapping[str, Any], start: int = 0) -> Iterator[tuple[Arg, range]]:
    """Yields the arguments, each with the positions of its tensors in the flat sequence, which count from `start`."""
    for arg in args:
        size = arg.size(attrs)
        yield arg, range(start, start + size)
        start += size


def _split(args: Sequence[Arg], flat: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
    return [
        list(flat[at.start : at.stop]) if arg.is_list else flat[at.start] for arg, at in argument_indices(args, attrs)
    ]


_ARG = re.compile(r"^\s*(\w+)\s*:\s*(?:(\w+)\s*\*\s*)?(?:(\w+)|Ref\((\w+)\))\s*$")
_FIXED_TYPES = frozenset(
    "bool string resource variant half float double bfloat16 float16 float32 float64 int4 int8 int16 int32 int64 "
    "uint4 uint8 uint16 uint32 uint64 complex64 complex128 qint8 quint8 qint16 quint16 qint32".split()
)


def _parse_args(text: str, list_attrs: frozenset[str]) -> tuple[Arg, ...]:
    args = []
    for part in text.split(","):
        if not part.strip():
            continue
        match = _ARG.match(part)
        if match is None:
            raise ValueError(f"Cannot parse op argument {part.strip()!r}; expected 'name: type' or 'name: N * type'.")
        name, number, plain, referred = match.groups()
        kind, is_ref = plain or referred, plain is None
        if kind in _FIXED_TYPES:
            args.append(Arg(name, dtype=as_dtype(kind), number_attr=number, is_ref=is_ref))
        elif kind in list_attrs:
            args.append(Arg(name, type_list_attr=kind))
        else:
            args.append(Arg(name, type_attr=kind, number_attr=number, is_ref=is_ref))
    return tuple(args)


def parse_signature(text: str, list_attrs: Iterable[str] = ()) -> OpSignature:
    """Parses `"x: T, y: T -> z: T"`; `list_attrs` names the attributes that are lists of types."""
    inputs, arrow, outputs = text.partition("->")
    if not arrow:
        raise ValueError(f"Op signature {text!r} has no '->'.")
    lists = frozenset(list_attrs)
    return OpSignature(_parse_args(inputs, lists), _parse_args(outputs, lists))
