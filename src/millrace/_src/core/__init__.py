"""The vocabulary: dtypes, shapes, tensors, OpDefs, and `execute`, which every op call passes through.

An op call enters at `execute.py: execute`. In eager mode a cached kernel runs (`kernel_cache.py`), everything else
takes `dispatch.py`: conversion of inputs, a node in a graph, tapes, the first call of a kind. What an op is,
`op_def.py` says; what a tensor is, `tensor.py`; what an engine is, `engine.py`; the state of a thread, `context.py`.
Nothing here knows ops, graphs or engines by name: they register, or are found through `op_registry.py`. Start with
`execute.py`, then `op_def.py`.
"""
