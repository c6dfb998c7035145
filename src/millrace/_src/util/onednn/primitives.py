"""A primitive of oneDNN as a function of addresses.

A *primitive* is oneDNN's word for a calculation compiled for some shapes, dtypes and layouts. The library is fastest
where it may choose the layout of an operand itself (format "any"). Such an operand is copied into the chosen layout
before, or out of it afterwards, by a primitive of its own (a reorder), in borrowed memory.

A primitive may run in several threads at once. Where its operands stand is noted in memory objects, which may not be
shared: each call takes a set of them, and puts it back.

Tests: tests/util/onednn/test_products.py
"""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from millrace._src.util.onednn.addresses import address_of
from millrace._src.util.onednn.buffers import BufferPool
from millrace._src.util.onednn.library import Library, Object, OnednnError, P, dims

# Arguments of primitives, by oneDNN's numbers.
SRC, DST, WEIGHTS, WORKSPACE, SCRATCH = 1, 17, 33, 64, 80
DIFF_SRC, DIFF_DST, DIFF_WEIGHTS = 129, 145, 161
_LAYOUTS = {
    SRC: 129,
    DIFF_SRC: 130,
    WEIGHTS: 131,
    DIFF_WEIGHTS: 132,
    DST: 133,
    DIFF_DST: 134,
    WORKSPACE: 135,
    SCRATCH: 136,
}
"""The argument -> what one asks to learn its layout."""
DTYPES = {"float16": 1, "bfloat16": 2, "float32": 3}
SIZES = {"float16": 2, "bfloat16": 2, "float32": 4}
"""The bytes of a number."""
_ANY = 1
_IMPLEMENTATION = 8
_NOWHERE = P(0)

buffers = BufferPool()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=buffers.forget)  # another thread may have held the lock


def make_layout(library: Library, sizes: Sequence[int], steps: Sequence[int] | None, dtype: str) -> Object:
    """Says where the elements of an operand stand.

    Args:
      library: the library.
      sizes: the sizes of the dimensions, in oneDNN's order.
      steps: how many elements lie between neighbours along each dimension; None lets the library choose.
      dtype: the name of the dtype.
    """
    start = (len(sizes), dims(sizes), DTYPES[dtype])
    kind, last = ("tag", _ANY) if steps is None else ("strides", dims(steps))
    layout: Object = library.make(f"dnnl_memory_desc_create_with_{kind}", "dnnl_memory_desc_destroy", *start, last)
    return layout


def steps_of(sizes: Sequence[int]) -> tuple[int, ...]:
    """Returns the distances of neighbours in an array whose last axis is the innermost."""
    return tuple(math.prod(sizes[i + 1 :]) for i in range(len(sizes)))


def image_layouts(library: Library, shape: Sequence[int], dtype: str, channels_first: bool) -> tuple[Object, Object]:
    """Returns the layout of images `[batch, *sizes, channels]`, and the one that the library is to work with.

    Args:
      library: the library.
      shape: the shape of the images.
      dtype: the name of the dtype.
      channels_first: whether the memory has the channels before the sizes; the library may choose another layout then.
    """
    batch, *spatial, channels = shape
    sizes = (batch, channels, *spatial)
    if channels_first:
        return make_layout(library, sizes, steps_of(sizes), dtype), make_layout(library, sizes, None, dtype)
    first, *inner, last = steps_of(shape)
    layout = make_layout(library, sizes, (first, last, *inner), dtype)
    return layout, layout


class _Argument(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_int), ("memory", P))


class _PrimitiveCall:
    """What one call of a primitive needs for itself: memory objects, the list of them, and a queue."""

    def __init__(self, library: Library, operands: Sequence[tuple[int, Any]]) -> None:
        make = library.make
        engine = library.engine
        self.stream = library.make_stream()
        self.memories = [
            make("dnnl_memory_create", "dnnl_memory_destroy", layout, engine, _NOWHERE) for _, layout in operands
        ]
        self.arguments = (_Argument * len(operands))()
        for entry, (argument, _), memory in zip(self.arguments, operands, self.memories, strict=True):
            entry.argument, entry.memory = argument, memory._as_parameter_


class Primitive:
    """A calculation whose operands all stand in the layouts that the calculation wants.

    Args:
      library: the library.
      description: oneDNN's description of the primitive.
      operands: the arguments, and their layouts; scratch memory is added here.

    Raises:
      OnednnError: if the library cannot do it.
    """

    def __init__(self, library: Library, description: Object, operands: Sequence[tuple[int, Any]]) -> None:
        self.implementation = _implementation(library, description)
        self._library = library
        self._description = description
        self._primitive = library.make("dnnl_primitive_create", "dnnl_primitive_destroy", description)
        scratch = layout_of(library, description, SCRATCH)
        self._scratch_size = size_of(library, scratch)
        self._operands = [*operands, *([(SCRATCH, scratch)] if self._scratch_size else [])]
        self._execute = library.slow("dnnl_primitive_execute")
        self._set_address = library.quick("dnnl_memory_set_data_handle")
        self._idle: deque[_PrimitiveCall] = deque(maxlen=8)

    def __call__(self, *addresses: int) -> None:
        """Runs the primitive on operands at these addresses.

        Raises:
          OnednnError: if the library fails.
        """
        try:
            call = self._idle.pop()
        except IndexError:
            call = _PrimitiveCall(self._library, self._operands)
        scratch = buffers.take(self._scratch_size) if self._scratch_size else None
        for memory, address in zip(call.memories, addresses):
            self._set_address(memory, address)
        if scratch is not None:
            self._set_address(call.memories[-1], address_of(scratch))
        status = self._execute(self._primitive, call.stream, len(self._operands), call.arguments)
        if scratch is not None:
            buffers.give_back(scratch)
        self._idle.append(call)
        if status:
            raise OnednnError(f"{self.implementation}: status {status}")


def _implementation(library: Library, description: Object) -> str:
    text = ctypes.c_char_p()
    library.call("dnnl_primitive_desc_query", description, _IMPLEMENTATION, 0, ctypes.byref(text))
    return (text.value or b"").decode()


def layout_of(library: Library, description: Object, argument: int) -> Any:
    """Returns the layout that a primitive wants for an argument; it belongs to the description."""
    return P(library.quick("dnnl_primitive_desc_query_md")(description, _LAYOUTS[argument], 0))


def size_of(library: Library, layout: object) -> int:
    """Returns the number of bytes that an operand of this layout takes; 0 if there is none."""
    return int(library.quick("dnnl_memory_desc_get_size")(layout)) if layout else 0


class _Copy:
    """The copy of an operand into or out of the layout that a primitive wants."""

    def __init__(self, library: Library, source: Any, target: Any, size: int) -> None:
        name, destroy = "dnnl_reorder_primitive_desc_create", "dnnl_primitive_desc_destroy"
        engine = library.engine
        description = library.make(name, destroy, source, engine, target, engine, library.attributes)
        self.run = Primitive(library, description, [(SRC, source), (DST, target)])
        self.size = size


class PrimitiveOperand(NamedTuple):
    """An operand of a calculation."""

    argument: int
    layout: Object
    """How the caller has it."""


class Calculation:
    """A primitive with the copies of its operands.

    Args:
      library: the library.
      description: oneDNN's description of the primitive.
      inputs: the operands that are read.
      outputs: the operands that are written.
      threads: on how many threads the calculation runs; it has to be described while the library may use as many.

    Raises:
      OnednnError: if the library cannot do it, or only by its reference form, whose plain loops take minutes.
    """

    def __init__(
        self,
        library: Library,
        description: Object,
        inputs: Sequence[PrimitiveOperand],
        outputs: Sequence[PrimitiveOperand],
        threads: int = 1,
    ) -> None:
        self._library = library
        self._threads = threads
        self._inputs, self._outputs = tuple(inputs), tuple(outputs)
        operands: list[tuple[int, Any]] = []
        self._before: list[_Copy | None] = []
        self._after: list[_Copy | None] = []
        equal = library.quick("dnnl_memory_desc_equal")
        for operand in (*inputs, *outputs):
            is_input = len(self._before) < len(inputs)
            is_asked = operand.argument in _LAYOUTS  # a post-op takes its operand as it is
            wanted = layout_of(library, description, operand.argument) if is_asked else operand.layout
            source, target = (operand.layout, wanted) if is_input else (wanted, operand.layout)
            copy = None if equal(source, target) else _Copy(library, source, target, size_of(library, wanted))
            (self._before if is_input else self._after).append(copy)
            operands.append((operand.argument, wanted))
        self._primitive = Primitive(library, description, operands)
        if self._primitive.implementation.startswith("ref"):
            raise OnednnError(f"only by {self._primitive.implementation}")

    @property
    def implementation(self) -> str:
        """How the library runs the calculation, and which operands it copies."""
        copies = [copy is not None for copy in (*self._before, *self._after)]
        return f"{self._primitive.implementation} copies {copies}"

    def __call__(self, *addresses: int) -> None:
        """Computes: the addresses of the inputs, then of the outputs."""
        borrowed: list[Any] = []
        count = len(self._before)
        with self._library.threads(self._threads):
            inputs = [self._read(copy, a, borrowed) for copy, a in zip(self._before, addresses)]
            outputs = [_borrow(copy, a, borrowed) for copy, a in zip(self._after, addresses[count:])]
            self._primitive(*inputs, *outputs)
            for copy, source, target in zip(self._after, outputs, addresses[count:]):
                if copy is not None:
                    copy.run(source, target)
        for buffer in borrowed:
            buffers.give_back(buffer)

    def _read(self, copy: _Copy | None, address: int, borrowed: list[Any]) -> int:
        target = _borrow(copy, address, borrowed)
        if copy is not None:
            copy.run(address, target)
        return target


def _borrow(copy: _Copy | None, address: int, borrowed: list[Any]) -> int:
    """Returns where an operand lies for the primitive: in borrowed memory if it is copied."""
    if copy is None:
        return address
    borrowed.append(buffers.take(copy.size))
    return address_of(borrowed[-1])
