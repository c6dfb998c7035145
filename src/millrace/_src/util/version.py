"""The versions Millrace states: its own, and those of the TensorFlow interface and file formats it speaks.

Programs parse `tf.__version__`, and every GraphDef names the producer that wrote it, so these numbers are part of the
interface. They stand here once; pyproject reads `__version__` from this file.
"""

from __future__ import annotations

from millrace._src.util.export import export_constant

__version__ = "0.1.0"

# The TensorFlow release whose interface, names and files Millrace follows.
TENSORFLOW_VERSION = "2.21.0"

# The `versions` field of a GraphDef written by that release.
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

export_constant(__name__, "GRAPH_DEF_VERSION", "version.GRAPH_DEF_VERSION")
export_constant(__name__, "GRAPH_DEF_VERSION_MIN_CONSUMER", "version.GRAPH_DEF_VERSION_MIN_CONSUMER")
export_constant(__name__, "GRAPH_DEF_VERSION_MIN_PRODUCER", "version.GRAPH_DEF_VERSION_MIN_PRODUCER")
