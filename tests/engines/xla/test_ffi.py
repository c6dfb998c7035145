"""Convolutions and products of compiled programs that are calls of oneDNN."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")
pytestmark = pytest.mark.xla

import jax  # noqa: E402

import millrace as tf  # noqa: E402
from millrace._src.engines.xla import ffi, host_calls  # noqa: E402
from millrace._src.engines.xla.namespace import xp  # noqa: E402
from millrace._src.ops.nn import correlation  # noqa: E402
from millrace._src.ops.nn.sliding_windows import make_windows  # noqa: E402
from millrace._src.util.onednn import library  # noqa: E402
from millrace._src.util.onednn.convolution import Convolution  # noqa: E402

needs_library = pytest.mark.skipif(library.load() is None, reason="oneDNN is not installed")
SHAPE = Convolution((4, 8, 8, 16), (3, 3, 16, 16), (8, 8), (1, 1), (1, 1), (1, 1), "float32")


def array(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Lets every convolution be a call that can be; gives the kinds of those that were asked about."""
    kinds: list[str] = []
    monkeypatch.setattr(correlation, "_SMALL", 0)
    monkeypatch.setattr(ffi, "_WORTH_CALLING", 0)
    monkeypatch.setattr(ffi, "_is_faster", lambda call, *_: kinds.append(call.kind) or True)
    yield kinds


@needs_library
@pytest.mark.parametrize(
    ("spatial", "kernel", "stride", "dilation", "groups", "data_format"),
    [
        ((9, 7), (3, 2), 1, 1, 1, "NHWC"),
        ((9, 7), (3, 2), 2, 1, 1, "NHWC"),
        ((9, 7), (3, 2), 1, 2, 2, "NHWC"),
        ((9, 7), (3, 2), 1, 1, 1, "NCHW"),
        ((5, 6, 4), (2, 3, 1), 1, 1, 1, "NDHWC"),
    ],
)
def test_a_call_gives_what_xlas_own_form_gives(
    spatial: Any, kernel: Any, stride: int, dilation: int, groups: int, data_format: str, forced: list[str]
) -> None:
    n = len(spatial)
    shape = (2, 8, *spatial) if data_format == "NCHW" else (2, *spatial, 8)
    x, filters = tf.constant(array(*shape)), tf.constant(array(*kernel, 8 // groups, 6))

    def step(x: Any, filters: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch((x, filters))
            y = tf.nn.convolution(x, filters, [stride] * n, "SAME", data_format, [dilation] * n)
            loss = tf.reduce_sum(y * y)
        return y, *tape.gradient(loss, (x, filters))

    expected = step(x, filters)
    function = tf.function(step, jit_compile=True)
    results = function(x, filters)
    function.get_concrete_function(x, filters)
    for one, other in zip(results, expected, strict=True):
        np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-4, atol=1e-3)


@needs_library
@pytest.mark.parametrize("kind", ["forward", "input_gradient", "filter_gradient"])
def test_the_three_calculations_in_a_program(kind: str, forced: list[str]) -> None:
    windows = make_windows((8, 8), (3, 3), (1, 1), (1, 1), "SAME", ((0, 0),) * 2)
    x, filters, dy = array(*SHAPE.images), array(*SHAPE.filters), array(*SHAPE.results, seed=1)

    def program(x: Any, filters: Any, dy: Any) -> Any:
        if kind == "forward":
            return correlation.correlate(xp, x, filters, windows)
        if kind == "input_gradient":
            return correlation.correlate_input_gradient(xp, dy, filters, windows, x.shape)
        return correlation.correlate_filter_gradient(xp, x, dy, windows, filters.shape)

    own = np.asarray(jax.jit(program)(x, filters, dy))
    assert forced == []  # a program without watchers calls nothing
    with host_calls.allow_calls() as watched:
        compiled = watched(jax.jit(lambda *arrays: program(*arrays)).lower(x, filters, dy).compile())
    assert forced == [kind]
    assert isinstance(compiled, host_calls.Watched)
    np.testing.assert_allclose(np.asarray(compiled(x, filters, dy)), own, rtol=1e-4, atol=1e-3)


@needs_library
@pytest.mark.parametrize(("rows", "columns", "width"), [(512, 256, 30), (1024, 512, 256), (520, 768, 1)])
def test_the_product_of_a_matrix_with_far_rows_is_a_call(
    rows: int, columns: int, width: int, forced: list[str]
) -> None:
    a, b = array(rows, columns), array(rows, width, seed=1)
    f = tf.function(lambda a, b: tf.matmul(tf.tanh(a), b, transpose_a=True), jit_compile=True)
    result = f(tf.constant(a), tf.constant(b))
    assert forced == ["product"]
    np.testing.assert_allclose(result.numpy(), np.tanh(a).T @ b, rtol=1e-4, atol=1e-3)


@needs_library
@pytest.mark.parametrize(
    ("shapes", "dtype", "transpose_a"),
    [
        (((512, 255), (512, 30)), np.float32, True),
        (((256, 512), (512, 30)), np.float32, False),
        (((512, 256), (512, 30)), np.float64, True),
        (((512, 256), (512, 30)), tf.bfloat16.as_numpy_dtype, True),
    ],
)
def test_other_products_are_xlas_own(shapes: Any, dtype: Any, transpose_a: bool, forced: list[str]) -> None:
    a, b = (array(*shape).astype(dtype) for shape in shapes)
    f = tf.function(lambda a, b: tf.matmul(a, b, transpose_a=transpose_a), jit_compile=True)
    assert f(tf.constant(a), tf.constant(b)).shape[1] == 30
    assert forced == []


def test_a_product_of_unlike_sizes_is_refused_although_it_might_be_a_call(forced: list[str]) -> None:
    f = tf.function(lambda a, b: tf.matmul(a, b, transpose_a=True), jit_compile=True, reduce_retracing=True)
    specs = (tf.TensorSpec([None, 256]), tf.TensorSpec([None, 30]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f.get_concrete_function(*specs)(tf.zeros([512, 256]), tf.zeros([513, 30]))
    assert forced == []


@needs_library
def test_both_forms_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ffi, "_verdicts", {})
    times = iter([[1.0, 2.0], [2.0, 1.0]])
    monkeypatch.setattr(ffi, "_shortest_runs", lambda *_: next(times))
    answers = [
        ffi._is_faster(ffi._convolution(kind, SHAPE), abs, abs, ((1,), (1,)))
        for kind, _ in itertools.product(("forward", "filter_gradient"), range(2))
    ]
    assert answers == [True, True, False, False]


@needs_library
def test_the_runs_of_a_measurement_are_of_programs_although_another_one_is_traced() -> None:
    seconds: list[Any] = []

    def program(x: Any) -> Any:
        seconds.append(ffi._shortest_runs((lambda a, b: a + b, lambda a, b: a * b), ((2, 3), (2, 3)), "float32"))
        return x + 1

    assert float(jax.jit(program)(1.0)) == 2.0
    assert all(isinstance(value, float) and value > 0 for value in seconds[0])


def test_small_convolutions_are_xlas_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ffi, "_is_usable", lambda: pytest.fail("was asked"))
    with host_calls.allow_calls():
        assert ffi.convolve("forward", SHAPE._replace(images=(1, 2, 2, 16)), lambda a, b: a + b, 1, 2) == 3  # type: ignore[operator]


@needs_library
def test_an_error_is_raised_where_the_program_was_called() -> None:
    assert ffi._is_usable()
    call = jax.ffi.ffi_call(ffi._TARGET, jax.ShapeDtypeStruct((1,), np.float32))
    program = jax.jit(lambda a, b: call(a, b, calculation='["forward", "nonsense"]'))
    with pytest.raises(jax.errors.JaxRuntimeError, match="missing or refuses"):
        program(np.ones(1, np.float32), np.ones(1, np.float32)).block_until_ready()


@needs_library
def test_where_another_version_does_not_fit_nothing_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    ffi._is_usable.cache_clear()

    def refuse(*_: Any, **__: Any) -> None:
        raise TypeError("unexpected argument")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
    try:
        assert not ffi._is_usable()
    finally:
        ffi._is_usable.cache_clear()


@needs_library
def test_programs_run_in_several_threads_while_the_interpreter_is_busy() -> None:
    assert ffi._is_usable()
    form = ffi._convolution("forward", SHAPE).form()
    assert form is not None
    program = host_calls.Watched(jax.jit(form))
    x, filters = array(*SHAPE.images), array(*SHAPE.filters)
    expected = np.asarray(program(x, filters))
    wrong: list[int] = []

    def call(number: int) -> None:
        for _ in range(20):
            if not np.array_equal(np.asarray(program(x, filters)), expected):
                wrong.append(number)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        sum(range(1000))
    assert not wrong
