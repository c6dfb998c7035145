"""The XLA engine: a graph through `jax.jit`. The only engine that imports JAX.

`lower.py` turns a graph into a function of jax.numpy arrays; `executables.py` compiles it for each signature;
`runner.py` takes a call's arguments to an executable and back. Start with `engine.py`.
"""
