"""Objects with state: variables, modules, random generators, tables, queues.

A variable is a handle and ops on it (`ops/state.py`); checkpoints and traces see it as a `Trackable` with a spec.
Start with `variable.py: Variable`.
"""
