"""Spectra on the mel scale, on which tones that sound equally far apart are, and what speech recognizers make of them.

mel = 1127 ln(1 + hertz / 700).
"""

from __future__ import annotations

import math
from typing import Any

from millrace._src.core.argument_types import TensorLike
from millrace._src.core.context import name_scope
from millrace._src.core.convert import convert_to_tensor
from millrace._src.core.dtypes import DType, float32
from millrace._src.core.shape_context import static_value
from millrace._src.core.tensor import Tensor
from millrace._src.ops import raw
from millrace._src.ops.array.ranges import linspace
from millrace._src.ops.signal.cosine import dct
from millrace._src.ops.signal.sizes import dimension
from millrace._src.util.export import export

_BREAK_HERTZ = 700.0
_MELS = 1127.0


def _mel(hertz: Tensor) -> Any:
    return _MELS * raw.Log(x=1.0 + hertz / _BREAK_HERTZ)


def _check_arguments(num_mel_bins: Any, sample_rate: Any, low: Any, high: Any, dtype: DType) -> None:
    """Raises ValueError for arguments out of their range; a tensor that is being traced is not looked at."""
    bins, rate, low, high = (static_value(convert_to_tensor(v)) for v in (num_mel_bins, sample_rate, low, high))
    if bins is not None and bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if low is not None and low < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {low}")
    if low is not None and high is not None and low >= high:
        raise ValueError(f"lower_edge_hertz {low:.1f} >= upper_edge_hertz {high:.1f}")
    if rate is not None and rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {rate}")
    if rate is not None and high is not None and high > rate / 2:
        limit = "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2)"
        raise ValueError(f"{limit}. Got {high} for sample_rate: {rate}")
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!s}")


@export("signal.linear_to_mel_weight_matrix", v1=["signal.linear_to_mel_weight_matrix"])
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: TensorLike = 125.0,
    upper_edge_hertz: TensorLike = 3800.0,
    dtype: DType = float32,
    name: str | None = None,
) -> Any:
    """Computes the matrix that turns a spectrum of linear frequencies into one of bands on the mel scale.

    Each band is a triangle on the mel scale that begins and ends in the middle of its neighbours.

    >>> tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 80.0, 3800.0).numpy()[1:3].round(4)
    array([[0.771 , 0.229 , 0.    , 0.    ],
           [0.    , 0.7773, 0.2227, 0.    ]], dtype=float32)

    Args:
      num_mel_bins: integer: how many bands.
      num_spectrogram_bins: integer: how many frequencies, from 0 to half the sample rate.
      sample_rate: number or scalar: samples each second.
      lower_edge_hertz: number: the frequency at which the first band begins.
      upper_edge_hertz: number: the frequency at which the last band ends.
      dtype: a floating point dtype.
      name: name of the operation in a graph.

    Returns: A Tensor `[num_spectrogram_bins, num_mel_bins]`.
    Raises: ValueError: if an argument is out of its range, or `dtype` is not floating point.
    """
    with name_scope(name, "linear_to_mel_weight_matrix"):
        _check_arguments(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        zero = convert_to_tensor(0.0, dtype=dtype)
        nyquist = raw.Cast(x=convert_to_tensor(sample_rate), DstT=dtype) / 2
        frequencies = _mel(linspace(zero, nyquist, num_spectrogram_bins)[1:, None])
        low, high = (_mel(raw.Cast(x=convert_to_tensor(v), DstT=dtype)) for v in (lower_edge_hertz, upper_edge_hertz))
        edges = linspace(low, high, num_mel_bins + 2)[None]
        begin, middle, end = edges[:, :-2], edges[:, 1:-1], edges[:, 2:]
        rising = (frequencies - begin) / (middle - begin)
        falling = (end - frequencies) / (end - middle)
        weights = raw.Maximum(x=zero, y=raw.Minimum(x=rising, y=falling))
        return raw.Pad(input=weights, paddings=[[1, 0], [0, 0]])  # the frequency 0 is in no band


@export("signal.mfccs_from_log_mel_spectrograms", v1=["signal.mfccs_from_log_mel_spectrograms"])
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Any:
    """Computes mel-frequency cepstral coefficients: a cosine transform of the logarithms of mel spectra.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([1.0, 1.0]).numpy().round(4)
    array([2., 0.], dtype=float32)

    Args:
      log_mel_spectrograms: A Tensor `[..., num_mel_bins]` of float32 or float64: logarithms of mel spectra.
      name: name of the operation in a graph.

    Returns: A Tensor of the same shape and dtype; usually only the first 13 or so of the last dimension are used.
    Raises: ValueError: if there are no mel bins, or the input is a scalar.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms"):
        spectra = convert_to_tensor(log_mel_spectrograms, name="log_mel_spectrograms")
        spectra.shape.with_rank_at_least(1)
        bins = dimension(spectra, -1)
        if isinstance(bins, int):
            if bins == 0:
                raise ValueError(f"num_mel_bins must be positive. Got: {spectra!s}")
            return dct(spectra, type=2) * (1 / math.sqrt(2.0 * bins))
        return dct(spectra, type=2) * raw.Rsqrt(x=2 * raw.Cast(x=bins, DstT=spectra.dtype))
