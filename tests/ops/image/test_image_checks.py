"""Checks of images: at once where a shape is known, else when the graph runs."""

from __future__ import annotations

import pytest

import millrace as tf
from millrace._src.ops.image.image_checks import assertions, grayscale, image_or_batch


@pytest.mark.parametrize("check", [image_or_batch, grayscale])
def test_a_fitting_image_passes_unchanged(check: object) -> None:
    image = tf.zeros([2, 2, 1])
    assert check(image) is image  # type: ignore[operator]  # both functions take a tensor


@pytest.mark.parametrize(
    ("check", "shape", "words"),
    [
        (image_or_batch, (2, 2), r"'image' \(shape \(2, 2\)\) must be at least three-dimensional."),
        (image_or_batch, (2, 0, 3), r"inner 3 dims of 'image.shape' must be > 0: \(2, 0, 3\)"),
        (grayscale, (1,), r"A grayscale image \(shape \(1,\)\) must be at least two-dimensional."),
        (grayscale, (2, 3), "Last dimension of a grayscale image should be size 1."),
    ],
)
def test_a_known_shape_is_refused_at_once(check: object, shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check(tf.zeros(shape))  # type: ignore[operator]  # as above


@pytest.mark.parametrize(
    ("check", "shape", "words"),
    [
        (image_or_batch, (2, 2), "must be at least three-dimensional"),
        (image_or_batch, (2, 0, 3), "must be > 0"),
        (grayscale, (2, 3), "Last dimension of a grayscale image should be size 1"),
    ],
)
def test_an_unknown_shape_is_refused_when_the_graph_runs(check: object, shape: tuple[int, ...], words: str) -> None:
    f = tf.function(check, input_signature=[tf.TensorSpec(None)], autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        f(tf.zeros(shape))


def test_a_batch_of_unknown_size_needs_no_assertion() -> None:
    f = tf.function(image_or_batch, input_signature=[tf.TensorSpec([None, 2, 2, 3])], autograph=False)
    assert "Assert" not in [op.type for op in f.get_concrete_function().graph.get_operations()]


def test_a_plain_graph_waits_for_its_assertions() -> None:
    with tf.Graph().as_default():
        image = image_or_batch(tf.compat.v1.placeholder(tf.float32, None))
        assert [op.type for op in image.op.control_inputs] == ["Assert", "Assert"]


def test_a_known_claim_is_refused_at_once() -> None:
    assert assertions((True, "words")) == []
    with pytest.raises(ValueError, match="words"):
        assertions((False, "words"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="words"):
        assertions((tf.constant(False), "words"))
