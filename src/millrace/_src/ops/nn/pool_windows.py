"""What pooling ops share: windows from `ksize` and `strides` in any data format, checks, and shape rules.

A pool is separable: the largest element (or the sum) of a 3x3 window is that of three columns' results. So pools go
axis by axis, `height + width` steps instead of `height * width`. A window over the channels is just one more axis.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.errors import UnimplementedError, invalid
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.ops.type_sets import TypeSet

FLOAT = TypeSet((d.float16, d.bfloat16, d.float32, d.float64))
REAL = TypeSet(
    (
        *(d.float32, d.float64, d.int32, d.uint8, d.int16, d.int8, d.int64),
        *(d.bfloat16, d.uint16, d.float16, d.uint32, d.uint64),
    )
)
FORMATS = {4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}


def pool_windows(
    shape: Sequence[int],
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str,
    explicit: Sequence[int] = (),
) -> tuple[Window, ...]:
    """Makes one window an axis, the batch and the channels included, in the order of the dimensions.

    Raises:
      InvalidArgumentError: if sizes are not valid.
      UnimplementedError: for windows over the batch, or over channels and positions at once.
    """
    numbers = (tuple(int(k) for k in ksize), tuple(int(s) for s in strides), tuple(int(e) for e in explicit))
    return _pool_windows(tuple(shape), *numbers, padding, data_format)


@functools.lru_cache(maxsize=4096)
def _pool_windows(
    shape: tuple[int, ...],
    ksize: tuple[int, ...],
    strides: tuple[int, ...],
    explicit: tuple[int, ...],
    padding: str,
    data_format: str,
) -> tuple[Window, ...]:
    rank = len(data_format)
    win.require_choice("padding", padding, win.PADDINGS_EXPLICIT if rank == 4 else win.PADDINGS)
    win.require_choice("data_format", data_format, FORMATS.get(rank, FORMATS[4]))
    if len(shape) != rank:
        raise invalid(f"tensor_in_shape must have {rank - 2} spatial dimensions. {len(shape)} 0")
    _require_moves(rank, ksize, strides, win.layout_of(data_format))
    pairs = win.explicit_pairs(explicit if padding == "EXPLICIT" else (), range(rank))
    for name, (before, after), k in zip(_sides(rank), pairs, ksize, strict=True):
        if max(before, after) >= k and max(before, after) > 0:
            side, amount = (name[0], before) if before >= k else (name[1], after)
            raise invalid(f"{side} padding {amount} needs to be smaller than the window size {k}")
    return win.make_windows(shape, ksize, strides, (1,) * rank, padding, pairs)


def _sides(rank: int) -> list[tuple[str, str]]:
    return [("Front", "Back")] * (rank - 3) + [("Top", "Bottom"), ("Left", "Right"), ("Front", "Back")]


def _require_moves(rank: int, ksize: Sequence[int], strides: Sequence[int], layout: win.ImageLayout) -> None:
    for values, noun in ((ksize, "ksize"), (strides, "strides")):
        if len(values) != rank:
            raise invalid(f"Sliding window {noun} field must specify {rank} dimensions")
    if min(ksize) <= 0:
        sizes = ",".join(map(str, ksize))
        raise invalid(f"Sliding window ksize must be positive. The specified or inferred ksize is: {sizes}")
    if min(strides) <= 0:
        raise invalid(f"Stride must be > 0, but got {min(strides)}")
    if ksize[layout.batch] != 1 or strides[layout.batch] != 1:
        raise UnimplementedError(None, None, "Pooling is not yet supported on the batch dimension.")
    if ksize[layout.channels] != 1:
        if max(layout.pick(ksize)) > 1:
            text = "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
            raise UnimplementedError(None, None, text)
        if ksize[layout.channels] != strides[layout.channels]:
            text = "Depthwise max pooling requires the depth window to equal the depth stride"
            raise UnimplementedError(None, None, text)


def pool_shape(c: ShapeContext, shape: TensorShape, ksize: Any, strides: Any) -> TensorShape:
    """Computes the shape of a pool's output; unknown windows (None) leave sizes unknown.

    Raises: ValueError: if ranks or windows do not fit.
    """
    rank = 5 if "3D" in c.op.name else 4
    data_format = c.attrs.get("data_format", "NHWC")
    explicit = "explicit_paddings" in c.attrs
    win.check_choice(c.op.name, "padding", c.attr("padding"), win.PADDINGS_EXPLICIT if explicit else win.PADDINGS)
    allowed = FORMATS[rank] if c.op.name not in ("MaxPool", "MaxPoolV2") else (*FORMATS[rank], "NCHW_VECT_C")
    win.check_choice(c.op.name, "data_format", data_format, allowed)
    if shape.rank is not None and shape.rank != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {shape.rank}")
    for values, noun in ((ksize, "ksize"), (strides, "stride")):
        if values is not None and len(values) != rank:
            raise ValueError(
                f"{c.op.name} requires the {noun} attribute to contain {rank} values, but got: {len(values)}"
            )
    if ksize is None or strides is None:
        return TensorShape([None] * rank)
    dims = shape.as_list() if shape.rank is not None else [None] * rank
    pairs = win.explicit_pairs(c.attrs.get("explicit_paddings", ()), range(rank))
    parts = zip(dims, ksize, strides, pairs, strict=True)
    return TensorShape.of(tuple(_axis_count(*part, c.attr("padding")) for part in parts))


def _axis_count(size: int | None, kernel: int, stride: int, pair: tuple[int, int], padding: str) -> int | None:
    if kernel == 1 and stride == 1:
        return size
    return win.validate_count(size, kernel, stride, 1, padding, pair)
