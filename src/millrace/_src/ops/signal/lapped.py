"""The modified discrete cosine transform: N coefficients for each step of N samples, from frames of 2N samples.

A frame of quarters (a, b, c, d) is folded into (-c' - d, a - b'), where ' reverses a quarter, and transformed by a
cosine transform of type 4. The inverse unfolds (e, f) into (f, -f', -e', -e); what the folding mixed in cancels where
frames overlap.
"""

from __future__ import annotations

from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.errors import invalid
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.signal.cosine import check_norm, dct
from millrace._src.ops.signal.framing import frame, overlap_and_add
from millrace._src.ops.signal.short_time import WindowFunction
from millrace._src.ops.signal.sizes import as_tensor, dimension, size_from
from millrace._src.ops.signal.windows import vorbis_window
from millrace._src.util.export import export

_FLAT = 0.5**0.5
"""What frames are multiplied with without a window."""


def _reverse(x: Tensor) -> Any:
    return raw.ReverseV2(tensor=x, axis=[-1])


@export("signal.mdct", v1=["signal.mdct"])
def mdct(
    signals: Any,
    frame_length: TensorLike,
    window_fn: WindowFunction | None = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes the modified discrete cosine transform of frames that overlap by half.

    >>> tf.signal.mdct(tf.ones([12]), frame_length=4).shape
    TensorShape([5, 2])

    Args:
      signals: A Tensor `[..., samples]` of float32 or float64.
      frame_length: integer scalar, a multiple of 4: how many samples a frame has.
      window_fn: a function from a length and a keyword argument `dtype` to the window that frames are multiplied with;
        None multiplies with the root of 1/2.
      pad_end: whether to append zeros for the last frames; else the samples that fill no frame are left out.
      norm: None, or "ortho" for a cosine transform that keeps lengths.
      name: name of the operation in a graph.

    Returns: A Tensor `[..., frames, frame_length / 2]`.
    Raises: ValueError: if `signals` is a scalar, `frame_length` no scalar or no multiple of 4, `norm` another word.
    """
    check_norm(norm)
    with name_scope(name, "mdct"):
        signals = convert_to_tensor(signals, name="signals")
        signals.shape.with_rank_at_least(1)
        length = size_from(frame_length, "frame_length")
        if isinstance(length, int) and length % 4:
            raise ValueError("The frame length must be a multiple of 4.")
        half_length, quarter = length // 2, length // 4
        frames = frame(signals, length, half_length, pad_end=pad_end)
        x = frames * (_FLAT if window_fn is None else window_fn(as_tensor(length), dtype=frames.dtype))
        a, b, c = x[..., :quarter], x[..., quarter:half_length], x[..., half_length : half_length + quarter]
        last = x[..., half_length + quarter :]
        folded = raw.ConcatV2(values=[-_reverse(c) - last, a - _reverse(b)], axis=-1)
        return dct(folded, type=4, norm=norm)


@export("signal.inverse_mdct", v1=["signal.inverse_mdct"])
def inverse_mdct(
    mdcts: Any, window_fn: WindowFunction | None = vorbis_window, norm: str | None = None, name: str | None = None
) -> Tensor:
    """Computes signals from their modified discrete cosine transform.

    With the same window and norm the signal that `tf.signal.mdct` took comes back, but for half a frame at each end.

    >>> spectra = tf.signal.mdct(tf.ones([12]), frame_length=4)
    >>> tf.signal.inverse_mdct(spectra).numpy()[2:-2].round(4)
    array([1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)

    Args:
      mdcts: A Tensor `[..., frames, frame_length / 2]` of float32 or float64.
      window_fn: a function from a length and a keyword argument `dtype` to the window that frames are multiplied with;
        None multiplies with the root of 1/2.
      norm: the `norm` of `tf.signal.mdct`.
      name: name of the operation in a graph.

    Returns: A Tensor `[..., (frames + 1) * frame_length / 2]`.
    Raises: ValueError: if `mdcts` has fewer than two dimensions, or `norm` is another word.
    """
    check_norm(norm)
    with name_scope(name, "inverse_mdct"):
        mdcts = convert_to_tensor(mdcts, name="mdcts")
        mdcts.shape.with_rank_at_least(2)
        half_length = dimension(mdcts, -1)
        if isinstance(half_length, int) and half_length % 2:
            odd = f"half a frame has to have an even number of coefficients, got: {half_length}"
            raise invalid(f"Number of ways to split should evenly divide the split dimension: {odd}")
        x = dct(mdcts, type=4, norm=norm)
        if norm is None:
            count = raw.Cast(x=half_length, DstT=x.dtype) if isinstance(half_length, Tensor) else half_length
            x = x * 0.5 / count
        first, second = x[..., : half_length // 2], x[..., half_length // 2 :]
        frames = raw.ConcatV2(values=[second, -_reverse(second), -_reverse(first), -first], axis=-1)
        window = _FLAT if window_fn is None else window_fn(as_tensor(2 * half_length), dtype=frames.dtype)
        return overlap_and_add(frames * window, half_length)
