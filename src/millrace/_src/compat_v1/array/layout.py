"""Functions of TensorFlow 1 that reshape, pad and reorder, with older names and orders of arguments."""

from __future__ import annotations

from typing import Any

from millrace._src.compat_v1.v1_wrappers import v1_wrapper
from millrace._src.core.argument_types import TensorLike
from millrace._src.ops.array.padding import pad
from millrace._src.ops.array.patches import extract_image_patches_op
from millrace._src.ops.array.quantizing import quantize
from millrace._src.ops.array.reshaping import expand_dims, squeeze
from millrace._src.ops.array.reversing import reverse_sequence
from millrace._src.ops.array.shape_ops import shape, size
from millrace._src.ops.array.space_to_batch import batch_to_space_nd, space_to_batch_nd, square_block
from millrace._src.ops.array.space_to_depth import depth_to_space, space_to_depth
from millrace._src.ops.array.transposing import transpose
from millrace._src.util.export import export

shape_v1 = export(v1=["shape"])(
    v1_wrapper(
        "shape",
        shape,
        "input, name=None, out_type=None",
        """
    >>> tf.compat.v1.shape([[1, 2]]).numpy()
    array([1, 2], dtype=int32)
    """,
    )
)


size_v1 = export(v1=["size"])(
    v1_wrapper(
        "size",
        size,
        "input, name=None, out_type=None",
        """
    >>> int(tf.compat.v1.size([1, 2]))
    2
    """,
    )
)


squeeze_v1 = export(v1=["squeeze"])(
    v1_wrapper(
        "squeeze",
        squeeze,
        "input, axis=None, name=None, squeeze_dims=None",
        """
    >>> tf.compat.v1.squeeze(tf.zeros([1, 2]), squeeze_dims=[0]).shape
    TensorShape([2])
    """,
        renamed={"squeeze_dims": "axis"},
    )
)


expand_dims_v1 = export(v1=["expand_dims"])(
    v1_wrapper(
        "expand_dims",
        expand_dims,
        "input, axis=None, name=None, dim=None",
        """
    >>> tf.compat.v1.expand_dims([1, 2], dim=0).shape
    TensorShape([1, 2])
    """,
        renamed={"dim": "axis"},
        required={"axis": "Must specify an axis argument to tf.expand_dims()"},
    )
)


pad_v1 = export(v1=["pad"])(
    v1_wrapper(
        "pad",
        pad,
        "tensor, paddings, mode='CONSTANT', name=None, constant_values=0",
        """
    >>> tf.compat.v1.pad([1], [[1, 1]]).numpy()
    array([0, 1, 0], dtype=int32)
    """,
    )
)


transpose_v1 = export(v1=["transpose"])(
    v1_wrapper(
        "transpose",
        transpose,
        "a, perm=None, name='transpose', conjugate=False",
        """
    >>> tf.compat.v1.transpose([[1, 2]]).shape
    TensorShape([2, 1])
    """,
    )
)


reverse_sequence_v1 = export(v1=["reverse_sequence"])(
    v1_wrapper(
        "reverse_sequence",
        reverse_sequence,
        "input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None",
        """
    >>> tf.compat.v1.reverse_sequence([[1, 2]], [2], seq_dim=1).numpy()
    array([[2, 1]], dtype=int32)
    """,
        renamed={"seq_dim": "seq_axis", "batch_dim": "batch_axis"},
    )
)


@export(v1=["space_to_batch", "nn.space_to_batch"])
def space_to_batch_v1(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Any:
    """Moves blocks of images into the batch; TensorFlow 1's form, with one block size for both dimensions.

    >>> tf.compat.v1.space_to_batch(tf.ones([1, 4, 4, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 2, 2, 1])

    Args:
      input: A Tensor `[batch, height, width, depth]`.
      paddings: an integer matrix, `[before, after]` a spatial dimension.
      block_size: the block size.
      name: name of the operation.
      block_shape: the same as `block_size`.

    Returns: A Tensor.
    """
    block = block_size if block_shape is None else block_shape
    return space_to_batch_nd(input, square_block(block), paddings, name=name)


@export(v1=["batch_to_space"])
def batch_to_space_v1(
    input: TensorLike,
    crops: TensorLike,
    block_size: int,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Any:
    """Moves blocks of images out of the batch; TensorFlow 1's form, with one block size for both dimensions.

    >>> tf.compat.v1.batch_to_space(tf.ones([4, 2, 2, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 4, 4, 1])

    Args:
      input: A Tensor `[batch, height, width, depth]`.
      crops: an integer matrix, `[before, after]` a spatial dimension.
      block_size: the block size.
      name: name of the operation.
      block_shape: the same as `block_size`.

    Returns: A Tensor.
    """
    block = block_size if block_shape is None else block_shape
    return batch_to_space_nd(input, square_block(block), crops, name=name)


space_to_depth_v1 = export(v1=["space_to_depth", "nn.space_to_depth"])(
    v1_wrapper(
        "space_to_depth",
        space_to_depth,
        "input, block_size, name=None, data_format='NHWC'",
        """
    >>> tf.compat.v1.space_to_depth(tf.ones([1, 4, 4, 1]), 2).shape
    TensorShape([1, 2, 2, 4])
    """,
    )
)


depth_to_space_v1 = export(v1=["depth_to_space", "nn.depth_to_space"])(
    v1_wrapper(
        "depth_to_space",
        depth_to_space,
        "input, block_size, name=None, data_format='NHWC'",
        """
    >>> tf.compat.v1.depth_to_space(tf.ones([1, 2, 2, 4]), 2).shape
    TensorShape([1, 4, 4, 1])
    """,
    )
)


@export(v1=["extract_image_patches", "image.extract_image_patches"])
def extract_image_patches(
    images: TensorLike,
    ksizes: TensorLike | None = None,
    strides: TensorLike | None = None,
    rates: TensorLike | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: TensorLike | None = None,
) -> Any:
    """Takes patches of images like `tf.image.extract_patches`, with the names of TensorFlow 1.

    >>> ones = [1, 1, 1, 1]
    >>> tf.compat.v1.extract_image_patches(tf.ones([1, 3, 3, 1]), [1, 2, 2, 1], ones, ones, "VALID").shape
    TensorShape([1, 2, 2, 4])

    Args:
      images: A numeric Tensor `[batch, height, width, depth]`.
      ksizes: the size of the window.
      strides: how far the window moves.
      rates: the distance of the elements of a window.
      padding: "VALID" or "SAME".
      name: name of the operation.
      sizes: the same as `ksizes`.

    Returns: A Tensor.
    """
    window = ksizes if sizes is None else sizes
    return extract_image_patches_op(images, ksizes=window, strides=strides, rates=rates, padding=padding, name=name)


quantize_v2 = export(v1=["quantize_v2"])(
    v1_wrapper(
        "quantize_v2",
        quantize,
        "input, min_range, max_range, T, mode='MIN_COMBINED', name=None, round_mode='HALF_AWAY_FROM_ZERO', "
        "narrow_range=False, axis=None, ensure_minimum_range=0.01",
        """
    >>> tf.compat.v1.quantize_v2([1.0], 0.0, 1.0, tf.quint8).output.dtype
    tf.quint8
    """,
    )
)
