"""tf.signal: Fourier and cosine transforms, frames, windows, spectrograms."""


from __future__ import annotations

from tests.oracle.support import Approx, attempt


def _real(np, *shape, dtype="float32"):
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 1.7) * 2).reshape(shape).astype(dtype)


def _complex(np, *shape, dtype="complex64"):
    real = _real(np, *shape, dtype="float64")
    return (real + 1j * np.cos(real * 5 + 1)).astype(dtype)


def _close(*values):
    return [Approx(v, 2e-6) for v in values]


def _traced_shapes(tf, function, dtype, *shapes):
    out = []
    for shape in shapes:
        traced = tf.function(function, autograph=False)
        out.append(str(traced.get_concrete_function(tf.TensorSpec(shape, dtype)).outputs[0].shape))
    return out


def prog_fft(tf, np):
    """One, two and three axes, both precisions."""
    x, z = tf.constant(_complex(np, 2, 3, 4)), tf.constant(_complex(np, 2, 3, 4, dtype="complex128"))
    s = tf.signal
    return _close(*(f(v) for f in (s.fft, s.ifft, s.fft2d, s.ifft2d, s.fft3d, s.ifft3d) for v in (x, z)))


def prog_fft_conversions(tf, np):
    """Python numbers, NumPy arrays."""
    s = tf.signal
    return _close(s.fft([1.0, 2.0, 4.0]), s.fft([1 + 2j, 2.0]), s.fft([1, 2]), s.fft(np.array([1.0, 2.0])))


def prog_fft_errors(tf, np):
    """Ranks and dtypes."""
    s = tf.signal
    return [attempt(lambda: s.fft(tf.complex(1.0, 2.0)), words=9), attempt(lambda: s.fft2d(tf.complex([1.0], [2.0])), words=9), attempt(lambda: s.fft3d(tf.complex([1.0], [2.0])), words=9), attempt(lambda: s.fft(tf.constant([1.0])), words=8), attempt(lambda: s.fft([True]), words=8)]


def prog_fft_errors_in_graph(tf, np):
    """Shape rules."""
    s = tf.signal
    return [attempt(lambda f=f: _traced_shapes(tf, f, tf.complex64, []), words=9) for f in (s.fft, s.fft2d, s.fft3d, s.ifft, s.ifft2d, s.ifft3d)]


def prog_fft_shapes(tf, np):
    """Unknown dimensions."""
    s = tf.signal
    return [_traced_shapes(tf, s.fft, tf.complex64, None, [None], [2, None, 3]), _traced_shapes(tf, s.ifft3d, tf.complex64, None, [None, 2, 3], [5, 2, None, 3])]


def prog_fft_empty(tf, np):
    """No elements."""
    s = tf.signal
    return [s.fft(tf.zeros([0], tf.complex64)), s.fft(tf.zeros([2, 0], tf.complex64)), s.fft2d(tf.zeros([0, 3], tf.complex64)), s.rfft(tf.zeros([0, 4])), s.rfft2d(tf.zeros([0, 4, 4])), s.irfft(tf.zeros([0, 3], tf.complex64)), s.irfft2d(tf.zeros([0, 3, 3], tf.complex64)), s.rfft(tf.zeros([0]))]


def prog_rfft(tf, np):
    """One axis; longer and shorter."""
    s, x = tf.signal, tf.constant(_real(np, 3, 7))
    return _close(*(s.rfft(x, n) for n in (None, [7], [4], [5], [9], [1])), s.rfft(tf.cast(x, tf.float64)))


def prog_rfft2d(tf, np):
    """Two axes; longer and shorter."""
    s, x = tf.signal, tf.constant(_real(np, 2, 3, 5))
    return _close(*(s.rfft2d(x, n) for n in (None, [3, 5], [2, 4], [5, 9], [4, 3])), s.rfft2d(tf.cast(x, tf.float64)))


def prog_rfft3d(tf, np):
    """Three axes; longer and shorter."""
    s, x = tf.signal, tf.constant(_real(np, 2, 3, 4, 5))
    return _close(*(s.rfft3d(x, n) for n in (None, [3, 4, 5], [2, 4, 3], [5, 4, 9])), s.rfft3d(tf.cast(x, tf.float64)))


def prog_irfft(tf, np):
    """One axis; longer and shorter; spectra that no real numbers have."""
    s, x = tf.signal, tf.constant(_complex(np, 3, 5))
    return _close(*(s.irfft(x, n) for n in (None, [7], [4], [9], [12], [1])), s.irfft(tf.cast(x, tf.complex128)), s.irfft([1.0, 2.0]), s.irfft([1, 2]))


def prog_irfft2d(tf, np):
    """Two axes."""
    s, x = tf.signal, tf.constant(_complex(np, 2, 3, 5))
    return _close(*(s.irfft2d(x, n) for n in (None, [3, 7], [2, 4], [5, 9])), s.irfft2d(tf.cast(x, tf.complex128)))


def prog_irfft3d(tf, np):
    """Three axes."""
    s, x = tf.signal, tf.constant(_complex(np, 2, 3, 4, 5))
    return _close(*(s.irfft3d(x, n) for n in (None, [3, 4, 7], [2, 4, 4], [5, 4, 9])), s.irfft3d(tf.cast(x, tf.complex128)))


def prog_rfft_errors(tf, np):
    """Ranks, dtypes, lengths."""
    s = tf.signal
    return [attempt(lambda: s.rfft(tf.constant([1.0], tf.float16)), words=7), attempt(lambda: s.rfft([1j]), words=7), attempt(lambda: s.irfft(tf.constant([1.0])), words=7), attempt(lambda: s.rfft(1.0), words=7), attempt(lambda: s.rfft2d([1.0]), words=7), attempt(lambda: s.rfft3d([1.0]), words=7), attempt(lambda: s.irfft2d([1j]), words=7), attempt(lambda: s.rfft([1.0, 2.0], [2, 3]), words=5), attempt(lambda: s.rfft([1.0, 2.0], [-1]), words=6), attempt(lambda: s.rfft([1.0, 2.0], tf.constant([2], tf.int64)), words=4)]


def prog_raw_rfft_errors(tf, np):
    """The ops take no fewer elements than their length, and one precision."""
    r = tf.raw_ops
    return [attempt(lambda: r.RFFT(input=[1.0, 2.0], fft_length=[5]), words=12), attempt(lambda: r.IRFFT(input=[1 + 0j, 2.0], fft_length=[5], Treal=tf.float64), words=12), attempt(lambda: r.RFFT2D(input=[[1.0, 2.0]], fft_length=[2, 5]), words=12), attempt(lambda: r.RFFT(input=[1.0, 2.0], fft_length=[2], Tcomplex=tf.complex128), words=8), attempt(lambda: r.IRFFT(input=[1j, 2.0], fft_length=[2], Treal=tf.float32), words=8), attempt(lambda: r.RFFT(input=1.0, fft_length=[2]), words=9)]


def prog_rfft_shapes(tf, np):
    """What a trace knows."""
    s = tf.signal
    out = [_traced_shapes(tf, s.rfft, tf.float32, [5], None, [2, 6]), _traced_shapes(tf, lambda x: s.rfft(x, [5]), tf.float32, [2, None], [3], [2, 8]), _traced_shapes(tf, s.irfft, tf.complex64, [5], [None])]
    return out + [_traced_shapes(tf, lambda x: s.rfft2d(x, [7, 8]), tf.float32, [3, 3]), _traced_shapes(tf, s.irfft2d, tf.complex64, [None, 3, 3]), _traced_shapes(tf, s.irfft3d, tf.complex64, [None, 3, None, 3]), attempt(lambda: _traced_shapes(tf, lambda x: s.rfft(x, [2, 3]), tf.float32, [3]), words=7)]


def prog_rfft_of_unknown_shapes(tf, np):
    """Lengths are found when the function runs."""
    s, out = tf.signal, []
    for shape in (None, [None, None]):
        f = tf.function(lambda x, n: (s.rfft(x), s.rfft(x, n), s.irfft(s.rfft(x), n)), input_signature=[tf.TensorSpec(shape), tf.TensorSpec([1], tf.int32)])
        out += [f(_real(np, 2, 6), [n]) for n in (4, 6, 9)]
    return _close(*[r for three in out for r in three])


def prog_fft_gradients(tf, np):
    """Of complex transforms."""
    s, out = tf.signal, []
    for f in (s.fft, s.ifft, s.fft2d, s.ifft2d, s.fft3d, s.ifft3d):
        x, w = tf.constant(_complex(np, 2, 3, 4)), tf.constant(_complex(np, 4, 3, 2).reshape(2, 3, 4))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.abs(f(x) * w))
        out.append(tape.gradient(y, x))
    return [Approx(v, 2e-5) for v in out]


def prog_rfft_gradients(tf, np):
    """Of real transforms, even and odd."""
    s, out = tf.signal, []
    for f, rank in ((s.rfft, 1), (s.rfft2d, 2)):
        for lengths in (None, [4, 6][-rank:], [5, 7][-rank:]):
            x = tf.constant(_real(np, 2, 4, 6))
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.abs(f(x, lengths)))
            out.append(tape.gradient(y, x))
    return [Approx(v, 2e-5) for v in out]


def prog_irfft_gradients(tf, np):
    """Back to real numbers, even and odd."""
    s, out = tf.signal, []
    for f, rank in ((s.irfft, 1), (s.irfft2d, 2)):
        for lengths in (None, [4, 7][-rank:], [4, 6][-rank:]):
            x = tf.constant(_complex(np, 2, 4, 4))
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(f(x, lengths) ** 2)
            out.append(tape.gradient(y, x))
    return [Approx(v, 2e-5) for v in out]


def prog_fftnd_arguments(tf, np):
    """What the any-axes family refuses in both."""
    s, x = tf.signal, tf.zeros([2, 3], tf.float16)
    return [attempt(lambda: s.rfftnd(x), words=7), attempt(lambda: s.irfftnd(x), words=7), attempt(lambda: _traced_shapes(tf, s.fftnd, tf.complex64, None), words=9)]


def prog_shifts(tf, np):
    """Axes of every form."""
    s, x = tf.signal, tf.reshape(tf.range(60), [3, 4, 5])
    return [f(x, axes) for f in (s.fftshift, s.ifftshift) for axes in (None, 0, -1, (0, 1), [2, 0], tf.constant([1]), tf.constant(2), np.array([0]))] + [s.fftshift(tf.constant(["a", "b", "c"])), s.fftshift([1.0, 2.0, 3.0])]


def prog_shift_shapes(tf, np):
    """What a trace knows."""
    return _traced_shapes(tf, tf.signal.fftshift, tf.float32, [3], [None, 2]) + [attempt(lambda: tf.signal.fftshift(1.0), words=0), attempt(lambda: tf.signal.fftshift([[1.0]], axes=3), words=0)]


def prog_frames(tf, np):
    """Lengths and steps, with and without padding."""
    x = tf.range(10.0)
    return [tf.signal.frame(x, n, k, pad_end=p, pad_value=-1.0) for n, k in ((3, 2), (4, 4), (2, 5), (6, 4), (30, 2), (1, 1), (0, 2)) for p in (False, True)]


def prog_frames_of_axes(tf, np):
    """Any axis, any dtype."""
    x = tf.reshape(tf.range(24), [2, 3, 4])
    return [tf.signal.frame(x, 2, 1, axis=a) for a in (0, 1, 2, -1, -2, -3)] + [tf.signal.frame(tf.constant(["a", "b", "c"]), 2, 1, True, "z"), tf.signal.frame([True, False], 2, 1), tf.signal.frame([1j, 2.0], 2, 1), tf.signal.frame(x, 2, 1, axis=tf.constant(0))]


def prog_frame_errors(tf, np):
    """Ranks, axes, sizes."""
    x = tf.range(10.0)
    return [attempt(lambda: tf.signal.frame(1.0, 2, 1), words=7), attempt(lambda: tf.signal.frame(x, [2], 1), words=6), attempt(lambda: tf.signal.frame(x, 2, [1]), words=6), attempt(lambda: tf.signal.frame(x, 2, 1, axis=3), words=4), attempt(lambda: tf.signal.frame(x, 2, 0), words=0), attempt(lambda: tf.signal.frame(x, -2, 1), words=7), attempt(lambda: tf.signal.frame(x, 3, 1, True, [1.0]), words=6)]


def prog_frame_shapes(tf, np):
    """What a trace knows."""
    f = tf.signal.frame
    return [_traced_shapes(tf, lambda x: f(x, 3, 2), tf.float32, [10], [None], [2, 10], [None, 10], None), _traced_shapes(tf, lambda x: f(x, 3, 2, pad_end=True), tf.float32, [10], [None]), _traced_shapes(tf, lambda x: f(x, 3, 2, axis=0), tf.float32, [4, None, 3], [None, 2])]


def prog_frame_gradient(tf, np):
    """Overlapping frames add up."""
    x, out = tf.constant(_real(np, 2, 9)), []
    for n, k, axis in ((4, 2, -1), (3, 3, -1), (2, 1, 0)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.signal.frame(x, n, k, pad_end=True, axis=axis) ** 2)
        out.append(tape.gradient(y, x))
    return _close(*out)


def prog_overlap_and_add(tf, np):
    """Steps shorter, equal and longer than frames."""
    x = tf.reshape(tf.range(24), [2, 3, 4])
    return [tf.signal.overlap_and_add(x, k) for k in (1, 2, 3, 4, 6)] + [tf.signal.overlap_and_add(x[:, :0], 2), tf.signal.overlap_and_add(x[..., :0], 2), tf.signal.overlap_and_add(tf.cast(x, tf.complex64), tf.constant(2, tf.int64))]


def prog_overlap_and_add_errors(tf, np):
    """Ranks, steps."""
    x = tf.ones([3, 4])
    return [attempt(lambda: tf.signal.overlap_and_add(x[0], 2), words=7), attempt(lambda: tf.signal.overlap_and_add(x, 2.0), words=9), attempt(lambda: tf.signal.overlap_and_add(x, [2]), words=6), attempt(lambda: tf.signal.overlap_and_add(x, 0), words=3)]


def prog_overlap_and_add_shapes(tf, np):
    """What a trace knows."""
    return _traced_shapes(tf, lambda x: tf.signal.overlap_and_add(x, 2), tf.float32, [2, 10], [None, 10], [2, 3, None], [4, None, 3], None)


def prog_windows(tf, np):
    """All windows, even and odd."""
    s = tf.signal
    out = [f(n) for f in (s.hann_window, s.hamming_window, s.vorbis_window, s.kaiser_bessel_derived_window) for n in (0, 1, 2, 5, 8, 31)]
    return _close(*out, *(s.kaiser_window(n) for n in (1, 2, 5, 8, 31)))


def prog_window_dtypes(tf, np):
    """Dtypes."""
    s, out = tf.signal, []
    for f in (s.hann_window, s.hamming_window, s.vorbis_window, s.kaiser_window, s.kaiser_bessel_derived_window):
        out += [Approx(f(6, dtype=tf.float64), 1e-12), Approx(f(6, dtype=tf.float16), 1e-3), attempt(lambda f=f: f(6, dtype=tf.int32), words=8), attempt(lambda f=f: f([6]), words=6), attempt(lambda f=f: f(6.0), words=7)]
    return out


def prog_window_arguments(tf, np):
    """periodic, beta."""
    s = tf.signal
    out = [f(n, periodic=p) for f in (s.hann_window, s.hamming_window) for n in (1, 2, 5, 8) for p in (False, tf.constant(True))]
    return _close(*out, *(f(6, b) for f in (s.kaiser_window, s.kaiser_bessel_derived_window) for b in (0.0, 1, tf.constant(5.0), tf.constant(3.0, tf.float64))))


def prog_windows_of_unknown_length(tf, np):
    """The length is a tensor in a function."""
    s, out = tf.signal, []
    for f in (s.hann_window, s.hamming_window, s.vorbis_window, s.kaiser_window, s.kaiser_bessel_derived_window):
        traced = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32)])
        out += [traced(4), traced(7)]
    return _close(*out)


def prog_stft(tf, np):
    """Lengths, windows, padding."""
    s, x = tf.signal, tf.constant(_real(np, 2, 24))
    return _close(s.stft(x, 8, 4), s.stft(x, 6, 4), s.stft(x, 6, 4, 16), s.stft(x, 6, 4, 4), s.stft(x, 6, 4, window_fn=None), s.stft(x, 6, 4, pad_end=True), s.stft(x, 6, 4, window_fn=s.hamming_window), s.stft(tf.cast(x, tf.float64), 4, 2), s.stft(x, 1, 1), s.stft(x, 5, 1), s.stft(x, 4, 2, window_fn=lambda n, dtype: tf.ones([n], dtype) * 2))


def prog_stft_errors(tf, np):
    """Dtypes, ranks."""
    s, x = tf.signal, tf.range(10.0)
    return [attempt(lambda: s.stft(tf.range(10), 4, 2), words=8), attempt(lambda: s.stft(tf.cast(x, tf.float16), 4, 2), words=7), attempt(lambda: s.stft(1.0, 4, 2), words=7), attempt(lambda: s.stft(x, [4], 2), words=6), attempt(lambda: s.stft(x, 4, [2]), words=6)]


def prog_stft_shapes(tf, np):
    """What a trace knows."""
    return _traced_shapes(tf, lambda x: tf.signal.stft(x, 4, 2), tf.float32, [10], [None], [2, 10], [None, 10], None)


def prog_stft_gradient(tf, np):
    """Through frames, window and transform."""
    x = tf.constant(_real(np, 20))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.abs(tf.signal.stft(x, 8, 4)) ** 2)
    return Approx(tape.gradient(y, x), 1e-5)


def prog_inverse_stft(tf, np):
    """Lengths and windows."""
    s, z = tf.signal, tf.signal.stft(tf.constant(_real(np, 2, 24)), 8, 4)
    return _close(s.inverse_stft(z, 8, 4), s.inverse_stft(z, 8, 4, window_fn=s.inverse_stft_window_fn(4)), s.inverse_stft(z, 8, 4, window_fn=None), s.inverse_stft(z, 6, 4), s.inverse_stft(z, 10, 4), s.inverse_stft(z, 6, 4, 8), s.inverse_stft(z, 12, 4, 8), s.inverse_stft(z, 8, 16), s.inverse_stft(tf.cast(z, tf.complex128), 8, 4))


def prog_inverse_stft_errors(tf, np):
    """Dtypes, ranks."""
    s, z = tf.signal, tf.ones([2, 3], tf.complex64)
    return [attempt(lambda: s.inverse_stft(tf.ones([2, 3]), 4, 2), words=7), attempt(lambda: s.inverse_stft(z[0], 4, 2), words=7), attempt(lambda: s.inverse_stft(z, [4], 2), words=6), attempt(lambda: s.inverse_stft(z, 4, [2]), words=6), attempt(lambda: s.inverse_stft(z, 4, 2, [4]), words=6)]


def prog_inverse_stft_window(tf, np):
    """Steps shorter, equal and longer than frames."""
    f = tf.signal.inverse_stft_window_fn
    return _close(f(4)(8, tf.float32), f(3)(8, tf.float32), f(10)(8, tf.float32), f(4, tf.signal.hamming_window)(8, tf.float32), f(tf.constant(4))(tf.constant(8), dtype=tf.float64))


def prog_inverse_stft_window_errors(tf, np):
    """Scalars."""
    f = tf.signal.inverse_stft_window_fn
    return [attempt(lambda: f([4])(8, tf.float32), words=6), attempt(lambda: f(4)([8], tf.float32), words=6), attempt(lambda: f(0)(8, tf.float32), words=0), attempt(lambda: f(4)(8), words=0)]


def prog_dct(tf, np):
    """Types and norms."""
    x = tf.constant(_real(np, 2, 10))
    kinds = [(1, None), *((t, n) for t in (2, 3, 4) for n in (None, "ortho"))]
    return [Approx(f(x, t, norm=n), 4e-6) for f in (tf.signal.dct, tf.signal.idct) for t, n in kinds]


def prog_dct_sizes(tf, np):
    """n, odd sizes, float64, nothing."""
    x = tf.constant(_real(np, 2, 7))
    return [Approx(v, 4e-6) for v in (tf.signal.dct(x, n=4), tf.signal.dct(x, n=12), tf.signal.dct(x, 4, n=3), tf.signal.dct(x, 4), tf.signal.idct(x, n=4), tf.signal.dct(x, n=tf.constant(4)), tf.signal.dct(x[:, :0]), tf.signal.dct(x, 1, n=1), tf.signal.dct(tf.cast(x, tf.float64), 3))]


def prog_dct_errors(tf, np):
    """Types, norms, axes."""
    x = tf.range(4.0)
    return [attempt(lambda f=f, k=k: f(x, **k), words=4) for f in (tf.signal.dct, tf.signal.idct) for k in ({"type": 5}, {"type": "2"}, {"norm": "bad"}, {"type": 1, "norm": "ortho"}, {"n": 0}, {"n": -1}, {"axis": 0})]


def prog_dct_shapes(tf, np):
    """What a trace knows."""
    return _traced_shapes(tf, tf.signal.dct, tf.float32, [10], [None], [2, 10], [None, 10], None)


def prog_mdct(tf, np):
    """Windows and norms."""
    s, x = tf.signal, tf.constant(_real(np, 2, 24))
    return [Approx(v, 4e-6) for v in (s.mdct(x, 8), s.mdct(x, 8, norm="ortho"), s.mdct(x, 8, window_fn=None), s.mdct(x, 8, None, norm="ortho"), s.mdct(x[:, :21], 8, pad_end=True), s.mdct(x[:, :21], 8), s.mdct(x, 8, s.kaiser_bessel_derived_window), s.mdct(tf.cast(x, tf.float64), 4))]


def prog_inverse_mdct(tf, np):
    """Windows and norms."""
    s, x = tf.signal, tf.constant(_real(np, 2, 5, 4))
    return [Approx(v, 4e-6) for v in (s.inverse_mdct(x), s.inverse_mdct(x, norm="ortho"), s.inverse_mdct(x, None), s.inverse_mdct(x, None, "ortho"), s.inverse_mdct(x, s.kaiser_bessel_derived_window), s.inverse_mdct(tf.cast(x, tf.float64)))]


def prog_mdct_errors(tf, np):
    """Lengths, ranks."""
    s, x = tf.signal, tf.range(16.0)
    return [attempt(lambda: s.mdct(x, 6), words=9), attempt(lambda: s.mdct(x, 8, norm="z"), words=7), attempt(lambda: s.mdct(1.0, 8), words=7), attempt(lambda: s.mdct(x, [8]), words=6), attempt(lambda: s.inverse_mdct(tf.ones([4])), words=7), attempt(lambda: s.inverse_mdct(tf.ones([2, 3])), words=10)]


def prog_mel_matrix(tf, np):
    """Bands."""
    f = tf.signal.linear_to_mel_weight_matrix
    return [Approx(v, 1e-4) for v in (f(), f(4, 9, 8000, 80.0, 3800.0), f(8, 17, tf.constant(8000.0)), f(8, 17, tf.constant(8000)), f(4, 9, dtype=tf.float64), f(lower_edge_hertz=0.0))]


def prog_mel_matrix_errors(tf, np):
    """Ranges."""
    f = tf.signal.linear_to_mel_weight_matrix
    return [attempt(lambda k=k: f(**k), words=4) for k in ({"num_mel_bins": 0}, {"num_mel_bins": -1}, {"lower_edge_hertz": -1}, {"lower_edge_hertz": 100.0, "upper_edge_hertz": 50.0}, {"sample_rate": 0}, {"upper_edge_hertz": 5000.0}, {"dtype": tf.int32})]


def prog_mfccs(tf, np):
    """Of spectra."""
    x = tf.constant(_real(np, 2, 3, 8))
    return [Approx(tf.signal.mfccs_from_log_mel_spectrograms(v), 4e-6) for v in (x, tf.cast(x, tf.float64))] + [attempt(lambda: tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0])), words=5)]


def prog_compiled_spectrogram(tf, np):
    """A mel spectrogram under XLA."""

    @tf.function(jit_compile=True)
    def features(x):
        power = tf.abs(tf.signal.stft(x, 16, 8)) ** 2
        return tf.signal.mfccs_from_log_mel_spectrograms(tf.math.log(power @ tf.signal.linear_to_mel_weight_matrix(4, 9) + 1e-3))

    return Approx(features(tf.constant(_real(np, 2, 64))), 1e-4)


def prog_old_names(tf, np):
    """tf.compat.v1.spectral and the root."""
    v1, x = tf.compat.v1, [1.0, 2.0, 4.0]
    return _close(v1.fft(x), v1.spectral.rfft(x), v1.signal.irfft(x), v1.spectral.dct(x), v1.spectral.idct(x), v1.spectral.fft2d([x]), v1.ifft3d([[x]]))
