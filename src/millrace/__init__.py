"""Millrace: TensorFlow 2's programming model in pure Python. `import millrace as tf`.

This package is the public namespace. Its names live in `millrace._src` and are imported on first use, so that importing
it loads neither NumPy nor JAX.
"""

from __future__ import annotations

import sys

from millrace._api import lazy

lazy.install(sys.modules[__name__])
