"""Decoding image files: `tf.io.decode_jpeg`, `decode_png`, `decode_image` and their kin."""

from __future__ import annotations

from millrace._src.core import dtypes as d
from millrace._src.core.argument_types import DTypeLike, TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import as_dtype
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.image import jpeg_files
from millrace._src.ops.image.decoding_ops import (
    decode_and_crop_jpeg_op,
    decode_bmp_op,
    decode_gif_op,
    decode_image_op,
    decode_jpeg_op,
    decode_jxl_op,
    decode_png_op,
    decode_webp_op,
    extract_jpeg_shape_op,
)
from millrace._src.ops.image.image_dtypes import convert_image_dtype
from millrace._src.util.export import export


@export("io.decode_jpeg", "image.decode_jpeg")
def decode_jpeg(
    contents: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a JPEG file to pixels; PNG and GIF files of one frame, too.

    >>> file = tf.io.encode_jpeg(tf.fill([2, 3, 3], tf.constant(200, tf.uint8)))
    >>> tf.io.decode_jpeg(file).shape
    TensorShape([2, 3, 3])

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      channels: 0 for those of the file, 1 for gray, 3 for colors.
      ratio: by how much the image is made smaller: 1, 2, 4 or 8.
      fancy_upscaling: whether colors of neighbours are mixed where the file has fewer colors than pixels.
      try_recover_truncated: whether a file that ends too early is decoded as far as possible.
      acceptable_fraction: the least share of lines that must be left of a file that ends too early.
      dct_method: "" or "INTEGER_FAST", or "INTEGER_ACCURATE", which is slower.
      name: name of the operation in a graph.

    Returns: A uint8 Tensor `[height, width, channels]`.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken, or an argument is none of these.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return decode_jpeg_op(
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@export("io.decode_and_crop_jpeg", "image.decode_and_crop_jpeg")
def decode_and_crop_jpeg(
    contents: TensorLike,
    crop_window: TensorLike,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """Decodes a window of a JPEG file.

    >>> file = tf.io.encode_jpeg(tf.zeros([8, 9, 3], tf.uint8))
    >>> tf.io.decode_and_crop_jpeg(file, [1, 2, 3, 4]).shape
    TensorShape([3, 4, 3])

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      crop_window: the first row, the first column, the height and the width: four int32.
      channels: 0 for those of the file, 1 for gray, 3 for colors.
      ratio: by how much the image is made smaller before: 1, 2, 4 or 8.
      fancy_upscaling: whether colors of neighbours are mixed where the file has fewer colors than pixels. (TensorFlow
        does not look beyond the window there, so that colors at its border may differ.)
      try_recover_truncated: whether a file that ends too early is decoded as far as possible.
      acceptable_fraction: the least share of lines that must be left of a file that ends too early.
      dct_method: "" or "INTEGER_FAST", or "INTEGER_ACCURATE", which is slower.
      name: name of the operation in a graph.

    Returns: A uint8 Tensor `[height, width, channels]`.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken, or the window is not in the image.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return decode_and_crop_jpeg_op(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


@export("io.decode_png", "image.decode_png")
def decode_png(contents: TensorLike, channels: int = 0, dtype: DTypeLike = d.uint8, name: str | None = None) -> Tensor:
    """Decodes a PNG file to pixels; JPEG and GIF files of one frame, too.

    >>> tf.io.decode_png(tf.io.encode_png(tf.constant([[[1], [2]]], tf.uint8))).numpy().ravel()
    array([1, 2], dtype=uint8)

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      channels: 0 for those of the file, 1 for gray, 3 for colors, 4 for colors and opacity.
      dtype: uint8 or uint16.
      name: name of the operation in a graph.

    Returns: A Tensor `[height, width, channels]`.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken, or there are no such channels.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return decode_png_op(contents, channels=channels, dtype=as_dtype(dtype), name=name)


@export("io.decode_bmp", "image.decode_bmp")
def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """Decodes a BMP file without compression to pixels.

    >>> header = b"BM" + (58).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little") + (40).to_bytes(4, "little")
    >>> size = (1).to_bytes(4, "little") * 2 + b"\\x01\\x00\\x18\\x00" + bytes(24)
    >>> tf.io.decode_bmp(header + size + b"\\x03\\x02\\x01\\x00").numpy().ravel()
    array([1, 2, 3], dtype=uint8)

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      channels: 0 for those of the file, 3 for colors, 4 for colors and opacity.
      name: name of the operation in a graph.

    Returns: A uint8 Tensor `[height, width, channels]`; of a file with a palette the numbers of the colors.
    Raises: tf.errors.InvalidArgumentError: if the file is broken, or of another format.
    """
    return decode_bmp_op(contents, channels=channels, name=name)


@export("io.decode_gif", "image.decode_gif")
def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """Decodes the frames of a GIF file; PNG and JPEG files are one frame.

    Each frame is drawn on the frame before.

    >>> tf.io.decode_gif(tf.io.encode_png(tf.zeros([2, 3, 3], tf.uint8))).shape
    TensorShape([1, 2, 3, 3])

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      name: name of the operation in a graph.

    Returns: A uint8 Tensor `[frames, height, width, 3]`.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return decode_gif_op(contents, name=name)


@export("io.decode_webp", "image.decode_webp")
def decode_webp(contents: TensorLike, channels: int = 0, dtype: DTypeLike = d.uint8, name: str | None = None) -> Tensor:
    """Decodes the frames of a WebP file.

    >>> import io, PIL.Image
    >>> file = io.BytesIO()
    >>> PIL.Image.new("RGB", (3, 2)).save(file, "WEBP")
    >>> tf.io.decode_webp(file.getvalue()).shape
    TensorShape([1, 2, 3, 3])

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      channels: 0, or those of the file: 3 for colors, 4 for colors and opacity.
      dtype: uint8.
      name: name of the operation in a graph.

    Returns: A uint8 Tensor `[frames, height, width, channels]`.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken, or has other channels.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return decode_webp_op(contents, channels=channels, dtype=as_dtype(dtype), name=name)


@export("io.decode_jxl", "image.decode_jxl")
def decode_jxl(contents: TensorLike, channels: int = 0, dtype: DTypeLike = d.uint8, name: str | None = None) -> Tensor:
    """Decodes a JPEG XL file to pixels.

    >>> import base64
    >>> tf.io.decode_jxl(base64.b64decode("/woIQBAUNwIIAAEAJABLGIsVwpjyBAs="))[:, :, 0].numpy()
    array([[0, 1, 2],
           [3, 4, 5]], dtype=uint8)

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      channels: 0, or those of the file: 1 for gray, 3 for colors, 4 for colors and opacity.
      dtype: uint8.
      name: name of the operation in a graph.

    Returns: A uint8 Tensor `[height, width, channels]`.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken, or has other channels.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    return decode_jxl_op(contents, channels=channels, dtype=as_dtype(dtype), name=name)


@export("io.decode_image", "image.decode_image")
def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = d.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """Decodes a BMP, GIF, JPEG, JPEG XL, PNG or WebP file to pixels.

    >>> tf.io.decode_image(tf.io.encode_png(tf.fill([1, 2, 1], tf.constant(255, tf.uint8))), dtype=tf.float32).numpy()
    array([[[1.],
            [1.]]], dtype=float32)

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      channels: None for those of the file, 1 for gray, 3 for colors, 4 for colors and opacity.
      dtype: the dtype; other dtypes than uint8 are scaled as by `tf.image.convert_image_dtype`.
      name: name of the operations in a graph.
      expand_animations: whether a GIF or WebP file becomes all of its frames, `[frames, height, width, channels]`;
        else the first frame.

    Returns: A Tensor `[height, width, channels]`; while tracing of unknown rank, unless `expand_animations` is False.
    Raises:
      tf.errors.InvalidArgumentError: if the file is broken, or of another format.
      ModuleNotFoundError: if the extra `image` is not installed.
    """
    dtype, own_types = as_dtype(dtype), (d.uint8, d.uint16, d.float32)
    with name_scope(name, "decode_image"):
        image = decode_image_op(
            contents,
            channels=channels or 0,
            dtype=dtype if dtype in own_types else d.uint16,
            expand_animations=expand_animations,
        )
        return image if dtype in own_types else convert_image_dtype(image, dtype)


@export("io.extract_jpeg_shape", "image.extract_jpeg_shape")
def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = d.int32, name: str | None = None) -> Tensor:
    """Reads the shape of a JPEG image without decoding the image.

    >>> tf.io.extract_jpeg_shape(tf.io.encode_jpeg(tf.zeros([4, 5, 3], tf.uint8))).numpy()
    array([4, 5, 3], dtype=int32)

    Args:
      contents: a scalar string Tensor, the bytes of the file.
      output_type: int32 or int64.
      name: name of the operation in a graph.

    Returns: Height, width and channels.
    Raises: tf.errors.InvalidArgumentError: if the file is not a JPEG file, or ends before its pixels.
    """
    return extract_jpeg_shape_op(contents, output_type=as_dtype(output_type), name=name)


@export("io.is_jpeg", "image.is_jpeg")
def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Returns whether files begin as JPEG files do.

    >>> tf.io.is_jpeg([tf.io.encode_jpeg(tf.zeros([1, 1, 3], tf.uint8)), b"text"]).numpy()
    array([ True, False])

    Args:
      contents: a string Tensor, the bytes of files.
      name: name of the operations in a graph.

    Returns: A bool Tensor of the same shape.
    """
    with name_scope(name, "is_jpeg"):
        beginnings = raw.Substr(input=convert_to_tensor(contents, dtype=d.string), pos=0, len=3)
        return raw.Equal(x=beginnings, y=jpeg_files.MAGIC)
