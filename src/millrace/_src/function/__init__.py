"""`tf.function`: trace types, the cache of traces, tracing, concrete functions and their calls.

A call's arguments get trace types (`trace_types.py`), which find a trace (`trace_cache.py`) or make one (`tracing.py`).
A trace is a `ConcreteFunction` around a `GraphFunction` (`graph_function.py`), which runs its graph eagerly, in a
graph, under tapes. A later call with the same kinds of arguments takes the fast path (`fast_calls.py`). Start with
`polymorphic_function.py`.
"""
