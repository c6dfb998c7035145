"""Ops whose attributes are graphs: calls, conditionals, loops; and what is built of loops.

Branches and bodies are traced into graphs (`traced_branches.py`) and become attributes of an `If`, `While` or call. The
derivative of such a graph is a forward function that also returns what the backward function reads (`derivative.py`,
`while_gradient.py`). Start with `cond.py`, then `while_loop.py`.
"""
