"""Millrace's internals; the public names are in `millrace` itself.

Layers, from the bottom: `util/` and `proto/`, `core/`, `graph/` and `trackable/`, `passes/`, `engines/`, `ops/`,
`autodiff/`, `control_flow/`, `state/`, `autograph/`, `function/`, `data/`, `checkpoint/`, `saved_model/` and
`summary/`, `distribute/`, `explain/`, `compat_v1/`, `interop/`, `command_line/` and `testing/`. A package imports
those below it alone. Every op call passes through `core/execute.py: execute`; start there, or with `docs/life-of.md`.
"""
