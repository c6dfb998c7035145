"""The programs that are measured, one a file.

A program has `ROWS` and, for each framework that takes part, a function that sets up and returns, by row, what one
call does; or, by row and variant (`benchmarks.rows.VARIANTS`), where the framework has several variants of the program.
`tensorflow(tf)` serves TensorFlow and Millrace alike: it is the same text. `PROCESSES` in place of these functions
holds source code, by framework and row, that runs in a process of its own and prints a number; its clock is `clock()`.
"""

import pkgutil

_FIRST = (
    "scalar_add",
    "function_call",
    "dense_layers",
    "training",
    "while_loop",
    "matmuls",
    "reductions",
    "elementwise_chain",
    "cnn",
    "attention",
    "rnn",
    "first_step",
    "batch_sizes",
    "tracing",
    "vectorize",
    "forward_mode",
    "imports",
    "memory",
    "digits",
    "pipelines",
    "checkpoints",
    "object_checkpoints",
    "saved_models",
)

ORDER = (*_FIRST, *sorted({module.name for module in pkgutil.iter_modules(__path__)} - set(_FIRST)))
"""The order of the table: the programs of the project's promises first, then all others."""
