"""Many gradients at once: of each example of a batch, by the weights; and of each output, by the input.

The first program is a small convolutional net: a gradient by all its weights for each of 32 images of 12x12, and the
Jacobian of its 10 logits by one image. The second is a recurrent net, a loop of 20 steps: a gradient by all its weights
for each of 32 sequences, and the Jacobian of the last state of one by the first state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.rows import Row, tf_variants

ROWS = (
    Row(
        "conv_gradients_eager",
        "gradients of each of 32 images, eager",
        "us",
        bound="The function is traced in each call, 33 operations in 0.83 ms; the program takes 0.33 ms.",
    ),
    Row("conv_gradients", "gradients of each of 32 images, in a function", "us"),
    Row("rnn_gradients", "gradients of each of 32 sequences, in a function", "us"),
    Row("conv_jacobian_eager", "Jacobian of a conv net, eager", "us"),
    Row("conv_jacobian", "Jacobian of a conv net, in a function", "us"),
    Row("rnn_jacobian", "Jacobian of an RNN loop, in a function", "us"),
)
BATCH, STEPS, UNITS = 32, 20, 16


def _arrays(np: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Images, labels, sequences, and weights."""
    rng = np.random.RandomState(0)

    def normal(*shape: int) -> Any:
        return (0.2 * rng.randn(*shape)).astype("float32")

    weights = {"conv": normal(3, 3, 1, 8), "dense": normal(200, 10), "input": normal(8, UNITS), "state": normal(16, 16)}
    return normal(BATCH, 12, 12, 1), rng.randint(0, 10, BATCH), normal(BATCH, STEPS, 8), weights


def tensorflow(tf: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    arrays = _arrays(np)
    images, labels, sequences = map(tf.constant, arrays[:3])
    w = {name: tf.constant(value) for name, value in arrays[3].items()}

    def logits(image: Any, conv: Any, dense: Any) -> Any:
        x = tf.nn.relu(tf.nn.conv2d(image[None], conv, 1, "VALID"))
        return tf.reshape(tf.nn.max_pool2d(x, 2, 2, "VALID"), [1, 200]) @ dense

    def of_image(item: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([w["conv"], w["dense"]])
            found = logits(item[0], w["conv"], w["dense"])
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(item[1][None], found)
        return tape.gradient(loss, [w["conv"], w["dense"]])

    def last_state(sequence: Any, start: Any) -> Any:
        def step(i: Any, h: Any) -> Any:
            return i + 1, tf.tanh(sequence[i][None] @ w["input"] + h @ w["state"])

        return tf.while_loop(lambda i, h: i < STEPS, step, (0, start), maximum_iterations=STEPS)[1]

    def of_sequence(sequence: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([w["input"], w["state"]])
            loss = tf.reduce_sum(last_state(sequence, tf.zeros([1, UNITS])) ** 2)
        return tape.gradient(loss, [w["input"], w["state"]])

    def image_jacobian() -> Any:
        image = images[0]
        with tf.GradientTape() as tape:
            tape.watch(image)
            y = logits(image, w["conv"], w["dense"])
        return tape.jacobian(y, image)

    def state_jacobian() -> Any:
        start = tf.zeros([1, UNITS])
        with tf.GradientTape() as tape:
            tape.watch(start)
            y = last_state(sequences[0], start)
        return tape.jacobian(y, start)

    def conv() -> Any:
        return tf.vectorized_map(of_image, (images, labels))

    programs = {
        "conv_gradients": conv,
        "rnn_gradients": lambda: tf.vectorized_map(of_sequence, sequences),
        "conv_jacobian": image_jacobian,
        "rnn_jacobian": state_jacobian,
    }
    eager = {f"{name}_eager": programs[name] for name in ("conv_gradients", "conv_jacobian")}

    def variants(program: Any) -> dict[str, Callable[[], Any]]:
        return tf_variants(tf, lambda jit_compile: tf.function(program, jit_compile=jit_compile))

    return eager | {name: variants(program) for name, program in programs.items()}


def jax(jax: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    jnp, lax = jax.numpy, jax.lax
    images, labels, sequences, w = jax.tree.map(jnp.asarray, _arrays(np))

    def logits(image: Any, conv: Any, dense: Any) -> Any:
        x = lax.conv_general_dilated(image[None], conv, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        pooled = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return pooled.reshape(1, 200) @ dense

    def image_loss(weights: Any, image: Any, label: Any) -> Any:
        return -jax.nn.log_softmax(logits(image, *weights))[0, label]

    def last_state(weights: Any, sequence: Any, start: Any) -> Any:
        return lax.scan(lambda h, x: (jnp.tanh(x[None] @ weights[0] + h @ weights[1]), None), start, sequence)[0]

    def sequence_loss(weights: Any, sequence: Any) -> Any:
        return (last_state(weights, sequence, jnp.zeros([1, UNITS])) ** 2).sum()

    of_images = jax.vmap(jax.grad(image_loss), (None, 0, 0))
    of_sequences = jax.jit(jax.vmap(jax.grad(sequence_loss), (None, 0)))
    by_image = jax.jacrev(logits)
    by_state = jax.jit(jax.jacrev(last_state, 2))
    compiled, compiled_by_image = jax.jit(of_images), jax.jit(by_image)
    kernels, cells = (w["conv"], w["dense"]), (w["input"], w["state"])
    start = jnp.zeros([1, UNITS])
    return {
        "conv_gradients_eager": lambda: of_images(kernels, images, labels),
        "conv_gradients": {"jit": lambda: compiled(kernels, images, labels)},
        "rnn_gradients": {"jit": lambda: of_sequences(cells, sequences)},
        "conv_jacobian_eager": lambda: by_image(images[0], *kernels),
        "conv_jacobian": {"jit": lambda: compiled_by_image(images[0], *kernels)},
        "rnn_jacobian": {"jit": lambda: by_state(cells, sequences[0], start)},
    }


def torch(torch: Any) -> dict[str, Callable[[], Any]]:
    import numpy as np

    arrays = _arrays(np)
    images, labels, sequences = map(torch.tensor, arrays[:3])
    images = images.permute(0, 3, 1, 2).contiguous()
    w = {name: torch.tensor(value) for name, value in arrays[3].items()}
    kernels = (w["conv"].permute(3, 2, 0, 1).contiguous(), w["dense"])
    cells, start = (w["input"], w["state"]), torch.zeros([1, UNITS])

    def logits(image: Any, conv: Any, dense: Any) -> Any:
        x = torch.relu(torch.nn.functional.conv2d(image[None], conv))
        return torch.nn.functional.max_pool2d(x, 2).permute(0, 2, 3, 1).reshape(1, 200) @ dense

    def image_loss(weights: Any, image: Any, label: Any) -> Any:
        return torch.nn.functional.cross_entropy(logits(image, *weights), label[None])

    def last_state(weights: Any, sequence: Any, start: Any) -> Any:
        h = start
        for i in range(STEPS):
            h = torch.tanh(sequence[i][None] @ weights[0] + h @ weights[1])
        return h

    def sequence_loss(weights: Any, sequence: Any) -> Any:
        return (last_state(weights, sequence, torch.zeros([1, UNITS])) ** 2).sum()

    of_images = torch.func.vmap(torch.func.grad(image_loss), (None, 0, 0))
    of_sequences = torch.func.vmap(torch.func.grad(sequence_loss), (None, 0))
    by_image, by_state = torch.func.jacrev(logits), torch.func.jacrev(last_state, 2)
    eager = {
        "conv_gradients": lambda: of_images(kernels, images, labels),
        "rnn_gradients": lambda: of_sequences(cells, sequences),
        "conv_jacobian": lambda: by_image(images[0], *kernels),
        "rnn_jacobian": lambda: by_state(cells, sequences[0], start),
    }
    alone = {f"{name}_eager": eager[name] for name in ("conv_gradients", "conv_jacobian")}
    return alone | {name: {"eager": call} for name, call in eager.items()}
