"""The ops Conv2D and Conv3D and their gradient ops.

All of these ops are the same three correlations (see `correlation`) with the channels moved to the end. The ops differ
in rank and in their attributes. Data formats, dilations and groups that TensorFlow refuses on a CPU work here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from millrace._src.core import dtypes as d
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import UnimplementedError, invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import flops, raw
from millrace._src.ops.gradient_rules import values_for
from millrace._src.ops.nn import image_batches
from millrace._src.ops.nn import sliding_windows as win
from millrace._src.ops.nn.correlation import correlate, correlate_filter_gradient, correlate_input_gradient
from millrace._src.ops.nn.sliding_windows import Window
from millrace._src.ops.type_sets import INDEX, TypeSet

FLOAT = TypeSet((d.float16, d.bfloat16, d.float32, d.float64))
FLOAT_INT = TypeSet((*FLOAT, d.int32))
_FORMATS = {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
_ONES4 = (1, 1, 1, 1)
_ONES5 = (1, 1, 1, 1, 1)


# --- checks ----------------------------------------------------------------------------------------------------------


def _text(shape: Sequence[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


@functools.lru_cache(maxsize=4096)
def conv_windows(
    x: tuple[int, ...],
    filters: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...],
) -> tuple[Window, ...]:
    """Makes the windows of a convolution of arrays of these shapes.

    Raises:
      InvalidArgumentError: if shapes or attributes do not fit.
      UnimplementedError: if strides or dilations move over images or channels.
    """
    spatial = len(filters) - 2 if data_format not in ("NHWC", "NCHW") else 2
    rank = spatial + 2
    win.require_choice("padding", padding, win.PADDINGS_EXPLICIT if spatial == 2 else win.PADDINGS)
    win.require_choice("data_format", data_format, _FORMATS.get(spatial, ("NDHWC", "NCDHW")))
    if len(x) != rank:
        raise invalid(f"convolution input must be {rank}-dimensional: {_text(x)}")
    if len(filters) != rank:
        raise invalid(f"convolution filter must be {rank}-dimensional: {_text(filters)}")
    _require_attributes(rank, strides, padding, explicit, data_format, dilations)
    layout = win.layout_of(data_format)
    _require_depths(x[layout.channels], filters)
    pairs = win.explicit_pairs(explicit, layout.spatial)
    return win.make_windows(layout.pick(x), filters[:-2], layout.pick(strides), layout.pick(dilations), padding, pairs)


def _require_attributes(
    rank: int, strides: Sequence[int], padding: str, explicit: Sequence[int], data_format: str, dilations: Sequence[int]
) -> None:
    layout = win.layout_of(data_format)
    moves = (
        (strides, "Sliding window strides field", "strides", "Row and column strides"),
        (dilations, "Sliding window dilations field", "dilations", "Dilated rates"),
    )
    for values, field, noun, title in moves:
        if len(values) != rank:
            raise invalid(f"{field} must specify {rank} dimensions")
        if values[0] != 1 or values[layout.channels] != 1:
            text = f"Current implementation does not yet support {noun} in the batch and depth dimensions."
            raise UnimplementedError(None, None, text)
        if min(layout.pick(values)) <= 0:
            raise invalid(f"{title} should be larger than 0.")
    complaint = _explicit_complaint(rank, padding, explicit, layout)
    if complaint:
        raise invalid(complaint)


def _explicit_complaint(rank: int, padding: str, explicit: Sequence[int], layout: win.ImageLayout) -> str | None:
    if padding != "EXPLICIT":
        return (
            "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT" if explicit else None
        )
    if len(explicit) != 2 * rank:
        return f"explicit_paddings attribute must contain {2 * rank} values, but got: {len(explicit)}"
    if min(explicit) < 0:
        return "All elements of explicit_paddings must be nonnegative"
    if any(explicit[2 * a] or explicit[2 * a + 1] for a in (layout.batch, layout.channels)):
        return "Nonzero explicit padding in the batch or depth dimensions is not supported"
    return None


def _require_depths(depth: int, filters: Sequence[int]) -> None:
    size, features = filters[-2:]
    if size == 0:
        raise invalid("filter depth must be stricly positive, got 0")
    if 0 in filters[:-2]:
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    if depth % size:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {size}")
    groups = depth // size
    if groups and features % groups:
        raise invalid(f"output depth must be evenly divisible by number of groups: {features} vs {groups}")


# --- shapes ----------------------------------------------------------------------------------------------------------


def check_rank(shape: TensorShape, rank: int) -> list[int | None]:
    """Returns the dimensions of a shape; a shape of unknown rank gives `rank` unknown dimensions.

    Raises: ValueError: if the rank is known and another.
    """
    if shape.rank is None:
        return [None] * rank
    if shape.rank != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {shape.rank}")
    return shape.as_list()


def static_layout(c: ShapeContext, rank: int) -> win.ImageLayout:
    """Checks the attributes of an op of this rank, and returns the layout that the data format names."""
    spatial = rank - 2
    win.check_choice(c.op.name, "padding", c.attr("padding"), win.PADDINGS_EXPLICIT if spatial == 2 else win.PADDINGS)
    win.check_choice(c.op.name, "data_format", c.attr("data_format"), _FORMATS[spatial])
    layout = win.layout_of(c.attr("data_format"))
    for attr, noun in (("strides", "stride"), ("dilations", "dilation")):
        if len(c.attr(attr)) != rank:
            raise ValueError(
                f"{c.op.name} on data format {c.attr('data_format')} requires the {noun} attribute to contain {rank} "
                f"values, but got: {len(c.attr(attr))}"
            )
    complaint = _explicit_complaint(rank, c.attr("padding"), c.attrs.get("explicit_paddings", ()), layout)
    if complaint:
        raise ValueError(complaint)
    return layout


def conv_counts(
    c: ShapeContext, layout: win.ImageLayout, sizes: Sequence[int | None], kernels: Sequence[int | None]
) -> list[int | None]:
    """Computes the spatial sizes of a convolution's output."""
    pairs = win.explicit_pairs(c.attrs.get("explicit_paddings", ()), layout.spatial)
    strides, dilations = layout.pick(c.attr("strides")), layout.pick(c.attr("dilations"))
    parts = zip(sizes, kernels, strides, dilations, pairs, strict=True)
    return [win.validate_count(size, k, s, e, c.attr("padding"), pair) for size, k, s, e, pair in parts]


def assemble(
    layout: win.ImageLayout, batch: int | None, spatial: Sequence[int | None], channels: int | None
) -> TensorShape:
    """Assembles a shape from its parts."""
    dims: list[int | None] = [None] * (len(spatial) + 2)
    dims[layout.batch], dims[layout.channels] = batch, channels
    for axis, size in zip(layout.spatial, spatial, strict=True):
        dims[axis] = size
    return TensorShape.of(tuple(dims))


def _conv_shape(c: ShapeContext, rank: int) -> TensorShape:
    x, filters = check_rank(c.shape("input"), rank), check_rank(c.shape("filter"), rank)
    layout = static_layout(c, rank)
    depth, (size, features) = x[layout.channels], filters[-2:]
    _check_depths(depth, size, features)
    counts = conv_counts(c, layout, [x[a] for a in layout.spatial], filters[:-2])
    return assemble(layout, x[layout.batch], counts, features)


def _check_depths(depth: int | None, size: int | None, features: int | None) -> None:
    if size == 0:
        raise ValueError("Depth of filter must not be 0")
    if depth is None or size is None:
        return
    if depth % size:
        raise ValueError(f"Depth of input ({depth}) is not a multiple of input depth of filter ({size})")
    groups = depth // size
    if groups and features is not None and features % groups:
        raise ValueError(f"Depth of output ({features}) is not a multiple of the number of groups ({groups})")


def _merge(a: int | None, b: int | None) -> int | None:
    if a is not None and b is not None and a != b:
        raise ValueError(f"Dimensions must be equal, but are {a} and {b}")
    return b if a is None else a


def _conv2d_shape(c: ShapeContext) -> TensorShape:
    return _conv_shape(c, 4)


def _conv3d_shape(c: ShapeContext) -> TensorShape:
    return _conv_shape(c, 5)


def _input_gradient_shape(c: ShapeContext, rank: int) -> TensorShape:
    """Returns the shape asked for; the batch must be that of the gradient."""
    gradient, filters = check_rank(c.shape("out_backprop"), rank), check_rank(c.shape("filter"), rank)
    layout = static_layout(c, rank)
    _merge(gradient[layout.channels], filters[-1])
    sizes = c.value_as_shape("input_sizes")
    if sizes.rank is None:
        return TensorShape([None] * rank)
    dims = sizes.as_list()
    if len(dims) == rank - 2:
        return assemble(layout, gradient[layout.batch], dims, filters[-2])
    dims = check_rank(sizes, rank)
    dims[layout.batch] = _merge(dims[layout.batch], gradient[layout.batch])
    return TensorShape.of(tuple(dims))


def _input_gradient_shape_2d(c: ShapeContext) -> TensorShape:
    return _input_gradient_shape(c, 4)


def _input_gradient_shape_3d(c: ShapeContext) -> TensorShape:
    return _input_gradient_shape(c, 5)


def _filter_gradient_shape(c: ShapeContext) -> TensorShape:
    rank = 5 if c.op.name.startswith("Conv3D") else 4
    check_rank(c.shape("input"), rank), check_rank(c.shape("out_backprop"), rank)
    sizes = c.value_as_shape("filter_sizes")
    return TensorShape([None] * rank) if sizes.rank is None else TensorShape.of(tuple(check_rank(sizes, rank)))


# --- kernels ---------------------------------------------------------------------------------------------------------


def _forward(xp: Xp, x: Array, filters: Array, data_format: str, attrs: tuple[Any, ...]) -> Array:
    strides, padding, explicit, dilations = attrs
    windows = conv_windows(
        x.shape, filters.shape, tuple(strides), padding, tuple(explicit), data_format, tuple(dilations)
    )
    result = correlate(xp, win.to_channels_last(xp, x, data_format), filters, windows)
    return win.from_channels_last(xp, result, data_format)


def _gradient_windows(
    name: str, like: Any, filters: Any, gradient: Any, data_format: str, attrs: Any
) -> tuple[Window, ...]:
    """Makes the windows of a gradient op; the output gradient must have the shape of the convolution's output."""
    strides, padding, explicit, dilations = attrs
    layout = win.layout_of(data_format)
    rank = len(layout.spatial) + 2
    if len(gradient) != rank:
        raise invalid(f"{name}: out_backprop must be {rank}-dimensional")
    if like[0] != gradient[0]:
        sizes = f"Input batch: {like[0]}, outbackprop batch: {gradient[0]}, batch_dim: {layout.batch}"
        raise invalid(f"{name}: input and out_backprop must have the same batch size. {sizes}")
    if len(filters) == rank and filters[-2] and like[layout.channels] % filters[-2]:
        raise invalid(f"{name}: input depth must be evenly divisible by filter depth")
    if len(filters) == rank and gradient[layout.channels] != filters[-1]:
        raise invalid(f"{name}: filter and out_backprop must have the same out_depth")
    windows = conv_windows(like, filters, tuple(strides), padding, tuple(explicit), data_format, tuple(dilations))
    for axis, w in zip(layout.spatial, windows, strict=True):
        if gradient[axis] != w.output_size:
            raise invalid(
                f"{name}: Size of out_backprop doesn't match computed: "
                f"actual = {gradient[axis]}, computed = {w.output_size} spatial_dim: {axis} input: {w.size} "
                f"filter: {w.kernel} output: {gradient[axis]} stride: {w.stride} dilation: {w.dilation}"
            )
    return windows


def _sizes(name: str, sizes: Any, rank: int, otherwise: Any = None) -> tuple[int, ...]:
    dims = tuple(int(s) for s in sizes.reshape(-1))
    if otherwise is not None and len(dims) == rank - 2:
        return otherwise(dims)
    if sizes.ndim != 1 or len(dims) != rank:
        raise invalid(
            f"{name}: input_sizes input must be 1-dim, not {sizes.ndim} or have {rank} elements, not {len(dims)}"
        )
    if dims and min(dims) < 0:
        raise invalid(f"Dimension {min(dims)} must be >= 0")
    return dims


def _to_input(xp: Xp, name: str, sizes: Any, filters: Array, gradient: Array, data_format: str, attrs: Any) -> Array:
    layout = win.layout_of(data_format)

    def complete(spatial: tuple[int, ...]) -> Any:
        return tuple(assemble(layout, gradient.shape[0], spatial, filters.shape[-2]).as_list())

    like = _sizes(name, sizes, len(layout.spatial) + 2, complete)
    windows = _gradient_windows(name, like, filters.shape, gradient.shape, data_format, attrs)
    last = (like[0], *layout.pick(like), like[layout.channels])
    result = correlate_input_gradient(xp, win.to_channels_last(xp, gradient, data_format), filters, windows, last)
    return win.from_channels_last(xp, result, data_format)


def _to_filters(xp: Xp, name: str, x: Array, sizes: Any, gradient: Array, data_format: str, attrs: Any) -> Array:
    like = _sizes(name, sizes, x.ndim)
    windows = _gradient_windows(name, x.shape, like, gradient.shape, data_format, attrs)
    x, gradient = win.to_channels_last(xp, x, data_format), win.to_channels_last(xp, gradient, data_format)
    return correlate_filter_gradient(xp, x, gradient, windows, like)


# --- two dimensions --------------------------------------------------------------------------------------------------


@op(
    "Conv2D",
    "input: T, filter: T -> output: T",
    T=FLOAT_INT,
    shape=_conv2d_shape,
    batching=image_batches.conv,
    library_bound=True,
    flops=flops.convolution,
    epilogue_op="Conv2DWithEpilogue",
)
def conv2d_op(
    xp: Xp,
    input: Array,
    filter: Array,
    *,
    strides: Sequence[int],
    use_cudnn_on_gpu: bool = True,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES4,
) -> Array:
    """Correlates images `[batch, height, width, channels]` with filters `[height, width, channels / groups, features]`.

    >>> image, filters = tf.reshape(tf.range(9.), [1, 3, 3, 1]), tf.ones([2, 2, 1, 1])
    >>> tf.raw_ops.Conv2D(input=image, filter=filters, strides=[1, 1, 1, 1], padding="VALID")[0, :, :, 0].numpy()
    array([[ 8., 12.],
           [20., 24.]], dtype=float32)
    """
    return _forward(xp, input, filter, data_format, (strides, padding, explicit_paddings, dilations))


@conv2d_op.gradient
@values_for(input=("filter",), filter=("input",))
def conv2d_gradient(
    dy: Tensor,
    input: Tensor,
    filter: Tensor,
    strides: object,
    use_cudnn_on_gpu: bool,
    padding: str,
    explicit_paddings: object,
    data_format: str,
    dilations: object,
) -> tuple[Tensor, Tensor]:
    attrs = _attrs(strides, padding, data_format, dilations)
    attrs.update(use_cudnn_on_gpu=use_cudnn_on_gpu, explicit_paddings=explicit_paddings)
    shapes = raw.ShapeN(input=[input, filter])
    return (
        raw.Conv2DBackpropInput(input_sizes=shapes[0], filter=filter, out_backprop=dy, **attrs),
        raw.Conv2DBackpropFilter(input=input, filter_sizes=shapes[1], out_backprop=dy, **attrs),
    )


def _attrs(strides: object, padding: str, data_format: str, dilations: object) -> dict[str, Any]:
    return {"strides": strides, "padding": padding, "data_format": data_format, "dilations": dilations}


@op(
    "Conv2DBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    T=FLOAT_INT,
    shape=_input_gradient_shape_2d,
    constant_inputs=("input_sizes",),
    batching=image_batches.conv_input_gradient,
    library_bound=True,
    flops=flops.convolution_input_gradient,
)
def conv2d_input_gradient_op(
    xp: Xp,
    input_sizes: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    use_cudnn_on_gpu: bool = True,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES4,
) -> Array:
    """Computes the gradient of Conv2D with respect to its input, which is what `tf.nn.conv2d_transpose` computes."""
    attrs = (strides, padding, explicit_paddings, dilations)
    return _to_input(xp, "Conv2DCustomBackpropInput", input_sizes, filter, out_backprop, data_format, attrs)


@conv2d_input_gradient_op.gradient
def conv2d_input_gradient_gradient(
    dy: Tensor,
    filter: Tensor,
    out_backprop: Tensor,
    strides: object,
    use_cudnn_on_gpu: bool,
    padding: str,
    explicit_paddings: object,
    data_format: str,
    dilations: object,
) -> tuple[None, Tensor, Tensor]:
    attrs = _attrs(strides, padding, data_format, dilations)
    attrs.update(use_cudnn_on_gpu=use_cudnn_on_gpu, explicit_paddings=explicit_paddings)
    sizes = raw.Shape(input=filter)
    return (
        None,
        raw.Conv2DBackpropFilter(input=dy, filter_sizes=sizes, out_backprop=out_backprop, **attrs),
        raw.Conv2D(input=dy, filter=filter, **attrs),
    )


@op(
    "Conv2DBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    T=FLOAT,
    shape=_filter_gradient_shape,
    constant_inputs=("filter_sizes",),
    batching=image_batches.conv_filter_gradient,
    library_bound=True,
    flops=flops.convolution_filter_gradient,
)
def conv2d_filter_gradient_op(
    xp: Xp,
    input: Array,
    filter_sizes: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    use_cudnn_on_gpu: bool = True,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = _ONES4,
) -> Array:
    """Computes the gradient of Conv2D with respect to its filters."""
    attrs = (strides, padding, explicit_paddings, dilations)
    return _to_filters(xp, "Conv2DCustomBackpropFilter", input, filter_sizes, out_backprop, data_format, attrs)


@conv2d_filter_gradient_op.gradient
def conv2d_filter_gradient_gradient(
    dy: Tensor,
    input: Tensor,
    out_backprop: Tensor,
    strides: object,
    use_cudnn_on_gpu: bool,
    padding: str,
    explicit_paddings: object,
    data_format: str,
    dilations: object,
) -> tuple[Tensor, None, Tensor]:
    attrs = _attrs(strides, padding, data_format, dilations)
    attrs.update(use_cudnn_on_gpu=use_cudnn_on_gpu, explicit_paddings=explicit_paddings)
    sizes = raw.Shape(input=input)
    return (
        raw.Conv2DBackpropInput(input_sizes=sizes, filter=dy, out_backprop=out_backprop, **attrs),
        None,
        raw.Conv2D(input=input, filter=dy, **attrs),
    )


# --- three dimensions ------------------------------------------------------------------------------------------------


@op(
    "Conv3D",
    "input: T, filter: T -> output: T",
    T=FLOAT,
    shape=_conv3d_shape,
    batching=image_batches.conv,
    library_bound=True,
    flops=flops.convolution,
)
def conv3d_op(
    xp: Xp,
    input: Array,
    filter: Array,
    *,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = _ONES5,
) -> Array:
    """Correlates volumes `[batch, depth, height, width, channels]` with filters of three spatial dimensions."""
    return _forward(xp, input, filter, data_format, (strides, padding, (), dilations))


@conv3d_op.gradient
@values_for(input=("filter",), filter=("input",))
def conv3d_gradient(
    dy: Tensor, input: Tensor, filter: Tensor, strides: object, padding: str, data_format: str, dilations: object
) -> tuple[Tensor, Tensor]:
    attrs = _attrs(strides, padding, data_format, dilations)
    shapes = raw.ShapeN(input=[input, filter])
    return (
        raw.Conv3DBackpropInputV2(input_sizes=shapes[0], filter=filter, out_backprop=dy, **attrs),
        raw.Conv3DBackpropFilterV2(input=input, filter_sizes=shapes[1], out_backprop=dy, **attrs),
    )


@op(
    "Conv3DBackpropInputV2",
    "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
    T=FLOAT,
    Tshape=INDEX.with_default(d.int32),
    shape=_input_gradient_shape_3d,
    constant_inputs=("input_sizes",),
    batching=image_batches.conv_input_gradient,
    library_bound=True,
)
def conv3d_input_gradient_op(
    xp: Xp,
    input_sizes: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = _ONES5,
) -> Array:
    """Computes the gradient of Conv3D with respect to its input, which is what `tf.nn.conv3d_transpose` computes."""
    attrs = (strides, padding, (), dilations)
    return _to_input(xp, "Conv3DBackpropInputOp", input_sizes, filter, out_backprop, data_format, attrs)


@conv3d_input_gradient_op.gradient
def conv3d_input_gradient_gradient(
    dy: Tensor, filter: Tensor, out_backprop: Tensor, strides: object, padding: str, data_format: str, dilations: object
) -> tuple[None, Tensor, Tensor]:
    attrs = _attrs(strides, padding, data_format, dilations)
    sizes = raw.Shape(input=filter)
    return (
        None,
        raw.Conv3DBackpropFilterV2(input=dy, filter_sizes=sizes, out_backprop=out_backprop, **attrs),
        raw.Conv3D(input=dy, filter=filter, **attrs),
    )


@op(
    "Conv3DBackpropFilterV2",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    T=FLOAT,
    shape=_filter_gradient_shape,
    constant_inputs=("filter_sizes",),
    batching=image_batches.conv_filter_gradient,
    library_bound=True,
)
def conv3d_filter_gradient_op(
    xp: Xp,
    input: Array,
    filter_sizes: Array,
    out_backprop: Array,
    *,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = _ONES5,
) -> Array:
    """Computes the gradient of Conv3D with respect to its filters."""
    attrs = (strides, padding, (), dilations)
    return _to_filters(xp, "Conv3DBackpropFilterOp", input, filter_sizes, out_backprop, data_format, attrs)


@conv3d_filter_gradient_op.gradient
def conv3d_filter_gradient_gradient(
    dy: Tensor, input: Tensor, out_backprop: Tensor, strides: object, padding: str, data_format: str, dilations: object
) -> tuple[Tensor, None, Tensor]:
    attrs = _attrs(strides, padding, data_format, dilations)
    sizes = raw.Shape(input=input)
    return (
        raw.Conv3DBackpropInputV2(input_sizes=sizes, filter=dy, out_backprop=out_backprop, **attrs),
        None,
        raw.Conv3D(input=input, filter=dy, **attrs),
    )
