"""Layers and images."""

from __future__ import annotations

from benchmarks.kernel_rows.kernel import Kernel

ROWS = (
    Kernel("bias_add", "x=normal(r, r); b=normal(r)", "tf.nn.bias_add(x, b)", "x + b", "x + b"),
    Kernel("l2_loss", "x=normal(n)", "tf.nn.l2_loss(x)", "(x * x).sum() / 2", "(x * x).sum() / 2"),
    Kernel(
        "max_pool",
        "x=normal(n // 4096, 16, 16, 16)",
        "tf.nn.max_pool2d(x, 2, 2, 'VALID')",
        "lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')",
        "F.max_pool2d(x, 2)",
        large=1 << 20,
    ),
    Kernel(
        "avg_pool",
        "x=normal(n // 4096 + 1, 16, 16, 16)",
        "tf.nn.avg_pool2d(x, 2, 2, 'VALID')",
        "",
        "F.avg_pool2d(x, 2)",
    ),
    Kernel(
        "resize_bilinear",
        "x=normal(1, r, r, 3)",
        "tf.image.resize(x, [2 * r, 2 * r])",
        "jax.image.resize(x, (1, 2 * r, 2 * r, 3), 'bilinear')",
        "F.interpolate(x.permute(0, 3, 1, 2), scale_factor=2, mode='bilinear')",
        large=1 << 18,
    ),
    Kernel(
        "resize_nearest",
        "x=normal(1, r, r, 3)",
        "tf.image.resize(x, [2 * r, 2 * r], 'nearest')",
        "jax.image.resize(x, (1, 2 * r, 2 * r, 3), 'nearest')",
        "F.interpolate(x.permute(0, 3, 1, 2), scale_factor=2)",
        large=1 << 18,
    ),
    Kernel(
        "resize_bicubic",
        "x=normal(1, r, r, 3)",
        "tf.image.resize(x, [r // 2, r // 2], 'bicubic')",
        "jax.image.resize(x, (1, r // 2, r // 2, 3), 'cubic')",
        "F.interpolate(x.permute(0, 3, 1, 2), scale_factor=0.5, mode='bicubic')",
        large=1 << 18,
    ),
    Kernel(
        "resize_area",
        "x=normal(1, r, r, 3)",
        "tf.image.resize(x, [r // 2, r // 2], 'area')",
        "",
        "F.interpolate(x.permute(0, 3, 1, 2), scale_factor=0.5, mode='area')",
        large=1 << 18,
    ),
    Kernel(
        "crop_and_resize",
        "x=normal(1, r, r, 3)",
        "tf.image.crop_and_resize(x, [[0., 0., 1., 1.]] * 4, [0] * 4, [32, 32])",
        large=1 << 18,
    ),
    Kernel("rgb_to_hsv", "x=uniform(r, r, 3)", "tf.image.rgb_to_hsv(x)", large=1 << 18),
    Kernel(
        "flip_left_right",
        "x=normal(4, r, r, 3)",
        "tf.image.flip_left_right(x)",
        "x[:, :, ::-1]",
        "x.flip(2)",
        large=1 << 16,
    ),
    Kernel("fft", "x=normal(r, r)", "tf.signal.rfft(x)", "jnp.fft.rfft(x)", "torch.fft.rfft(x)"),
    Kernel(
        "conv2d",
        "x=normal(max(n // 16384, 1), 16, 16, 64); w=normal(3, 3, 64, 64)",
        "tf.nn.conv2d(x, w, 1, 'SAME')",
        "lax.conv_general_dilated(x, w, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))",
        "F.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding=1)",
        large=1 << 18,
    ),
)
