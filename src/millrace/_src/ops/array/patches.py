"""Patches of images and volumes: a sliding window, at each position of which the elements move into the depth.

The windows are gathered by index, with one index array for each spatial dimension. Elements outside the image are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.array_namespace import Array, Xp
from millrace._src.core.errors import invalid
from millrace._src.core.op_def import op
from millrace._src.core.shape_complaint import ShapeComplaint
from millrace._src.core.shape_context import ShapeContext
from millrace._src.core.shapes import TensorShape
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.shape_checks import Dim, multiply, with_rank
from millrace._src.ops.array.shape_ops import shape_tensor
from millrace._src.ops.batching_rules import folding
from millrace._src.ops.type_sets import BOOL, NUMERIC, REAL
from millrace._src.util.export import export


def _window(kernel: int, rate: int) -> int:
    """Returns the extent of a window."""
    return kernel + (kernel - 1) * (rate - 1)


def _count(size: int, window: int, stride: int, padding: str) -> int:
    """Returns the number of positions of a window."""
    return -(-size // stride) if padding == "SAME" else max(0, (size - window + stride) // stride)


def _positions(size: int, kernel: int, stride: int, rate: int, padding: str) -> tuple[Array, Array]:
    """Returns, for each position and each element of the window: the index, and whether the index is inside."""
    window = _window(kernel, rate)
    count = _count(size, window, stride, padding)
    padding_size = max(0, (count - 1) * stride + window - size) if padding == "SAME" else 0
    index = np.arange(count)[:, None] * stride + np.arange(kernel)[None, :] * rate - padding_size // 2
    return np.clip(index, 0, max(size - 1, 0)), (index >= 0) & (index < size)


def _extract(
    xp: Xp, x: Array, kernels: Sequence[int], strides: Sequence[int], rates: Sequence[int], padding: str
) -> Array:
    """Gathers windows over the dimensions between the first and the last."""
    spatial = len(kernels)
    inside: Any = np.ones((1,) * (2 * spatial), bool)
    for i in range(spatial):
        index, is_inside = _positions(x.shape[1 + 2 * i], kernels[i], strides[i], rates[i], padding)
        x = xp.take(x, index.reshape(-1), axis=1 + 2 * i, mode="clip") if index.size else _make_empty(xp, x, 1 + 2 * i)
        x = x.reshape((*x.shape[: 1 + 2 * i], *index.shape, *x.shape[2 + 2 * i :]))
        inside = inside & is_inside.reshape([1] * (2 * i) + list(is_inside.shape) + [1] * (2 * (spatial - i - 1)))
    x = xp.where(inside[None, ..., None], x, xp.zeros((), x.dtype))
    window_axes, elements = range(1, 2 * spatial, 2), range(2, 2 * spatial + 1, 2)
    windows = x.transpose((0, *window_axes, *elements, 2 * spatial + 1))
    depth = int(np.prod(kernels)) * x.shape[-1]
    return windows.reshape((x.shape[0], *(x.shape[d] for d in window_axes), depth))


def _make_empty(xp: Xp, x: Array, axis: int) -> Array:
    return x[(slice(None),) * axis + (slice(0, 0),)]


def _check(name: str, values: Sequence[int], length: int) -> list[int]:
    if len(values) != length:
        raise ShapeComplaint(
            f"ExtractPatches requires the {name} attribute to contain {length} values, but got: {len(values)}"
        )
    if values[0] != 1 or values[-1] != 1:
        raise ShapeComplaint(f"Only support {name} across space: the first and last of {list(values)} must be 1.")
    if min(values) < 1:
        raise ShapeComplaint(f"{name} {list(values)} must be positive.")
    return list(values[1:-1])


def _patches_shape(c: ShapeContext, input_name: str, rank: int) -> TensorShape:
    dims = with_rank(c.shape(input_name), rank)
    kernels, strides = (_check(n, c.attr(n), rank) for n in ("ksizes", "strides"))
    rates = _check("rates", c.attrs["rates"], rank) if "rates" in c.attrs else [1] * (rank - 2)
    padding = c.attr("padding")
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"Attr 'padding' of '{c.op.name}' Op passed string '{padding}' not in: \"SAME\", \"VALID\".")
    counts: list[Dim] = [
        None if d is None else _count(d, _window(k, r), s, padding)
        for d, k, s, r in zip(dims[1:-1], kernels, strides, rates, strict=True)
    ]
    return TensorShape.of((dims[0], *counts, multiply(dims[-1], *kernels)))


@op(
    "ExtractImagePatches",
    "images: T -> patches: T",
    T=NUMERIC | BOOL,
    shape=lambda c: _patches_shape(c, "images", 4),
    batching=folding("images"),
)
def extract_image_patches_op(
    xp: Xp, images: Array, *, ksizes: list[int], strides: list[int], rates: list[int], padding: str
) -> Array:
    """Gathers the windows over a batch of images, flattened into the depth."""
    if images.ndim != 4:
        raise invalid(f"input must be 4-dimensional, but has {images.ndim} dimensions")
    kernels, steps, gaps = _check("ksizes", ksizes, 4), _check("strides", strides, 4), _check("rates", rates, 4)
    return _extract(xp, images, kernels, steps, gaps, padding)


def _positions_gradient(dy: object, input: object, numbered: object) -> Any:
    """Adds up a gradient by the pixels its elements came from; `numbered` holds the windows over pixel numbers."""
    shape = shape_tensor(input)
    pixels, depth = raw.Prod(input=shape[1:-1], reduction_indices=[0]), shape[-1]
    batch = shape[0]
    rows = raw.Reshape(tensor=numbered, shape=[-1])  # one pixel number (0: outside) for each element of the window
    grads = raw.Reshape(tensor=dy, shape=raw.Pack(values=[batch, -1, depth], axis=0))
    table = raw.UnsortedSegmentSum(
        data=raw.Transpose(x=grads, perm=[1, 0, 2]), segment_ids=rows, num_segments=pixels + 1
    )
    return raw.Reshape(tensor=raw.Transpose(x=table[1:], perm=[1, 0, 2]), shape=shape)


def _numbers(input: object) -> Any:
    """Makes a volume of one channel that holds the numbers of its pixels, from 1."""
    shape = shape_tensor(input)
    count = raw.Prod(input=shape[1:-1], reduction_indices=[0])
    numbers = raw.Range(start=1, limit=count + 1, delta=1)
    return raw.Reshape(tensor=numbers, shape=raw.ConcatV2(values=[[1], shape[1:-1], [1]], axis=0))


@extract_image_patches_op.gradient
def extract_image_patches_gradient(
    dy: Tensor, images: Tensor, ksizes: list[int], strides: list[int], rates: list[int], padding: str
) -> Any:
    """Gives each pixel the gradients of all windows that hold the pixel."""
    windows = {"ksizes": ksizes, "strides": strides, "rates": rates, "padding": padding}
    numbered_windows = raw.ExtractImagePatches(images=_numbers(images), **windows)
    return _positions_gradient(dy, images, numbered_windows)


@export("image.extract_patches", v1=["image.extract_patches"])
def extract_patches(
    images: TensorLike,
    sizes: TensorLike,
    strides: TensorLike,
    rates: TensorLike,
    padding: str,
    name: str | None = None,
) -> Any:
    """Takes the patches of images that a sliding window sees, each flattened into the depth.

    >>> image = tf.reshape(tf.range(1, 10), [1, 3, 3, 1])
    >>> tf.image.extract_patches(image, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")[0, 0].numpy()
    array([[1, 2, 4, 5],
           [2, 3, 5, 6]], dtype=int32)

    Args:
      images: A numeric Tensor `[batch, height, width, depth]`.
      sizes: the size of the window, `[1, height, width, 1]`.
      strides: how far the window moves, `[1, height, width, 1]`.
      rates: the distance of the elements of a window, `[1, height, width, 1]`.
      padding: "VALID": windows inside the image; "SAME": the image is padded with zeros.
      name: name of the operation.

    Returns: A Tensor `[batch, windows down, windows across, height * width * depth]`.
    """
    return extract_image_patches_op(images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name)


@op(
    "ExtractVolumePatches",
    "input: T -> patches: T",
    T=REAL,
    shape=lambda c: _patches_shape(c, "input", 5),
    batching=folding("input"),
)
def extract_volume_patches_op(xp: Xp, input: Array, *, ksizes: list[int], strides: list[int], padding: str) -> Array:
    """Gathers the windows over a batch of volumes, flattened into the depth."""
    if input.ndim != 5:
        raise invalid(f"input must be 5-dimensional, but has {input.ndim} dimensions")
    kernels, steps = _check("ksizes", ksizes, 5), _check("strides", strides, 5)
    return _extract(xp, input, kernels, steps, [1, 1, 1], padding)


@extract_volume_patches_op.gradient
def extract_volume_patches_gradient(
    dy: Tensor, input: Tensor, ksizes: list[int], strides: list[int], padding: str
) -> Any:
    """Gives each element the gradients of all windows that hold the element."""
    numbered_windows = raw.ExtractVolumePatches(input=_numbers(input), ksizes=ksizes, strides=strides, padding=padding)
    return _positions_gradient(dy, input, numbered_windows)


@export("extract_volume_patches")
def extract_volume_patches(
    input: TensorLike, ksizes: TensorLike, strides: TensorLike, padding: str, name: str | None = None
) -> Any:
    """Takes the patches of volumes that a sliding window sees, each flattened into the depth.

    >>> tf.extract_volume_patches(tf.ones([1, 2, 2, 2, 1]), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID").shape
    TensorShape([1, 1, 1, 1, 8])

    Args:
      input: A real Tensor `[batch, planes, rows, columns, depth]`.
      ksizes: the size of the window, `[1, planes, rows, columns, 1]`.
      strides: how far the window moves, `[1, planes, rows, columns, 1]`.
      padding: "VALID": windows inside the volume; "SAME": the volume is padded with zeros.
      name: name of the operation.

    Returns: A Tensor `[batch, windows..., planes * rows * columns * depth]`.
    """
    return extract_volume_patches_op(input, ksizes=ksizes, strides=strides, padding=padding, name=name)
