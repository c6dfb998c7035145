"""The Fourier transform along any axes; TensorFlow has no kernels on a CPU, so the values are compared with NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import millrace as tf
from tests.contracts.sample import Sample
from tests.ops.signal.numbers import complex_numbers, real_numbers

_CASES = [((5,), [5], [0]), ((3, 4), [2, 4], [-1, 0]), ((2, 3, 4, 2), [2, 3, 3, 2], [3, 0, 2, 1]), ((0, 3), [3], [1])]


def _vector(values: list[int]) -> Any:
    return np.array(values, np.int32)


def _fitting(shape: tuple[int, ...], lengths: list[int], axes: list[int]) -> tuple[Any, Any]:
    """Returns lengths that the axes of a shape have."""
    return _vector([min(n, shape[a]) for n, a in zip(lengths, axes, strict=True)]), _vector(axes)


SAMPLES = [
    *(
        Sample(op, (complex_numbers(t, *shape), *_fitting(shape, n, axes)), grad=t == "complex128" and 0 not in shape)
        for op in ("FFTND", "IFFTND")
        for t in ("complex64", "complex128")
        for shape, n, axes in _CASES
    ),
    *(Sample(op, (complex_numbers("complex64", 2, 3), _vector([]), _vector([]))) for op in ("FFTND", "IFFTND")),
    *(
        Sample(
            "RFFTND",
            (real_numbers(t, *shape), *_fitting(shape, n, axes)),
            {"Tcomplex": c},
            grad=t == "float64" and 0 not in shape,
        )
        for t, c in (("float32", tf.complex64), ("float64", tf.complex128))
        for shape, n, axes in _CASES
    ),
    *(
        Sample(
            "IRFFTND",
            (complex_numbers(t, *shape), *_fitting(shape, n, axes)),
            {"Treal": r},
            grad=t == "complex128" and 0 not in shape,
        )
        for t, r in (("complex64", tf.float32), ("complex128", tf.float64))
        for shape, n, axes in _CASES
    ),
]

_ARGUMENTS = [
    {},
    {"axes": [1]},
    {"axes": [-1, 0]},
    {"fft_length": [5, 2]},
    {"fft_length": [5, 2], "axes": [2, 0]},
    {"fft_length": [3, 5, 6], "axes": [0, 1, 2], "norm": "ortho"},
    {"norm": "forward"},
    {"norm": "backward", "axes": 1},
]


@pytest.mark.parametrize("arguments", _ARGUMENTS, ids=str)
@pytest.mark.parametrize("shape", ["eager", "static", "unknown"])
def test_transforms_are_those_of_numpy(arguments: dict[str, Any], shape: str) -> None:
    x, z = real_numbers("float64", 2, 3, 4), complex_numbers("complex128", 2, 3, 4)
    axes = arguments.get("axes")
    lengths = arguments.get("fft_length")
    if axes is None and lengths is not None:
        axes = list(range(-len(lengths), 0))
    numpy_arguments = (lengths, [axes] if isinstance(axes, int) else axes, arguments.get("norm"))
    for name, value in (("fftn", z), ("ifftn", z), ("rfftn", x), ("irfftn", z)):
        function = getattr(tf.signal, name + "d")

        def call(value: Any, function: Any = function) -> Any:
            return function(value, **arguments)

        if shape != "eager":
            dims = value.shape if shape == "static" else [None] * 3
            call = tf.function(call, input_signature=[tf.TensorSpec(dims, value.dtype)])
        np.testing.assert_allclose(call(tf.constant(value)), getattr(np.fft, name)(value, *numpy_arguments), atol=1e-12)


def test_a_length_may_be_a_tensor() -> None:
    x = real_numbers("float32", 2, 3, 4)
    traced = tf.function(
        lambda x, n: tf.signal.rfftnd(x, n, axes=[1, 2]),
        input_signature=[tf.TensorSpec([2, None, 4]), tf.TensorSpec([2], tf.int32)],
    )
    np.testing.assert_allclose(traced(x, [5, 3]), np.fft.rfftn(x, (5, 3), (1, 2)), atol=1e-5)


def test_bad_arguments_raise() -> None:
    x = tf.zeros([2, 3, 4], tf.complex64)
    with pytest.raises(ValueError, match="norm must be None, 'backward', 'ortho' or 'forward', got: 'bad'"):
        tf.signal.fftnd(x, norm="bad")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axes\[0\] = 3 is out of range \[-3, 3\)"):
        tf.signal.fftnd(x, axes=[3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="axes must differ"):
        tf.signal.fftnd(x, axes=[1, -2])
    with pytest.raises(ValueError, match="fft_length must have one element for each of the axes"):
        tf.signal.fftnd(x, [5], axes=[1, 2])
    with pytest.raises(ValueError, match="fft_length must have at most 3 elements"):
        tf.signal.fftnd(x, [5, 5, 5, 5])
    with pytest.raises(ValueError, match=r"RFFT requires tf.float32 or tf.float64 inputs"):
        tf.signal.rfftnd(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axes must have at least one element"):
        tf.signal.rfftnd(tf.zeros([2]), axes=[])
    with pytest.raises(ValueError, match="Cannot take the length of shape with unknown rank"):
        tf.function(tf.signal.fftnd).get_concrete_function(tf.TensorSpec(None, tf.complex64))
    with pytest.raises(ValueError, match="must be known while tracing"):
        tf.function(lambda x, axes: tf.signal.fftnd(x, axes=axes))(x, tf.constant([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="axes must be a vector"):
        tf.fftnd(x, [2], [[1]])
