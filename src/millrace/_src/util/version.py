"""The versions that Millrace states: Millrace's own, and those of TensorFlow's interface and file formats.

Programs parse `tf.__version__`, and every GraphDef names the producer that wrote the graph, so these numbers are part
of the interface. The numbers stand here once; pyproject reads `__version__` from this file.

Tests: tests/saved_model/test_meta_info.py
"""

from __future__ import annotations

import sys

from millrace._src.util.export import export_constant

__version__ = "0.1.0"

# The TensorFlow release whose interface, names and files Millrace follows.
TENSORFLOW_VERSION = "2.21.0"

# The `versions` field of a GraphDef written by that release.
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

# `tf.version.GIT_VERSION` and `COMPILER_VERSION`, which programs print in bug reports.
GIT_VERSION = f"millrace-{__version__}"
COMPILER_VERSION = f"{sys.implementation.name} {'.'.join(map(str, sys.version_info[:3]))}"

export_constant(
    __name__, "__version__", "version.VERSION", "__version__", v1=["version.VERSION", "__version__", "VERSION"]
)
export_constant(
    __name__,
    "GIT_VERSION",
    "version.GIT_VERSION",
    "__git_version__",
    v1=["version.GIT_VERSION", "__git_version__", "GIT_VERSION"],
)
export_constant(
    __name__,
    "COMPILER_VERSION",
    "version.COMPILER_VERSION",
    "__compiler_version__",
    v1=["version.COMPILER_VERSION", "__compiler_version__", "COMPILER_VERSION"],
)
export_constant(
    __name__, "GRAPH_DEF_VERSION", "version.GRAPH_DEF_VERSION", v1=["version.GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION"]
)
export_constant(
    __name__,
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "version.GRAPH_DEF_VERSION_MIN_CONSUMER",
    v1=["version.GRAPH_DEF_VERSION_MIN_CONSUMER", "GRAPH_DEF_VERSION_MIN_CONSUMER"],
)
export_constant(
    __name__,
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "version.GRAPH_DEF_VERSION_MIN_PRODUCER",
    v1=["version.GRAPH_DEF_VERSION_MIN_PRODUCER", "GRAPH_DEF_VERSION_MIN_PRODUCER"],
)
