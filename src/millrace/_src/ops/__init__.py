"""Every op, in its one home; the folders follow `tf.*`.

A file declares the ops of one family: signature, dtypes, shape rule, kernel, gradient, batching rule, and the public
functions on top. Shared rules: `shape_rules.py`, `gradient_rules.py`, `batching_rules.py`, `type_sets.py`. Ops of
other families are called as `raw.Name(...)` (`raw.py`); `core/op_homes.py`, generated, says which module declares an
op. Start with `math/unary.py`.
"""
