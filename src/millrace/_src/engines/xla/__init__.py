"""The XLA tier: a graph through `jax.jit`. The only engine that imports JAX."""
