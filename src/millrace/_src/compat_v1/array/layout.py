"""Functions of TensorFlow 1 that reshape, pad and reorder, with older names and orders of arguments."""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.ops.array.eager_arguments import index_tensor
from millrace._src.ops.array.padding import pad
from millrace._src.ops.array.patches import extract_image_patches_op
from millrace._src.ops.array.quantizing import QuantizeResult, quantize
from millrace._src.ops.array.reshaping import expand_dims_op, squeeze
from millrace._src.ops.array.reversing import reverse_sequence
from millrace._src.ops.array.shape_ops import shape, size
from millrace._src.ops.array.space_to_batch import batch_to_space_nd, space_to_batch_nd, square_block
from millrace._src.ops.array.space_to_depth import depth_to_space, space_to_depth
from millrace._src.ops.array.transposing import transpose
from millrace._src.util.export import export
from millrace._src.util.old_arguments import one_of


@export(v1=["shape"])
def shape_v1(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Returns the shape of a tensor, with the argument order of TensorFlow 1.

    >>> tf.compat.v1.shape([[1, 2]]).numpy()
    array([1, 2], dtype=int32)

    Args:
      input: a Tensor, a value that converts to one, or a SparseTensor.
      name: name of the operation.
      out_type: int32 (when None) or int64.

    Returns: A vector of `out_type`.
    """
    return shape(input, out_type, name)


@export(v1=["size"])
def size_v1(input: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Counts the elements of a tensor, with the argument order of TensorFlow 1.

    >>> int(tf.compat.v1.size([1, 2]))
    2

    Args:
      input: a Tensor, a value that converts to one, or a SparseTensor.
      name: name of the operation.
      out_type: int32 (when None) or int64.

    Returns: A scalar of `out_type`.
    """
    return size(input, out_type, name)


@export(v1=["squeeze"])
def squeeze_v1(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    squeeze_dims: TensorLike | None = None,
) -> Any:
    """Removes dimensions of size 1, with TensorFlow 1's `squeeze_dims`, the old name of `axis`.

    >>> tf.compat.v1.squeeze(tf.zeros([1, 2]), squeeze_dims=[0]).shape
    TensorShape([2])

    Args:
      input: A Tensor of any dtype.
      axis: the dimensions to remove.
      name: name of the operation.
      squeeze_dims: the same as `axis`.

    Returns: A Tensor with the elements of `input`.
    Raises: ValueError: if both names are given.
    """
    return squeeze(input, one_of("squeeze_dims", squeeze_dims, "axis", axis), name)


@export(v1=["expand_dims"])
def expand_dims_v1(
    input: TensorLike, axis: TensorLike | None = None, name: str | None = None, dim: TensorLike | None = None
) -> Any:
    """Inserts a dimension of size 1, with TensorFlow 1's `dim`, the old name of `axis`.

    >>> tf.compat.v1.expand_dims([1, 2], dim=0).shape
    TensorShape([1, 2])

    Args:
      input: A Tensor of any dtype.
      axis: where the new dimension goes.
      name: name of the operation.
      dim: the same as `axis`.

    Returns: A Tensor with the elements of `input`.
    Raises: ValueError: if both names are given, or none.
    """
    axis = one_of("dim", dim, "axis", axis)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return expand_dims_op(input, index_tensor(axis), name=name)


@export(v1=["pad"])
def pad_v1(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Any:
    """Pads a tensor, with the argument order of TensorFlow 1.

    >>> tf.compat.v1.pad([1], [[1, 1]]).numpy()
    array([0, 1, 0], dtype=int32)

    Args:
      tensor: A Tensor of any dtype.
      paddings: an int32 or int64 matrix of one row a dimension.
      mode: "CONSTANT", "REFLECT" or "SYMMETRIC".
      name: name of the operation.
      constant_values: for "CONSTANT", the scalar to pad with.

    Returns: A Tensor of the same dtype and rank.
    """
    return pad(tensor, paddings, mode, constant_values, name)


@export(v1=["transpose"])
def transpose_v1(
    a: TensorLike, perm: TensorLike | None = None, name: str = "transpose", conjugate: bool = False
) -> Any:
    """Reorders the dimensions of a tensor, with the argument order of TensorFlow 1.

    >>> tf.compat.v1.transpose([[1, 2]]).shape
    TensorShape([2, 1])

    Args:
      a: A Tensor of any dtype.
      perm: A permutation of the dimensions of `a`; None reverses them.
      name: name of the operation.
      conjugate: whether to conjugate complex elements too.

    Returns: A Tensor with the elements of `a`.
    """
    return transpose(a, perm, conjugate, name)


@export(v1=["reverse_sequence"])
def reverse_sequence_v1(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Any:
    """Reverses parts of sequences, with the old names of the axes.

    >>> tf.compat.v1.reverse_sequence([[1, 2]], [2], seq_dim=1).numpy()
    array([[2, 1]], dtype=int32)

    Args:
      input: A Tensor of any dtype.
      seq_lengths: an int32 or int64 vector.
      seq_axis: the dimension along which the sequences go.
      batch_axis: the dimension along which the sequences are counted.
      name: name of the operation.
      seq_dim: the same as `seq_axis`.
      batch_dim: the same as `batch_axis`.

    Returns: A Tensor of the same shape.
    """
    seq = one_of("seq_dim", seq_dim, "seq_axis", seq_axis)
    return reverse_sequence(input, seq_lengths, seq, one_of("batch_dim", batch_dim, "batch_axis", batch_axis), name)


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


@export(v1=["space_to_depth", "nn.space_to_depth"])
def space_to_depth_v1(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Any:
    """Moves blocks of an image into the depth, with the argument order of TensorFlow 1.

    >>> tf.compat.v1.space_to_depth(tf.ones([1, 4, 4, 1]), 2).shape
    TensorShape([1, 2, 2, 4])

    Args:
      input: A Tensor.
      block_size: an int of at least 2.
      name: name of the operation.
      data_format: "NHWC", "NCHW" or "NCHW_VECT_C".

    Returns: A Tensor.
    """
    return space_to_depth(input, block_size, data_format, name)


@export(v1=["depth_to_space", "nn.depth_to_space"])
def depth_to_space_v1(input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Any:
    """Moves blocks out of the depth of an image, with the argument order of TensorFlow 1.

    >>> tf.compat.v1.depth_to_space(tf.ones([1, 2, 2, 4]), 2).shape
    TensorShape([1, 4, 4, 1])

    Args:
      input: A Tensor.
      block_size: an int of at least 2.
      name: name of the operation.
      data_format: "NHWC", "NCHW" or "NCHW_VECT_C".

    Returns: A Tensor.
    """
    return depth_to_space(input, block_size, data_format, name)


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


@export(v1=["quantize_v2"])
def quantize_v2(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: object,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeResult:
    """Quantizes a tensor like `tf.quantization.quantize`, with the argument order of TensorFlow 1.

    >>> tf.compat.v1.quantize_v2([1.0], 0.0, 1.0, tf.quint8).output.dtype
    tf.quint8

    Args:
      input: A float32 Tensor.
      min_range: the least value to represent.
      max_range: the largest value to represent.
      T: the quantized dtype.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED".
      name: name of the operation.
      round_mode: "HALF_AWAY_FROM_ZERO", or with "SCALED" also "HALF_TO_EVEN".
      narrow_range: with "SCALED", whether the least value is left out.
      axis: the dimension whose slices have ranges of their own.
      ensure_minimum_range: the least width of the range.

    Returns: A named tuple of `output`, `output_min` and `output_max`.
    """
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)
