"""The time a user waits for `import`, and for the first tensor."""

from __future__ import annotations

from benchmarks.rows import Row

ROWS = (
    Row("import", "import", "s", reach=0.05),
    Row("first_tensor", "import and first tensor", "s", reach=0.15, beyond="numpy"),
)

_TIMED = "start = clock(); {}; print(clock() - start)"

PROCESSES = {
    "millrace": {"import": "import millrace", "first_tensor": "import millrace as tf; tf.constant(1.0)"},
    "numpy": {"import": "import numpy", "first_tensor": "import numpy; numpy.array(1.0)"},
    "tensorflow": {"import": "import tensorflow", "first_tensor": "import tensorflow as tf; tf.constant(1.0)"},
    "jax": {"import": "import jax", "first_tensor": "import jax.numpy as jnp; jnp.asarray(1.0)"},
    "torch": {"import": "import torch", "first_tensor": "import torch; torch.tensor(1.0)"},
}
PROCESSES = {name: {row: _TIMED.format(code) for row, code in rows.items()} for name, rows in PROCESSES.items()}
