"""Random numbers."""

from __future__ import annotations

from benchmarks.kernel_rows.kernel import Kernel

ROWS = (
    Kernel(
        "random_uniform",
        "x=normal(1)",
        "tf.random.uniform([n])",
        "jax.random.uniform(jax.random.key(0), (n,))",
        "torch.rand(n)",
    ),
    Kernel(
        "random_normal",
        "x=normal(1)",
        "tf.random.normal([n])",
        "jax.random.normal(jax.random.key(0), (n,))",
        "torch.randn(n)",
    ),
    Kernel(
        "truncated_normal",
        "x=normal(1)",
        "tf.random.truncated_normal([n])",
        "jax.random.truncated_normal(jax.random.key(0), -2., 2., (n,))",
        "torch.nn.init.trunc_normal_(torch.empty(n))",
    ),
    Kernel(
        "random_integers",
        "x=normal(1)",
        "tf.random.uniform([n], 0, 1000, tf.int32)",
        "jax.random.randint(jax.random.key(0), (n,), 0, 1000)",
        "torch.randint(1000, (n,))",
    ),
    Kernel(
        "stateless_uniform",
        "x=normal(1)",
        "tf.random.stateless_uniform([n], [1, 2])",
        "jax.random.uniform(jax.random.key(0), (n,))",
        "",
    ),
    Kernel(
        "stateless_normal",
        "x=normal(1)",
        "tf.random.stateless_normal([n], [1, 2])",
        "jax.random.normal(jax.random.key(0), (n,))",
        "",
    ),
    Kernel(
        "random_gamma",
        "x=uniform(n // 16)",
        "tf.random.gamma([16], x)",
        "jax.random.gamma(jax.random.key(0), x, (16, n // 16))",
        "torch._standard_gamma(x.expand(16, -1))",
    ),
    Kernel(
        "random_poisson",
        "x=uniform(n // 16)",
        "tf.random.poisson([16], x)",
        "jax.random.poisson(jax.random.key(0), x, (16, n // 16))",
        "torch.poisson(x.expand(16, -1))",
    ),
    Kernel(
        "categorical",
        "x=normal(r, r)",
        "tf.random.categorical(x, 16)",
        "jax.random.categorical(jax.random.key(0), x, shape=(16, r))",
        "torch.multinomial(x.softmax(1), 16, True)",
    ),
    Kernel(
        "shuffle",
        "x=normal(n)",
        "tf.random.shuffle(x)",
        "jax.random.permutation(jax.random.key(0), x)",
        "x[torch.randperm(n)]",
    ),
    Kernel(
        "shuffle_rows",
        "x=normal(n // 16, 16)",
        "tf.random.shuffle(x)",
        "jax.random.permutation(jax.random.key(0), x)",
        "x[torch.randperm(n // 16)]",
    ),
    Kernel(
        "dropout",
        "x=normal(n)",
        "tf.nn.dropout(x, .5)",
        "jnp.where(jax.random.bernoulli(jax.random.key(0), .5, (n,)), 2 * x, 0)",
        "F.dropout(x)",
    ),
)
